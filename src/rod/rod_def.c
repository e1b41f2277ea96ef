// Defaults of a rod body.
#include "base/context.h"
#include "pliant/rod.h"

pl_rod_def pl_default_rod_def(void) {
  return (pl_rod_def){
      .density = 1000.0,
      .stiffness = 0.1,
      .stiffness_step = 1.0 / 240.0,
      .width = 2,
      .twist = 0.5,
      .damping = 1.0,
      .friction = 0.3,
      .ghost_momentum = PL_ROD_GHOST_MOMENTUM_TRANSPORT,
      .window = 0.1,
      .view_rule = PL_ROD_VIEW_PAPER,
      .tube_sides = 10,
      .magic = PL_DEF_MAGIC,
  };
}

pl_rod_joint pl_default_rod_joint(int32_t parent) {
  return (pl_rod_joint){.parent = parent, .rest = {{0, 0, 0}, {0, 0, 0, 1}}, .stiffness = 1, .spring = 1, .drag = 0.4};
}

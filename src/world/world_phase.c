// Calls into a world from inside its own step.
//
// A step holds pointers into bodies, pins and lists while it runs, and puts everything back when it fails. A controller
// is called before it looks at any of them, so it may change what it likes; a layer, or a driver of a fem body, is
// called in the middle and may only read. Nobody may start a step inside a step or replace the whole state: a
// controller that steps its own world would be called by that step again, without end.
#include "base/error.h"
#include "world/world_state.h"

pl_status pl_world_check_idle(const pl_world *world, const char *function, pl_error *error) {
  if (world->phase == PL_WORLD_IDLE) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                 "%s() was called inside a step of the same world; call it between steps", function);
}

pl_status pl_world_check_open(const pl_world *world, const char *function, pl_error *error) {
  if (world->phase != PL_WORLD_LOCKED) return PL_OK;
  return pl_fail(
      error, PL_ERROR_INVALID_ARGUMENT,
      "%s() was called by a layer or driver inside a step, which may only read the world; call it from a controller "
      "or between steps",
      function);
}

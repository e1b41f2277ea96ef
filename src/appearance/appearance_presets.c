// Materials by name: the one table from which the scene format, the studio and the documentation take them. After a
// change run `make generate`.
#include <string.h>

#include "appearance/appearance_parameters.h"

typedef struct preset {
  const char *about;
  double roughness, metallic, translucency, sheen;
} preset;

// One line per preset, in the order of the names: roughness, metallic, translucency and sheen.
// clang-format off
const char *const pl_appearance_preset_names[] = {"jelly", "rubber", "cloth", "skin", "clay", "metal", NULL};
static const preset PRESETS[] = {
    {"Wet and glassy, light passes through.", 0.12, 0, 1.6, 0},
    {"Dense, with broad dull reflections.", 0.42, 0, 0.1, 0},
    {"No reflections, fibres catch the light at the rim.", 1, 0, 0.25, 1},
    {"Soft reflections, light spreads under the surface.", 0.5, 0, 0.9, 0.35},
    {"Matt, with a soft edge between light and shade.", 0.85, 0, 0.6, 0},
    {"Polished metal that mirrors sky and ground.", 0.25, 1, 0, 0},
};
// clang-format on

enum { PRESET_COUNT = sizeof PRESETS / sizeof PRESETS[0] };

int32_t pl_appearance_preset_count(void) {
  return PRESET_COUNT;
}

const char *pl_appearance_preset_name(int32_t index) {
  return index < 0 || index >= PRESET_COUNT ? NULL : pl_appearance_preset_names[index];
}

const char *pl_appearance_preset_about(int32_t index) {
  return index < 0 || index >= PRESET_COUNT ? NULL : PRESETS[index].about;
}

bool pl_appearance_find_preset(const char *name, pl_color base_color, pl_appearance_material *material) {
  for (int32_t i = 0; i < PRESET_COUNT; ++i) {
    if (strcmp(pl_appearance_preset_names[i], name) != 0) continue;
    *material = pl_default_appearance_material();
    material->base_color = base_color;
    material->roughness = PRESETS[i].roughness;
    material->metallic = PRESETS[i].metallic;
    material->translucency = PRESETS[i].translucency;
    material->sheen = PRESETS[i].sheen;
    return true;
  }
  return false;
}

// The parameters of pl_appearance_material: the one place for defaults, ranges, units and meanings. After a change run
// `make generate`.
#include "appearance/appearance_parameters.h"

#include "base/parameter_words.h"

static const char *const SHADINGS[] = {"soft", "standard", "toon", "unlit", NULL};
static const char *const ALPHA_MODES[] = {"opaque", "mask", "blend", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_appearance_material
static const pl_parameter MATERIAL[] = {
    CHOICE(shading, pl_material_shading, SHADINGS, PL_SHADING_STANDARD, ABOUT("How light falls on it.")),
    COLOR(base_color, XYZ(1, 1, 1), FROM(0, 1), ABOUT("Colour in the light.")),
    NUMBER(alpha, 1, FROM(0, 1), ABOUT("Opacity.")),
    NUMBER(metallic, 0, FROM(0, 1), ABOUT("1 for a metal, 0 for everything else.")),
    NUMBER(roughness, 0.5, FROM(0, 1), ABOUT("Width of reflections: 0 for a mirror, 1 for chalk.")),
    NUMBER(translucency, 0, FROM(0, 2), ABOUT("Light that enters and leaves elsewhere: 0 for stone, 1 for wax.")),
    NUMBER(sheen, 0, FROM(0, 2), ABOUT("Pale rim of fibres and fine hair.")),
    COLOR(emissive, XYZ(0, 0, 0), FROM(0, 1), ABOUT("Light of its own.")),
    NUMBER(normal_scale, 1, FROM(-100, 100), ABOUT("Strength of the normal map.")),
    NUMBER(occlusion_strength, 1, FROM(0, 1), ABOUT("Strength of the occlusion map.")),
    COLOR(shade_color, XYZ(0.6, 0.6, 0.6), FROM(0, 1), ABOUT("Colour out of the light, of toon shading.")),
    NUMBER(shade_shift, 0, FROM(-1, 1), ABOUT("Moves the step of toon shading into the shade (above 0) or into the light.")),
    NUMBER(shade_sharpness, 0.9, FROM(0, 1), ABOUT("Sharpness of the step of toon shading: 0 is a smooth gradient, 1 an edge.")),
    COLOR(rim_color, XYZ(0, 0, 0), FROM(0, 1), ABOUT("Colour added where the surface turns away, of toon shading.")),
    NUMBER(rim_power, 5, FROM(0, 100), ABOUT("How narrow that rim is.")),
    NUMBER(rim_lift, 0, FROM(0, 1), ABOUT("How far that rim reaches inwards.")),
    COLOR(matcap_color, XYZ(0, 0, 0), FROM(0, 1), ABOUT("Factor on the matcap image, which is added, of toon shading.")),
    COLOR(outline_color, XYZ(0, 0, 0), FROM(0, 1), ABOUT("Colour of the outline.")),
    NUMBER(outline_width, 0, FROM(0, 1e3), METRES, ABOUT("Width of the outline; 0 draws none.")),
    CHOICE(alpha_mode, pl_alpha_mode, ALPHA_MODES, PL_ALPHA_OPAQUE, ABOUT("What alpha does.")),
    NUMBER(alpha_cutoff, 0.5, FROM(0, 1), ABOUT("Alpha below which the mode `mask` draws nothing.")),
    SWITCH(double_sided, true, ABOUT("Drawn from behind as well.")),
};
const pl_parameter_table pl_appearance_material_parameters = TABLE_WITHOUT_MAGIC("appearance", pl_appearance_material, MATERIAL);
// clang-format on

pl_appearance_material pl_default_appearance_material(void) {
  pl_appearance_material material = {0};
  pl_parameters_set_defaults(&pl_appearance_material_parameters, &material);
  material.base_image = material.shade_image = material.emissive_image = material.normal_image = -1;
  material.metallic_roughness_image = material.occlusion_image = material.matcap_image = -1;
  return material;
}

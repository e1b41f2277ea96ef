// The shaders, in GLSL ES 3.00 without extensions, so that WebGL 2 takes the same text.
//
// The look: a studio with a large soft lamp (the sun), a bright sky dome and a floor that sweeps into the background.
// All light is linear; the target encodes sRGB.
//
//   depth   draws the bodies as the sun or one sky lamp sees them
//   cutout  the same for materials with holes by alpha
//   floor   one texel per patch of floor: how much sun and how much sky it sees
//   body    the surfaces
//   outline the hull of a surface, larger and seen from inside
//   ground  the floor, from the floor map
//   sky     the background
//
// Sky light is a sum over PL_LAMP_COUNT distant lamps on the dome, each with a small depth map of its own in one atlas.
// That is ambient occlusion of the real geometry (between bodies, within a body, on the floor), smooth in time, for one
// draw of the points per lamp; screen-space methods know only what the picture shows, and flicker at its rim.
//
// Soft sun shadows are percentage-closer soft shadows (Fernando 2005): the mean distance of the blockers around a point
// gives the width of the penumbra, so shadows are crisp at the contact and wide farther away. Work that most pixels can
// skip stands in loops that may run zero times rather than behind an `if`: a software rasteriser leaves a loop as soon
// as no pixel of a block needs it.
#include "render/render_shaders.h"

#include <stddef.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static const char head[] =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "precision highp sampler2D;\n"
    "precision highp sampler2DShadow;\n"
    "#define LAMP_COUNT " TEXT(PL_LAMP_COUNT) "\n"
    "#define LAMP_TILES " TEXT(PL_LAMP_TILES) "\n"
    "#define DISC_COUNT " TEXT(PL_DISC_COUNT) "\n";

// What both kinds of shadow need.
static const char shadow[] =
    "uniform vec2 u_disc[DISC_COUNT];  // samples of the unit disc\n"
    "uniform vec4 u_bias;              // metres: normal offset for sun, lamps; depth bias in map units for sun, "
    "lamps\n";

// The share of the sun that a point sees.
static const char sun[] =
    "uniform vec3 u_sun;             // towards it\n"
    "uniform vec4 u_sun_right, u_sun_up, u_sun_away; // map coordinate = dot(xyz, point) + w, in [0, 1]\n"
    "uniform vec4 u_sun_size;        // metres a map is wide, high, deep; tangent of the sun's half angle\n"
    "uniform highp sampler2DShadow u_sun_map;\n"
    "uniform highp sampler2D u_sun_depth;\n"
    "// Share of the sun seen from p, by percentage-closer soft shadows, and metres to what blocks it. `turn` rotates "
    "the sample\n"
    "// disc. `slope` is how the depth of the surface itself changes over the map: without it, wide kernels on slanted "
    "faces find\n"
    "// the face in its own shadow.\n"
    "vec2 sun_visibility(vec3 p, float bias, vec2 slope, vec2 turn, bool wanted) {\n"
    "  vec3 m = vec3(dot(u_sun_right.xyz, p) + u_sun_right.w, dot(u_sun_up.xyz, p) + u_sun_up.w,\n"
    "                dot(u_sun_away.xyz, p) + u_sun_away.w);\n"
    "  float depth = m.z - bias;\n"
    "  mat2 rotation = mat2(turn.x, turn.y, -turn.y, turn.x);\n"
    "  vec2 reach = vec2(min(max(depth, 0.0) * u_sun_size.z * u_sun_size.w, 0.2 * u_sun_size.x) + 0.003 * "
    "u_sun_size.x) /\n"
    "               u_sun_size.xy;\n"
    "  float blocker_sum = 0.0, blocker_count = 0.0;\n"
    "  bool inside = wanted && all(greaterThan(m.xy, -reach)) && all(lessThan(m.xy, vec2(1.0) + reach));\n"
    "  for (int i = inside ? 0 : DISC_COUNT; i < DISC_COUNT; i += 2) {\n"
    "    vec2 o = rotation * u_disc[i] * reach;\n"
    "    float z = texture(u_sun_depth, m.xy + o).r;\n"
    "    float blocks = step(z, clamp(depth + dot(o, slope), 0.0, 0.99999) - 1.0e-5);\n"
    "    blocker_sum += blocks * z;\n"
    "    blocker_count += blocks;\n"
    "  }\n"
    "  float gap = max(depth - blocker_sum / max(blocker_count, 1.0), 0.0) * u_sun_size.z;\n"
    "  vec2 spread = vec2(gap * u_sun_size.w + u_bias.x) / u_sun_size.xy;\n"
    "  float lit = 0.0;\n"
    "  for (int i = blocker_count > 0.0 ? 0 : DISC_COUNT; i < DISC_COUNT; ++i) {\n"
    "    vec2 o = rotation * u_disc[i] * spread;\n"
    "    lit += texture(u_sun_map, vec3(m.xy + o, clamp(depth + dot(o, slope), 0.0, 0.99999)));\n"
    "  }\n"
    "  return blocker_count > 0.0 ? vec2(lit / float(DISC_COUNT), gap) : vec2(1.0, 0.0);\n"
    "}\n";

// The light of the dome.
static const char lamps[] =
    "uniform vec4 u_lamp_right[LAMP_COUNT], u_lamp_up[LAMP_COUNT], u_lamp_away[LAMP_COUNT];\n"
    "uniform vec4 u_lamp_size[LAMP_COUNT]; // metres its map is wide, high, deep\n"
    "uniform float u_lamp_spread;\n"
    "uniform highp sampler2DShadow u_lamp_map;\n"
    "uniform highp sampler2D u_lamp_depth;\n"
    "uniform vec3 u_lamp_direction[LAMP_COUNT]; // towards it\n"
    "const vec3 sky_zenith = vec3(1.02, " TEXT(PL_SKY_ZENITH_GREEN) ", 1.12);\n"
    "const vec3 sky_horizon = vec3(0.98, " TEXT(PL_SKY_HORIZON_GREEN) ", 0.92);\n"
    "\n"
    "// Light of the dome on a surface at p with unit normal n; an open floor gets about 1. Each lamp stands for a patch of the\n"
    "// dome, so its shadow has a penumbra too, found as for the sun; u_lamp_spread is the tangent of the patch's half angle.\n"
    "vec3 sky_light(vec3 p, vec3 n, vec2 turn) {\n"
    "  vec3 sum = vec3(0.0);\n"
    "  mat2 rotation = mat2(turn.x, turn.y, -turn.y, turn.x);\n"
    "  for (int i = 0; i < LAMP_COUNT; ++i) {\n"
    "    vec3 m = vec3(dot(u_lamp_right[i].xyz, p) + u_lamp_right[i].w, dot(u_lamp_up[i].xyz, p) + u_lamp_up[i].w,\n"
    "                  dot(u_lamp_away[i].xyz, p) + u_lamp_away[i].w - u_bias.w);\n"
    "    vec3 direction = u_lamp_direction[i];\n"
    "    float facing = max(dot(n, direction), 0.0);\n"
    "    float reference = clamp(m.z, 0.0, 0.9999);\n"
    "    bool reached = facing > 0.0 && all(equal(clamp(m.xy, vec2(-0.1), vec2(1.1)), m.xy));\n"
    "    vec2 tile = vec2(float(i % LAMP_TILES), float(i / LAMP_TILES));\n"
    "    vec4 size = u_lamp_size[i];\n"
    "    vec2 reach = vec2(min(max(m.z, 0.0) * size.z, 0.25 * size.x) * u_lamp_spread) / size.xy;\n"
    "    float blocker_sum = 0.0, blocker_count = 0.0, lit = 0.0;\n"
    "    for (int k = reached ? 0 : 6; k < 6; ++k) {\n"
    "      vec2 q = clamp(m.xy + rotation * u_disc[k * 2 + 1] * reach, 0.002, 0.998);\n"
    "      float z = texture(u_lamp_depth, (q + tile) / float(LAMP_TILES)).r;\n"
    "      float blocks = step(z, reference - 1.0e-4);\n"
    "      blocker_sum += blocks * z;\n"
    "      blocker_count += blocks;\n"
    "    }\n"
    "    float gap = max(m.z - blocker_sum / max(blocker_count, 1.0), 0.0) * size.z;\n"
    "    vec2 spread = vec2(gap * u_lamp_spread + 0.6 * u_bias.y) / size.xy;\n"
    "    for (int k = blocker_count > 0.0 ? 0 : 6; k < 6; ++k) {\n"
    "      vec2 q = clamp(m.xy + rotation * u_disc[k * 2] * spread, 0.002, 0.998);\n"
    "      lit += texture(u_lamp_map, vec3((q + tile) / float(LAMP_TILES), reference));\n"
    "    }\n"
    "    float seen = blocker_count > 0.0 ? lit / 6.0 : 1.0;\n"
    "    sum += mix(sky_horizon, sky_zenith, direction.y) * (facing * seen);\n"
    "  }\n"
    "  return sum * (2.0 / float(LAMP_COUNT));\n"
    "}\n";

// Background and dithering.
static const char finish[] =
    "uniform vec2 u_picture_size;\n"
    "uniform vec3 u_background_top, u_background_bottom; // linear\n"
    "// A vertical gradient, eased so that neither end shows a seam.\n"
    "vec3 background(vec2 pixel) {\n"
    "  float t = clamp(pixel.y / u_picture_size.y, 0.0, 1.0);\n"
    "  return mix(u_background_bottom, u_background_top, t * t * (3.0 - 2.0 * t));\n"
    "}\n"
    "// Half a grey level of ordered noise, so that wide gradients show no bands; ordered, so that PNG still packs it "
    "well.\n"
    "vec3 dithered(vec3 c) {\n"
    "  ivec2 q = ivec2(gl_FragCoord.xy);\n"
    "  int x = q.x ^ q.y, y = q.y;\n"
    "  int bayer = ((x & 1) << 5) | ((y & 1) << 4) | ((x & 2) << 2) | ((y & 2) << 1) | ((x & 4) >> 1) | ((y & 4) >> "
    "2);\n"
    "  return c + sqrt(max(c, 0.0)) * ((float(bayer) / 63.0 - 0.5) * 2.0 / 255.0);\n"
    "}\n";

static const char depth_vertex[] =
    "layout(location = 0) in vec3 a_position;\n"
    "uniform vec4 u_right, u_up, u_away;\n"
    "void main() {\n"
    "  vec3 m = vec3(dot(u_right.xyz, a_position) + u_right.w, dot(u_up.xyz, a_position) + u_up.w,\n"
    "                dot(u_away.xyz, a_position) + u_away.w);\n"
    "  gl_Position = vec4(m * 2.0 - 1.0, 1.0);\n"
    "}\n";

static const char depth_fragment[] = "void main() {}\n";

static const char cutout_vertex[] =
    "layout(location = 0) in vec3 a_position;\n"
    "layout(location = 2) in vec4 a_color;\n"
    "layout(location = 3) in vec2 a_uv;\n"
    "uniform vec4 u_right, u_up, u_away;\n"
    "out vec2 v_uv;\n"
    "out float v_alpha;\n"
    "void main() {\n"
    "  vec3 m = vec3(dot(u_right.xyz, a_position) + u_right.w, dot(u_up.xyz, a_position) + u_up.w,\n"
    "                dot(u_away.xyz, a_position) + u_away.w);\n"
    "  v_uv = a_uv;\n"
    "  v_alpha = a_color.a;\n"
    "  gl_Position = vec4(m * 2.0 - 1.0, 1.0);\n"
    "}\n";

static const char cutout_fragment[] =
    "in vec2 v_uv;\n"
    "in float v_alpha;\n"
    "uniform sampler2D u_base_image;\n"
    "uniform vec2 u_hole;         // alpha of the material, alpha below which there is a hole\n"
    "void main() {\n"
    "  if (texture(u_base_image, v_uv).a * v_alpha * u_hole.x < u_hole.y) discard;\n"
    "}\n";

// One triangle that covers the target.
static const char whole_vertex[] =
    "uniform float u_depth;\n"
    "out vec2 v_place; // [0, 1] over the target\n"
    "void main() {\n"
    "  v_place = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));\n"
    "  gl_Position = vec4(v_place * 2.0 - 1.0, u_depth, 1.0);\n"
    "}\n";

// Nine rotations in a 3 x 3 pattern: the ground shader averages 3 x 3 texels, so each point ends up with nine times as
// many samples.
static const char floor_point[] =
    "in vec2 v_place;\n"
    "uniform vec4 u_floor;        // least x, least z, size, height; metres\n"
    "out vec4 color;\n"
    "vec3 floor_point() { return vec3(u_floor.x + v_place.x * u_floor.z, u_floor.w, u_floor.y + v_place.y * "
    "u_floor.z); }\n"
    "vec2 floor_turn() {\n"
    "  ivec2 cell = ivec2(gl_FragCoord.xy) % 3;\n"
    "  float angle = float(cell.x * 3 + cell.y) * 0.6981317;\n"
    "  return vec2(cos(angle), sin(angle));\n"
    "}\n";

static const char floor_sun_fragment[] =
    "void main() { color = vec4(sun_visibility(floor_point(), 0.0, vec2(0.0), floor_turn(), true).x); }\n";

static const char floor_sky_fragment[] =
    "uniform float u_floor_open;  // green sky light on a floor with nothing around it\n"
    "void main() { color = vec4(sky_light(floor_point(), vec3(0.0, 1.0, 0.0), floor_turn()).g / u_floor_open); }\n";

static const char body_vertex[] =
    "layout(location = 0) in vec3 a_position;\n"
    "layout(location = 1) in vec3 a_normal;\n"
    "layout(location = 2) in vec4 a_color;\n"
    "layout(location = 3) in vec2 a_uv;\n"
    "uniform mat4 u_view_projection;\n"
    "uniform vec3 u_eye;\n"
    "uniform float u_side;        // 1: closed with the normals outwards, -1: closed and inside out, 0: open\n"
    "centroid out vec3 v_position, v_normal, v_sky;\n"
    "centroid out vec4 v_color;\n"
    "centroid out vec2 v_uv;\n"
    "out vec3 v_corner;\n"
    "void main() {\n"
    "  // The dome's light is smooth, so the vertices are enough. It falls on the outside, or on the side of an open "
    "surface that\n"
    "  // is looked at;\n"
    "  // normals a little beyond the silhouette still belong to triangles in front of it.\n"
    "  bool behind = dot(normalize(u_eye - a_position), a_normal) < -0.3;\n"
    "  vec3 n = u_side < 0.0 || (u_side == 0.0 && behind) ? -a_normal : a_normal;\n"
    "  v_sky = sky_light(a_position + n * u_bias.y, n, vec2(1.0, 0.0));\n"
    "  int corner = gl_VertexID % 3;\n"
    "  v_corner = vec3(corner == 0, corner == 1, corner == 2);\n"
    "  v_position = a_position;\n"
    "  v_normal = a_normal;\n"
    "  v_color = a_color;\n"
    "  v_uv = a_uv;\n"
    "  gl_Position = u_view_projection * vec4(a_position, 1.0);\n"
    "}\n";

// The hull moved outwards along its normals; only its far side is drawn, so that it shows around the surface alone.
static const char outline_vertex[] =
    "layout(location = 0) in vec3 a_position;\n"
    "layout(location = 1) in vec3 a_normal;\n"
    "layout(location = 2) in vec4 a_color;\n"
    "layout(location = 3) in vec2 a_uv;\n"
    "uniform mat4 u_view_projection;\n"
    "uniform float u_width;       // metres\n"
    "out vec2 v_uv;\n"
    "out float v_alpha;\n"
    "void main() {\n"
    "  v_uv = a_uv;\n"
    "  v_alpha = a_color.a;\n"
    "  gl_Position = u_view_projection * vec4(a_position + a_normal * u_width, 1.0);\n"
    "}\n";

static const char outline_fragment[] =
    "in vec2 v_uv;\n"
    "in float v_alpha;\n"
    "uniform sampler2D u_base_image;\n"
    "uniform vec2 u_hole;\n"
    "uniform vec3 u_outline;      // linear\n"
    "out vec4 color;\n"
    "void main() {\n"
    "  if (texture(u_base_image, v_uv).a * v_alpha * u_hole.x < u_hole.y) discard;\n"
    "  color = vec4(u_outline, 1.0);\n"
    "}\n";

// What the material is made of at a pixel, and how light meets it. A compiler need not take longer strings than 4095
// bytes, so that the shader is several.
static const char material[] =
    "centroid in vec3 v_position, v_normal, v_sky;\n"
    "centroid in vec4 v_color;    // linear\n"
    "centroid in vec2 v_uv;\n"
    "in vec3 v_corner;\n"
    "uniform vec3 u_eye;\n"
    "uniform vec3 u_bounce;       // light coming up from the floor, linear\n"
    "uniform float u_wireframe;   // 0 or 1\n"
    "uniform vec2 u_strength;     // of sun and sky\n"
    "uniform int u_shading;       // pl_material_shading\n"
    "uniform vec4 u_base;         // linear colour and alpha\n"
    "uniform vec4 u_surface;      // metallic, roughness, translucency, sheen\n"
    "uniform vec3 u_emissive, u_shade, u_rim;\n"
    "uniform vec4 u_toon;         // shift and sharpness of the step, power and lift of the rim\n"
    "uniform vec2 u_alpha;        // pl_alpha_mode, cutoff\n"
    "uniform vec2 u_maps;         // strength of the normal map (0: none) and of the occlusion map\n"
    "uniform vec3 u_matcap;       // linear; black: none\n"
    "uniform vec3 u_camera_up;\n"
    "uniform sampler2D u_base_image, u_shade_image, u_emissive_image, u_matcap_image;\n"
    "uniform sampler2D u_normal_image, u_surface_image, u_occlusion_image; // data, not colours\n"
    "out vec4 color;\n"
    "const vec3 key = vec3(1.42, 1.32, 1.18);\n"
    "const vec3 rim_low = vec3(0.98, 0.95, 0.92), rim_high = vec3(1.02, 1.06, 1.12);\n"
    "\n"
    "// Straight up to 0.7, then a shoulder that approaches 1: palette colours stay what they are, highlights do not "
    "clip.\n"
    "vec3 tone(vec3 c) {\n"
    "  vec3 over = max(c - 0.7, 0.0);\n"
    "  return min(c, 0.7) + 0.3 * (1.0 - exp(-over / 0.3));\n"
    "}\n"
    "\n"
    "// Light at a pixel.\n"
    "struct light {\n"
    "  float n_sun, n_view, direct, seen, open; // direct: cosine with a soft foot; seen: share of the sun; open: of "
    "the "
    "sky\n"
    "  vec3 sky, bounce;\n"
    "};\n"
    "\n"
    "// Light that enters near the terminator and comes out warmer: the soft edge of clay, wax and jelly.\n"
    "vec3 light_through(light l, vec3 base) {\n"
    "  float wrapped = max((l.n_sun + 0.45) / 1.45, 0.0);\n"
    "  float lit = max(l.seen * smoothstep(-0.4, 0.1, l.n_sun), l.open * 0.6);\n"
    "  vec3 through = (wrapped * wrapped - l.direct * l.direct * 0.9) * 0.42 * mix(0.35, 1.0, lit) *\n"
    "                 pow(base, vec3(0.85, 1.25, 1.45)) * vec3(1.25, 0.80, 0.66);\n"
    "  return max(through, 0.0) * u_strength.x;\n"
    "}\n"
    "\n"
    "vec3 light_diffuse(light l) {\n"
    "  return key * (l.direct * l.seen * 0.72 * u_strength.x) + (l.sky * 0.46 + l.bounce) * u_strength.y;\n"
    "}\n"
    "\n"
    "vec3 shade_soft(light l, vec3 base, vec3 n, vec3 v) {\n"
    "  vec3 c = base * light_diffuse(l) + light_through(l, base);\n"
    "  // A broad highlight of the lamp, a tight one on top, and a pale rim where the surface turns away.\n"
    "  vec3 h = normalize(u_sun + v);\n"
    "  float n_half = max(dot(n, h), 0.0);\n"
    "  float shine = 0.055 * pow(n_half, 18.0) + 0.20 * pow(n_half, 110.0);\n"
    "  float rim = pow(1.0 - l.n_view, 4.0);\n"
    "  c += key * (shine * l.seen * smoothstep(0.0, 0.3, l.n_sun) * u_strength.x);\n"
    "  c += mix(rim_low, rim_high, 0.5 + 0.5 * n.y) * (rim * 0.16 * l.open * (0.6 + 0.4 * n.y) * u_strength.y);\n"
    "  return tone(c);\n"
    "}\n";

// What maps say at a pixel.
static const char maps[] =
    "vec2 surface;      // metallic, roughness\n"
    "float occlusion;   // share of the sky's light\n"
    "\n"
    "// The normal map of glTF: x along u, y against v, z along n. Gradients of u and v over the picture give the "
    "tangents of the\n"
    "// triangle as it is deformed (Schueler 2006), so that no tangents need to follow the surface:\n"
    "//   grad u = (p_y x n u_x + n x p_x u_y) / det,   det = n . (p_x x p_y)\n"
    "vec3 mapped_normal(vec3 n) {\n"
    "  vec3 p_x = dFdx(v_position), p_y = dFdy(v_position);\n"
    "  vec2 uv_x = dFdx(v_uv), uv_y = dFdy(v_uv);\n"
    "  vec3 across_y = cross(p_y, n), across_x = cross(n, p_x);\n"
    "  float side = dot(p_x, across_y) < 0.0 ? -1.0 : 1.0;\n"
    "  vec3 t = (across_y * uv_x.x + across_x * uv_y.x) * side, b = (across_y * uv_x.y + across_x * uv_y.y) * side;\n"
    "  float size = max(dot(t, t), dot(b, b));\n"
    "  vec3 m = texture(u_normal_image, v_uv).xyz * 2.0 - 1.0;\n"
    "  vec3 tilt = size > 0.0 ? (t * m.x - b * m.y) * inversesqrt(size) : vec3(0.0);\n"
    "  return normalize(tilt * u_maps.x + n * max(m.z, 0.01));\n"
    "}\n"
    "\n"
    "void read_maps() {\n"
    "  vec4 s = texture(u_surface_image, v_uv);\n"
    "  surface = vec2(u_surface.x * s.b, max(u_surface.y * s.g, 0.06));\n"
    "  occlusion = mix(1.0, texture(u_occlusion_image, v_uv).r, u_maps.y);\n"
    "}\n"
    "\n"
    "// MToon 1.0, matcap: the picture of a ball in the light, looked up by the normal as the camera sees it.\n"
    "vec3 matcap(vec3 n, vec3 v) {\n"
    "  vec3 x = normalize(cross(u_camera_up, v)), y = cross(v, x);\n"
    "  return u_matcap * texture(u_matcap_image, vec2(0.5 + 0.5 * dot(x, n), 0.5 - 0.5 * dot(y, n))).rgb;\n"
    "}\n";

static const char shadings[] =
    "// The sky above and the floor below, as a surface of this roughness mirrors them.\n"
    "vec3 mirrored(vec3 r, float roughness, light l) {\n"
    "  float soft = 0.06 + 0.9 * roughness;\n"
    "  vec3 sky = mix(vec3(0.98, 0.95, 0.92), vec3(1.02, 1.06, 1.12), clamp(r.y, 0.0, 1.0));\n"
    "  // A brighter band where a studio has its windows; it gives smooth bodies a shape.\n"
    "  float window = smoothstep(0.25, 0.45, r.y) * smoothstep(0.95, 0.75, r.y) * (1.0 - roughness);\n"
    "  return mix(u_bounce * 1.6, sky * (0.62 + 0.5 * window), smoothstep(-soft, soft, r.y));\n"
    "}\n"
    "\n"
    "// Metallic-roughness (glTF 2.0, appendix B): GGX and Smith for the sun; for the sky the fit of Karis (2014) to "
    "the\n"
    "// integral of both over the hemisphere.\n"
    "vec3 shade_standard(light l, vec3 base, vec3 n, vec3 v) {\n"
    "  float metallic = surface.x, roughness = surface.y;\n"
    "  vec3 diffuse = base * (1.0 - metallic), f0 = mix(vec3(0.04), base, metallic);\n"
    "  vec3 c = diffuse * light_diffuse(l) + u_surface.z * light_through(l, diffuse);\n"
    "  vec3 h = normalize(u_sun + v);\n"
    "  float n_half = max(dot(n, h), 0.0), v_half = max(dot(v, h), 0.0), a2 = pow(roughness, 4.0) + 0.001;\n"
    "  float d = n_half * n_half * (a2 - 1.0) + 1.0;\n"
    "  float n_sun = max(l.n_sun, 0.0), k = 0.5 * roughness * roughness;\n"
    "  float masked = 0.25 / ((n_sun * (1.0 - k) + k) * (max(l.n_view, 0.05) * (1.0 - k) + k));\n"
    "  vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - v_half, 5.0);\n"
    "  // The sun's light divided by pi is what white would show.\n"
    "  c += key * fresnel * (0.72 * u_strength.x * l.seen * n_sun * min(a2 / (d * d) * masked, 12.0));\n"
    "  vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);\n"
    "  float a004 = min(r.x * r.x, exp2(-9.28 * l.n_view)) * r.x + r.y;\n"
    "  vec2 fit = vec2(-1.04, 1.04) * a004 + r.zw;\n"
    "  vec3 around = mirrored(reflect(-v, n), roughness, l) * (u_strength.y * occlusion);\n"
    "  c += around * (f0 * fit.x + fit.y) * mix(0.25, 1.0, l.open);\n"
    "  float rim = pow(1.0 - l.n_view, 3.0);\n"
    "  c += mix(base, vec3(1.0), 0.35) * (u_surface.w * rim * 0.45 * mix(0.3, 1.0, l.open) * (u_strength.y * "
    "occlusion));\n"
    "  return tone(c);\n"
    "}\n"
    "\n"
    "// MToon (VRMC_materials_mtoon 1.0): a step between two colours, and a rim. Light is white and of strength 1, as "
    "in "
    "the\n"
    "// programs that such materials are made in; the sky only darkens what is closed in.\n"
    "vec3 shade_toon(light l, vec3 base, float n_view) {\n"
    "  float wide = max(1.0 - u_toon.y, 0.005);\n"
    "  float lit = clamp((l.n_sun + u_toon.x + wide) / (2.0 * wide), 0.0, 1.0) * smoothstep(0.3, 0.7, l.seen);\n"
    "  vec3 shade = u_shade * texture(u_shade_image, v_uv).rgb;\n"
    "  vec3 c = mix(shade, base, lit) * mix(0.78, 1.0, l.open) * mix(u_strength.y, u_strength.x, lit);\n"
    "  return c + u_rim * pow(clamp(1.0 - n_view + u_toon.w, 0.0, 1.0), max(u_toon.z, 0.01));\n"
    "}\n";

static const char body_fragment[] =
    "void main() {\n"
    "  vec4 base = v_color * u_base * texture(u_base_image, v_uv);\n"
    "  if (u_alpha.x > 0.5 && base.a < (u_alpha.x > 1.5 ? 0.004 : u_alpha.y)) discard;\n"
    "  vec3 n = normalize(v_normal);\n"
    "  vec3 v = normalize(u_eye - v_position);\n"
    "  n = gl_FrontFacing ? n : -n;\n"
    "  vec3 flat_n = n;\n"
    "  read_maps();\n"
    "  if (u_maps.x != 0.0) n = mapped_normal(n);\n"
    "  light l;\n"
    "  l.n_sun = dot(n, u_sun);\n"
    "  l.n_view = max(dot(n, v), 0.0);\n"
    "  // Lambert's cosine with a rounded foot: a large lamp sets gradually.\n"
    "  float foot = max(l.n_sun + 0.16, 0.0);\n"
    "  l.direct = l.n_sun > 0.16 ? l.n_sun : foot * foot / 0.64;\n"
    "  // Shadows are of the surface as it is, not as a map shades it.\n"
    "  float flat_sun = dot(flat_n, u_sun), steep = sqrt(max(1.0 - flat_sun * flat_sun, 0.0));\n"
    "  vec2 slope = vec2(dot(u_sun_right.xyz, flat_n), dot(u_sun_up.xyz, flat_n)) * u_sun_size.xy * u_sun_size.xy /\n"
    "               (u_sun_size.z * max(flat_sun, 0.2));\n"
    "  // A different rotation in every pixel, by interleaved gradient noise (Jimenez 2014): fine grain instead of "
    "bands.\n"
    "  float angle = 6.2831853 * fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy), vec2(0.06711056, "
    "0.00583715))));\n"
    "  vec3 lifted = v_position + flat_n * (u_bias.x * (0.6 + 2.0 * steep));\n"
    "  vec2 sunlit = sun_visibility(lifted, u_bias.z, slope, vec2(cos(angle), sin(angle)), l.n_sun > 0.0);\n"
    "  // Where the surface turns away from the sun the cosine is shadow enough, and smoother than any map; unless "
    "something\n"
    "  // else is in the way.\n"
    "  float thrown = smoothstep(6.0, 20.0, sunlit.y / u_bias.x) * smoothstep(0.0, 0.12, l.n_sun);\n"
    "  l.seen = mix(1.0, sunlit.x, max(smoothstep(0.0, 0.22, l.n_sun), thrown));\n"
    "  l.sky = v_sky * occlusion;\n"
    "  l.open = clamp(l.sky.g / (0.45 + 0.55 * max(flat_n.y, 0.0)), 0.0, 1.0);\n"
    "  l.bounce = u_bounce * (0.5 - 0.5 * n.y) * (mix(0.35, 1.0, l.open) * occlusion);\n"
    "  vec3 c = u_shading == 3   ? base.rgb\n"
    "           : u_shading == 2 ? shade_toon(l, base.rgb, l.n_view) + matcap(n, v)\n"
    "           : u_shading == 1 ? shade_standard(l, base.rgb, n, v)\n"
    "                            : shade_soft(l, base.rgb, n, v);\n"
    "  c += u_emissive * texture(u_emissive_image, v_uv).rgb;\n"
    "\n"
    "  vec3 width = fwidth(v_corner) * 1.15;\n"
    "  vec3 line = smoothstep(vec3(0.0), width, v_corner);\n"
    "  float edge = 1.0 - min(min(line.x, line.y), line.z);\n"
    "  c = mix(c, c * 0.28, edge * 0.75 * u_wireframe);\n"
    "  color = vec4(dithered(c), u_alpha.x > 1.5 ? base.a : 1.0);\n"
    "}\n";

static const char ground_vertex[] =
    "uniform mat4 u_view_projection;\n"
    "uniform vec4 u_disc_at;      // centre x, height, centre z, radius; metres\n"
    "out vec3 v_position;\n"
    "void main() {\n"
    "  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;\n"
    "  v_position = u_disc_at.xyz + vec3(corner.x, 0.0, -corner.y) * u_disc_at.w;\n"
    "  gl_Position = u_view_projection * vec4(v_position, 1.0);\n"
    "}\n";

static const char ground_fragment[] =
    "in vec3 v_position;\n"
    "uniform vec4 u_disc_at;\n"
    "uniform vec4 u_floor;        // least x, least z, size, height; metres\n"
    "uniform sampler2D u_floor_sun, u_floor_sky;\n"
    "uniform vec3 u_ground;       // linear\n"
    "uniform vec3 u_checker;      // offset x, offset z, edge of a square in metres; 0 for lines\n"
    "uniform vec4 u_grid;         // offset x, offset z, step in metres, how far on the way to the next step (0 to 1)\n"
    "out vec4 color;\n"
    "\n"
    "// Four bilinear taps two thirds of a texel off the centre are a 3 x 3 box.\n"
    "float smoothed(sampler2D map, vec2 place) {\n"
    "  vec2 texel = vec2(2.0 / 3.0) / vec2(textureSize(map, 0)), back = vec2(texel.x, -texel.y);\n"
    "  return 0.25 * (texture(map, place + texel).r + texture(map, place - texel).r + texture(map, place + back).r +\n"
    "                 texture(map, place - back).r);\n"
    "}\n"
    "\n"
    "// Coverage of the lines of a grid of the given step, about a pixel wide; fades out where cells are smaller than "
    "pixels.\n"
    "float grid(vec2 at, float step_size) {\n"
    "  vec2 q = at / step_size;\n"
    "  vec2 pixel = fwidth(q);\n"
    "  vec2 away = abs(fract(q - 0.5) - 0.5) / max(pixel, vec2(1.0e-6));\n"
    "  vec2 cover = clamp(1.1 - away, 0.0, 1.0) * clamp(1.0 - pixel * 5.0, 0.0, 1.0);\n"
    "  return max(cover.x, cover.y);\n"
    "}\n"
    "\n"
    "// How much of a pixel lies on the dark squares of a checkerboard: the product of two square waves, each averaged "
    "over the\n"
    "// pixel, so that distant squares become grey instead of flickering.\n"
    "float checker(vec2 q) {\n"
    "  vec2 pixel = fwidth(q) + 1.0e-4;\n"
    "  vec2 before = abs(fract((q - 0.5 * pixel) * 0.5) - 0.5), behind = abs(fract((q + 0.5 * pixel) * 0.5) - 0.5);\n"
    "  vec2 wave = 2.0 * (before - behind) / pixel;\n"
    "  return 0.5 - 0.5 * wave.x * wave.y;\n"
    "}\n"
    "\n"
    "void main() {\n"
    "  vec2 place = (v_position.xz - u_floor.xy) / u_floor.z;\n"
    "  vec2 rim = smoothstep(vec2(0.5), vec2(0.44), abs(place - 0.5));\n"
    "  vec2 light = vec2(1.0);\n"
    "  for (int once = rim.x * rim.y > 0.0 ? 0 : 1; once < 1; ++once)\n"
    "    light = mix(light, vec2(smoothed(u_floor_sun, place), smoothed(u_floor_sky, place)), rim.x * rim.y);\n"
    "  float far = length(v_position.xz - u_disc_at.xz) / u_disc_at.w;\n"
    "  vec2 at = v_position.xz + u_grid.xy;\n"
    "  float line = max(grid(at, u_grid.z * 10.0), grid(at, u_grid.z) * (1.0 - u_grid.w) * 0.7);\n"
    "  float dark = u_checker.z > 0.0 ? 0.13 * checker((v_position.xz + u_checker.xy) / u_checker.z) : 0.085 * line;\n"
    "  vec3 c = u_ground * (1.0 - dark * smoothstep(0.6, 0.15, far));\n"
    "  // Shade is cooler than sun: its light comes from the sky.\n"
    "  vec3 shade = vec3(0.50, 0.52, 0.56) * light.y + vec3(0.50, 0.48, 0.44) * light.x;\n"
    "  c *= shade;\n"
    "  c = mix(c, background(gl_FragCoord.xy), smoothstep(0.06, 0.65, far));\n"
    "  color = vec4(dithered(c), 1.0);\n"
    "}\n";

static const char sky_fragment[] =
    "in vec2 v_place;\n"
    "out vec4 color;\n"
    "void main() { color = vec4(dithered(background(gl_FragCoord.xy)), 1.0); }\n";

const pl_shader_source pl_shader_sources[PL_PROGRAM_COUNT] = {
    [PL_PROGRAM_DEPTH] = {"depth", {head, depth_vertex}, {head, depth_fragment}},
    [PL_PROGRAM_FLOOR_SUN] = {"floor sun", {head, whole_vertex}, {head, shadow, sun, floor_point, floor_sun_fragment}},
    [PL_PROGRAM_FLOOR_SKY] = {"floor sky",
                              {head, whole_vertex},
                              {head, shadow, lamps, floor_point, floor_sky_fragment}},
    [PL_PROGRAM_CUTOUT] = {"cutout", {head, cutout_vertex}, {head, cutout_fragment}},
    [PL_PROGRAM_BODY] = {"body",
                         {head, shadow, lamps, body_vertex},
                         {head, shadow, sun, finish, material, maps, shadings, body_fragment}},
    [PL_PROGRAM_OUTLINE] = {"outline", {head, outline_vertex}, {head, outline_fragment}},
    [PL_PROGRAM_GROUND] = {"ground", {head, ground_vertex}, {head, finish, ground_fragment}},
    [PL_PROGRAM_SKY] = {"sky", {head, whole_vertex}, {head, finish, sky_fragment}},
};

// The programs that run on the graphics processor, as text; render_shaders.c says what they do.
#ifndef PL_RENDER_RENDER_SHADERS_H
#define PL_RENDER_RENDER_SHADERS_H

#define PL_LAMP_COUNT 16
#define PL_LAMP_TILES 4  // tiles a side of the atlas
#define PL_DISC_COUNT 16
#define PL_SKY_ZENITH_GREEN 1.06f
#define PL_SKY_HORIZON_GREEN 0.95f
#define PL_SHADER_PIECE_COUNT 9

typedef enum pl_program_id {
  PL_PROGRAM_DEPTH,
  PL_PROGRAM_CUTOUT,
  PL_PROGRAM_FLOOR_SUN,
  PL_PROGRAM_FLOOR_SKY,
  PL_PROGRAM_BODY,
  PL_PROGRAM_OUTLINE,
  PL_PROGRAM_GROUND,
  PL_PROGRAM_SKY,
  PL_PROGRAM_COUNT,
} pl_program_id;

// Each stage is the concatenation of its pieces up to the first NULL (a C compiler need not take
// longer strings than 4095 bytes).
typedef struct pl_shader_source {
  const char *name;
  const char *vertex[PL_SHADER_PIECE_COUNT];
  const char *fragment[PL_SHADER_PIECE_COUNT];
} pl_shader_source;

extern const pl_shader_source pl_shader_sources[PL_PROGRAM_COUNT];

#endif

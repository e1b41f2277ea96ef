// --set PATH=VALUE.
#include "tool_overrides.h"

#include <stdlib.h>
#include <string.h>

bool tool_overrides_read(const tool_session *tool, const tool_arguments *arguments, tool_overrides *overrides) {
  bool good = true;
  *overrides = (tool_overrides){.count = 0};
  for (int i = 0; i < arguments->repeated_count; ++i) {
    const char *text = arguments->repeated[i], *equals = text != NULL ? strchr(text, '=') : NULL;
    if (equals == NULL || equals == text || strchr(text, '\n') != NULL) {
      tool_print_error(
          &tool->console,
          "--set takes PATH=VALUE in one line, such as time.frames=30 or 'bodies[0].rod.stiffness=0.3', not '%s'",
          text != NULL ? text : "");
      good = false;
      continue;
    }
    char *copy = tool_text("%s", text), *value = copy + (equals - text);
    *value++ = '\0';
    overrides->texts[overrides->count] = copy;
    overrides->items[overrides->count++] = (pl_scene_override){.path = copy, .value = value};
  }
  return good;
}

void tool_overrides_free(tool_overrides *overrides) {
  for (int i = 0; i < overrides->count; ++i) free(overrides->texts[i]);
  *overrides = (tool_overrides){.count = 0};
}

// FNV-1a over the texts with their closing zeros.
uint64_t tool_overrides_hash(const tool_overrides *overrides) {
  if (overrides->count == 0) return 0;
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < overrides->count; ++i)
    for (const char *part = overrides->items[i].path; part != NULL;
         part = part == overrides->items[i].path ? overrides->items[i].value : NULL)
      for (size_t k = 0; k <= strlen(part); ++k) hash = (hash ^ (unsigned char)part[k]) * 1099511628211u;
  return hash;
}

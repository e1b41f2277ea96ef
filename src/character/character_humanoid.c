// Names of humanoid bones. VRM names them; elsewhere there are a few traditions: Mixamo (LeftUpLeg), Blender (thigh.L),
// VRoid (J_Bip_L_UpperLeg), and those of motion-capture files (LeftHip, lThigh). A name is taken apart into its side
// and the rest, without case, marks and prefixes.
#include "character/character_humanoid.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// clang-format off
const char *const pl_humanoid_names[PL_HUMANOID_COUNT] = {
    "hips", "spine", "chest", "upperChest", "neck", "head", "leftEye", "rightEye", "jaw",
    "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes", "rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes",
    "leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand", "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand",
    "leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal", "leftIndexProximal", "leftIndexIntermediate", "leftIndexDistal",
    "leftMiddleProximal", "leftMiddleIntermediate", "leftMiddleDistal", "leftRingProximal", "leftRingIntermediate", "leftRingDistal",
    "leftLittleProximal", "leftLittleIntermediate", "leftLittleDistal",
    "rightThumbMetacarpal", "rightThumbProximal", "rightThumbDistal", "rightIndexProximal", "rightIndexIntermediate", "rightIndexDistal",
    "rightMiddleProximal", "rightMiddleIntermediate", "rightMiddleDistal", "rightRingProximal", "rightRingIntermediate", "rightRingDistal",
    "rightLittleProximal", "rightLittleIntermediate", "rightLittleDistal",
};

typedef struct alias {
  const char *name, *bone;  // of a limb without its side
} alias;
static const alias CENTRAL[] = {
    {"hips", "hips"}, {"hip", "hips"}, {"pelvis", "hips"}, {"spine", "spine"}, {"spine0", "spine"}, {"lowerback", "spine"}, {"abdomen", "spine"},
    {"chest", "chest"}, {"spine1", "chest"}, {"spine01", "chest"}, {"upperchest", "upperChest"}, {"spine2", "upperChest"}, {"spine02", "upperChest"},
    {"neck", "neck"}, {"neck1", "neck"}, {"head", "head"},
};
static const alias LIMBS[] = {
    {"upperleg", "UpperLeg"}, {"upleg", "UpperLeg"}, {"thigh", "UpperLeg"}, {"hip", "UpperLeg"},
    {"lowerleg", "LowerLeg"}, {"leg", "LowerLeg"}, {"shin", "LowerLeg"}, {"calf", "LowerLeg"}, {"knee", "LowerLeg"},
    {"foot", "Foot"}, {"ankle", "Foot"}, {"toes", "Toes"}, {"toe", "Toes"}, {"toebase", "Toes"},
    {"shoulder", "Shoulder"}, {"collar", "Shoulder"}, {"clavicle", "Shoulder"},
    {"upperarm", "UpperArm"}, {"arm", "UpperArm"}, {"shldr", "UpperArm"}, {"uparm", "UpperArm"},
    {"lowerarm", "LowerArm"}, {"forearm", "LowerArm"}, {"elbow", "LowerArm"}, {"hand", "Hand"}, {"wrist", "Hand"},
};
// clang-format on

int32_t pl_humanoid_find(const char *name) {
  // VRM 0.x counts the joints of thumbs from another start.
  static const alias OLDER[] = {{"leftThumbIntermediate", "leftThumbProximal"},
                                {"rightThumbIntermediate", "rightThumbProximal"}};
  for (size_t i = 0; i < sizeof OLDER / sizeof *OLDER; ++i)
    if (strcmp(name, OLDER[i].name) == 0) name = OLDER[i].bone;
  for (int32_t i = 0; i < PL_HUMANOID_COUNT; ++i)
    if (strcmp(pl_humanoid_names[i], name) == 0) return i;
  return -1;
}

static const char *without_prefix(const char *name) {
  static const char *const PREFIXES[] = {"mixamorig:", "mixamorig_", "J_Bip_C_", "J_Bip_", "Bip01 ", "Bip001 ", "DEF-"};
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; ++i)
    if (strncmp(name, PREFIXES[i], strlen(PREFIXES[i])) == 0) return name + strlen(PREFIXES[i]);
  return name;
}

// Letters and digits in lower case.
static void simplify(const char *name, char *plain, size_t size) {
  size_t n = 0;
  for (; *name != '\0' && n + 1 < size; ++name)
    if (isalnum((unsigned char)*name)) plain[n++] = (char)tolower((unsigned char)*name);
  plain[n] = '\0';
}

static bool is_mark(char c) {
  return c == '.' || c == '_' || c == '-' || c == ' ' || c == ':';
}

// The side that a name tells, 'l', 'r' or 0; `rest` receives the name without it.
static char take_side(const char *name, char *rest, size_t size) {
  size_t n = strlen(name);
  char plain[64];
  if (n > 2 && is_mark(name[n - 2]) && strchr("lLrR", name[n - 1]) != NULL) {
    snprintf(plain, sizeof plain, "%.*s", (int)(n - 2 < 60 ? n - 2 : 60), name);
    simplify(plain, rest, size);
    return (char)tolower((unsigned char)name[n - 1]);
  }
  if (n > 2 && strchr("lLrR", name[0]) != NULL &&
      (is_mark(name[1]) || (islower((unsigned char)name[0]) && isupper((unsigned char)name[1])))) {
    simplify(name + 1, rest, size);
    return (char)tolower((unsigned char)name[0]);
  }
  simplify(name, plain, sizeof plain);
  bool is_left = strncmp(plain, "left", 4) == 0, is_right = strncmp(plain, "right", 5) == 0;
  snprintf(rest, size, "%s", plain + (is_left ? 4 : is_right ? 5 : 0));
  return (char)(is_left ? 'l' : is_right ? 'r' : 0);
}

int32_t pl_humanoid_guess(const char *name) {
  char rest[64], bone[64];
  char side = take_side(without_prefix(name), rest, sizeof rest);
  for (size_t i = 0; side == 0 && i < sizeof CENTRAL / sizeof *CENTRAL; ++i)
    if (strcmp(rest, CENTRAL[i].name) == 0) return pl_humanoid_find(CENTRAL[i].bone);
  for (size_t i = 0; side != 0 && i < sizeof LIMBS / sizeof *LIMBS; ++i)
    if (strcmp(rest, LIMBS[i].name) == 0) {
      snprintf(bone, sizeof bone, "%s%s", side == 'l' ? "left" : "right", LIMBS[i].bone);
      return pl_humanoid_find(bone);
    }
  return -1;
}

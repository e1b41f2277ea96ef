// The parameters of pl_world_def, pl_body_def, pl_pin_def and pl_contact_pair_def: the one place for defaults, ranges,
// units and meanings. After a change run `make generate`.
#include "world/world_parameters.h"

#include "base/parameter_words.h"
#include "pliant/contact.h"
#include "pliant/world.h"

// One line per parameter.
// clang-format off
#define DEF pl_world_def
static const pl_parameter WORLD[] = {
    NUMBER(step, 1.0 / 240, ABOVE(0, 1), UNIT("s"), ABOUT("Length of the fixed inner step.")),
    VECTOR(gravity, EARTH_GRAVITY, METRES_PER("s^2"), LIVE_SLIDER(-20, 20), ABOUT("Acceleration of free fall.")),
    VECTOR(wind, ZERO_VECTOR, METRES_PER("s"), ABOUT("Velocity of the air.")),
    NUMBER(air_density, 0, FROM(0, 1e6), UNIT("kg/m^3"), ABOUT("Of the air; 0 switches drag off.")),
    NUMBER(drag, 1, FROM(0, 1e6), ABOUT("Drag coefficient of a surface triangle.")),
    SWITCH(sleeping, true, ABOUT("Whether bodies that have come to rest sleep: they are not moved until something touches or changes them.")),
    NUMBER(sleep_speed, 0.005, ABOVE(0, 1e6), METRES_PER("s"), ABOUT("Speed below which a body must move and turn as a whole to fall asleep.")),
    NUMBER(sleep_seconds, 0.5, FROM(0, 1e6), UNIT("s"), ABOUT("For how long.")),
    NUMBER(contact_damping, 5, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 50), ABOUT("Vibration of a solid that touches something dies away as exp(-contact_damping t), on top of its own damping; rigid motion is spared.")),
    INTEGER(contact_rounds, 8, FROM(1, 1000), ABOUT("Sweeps over the contacts in each step.")),
    SWITCH(all_edges, false, ABOUT("Whether all edges of soft bodies are tested against each other, not only sharp ones, also while more than 32 bodies with more than 8192 surface points in all are awake: dented surfaces then do not pass through each other between their points. Contact takes two to five times as long.")),
    SWITCH(contact_events, false, NOT_IN_SCENES, ABOUT("Whether steps record what begins and ends to touch: pl_world_get_contact_events().")),
};
const pl_parameter_table pl_world_def_parameters = TABLE("world", pl_world_def, WORLD);

#undef DEF
#define DEF pl_body_def
static const pl_parameter BODY[] = {
    VECTOR(velocity, ZERO_VECTOR, METRES_PER("s"), ABOUT("At the start.")),
    VECTOR(angular_velocity, ZERO_VECTOR, UNIT("rad/s"), ABOUT("At the start, around the centre of mass.")),
    NUMBER(gravity_scale, 1, FROM(-1e6, 1e6), ABOUT("Fraction of gravity the body feels.")),
    SWITCH(collides, true, ABOUT("Whether the body touches anything.")),
    BITS(collision_layers, 1, FROM(0, 4294967295), ABOUT("Layers that it is in, one bit each. Two things touch if each is in a layer of the other's mask.")),
    BITS(collision_mask, ALL_BITS, FROM(0, 4294967295), ABOUT("Layers that it touches, one bit each; 4294967295 is all 32.")),
};
const pl_parameter_table pl_body_def_parameters = TABLE("body", pl_body_def, BODY);

#undef DEF
#define DEF pl_pin_def
static const pl_parameter PIN[] = {
    VECTOR(target, ZERO_VECTOR, METRES, NOT_IN_SCENES, ABOUT("Where the particle is held, in the world.")),
    NUMBER(stiffness, 0, FROM(0, 1e12), UNIT("N/m"), ABOUT("Spring per particle; 0 means a hard pin, which puts the particle exactly on its target.")),
    NUMBER(damping, 0, FROM(0, 1e12), UNIT("N s/m"), ABOUT("Damping of the spring.")),
    NUMBER(until, 0, FROM(0, 1e9), UNIT("s"), ABOUT("When the pin is released; 0 means never.")),
};
const pl_parameter_table pl_pin_def_parameters = TABLE("pin", pl_pin_def, PIN);

#undef DEF
#define DEF pl_contact_pair_def
static const pl_parameter PAIR[] = {
    SWITCH(collides, true, ABOUT("Whether the two touch; false for two that their layers would let touch.")),
    NUMBER(friction, -1, FROM(-1, 1e3), ABOUT("Coulomb coefficient between the two; negative means the geometric mean of theirs.")),
    NUMBER(restitution, -1, FROM(-1, 1), ABOUT("Fraction of the speed kept in a bounce; negative means the larger of theirs.")),
};
const pl_parameter_table pl_contact_pair_def_parameters = TABLE("contact pair", pl_contact_pair_def, PAIR);

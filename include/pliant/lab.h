/// @file lab.h
/// The lab: files, scenes, characters, capture and pictures around the runtime. This is the list of
/// its headers.
#ifndef PLIANT_LAB_H
#define PLIANT_LAB_H

#include "pliant/actor.h"
#include "pliant/appearance.h"
#include "pliant/capture.h"
#include "pliant/capture_file.h"
#include "pliant/character.h"
#include "pliant/checkpoint.h"
#include "pliant/cloud.h"
#include "pliant/detail_file.h"
#include "pliant/detail_session.h"
#include "pliant/field.h"
#include "pliant/fit.h"
#include "pliant/frames.h"
#include "pliant/markers.h"
#include "pliant/mesh_file.h"
#include "pliant/modes.h"
#include "pliant/motion.h"
#include "pliant/picture.h"
#include "pliant/reference.h"
#include "pliant/rollout.h"
#include "pliant/scene.h"
#include "pliant/sensor.h"
#include "pliant/solver.h"
#include "pliant/spring.h"
#include "pliant/store.h"
#include "pliant/table.h"
#include "pliant/track.h"

#endif

/// @file lab.h
/// The lab: files, scenes and pictures around the runtime.
#ifndef PLIANT_LAB_H
#define PLIANT_LAB_H

#include "pliant/actor.h"
#include "pliant/capture.h"
#include "pliant/character.h"
#include "pliant/checkpoint.h"
#include "pliant/cloud.h"
#include "pliant/file.h"
#include "pliant/fit.h"
#include "pliant/frames.h"
#include "pliant/picture.h"
#include "pliant/recording.h"
#include "pliant/report.h"
#include "pliant/scene.h"
#include "pliant/sensor.h"
#include "pliant/solver.h"
#include "pliant/store.h"
#include "pliant/track.h"

#endif

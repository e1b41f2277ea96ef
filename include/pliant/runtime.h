/// @file runtime.h
/// The runtime: everything that an engine embeds. It depends on libm and threads only. This is the
/// list of its headers.
#ifndef PLIANT_RUNTIME_H
#define PLIANT_RUNTIME_H

#include "pliant/attachment.h"
#include "pliant/base.h"
#include "pliant/collider.h"
#include "pliant/contact.h"
#include "pliant/detail.h"
#include "pliant/draw.h"
#include "pliant/examples.h"
#include "pliant/fem.h"
#include "pliant/joint.h"
#include "pliant/kinematic.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/modeller.h"
#include "pliant/pose.h"
#include "pliant/query.h"
#include "pliant/rigid.h"
#include "pliant/rod.h"
#include "pliant/solid.h"
#include "pliant/step.h"
#include "pliant/strands.h"
#include "pliant/surface.h"
#include "pliant/world.h"

#endif

/// @file pliant.h
/// All of Pliant: the runtime and the lab. Programs that embed the runtime alone include
/// pliant/runtime.h instead.
#ifndef PLIANT_PLIANT_H
#define PLIANT_PLIANT_H

#include "pliant/lab.h"
#include "pliant/runtime.h"

#endif

/// @file
/// The types of the kernel language and of the runtime API.
#ifndef SIMT_BUILTIN_TYPES_H
#define SIMT_BUILTIN_TYPES_H
#include "driver_types.h"
#include "vector_types.h"
#endif

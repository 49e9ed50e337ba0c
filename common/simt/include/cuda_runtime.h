/// @file
/// CUDA for C++ on the CPU: the runtime API with its templates, and the kernel language. The
/// include guards of these headers are CUDA's own: programs ask by them what has been included.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "simt/global_math.hpp"

// nvcc's header brings these along, and programs rely on it.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "library_types.h"
#include "simt/api/typed_calls.hpp"
#include "simt/api/unsupported.hpp"
#include "simt/atomics.hpp"
#include "simt/collective.hpp"
#include "simt/device_functions.hpp"
#include "simt/launch.hpp"
#include "simt/ptx.hpp"
#include "simt/warp.hpp"
#include "vector_functions.h"
#include "vector_types.h"

#endif

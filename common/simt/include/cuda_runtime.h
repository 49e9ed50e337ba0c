/// @file
/// CUDA for C++ on the CPU: the runtime API with its templates, and the kernel language.
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H

// nvcc's header brings these along, and programs rely on it.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "simt/api/typed_calls.hpp"
#include "simt/api/unsupported.hpp"
#include "simt/atomics.hpp"
#include "simt/builtins.hpp"
#include "simt/collective.hpp"
#include "simt/device_functions.hpp"
#include "simt/launch.hpp"
#include "simt/warp.hpp"
#include "vector_functions.h"
#include "vector_types.h"

#endif

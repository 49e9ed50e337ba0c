/// @file
/// The CUDA runtime API of the CPU backend, by subject. Streams are eager: an asynchronous call has
/// done its work when it returns, in the order of the calls.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"
#include "host_defines.h"
#include "vector_types.h"

#define CUDART_VERSION 13000
#define CUDART_CB
#define CUDARTAPI

#include "simt/api/device.hpp"
#include "simt/api/driver_entry.hpp"
#include "simt/api/graph.hpp"
#include "simt/api/launch_calls.hpp"
#include "simt/api/legacy_calls.hpp"
#include "simt/api/memory.hpp"
#include "simt/api/stream.hpp"

#endif

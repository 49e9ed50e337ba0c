/// @file
/// Types and constants of the CUDA runtime API, with CUDA's names and values. What the backend does
/// not offer (arrays, textures, external memory, IPC) is left out.
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include <cstddef>

#include "simt/api/device_attributes.hpp"
#include "simt/api/device_properties.hpp"
#include "simt/api/errors.hpp"
#include "simt/api/function_types.hpp"
#include "simt/api/graph_types.hpp"
#include "simt/api/memory_types.hpp"
#include "simt/api/stream_types.hpp"

#endif

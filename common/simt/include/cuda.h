/// @file
/// The part of the driver API that programs written for the runtime use: version, devices, error
/// names, plain memory, tensor maps. Device pointers and streams are the runtime's. Loading modules
/// is not supported.
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#define CUDA_VERSION 13000
#define CUDAAPI
#define CUDA_CB

#include "simt/driver/calls.hpp"
#include "simt/driver/tensor_map.hpp"
#include "simt/driver/types.hpp"

#endif

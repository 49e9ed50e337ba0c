/// @file
/// The types of pointers to the calls of the driver API that there are, with the versions of CUDA
/// in their names and, as up to CUDA 12, without.
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"
#include "simt/driver/versions.hpp"

#define SIMT_POINTER_TYPE(name, version)           \
  using PFN_##name##_v##version = decltype(&name); \
  using PFN_##name = PFN_##name##_v##version;
SIMT_DRIVER_CALLS(SIMT_POINTER_TYPE)
#undef SIMT_POINTER_TYPE

using PFN_cuCtxSynchronize_v13000 = CUresult (*)(CUcontext context);

// For programs with a default stream for each thread.
using PFN_cuStreamSynchronize_v7000_ptsz = PFN_cuStreamSynchronize_v2000;
using PFN_cuMemcpyHtoD_v7000_ptds = PFN_cuMemcpyHtoD_v3020;
using PFN_cuMemcpyDtoH_v7000_ptds = PFN_cuMemcpyDtoH_v3020;
using PFN_cuMemcpyDtoD_v7000_ptds = PFN_cuMemcpyDtoD_v3020;
using PFN_cuMemsetD8_v7000_ptds = PFN_cuMemsetD8_v3020;
using PFN_cuMemsetD32_v7000_ptds = PFN_cuMemsetD32_v3020;

#endif

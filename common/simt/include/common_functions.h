/// @file
/// A header of CUDA whose declarations cuda_runtime.h has here.
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDA__)
#error "common_functions.h is for .cu files: CUDA's own does not compile as C++ either"
#endif
#include "cuda_runtime.h"

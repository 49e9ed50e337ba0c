/// @file
/// The pipeline primitives by themselves.
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDA__)
#error "cuda_pipeline_primitives.h is for .cu files: CUDA's own does not compile as C++ either"
#endif

#include "cuda_pipeline.h"

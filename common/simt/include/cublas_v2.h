/// @file
/// cuBLAS on the CPU, for real numbers: the calls of cublas_api.h, whose names carry no `_v2` here.
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_

#include "cublas_api.h"

#endif

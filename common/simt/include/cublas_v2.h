/// @file
/// cuBLAS on the CPU, for real numbers: the calls of cublas_api.h, whose names carry no `_v2` here.
#pragma once

#include "cublas_api.h"

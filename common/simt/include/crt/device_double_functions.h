/// @file
/// A header of CUDA whose declarations cuda_runtime.h has here.
#pragma once
#include "../cuda_runtime.h"

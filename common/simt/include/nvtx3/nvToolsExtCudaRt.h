/// @file
/// NVTX for CUDA: nothing beyond its marks and ranges.
#pragma once
#include "../cuda.h"
#include "nvToolsExt.h"

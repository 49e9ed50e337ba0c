/// @file
/// The functions that nvcc declares by itself: C's library in the global namespace, CUDA's
/// mathematics, intrinsics and conversions. One header a subject under simt/device/.
#pragma once

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "simt/address_space.hpp"
#include "simt/device/convert.hpp"
#include "simt/device/fast_math.hpp"
#include "simt/device/inline_libm.hpp"
#include "simt/device/integer.hpp"
#include "simt/device/math.hpp"
#include "simt/device/memory.hpp"
#include "simt/device/min_max.hpp"
#include "simt/device/rounding.hpp"
#include "simt/device/simd_in_word.hpp"

/// @file
/// WMMA: matrix products that a warp computes together on tensor cores.
/// Source: CUDA Programming Guide, "Warp Matrix Functions".
#ifndef SIMT_MMA_H
#define SIMT_MMA_H

#include "simt/wmma/block_forms.hpp"
#include "simt/wmma/fragment.hpp"
#include "simt/wmma/functions.hpp"

#endif

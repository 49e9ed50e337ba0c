/// @file
/// Cooperative groups: blocks, tiles, coalesced threads and grids. Groups that span several warps
/// without being the block, clusters, and split arrive/wait are not supported.
/// Source: CUDA Programming Guide, "Cooperative Groups".
#pragma once

#include "simt/cg/group.hpp"
#include "simt/cg/lanes.hpp"
#include "simt/cg/partition.hpp"

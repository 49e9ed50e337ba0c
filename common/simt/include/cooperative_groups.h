/// @file
/// Cooperative groups: blocks, tiles, coalesced threads and grids. Clusters and split arrive/wait
/// are not supported. Source: CUDA Programming Guide, "Cooperative Groups".
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "simt/cg/experimental.hpp"
#include "simt/cg/group.hpp"
#include "simt/cg/lanes.hpp"
#include "simt/cg/multi_warp.hpp"
#include "simt/cg/partition.hpp"

#endif

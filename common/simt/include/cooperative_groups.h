/// @file
/// Cooperative groups: blocks, tiles, coalesced threads, clusters and grids. Split arrive/wait is
/// there for clusters. Source: CUDA Programming Guide, "Cooperative Groups".
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "simt/cg/cluster.hpp"
#include "simt/cg/experimental.hpp"
#include "simt/cg/group.hpp"
#include "simt/cg/lanes.hpp"
#include "simt/cg/multi_warp.hpp"
#include "simt/cg/partition.hpp"

#endif

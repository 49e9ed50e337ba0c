/// @file
/// The order in which the blocks of a grid start, and in check mode the warps of a block go on
/// behind a barrier, which CUDA leaves open.
///
/// Seed 0 starts them by their numbers, as many as the device holds. Every other seed has an order
/// of its own, and a number of blocks that are resident at a time, for each launch. A program
/// begins with the seed that the environment names, SIMT_SEED.
#ifndef SIMT_SEED_HPP
#define SIMT_SEED_HPP

#include <cstdint>

extern "C" {

/// From the next launch on, blocks start as this seed says. The same seed gives the same orders
/// again.
void simt_set_seed(std::uint64_t seed);
std::uint64_t simt_seed();
}

#endif

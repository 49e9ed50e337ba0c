/// @file
/// How much shared memory a kernel uses, and how many of its blocks fit on the device.
#ifndef SIMT_RUNTIME_SHARED_USE_HPP
#define SIMT_RUNTIME_SHARED_USE_HPP

#include <cstddef>

#include "simt/block.hpp"
#include "simt/kernel_info.hpp"

namespace simt::detail {

/// Bytes of address space that a block's shared memory has, gaps between variables included.
std::size_t shared_space();

/// Remembers for the kernel what a block that has ended used.
void note_static_shared(const Block& block);

/// Blocks of a kernel that fit on one multiprocessor at once.
std::size_t blocks_per_multiprocessor(std::size_t threads, std::size_t dynamic_shared,
                                      const KernelInfo& kernel);

/// Blocks of a kernel that fit on the whole device at once.
std::size_t resident_blocks(std::size_t threads, std::size_t dynamic_shared,
                            const KernelInfo& kernel);

}  // namespace simt::detail

#endif

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

/// The most dynamic shared memory that a launch may ask for: what the kernel's static variables
/// leave of 48 KiB, or what cudaFuncSetAttribute was asked for.
std::size_t dynamic_limit(const KernelInfo& kernel);

/// Is this more shared memory than a block of the kernel may have?
bool exceeds_shared(const KernelInfo& kernel, std::size_t static_size, std::size_t dynamic_size);

/// Blocks of a kernel that fit on one multiprocessor at once.
std::size_t blocks_per_multiprocessor(std::size_t threads, std::size_t dynamic_shared,
                                      const KernelInfo& kernel);

/// Blocks of a kernel that fit on the whole device at once.
std::size_t resident_blocks(std::size_t threads, std::size_t dynamic_shared,
                            const KernelInfo& kernel);

}  // namespace simt::detail

#endif

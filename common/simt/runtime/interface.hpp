/// @file
/// What a program may ask of the CPU backend beyond CUDA. In a program for a GPU these functions
/// are null.
#ifndef SIMT_RUNTIME_INTERFACE_HPP
#define SIMT_RUNTIME_INTERFACE_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

extern "C" {

/// What ended the latest stream capture before its time; cudaSuccess if nothing did. CUDA tells
/// only the call at fault, and calls after it that the capture is broken.
[[gnu::weak]] cudaError_t simt_capture_error();
/// The function of CUDA's whose call did; nullptr for a launch.
[[gnu::weak]] const char* simt_capture_call();

/// The grid and block of a graph's kernel node, which CUDA gives by cudaGraphKernelNodeGetParams.
/// cudaErrorInvalidValue for a node of another type.
[[gnu::weak]] cudaError_t simt_node_launch(cudaGraphNode_t node, dim3* grid, dim3* block);

/// The order in which the blocks of the launches from now on start: see simt/seed.hpp.
[[gnu::weak]] void simt_set_seed(std::uint64_t seed);
[[gnu::weak]] std::uint64_t simt_seed();

/// From now on a launch runs so many of its blocks at most, the first and the last ones, so that
/// one that is too long to be run shows what it does at its ends; 0: all blocks, as before.
[[gnu::weak]] void simt_run_ends(std::uint64_t blocks);

/// Memory of the current device, to be freed by cudaFree, of which only what is touched exists; it
/// may be larger than the machine's. What was not written is zeros, which check mode takes for
/// written if `zeros` is true. Null if there are not so many addresses.
[[gnu::weak]] void* simt_allocate_sparse(std::size_t size, bool zeros);
}

#endif

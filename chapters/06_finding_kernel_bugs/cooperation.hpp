/// \file
/// How threads of a warp, of different blocks, and of the host work together: four small examples.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch06 {

/// Collects the elements of x that are greater than `limit`: out[0] to out[*count - 1], in any
/// order.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 or more
/// \param limit   what an element must exceed
/// \param out     n values in device memory; the first *count are overwritten
/// \param count   one value in device memory, 0 before the call
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: the memories do not overlap.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, no shared memory; nothing for n = 0.
///
/// **Cost**: n comparisons, and an atomic addition for each element that is found.
///
/// **Source**: CUDA C++ Programming Guide, "Atomic Functions".
void gather_above(const float* x, int n, float limit, float* out, int* count,
                  cudaStream_t stream = nullptr);

/// Divides a vector by the sum of its first 256 elements: out[i] = x[i] / sum.
///
/// Every block needs the sum. Block 0 publishes it; a block that finds it published takes it from
/// there, and any other adds it up itself. No block waits for another.
///
/// \param x          n values in device memory, whose first 256 do not add up to 0; read only
/// \param n          number of elements, 0 or more
/// \param out        n values in device memory; overwritten
/// \param sum        one value in device memory; overwritten with the sum
/// \param published  one value in device memory, 0 before the call; 1 afterwards
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: the memories do not overlap.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, 4 bytes of static shared memory; nothing for n = 0.
///
/// **Cost**: n divisions; 8n bytes of global memory, and the first 256 elements once more for each
/// block that adds them up.
///
/// **Source**: CUDA C++ Programming Guide, "Memory Fence Functions".
void divide_by_first(const float* x, int n, float* out, float* sum, unsigned* published,
                     cudaStream_t stream = nullptr);

/// sums[w] is the sum of elements 32 w to 32 w + 31 of x, as far as there are, by warp shuffles.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 or more
/// \param sums    ⌈n/32⌉ values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: sums does not overlap x.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, no shared memory; nothing for n = 0.
///
/// **Cost**: n FLOPs; 4n bytes of global memory, and a sector of 32 bytes a warp for its sum.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Shuffle Functions".
void warp_sums(const float* x, int n, float* sums, cudaStream_t stream = nullptr);

/// The sum of n values in device memory, added up on the host in double precision: the second half
/// of the values is copied while the host adds up the first.
///
/// \param x       values in device memory; read only
/// \param n       number of values, 0 or more
/// \param stream  stream of the copies; when the call returns they are done
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if a call of CUDA's fails.
///
/// **Cost**: 4n bytes over the bus; 4n bytes of pinned memory, which the call allocates and frees.
///
/// **Source**: CUDA C++ Best Practices Guide, "Asynchronous and Overlapping Transfers with
/// Computation".
double sum_on_host(const float* x, int n, cudaStream_t stream = nullptr);

}  // namespace tut::ch06

#include "05_shared_memory_tiling/reverse_blocks.hpp"

#include <cstddef>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

//! [static]
template <int BLOCK>
__global__ void reverse_blocks_kernel(const float* x, int n, float* out) {
  __shared__ float piece[BLOCK];  // one array for each block, seen by all of its threads

  const int tx = threadIdx.x;
  const int first = blockIdx.x * BLOCK;     // the first element of this block's piece
  const int count = min(BLOCK, n - first);  // the last piece may be shorter

  if (tx < count) piece[tx] = x[first + tx];  // every thread stores one element for the others
  __syncthreads();                            // wait until all threads have done so
  if (tx < count) out[first + tx] = piece[count - 1 - tx];  // read what another thread stored
}
//! [static]

//! [dynamic]
__global__ void reverse_blocks_of_kernel(const float* x, int n, float* out) {
  extern __shared__ float piece_of_any_size[];  // as large as the launch says

  const int tx = threadIdx.x;
  const int size = blockDim.x;
  const int first = blockIdx.x * size;
  const int count = min(size, n - first);

  if (tx < count) piece_of_any_size[tx] = x[first + tx];
  __syncthreads();
  if (tx < count) out[first + tx] = piece_of_any_size[count - 1 - tx];
}
//! [dynamic]

}  // namespace

void reverse_blocks(const float* x, int n, float* out, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"reverse_blocks of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  reverse_blocks_kernel<BLOCK><<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, out);
  check_launch();
}

void reverse_blocks_of(const float* x, int n, int size, float* out, cudaStream_t stream) {
  require(n >= 0, {"reverse_blocks_of ", n, " elements; expected 0 or more"});
  require(size >= 1 && size <= 1024,
          {"reverse_blocks_of in pieces of ", size, " elements; expected 1 to 1024"});
  if (n == 0) return;
  //! [launch]
  const std::size_t bytes = size * sizeof(float);
  reverse_blocks_of_kernel<<<ceil_div(n, size), size, bytes, stream>>>(x, n, out);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch05

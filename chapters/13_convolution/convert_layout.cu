#include "13_convolution/convert_layout.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/tf32.hpp"

namespace tut::ch13 {
namespace {

constexpr int TILE = 32, BLOCK_ROWS = 8, THREADS = TILE * BLOCK_ROWS;

// Transposes matrix blockIdx.z of a batch, (rows, cols) to (cols, rows), and rounds to To.
template <class From, class To>
__global__ void transpose_batch_kernel(const From* in, To* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];  // (row of in, column of in); column TILE is padding
  const int tx = threadIdx.x;
  const int across = ceil_div(cols, TILE);  // tiles, which the grid counts along x
  const int row0 = blockIdx.x / across * TILE;
  const int col0 = blockIdx.x % across * TILE;
  const std::int64_t matrix = std::int64_t{blockIdx.z} * rows * cols;

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    const int row = row0 + ty, col = col0 + tx;
    if (row < rows && col < cols) {
      tile[ty][tx] = static_cast<float>(in[matrix + std::int64_t{row} * cols + col]);
    }
  }
  __syncthreads();

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    const int row = col0 + ty, col = row0 + tx;  // of out
    if (row < cols && col < rows) {
      out[matrix + std::int64_t{row} * rows + col] = static_cast<To>(tile[tx][ty]);
    }
  }
}

// Rounds to To, a thread an element.
template <class From, class To>
__global__ void convert_kernel(const From* in, To* out, std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < count) out[index] = static_cast<To>(static_cast<float>(in[index]));
}

template <class From, class To>
void transpose_batch(const From* in, To* out, int batch, int rows, int cols, cudaStream_t stream) {
  if (rows == 1 || cols == 1) {  // in memory the transpose of a row is the row
    const std::int64_t count = std::int64_t{batch} * rows * cols;
    const auto blocks = static_cast<unsigned>(ceil_div(count, std::int64_t{THREADS}));
    convert_kernel<<<blocks, THREADS, 0, stream>>>(in, out, count);
    check_launch();
    return;
  }
  const dim3 block(TILE, BLOCK_ROWS);
  const dim3 grid(ceil_div(cols, TILE) * ceil_div(rows, TILE), 1, batch);
  transpose_batch_kernel<<<grid, block, 0, stream>>>(in, out, rows, cols);
  check_launch();
}

}  // namespace

template <class T>
void nchw_to_nhwc(TensorView<const float> in, NhwcView<T> out, cudaStream_t stream) {
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(shape_of(out), "the output", in.n, in.c, in.h, in.w, "the shape of the input");
  transpose_batch(in.data, out.data, in.n, in.c, in.h * in.w, stream);
}

template <class T>
void nhwc_to_nchw(NhwcView<const T> in, TensorView<float> out, cudaStream_t stream) {
  require_tensor(shape_of(in), "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(out, "the output", in.n, in.c, in.h, in.w, "the shape of the input");
  transpose_batch(in.data, out.data, in.n, in.h * in.w, in.c, stream);
}

template void nchw_to_nhwc(TensorView<const float>, NhwcView<float>, cudaStream_t);
template void nchw_to_nhwc(TensorView<const float>, NhwcView<__half>, cudaStream_t);
template void nchw_to_nhwc(TensorView<const float>, NhwcView<__nv_bfloat16>, cudaStream_t);
template void nhwc_to_nchw(NhwcView<const float>, TensorView<float>, cudaStream_t);
template void nhwc_to_nchw(NhwcView<const __half>, TensorView<float>, cudaStream_t);
template void nhwc_to_nchw(NhwcView<const __nv_bfloat16>, TensorView<float>, cudaStream_t);
template void nchw_to_nhwc(TensorView<const float>, NhwcView<Tf32>, cudaStream_t);
template void nhwc_to_nchw(NhwcView<const Tf32>, TensorView<float>, cudaStream_t);

}  // namespace tut::ch13

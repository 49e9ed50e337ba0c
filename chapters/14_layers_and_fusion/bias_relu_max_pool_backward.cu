#include <algorithm>

#include "08_reductions/last_block.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "tut/device/multiprocessors.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256;
constexpr int DEVICE_BLOCKS = 4;  // of a multiprocessor, if BIAS_BLOCKS are more than that

// How the windows of a channel are shared out among blocks: the rows of windows, numbered through
// all images, are cut into slices, one for each block. At a time a block works on `columns`
// windows, or pairs of them, of each of `rows` rows.
struct Slices {
  int images, channels, out_h, out_columns;
  int columns, rows;
  int step_images, step_rows;  // from a thread's row to its next
  int count, slice_rows;
};

Slices slices_of(int images, int channels, int out_h, int out_columns) {
  Slices s{};
  s.images = images, s.channels = channels, s.out_h = out_h, s.out_columns = out_columns;
  s.columns = std::min(out_columns, THREADS), s.rows = THREADS / s.columns;
  s.step_images = s.rows / out_h, s.step_rows = s.rows % out_h;
  const int all_rows = images * out_h;
  const int blocks = std::min(DEVICE_BLOCKS * multiprocessor_count(), BIAS_BLOCKS);
  const int wanted = std::min(ceil_div(all_rows, s.rows), ceil_div(blocks, channels));
  s.slice_rows = ceil_div(all_rows, wanted);
  s.count = ceil_div(all_rows, s.slice_rows);
  return s;
}

// A row of WINDOWS windows. ALIGNED: one store can write it.
template <bool ALIGNED, class T, int WIDTH>
__device__ void store_row(T* to, const Pack<T, WIDTH>& row) {
  if constexpr (ALIGNED) {
    store_pack(to, row);
  } else {
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) to[i] = row.x[i];
  }
}

// A thread has WINDOWS neighbouring windows at a time, whose rows are aligned or not.
template <int WINDOWS, bool ALIGNED, class T>
__global__ void __launch_bounds__(THREADS)
    bias_relu_max_pool_backward_kernel(const Winner* winners, const T* d_out, T* d_in,
                                       float* d_bias, BiasSums sums, Pooling pooling, Slices s) {
  const int channel = blockIdx.x, slice = blockIdx.y;
  const int column = threadIdx.x % s.columns, row = threadIdx.x / s.columns;
  const int rows = min(s.slice_rows, s.images * s.out_h - slice * s.slice_rows);
  const int first = slice * s.slice_rows + row;
  int image = first / s.out_h, y = first % s.out_h;

  float sum = 0.0f;
  for (int r = row < s.rows ? row : rows; r < rows; r += s.rows) {
    const int plane_row = (image * s.channels + channel) * s.out_h + y;
    for (int x = column; x < s.out_columns; x += s.columns) {
      const std::int64_t from = pooling.pooled(plane_row, x * WINDOWS);
      //! [gradient]
      // A window's gradient goes to its winner, and to the bias.
      const auto winners_here = load_pack<WINDOWS>(winners + from);
      const auto gradients = load_pack<WINDOWS>(d_out + from);
      Pack<T, 2 * WINDOWS> upper, lower;  // rows of the windows
#pragma unroll
      for (int i = 0; i < WINDOWS; ++i) {
        const Winner winner = winners_here.x[i];
        const auto gradient = static_cast<float>(gradients.x[i]);
        const auto share = [&](Winner place) { return winner == place ? gradient : 0.0f; };
        upper.x[2 * i] = static_cast<T>(share(Winner::upper_left));
        upper.x[2 * i + 1] = static_cast<T>(share(Winner::upper_right));
        lower.x[2 * i] = static_cast<T>(share(Winner::lower_left));
        lower.x[2 * i + 1] = static_cast<T>(share(Winner::lower_right));
        sum += winner == Winner::none ? 0.0f : gradient;
      }
      T* window = d_in + pooling.first(plane_row, x * WINDOWS);
      store_row<ALIGNED>(window, upper);
      store_row<ALIGNED>(window + pooling.in_w, lower);
      //! [gradient]
    }
    image += s.step_images, y += s.step_rows;
    if (y >= s.out_h) ++image, y -= s.out_h;
  }
  if (d_bias == nullptr) return;

  // The block of this channel that finishes last adds up the slices, in their order.
  __shared__ bool is_last;
  sum = ch08::block_reduce<THREADS>(sum, ch08::Add());
  float* partial = sums.partial + channel * s.count;
  if (threadIdx.x == 0) partial[slice] = sum;
  ch08::count_block(&sums.finished[channel], gridDim.y, is_last);
  if (!is_last) return;
  float total = 0.0f;
  for (int i = threadIdx.x; i < s.count; i += THREADS) total += partial[i];
  total = ch08::block_reduce<THREADS>(total, ch08::Add());
  if (threadIdx.x == 0) d_bias[channel] = total;
}

template <class T>
void launch(std::span<const Winner> winners, TensorView<const T> d_out, TensorView<T> d_in,
            float* d_bias, const BiasSums& sums, cudaStream_t stream) {
  const Pooling pooling = require_pooling(d_in, d_out, "the input's gradient", "the pooled tensor");
  require_same_size(winners.size(), "the winners", d_out.size(), "the pooled tensor");
  require(d_bias == nullptr || (sums.partial != nullptr && sums.finished != nullptr),
          "the bias's gradient has no memory for its sums (a null pointer)");
  if (!pooling.is_even()) {  // the elements in no window
    check(cudaMemsetAsync(d_in.data, 0, static_cast<std::size_t>(d_in.size()) * sizeof(T), stream));
  }
  const auto run = [&](auto kernel, int windows) {
    const Slices slices = slices_of(d_out.n, d_out.c, d_out.h, d_out.w / windows);
    kernel<<<dim3(d_out.c, slices.count), THREADS, 0, stream>>>(
        winners.data(), d_out.data, d_in.data, d_bias, sums, pooling, slices);
  };
  const bool has_pairs = d_in.w % 4 == 0 && is_aligned(d_in.data, 4 * sizeof(T)) &&
                         is_pair_aligned(d_out.data) && is_pair_aligned(winners.data());
  if (has_pairs) {
    run(bias_relu_max_pool_backward_kernel<2, true, T>, 2);
  } else if (d_in.w % 2 == 0 && is_pair_aligned(d_in.data)) {
    run(bias_relu_max_pool_backward_kernel<1, true, T>, 1);
  } else {
    run(bias_relu_max_pool_backward_kernel<1, false, T>, 1);
  }
  check_launch();
}

}  // namespace

void bias_relu_max_pool_backward(std::span<const Winner> winners, TensorView<const float> d_out,
                                 TensorView<float> d_in, float* d_bias, const BiasSums& sums,
                                 cudaStream_t stream) {
  launch(winners, d_out, d_in, d_bias, sums, stream);
}
void bias_relu_max_pool_backward(std::span<const Winner> winners, TensorView<const __half> d_out,
                                 TensorView<__half> d_in, float* d_bias, const BiasSums& sums,
                                 cudaStream_t stream) {
  launch(winners, d_out, d_in, d_bias, sums, stream);
}
void bias_relu_max_pool_backward(std::span<const Winner> winners,
                                 TensorView<const __nv_bfloat16> d_out,
                                 TensorView<__nv_bfloat16> d_in, float* d_bias,
                                 const BiasSums& sums, cudaStream_t stream) {
  launch(winners, d_out, d_in, d_bias, sums, stream);
}

}  // namespace tut::ch14

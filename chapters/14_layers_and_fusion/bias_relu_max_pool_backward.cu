#include "14_layers_and_fusion/bias_relu_max_pool.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8;

template <bool WHOLE, class T>
__global__ void bias_relu_max_pool_backward_kernel(const Winner* winners, const T* d_out, T* d_in,
                                                   Pooling pooling) {
  const int x = blockIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if constexpr (!WHOLE) {
    if (x >= pooling.out_w() || row >= pooling.rows()) return;
  }
  const std::int64_t from = pooling.pooled(row, x);
  const auto gradient = static_cast<float>(d_out[from]);
  const Winner winner = winners[from];
  const auto share = [&](Winner place) { return winner == place ? gradient : 0.0f; };
  T* window = d_in + pooling.first(row, x);
  store_pair<WHOLE>(window, share(Winner::upper_left), share(Winner::upper_right));
  store_pair<WHOLE>(window + pooling.in_w, share(Winner::lower_left), share(Winner::lower_right));
}

// A block adds up one channel of the pooled gradient, where there is a winner: each thread its
// share, then all by a tree.
template <class T>
__global__ void winners_bias_kernel(const Winner* winners, const T* d_out, float* d_bias,
                                    int images, int channels, int area) {
  __shared__ float sums[BX * BY];
  const int channel = blockIdx.x;
  const int t = threadIdx.y * BX + threadIdx.x;
  float sum = 0.0f;
  for (int n = threadIdx.y; n < images; n += BY) {
    const std::int64_t first = (std::int64_t{n} * channels + channel) * area;
    for (int i = threadIdx.x; i < area; i += BX) {
      const auto gradient = static_cast<float>(d_out[first + i]);
      sum += winners[first + i] == Winner::none ? 0.0f : gradient;
    }
  }
  sums[t] = sum;
  __syncthreads();
  for (int step = BX * BY / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) d_bias[channel] = sums[0];
}

template <class T>
void launch(std::span<const Winner> winners, TensorView<const T> d_out, TensorView<T> d_in,
            float* d_bias, cudaStream_t stream) {
  const Pooling pooling = require_pooling(d_in, d_out, "the input's gradient", "the pooled tensor");
  require_same_size(winners.size(), "the winners", d_out.size(), "the pooled tensor");
  if (!pooling.is_even()) {  // the elements in no window
    check(cudaMemsetAsync(d_in.data, 0, static_cast<std::size_t>(d_in.size()) * sizeof(T), stream));
  }
  const auto [grid, block, exact] = pooling_launch(pooling);
  if (exact && d_in.w % 2 == 0 && is_pair_aligned(d_in.data)) {
    bias_relu_max_pool_backward_kernel<true>
        <<<grid, block, 0, stream>>>(winners.data(), d_out.data, d_in.data, pooling);
  } else {
    bias_relu_max_pool_backward_kernel<false>
        <<<grid, block, 0, stream>>>(winners.data(), d_out.data, d_in.data, pooling);
  }
  check_launch();
  if (d_bias == nullptr) return;
  winners_bias_kernel<<<d_out.c, dim3(BX, BY), 0, stream>>>(winners.data(), d_out.data, d_bias,
                                                            d_out.n, d_out.c, d_out.h * d_out.w);
  check_launch();
}

}  // namespace

void bias_relu_max_pool_backward(std::span<const Winner> winners, TensorView<const float> d_out,
                                 TensorView<float> d_in, float* d_bias, cudaStream_t stream) {
  launch(winners, d_out, d_in, d_bias, stream);
}
void bias_relu_max_pool_backward(std::span<const Winner> winners, TensorView<const __half> d_out,
                                 TensorView<__half> d_in, float* d_bias, cudaStream_t stream) {
  launch(winners, d_out, d_in, d_bias, stream);
}
void bias_relu_max_pool_backward(std::span<const Winner> winners,
                                 TensorView<const __nv_bfloat16> d_out,
                                 TensorView<__nv_bfloat16> d_in, float* d_bias,
                                 cudaStream_t stream) {
  launch(winners, d_out, d_in, d_bias, stream);
}

}  // namespace tut::ch14

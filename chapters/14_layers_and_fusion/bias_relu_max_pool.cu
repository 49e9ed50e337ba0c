#include "14_layers_and_fusion/bias_relu_max_pool.hpp"

#include "14_layers_and_fusion/pooling.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

//! [kernel]
// TILES_FIT_EXACTLY: rows are made of pairs, and there is a window for every thread. TRAINING:
// there will be a backward pass, so the winners are kept.
template <bool TILES_FIT_EXACTLY, bool TRAINING, class T>
__global__ void bias_relu_max_pool_kernel(const T* in, const float* bias, T* out, Winner* winners,
                                          int channels, Pooling pooling) {
  const int x = blockIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if constexpr (!TILES_FIT_EXACTLY) {
    if (x >= pooling.out_w() || row >= pooling.rows()) return;
  }

  //! [load]
  // The window, both neighbours of a row in one load.
  const T* window = in + pooling.first(row, x);
  const Pair<T> upper = load_pair<TILES_FIT_EXACTLY>(window);
  const Pair<T> lower = load_pair<TILES_FIT_EXACTLY>(window + pooling.in_w);
  //! [load]

  //! [bias]
  // The bias comes before the comparison: rounding may make two elements equal, and then the first
  // of them wins, as it does in separate kernels.
  const float b = bias[row / pooling.out_h() % channels];
  const float upper_left = static_cast<float>(upper.first) + b;
  const float upper_right = static_cast<float>(upper.second) + b;
  const float lower_left = static_cast<float>(lower.first) + b;
  const float lower_right = static_cast<float>(lower.second) + b;
  //! [bias]

  //! [pool]
  // Max-pool first, then ReLU on one value instead of four: the result is the same.
  const Largest largest = largest_of(upper_left, upper_right, lower_left, lower_right);
  const std::int64_t to = pooling.pooled(row, x);
  out[to] = static_cast<T>(largest.value < 0.0f ? 0.0f : largest.value);
  if constexpr (TRAINING) {
    winners[to] = largest.value > 0.0f ? static_cast<Winner>(largest.place) : Winner::none;
  }
  //! [pool]
}
//! [kernel]

template <bool TRAINING, class T>
void launch(TensorView<const T> in, const float* bias, TensorView<T> out, Winner* winners,
            cudaStream_t stream) {
  const Pooling pooling = require_pooling(in, out, "the input", "the pooled tensor");
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const auto [grid, block, exact] = pooling_launch(pooling);
  if (exact && in.w % 2 == 0 && is_pair_aligned(in.data)) {
    bias_relu_max_pool_kernel<true, TRAINING>
        <<<grid, block, 0, stream>>>(in.data, bias, out.data, winners, in.c, pooling);
  } else {
    bias_relu_max_pool_kernel<false, TRAINING>
        <<<grid, block, 0, stream>>>(in.data, bias, out.data, winners, in.c, pooling);
  }
  check_launch();
}

template <class T>
void launch(TensorView<const T> in, const float* bias, TensorView<T> out, std::span<Winner> winners,
            cudaStream_t stream) {
  if (winners.empty()) return launch<false>(in, bias, out, nullptr, stream);
  require_same_size(winners.size(), "the winners", out.size(), "the pooled tensor");
  launch<true>(in, bias, out, winners.data(), stream);
}

}  // namespace

void bias_relu_max_pool(TensorView<const float> in, const float* bias, TensorView<float> out,
                        std::span<Winner> winners, cudaStream_t stream) {
  launch(in, bias, out, winners, stream);
}
void bias_relu_max_pool(TensorView<const __half> in, const float* bias, TensorView<__half> out,
                        std::span<Winner> winners, cudaStream_t stream) {
  launch(in, bias, out, winners, stream);
}
void bias_relu_max_pool(TensorView<const __nv_bfloat16> in, const float* bias,
                        TensorView<__nv_bfloat16> out, std::span<Winner> winners,
                        cudaStream_t stream) {
  launch(in, bias, out, winners, stream);
}

}  // namespace tut::ch14

#include "14_layers_and_fusion/max_pool.hpp"

#include "14_layers_and_fusion/pooling.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

// TILES_FIT_EXACTLY: rows are made of pairs, and there is a window for every thread.
template <bool TILES_FIT_EXACTLY, class T>
__global__ void max_pool_kernel(const T* in, T* out, Pooling pooling) {
  const int x = blockIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if constexpr (!TILES_FIT_EXACTLY) {
    if (x >= pooling.out_w() || row >= pooling.rows()) return;
  }
  const T* window = in + pooling.first(row, x);
  const Pair<T> upper = load_pair<TILES_FIT_EXACTLY>(window);
  const Pair<T> lower = load_pair<TILES_FIT_EXACTLY>(window + pooling.in_w);
  const float a = static_cast<float>(upper.first), b = static_cast<float>(upper.second);
  const float c = static_cast<float>(lower.first), d = static_cast<float>(lower.second);
  const float top = b > a ? b : a;
  const float low = d > c ? d : c;
  out[pooling.pooled(row, x)] = static_cast<T>(low > top ? low : top);
}

template <bool TILES_FIT_EXACTLY, class T>
__global__ void max_pool_backward_kernel(const T* in, const T* d_out, T* d_in, Pooling pooling) {
  const int x = blockIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if constexpr (!TILES_FIT_EXACTLY) {
    if (x >= pooling.out_w() || row >= pooling.rows()) return;
  }
  const std::int64_t first = pooling.first(row, x);
  const Pair<T> upper = load_pair<TILES_FIT_EXACTLY>(in + first);
  const Pair<T> lower = load_pair<TILES_FIT_EXACTLY>(in + first + pooling.in_w);
  const float a = static_cast<float>(upper.first), b = static_cast<float>(upper.second);
  const float c = static_cast<float>(lower.first), d = static_cast<float>(lower.second);
  // The place of the largest: one of the four, the first of equals.
  const bool right_of_top = b > a, right_of_low = d > c;
  const float top = right_of_top ? b : a;
  const bool is_low = (right_of_low ? d : c) > top;
  const float gradient = static_cast<float>(d_out[pooling.pooled(row, x)]);
  const float to_top = is_low ? 0.0f : gradient;
  const float to_low = is_low ? gradient : 0.0f;
  store_pair<TILES_FIT_EXACTLY>(d_in + first, right_of_top ? 0.0f : to_top,
                                right_of_top ? to_top : 0.0f);
  store_pair<TILES_FIT_EXACTLY>(d_in + first + pooling.in_w, right_of_low ? 0.0f : to_low,
                                right_of_low ? to_low : 0.0f);
}

template <class T>
void launch(TensorView<const T> in, TensorView<T> out, cudaStream_t stream) {
  const Pooling pooling = require_pooling(in, out, "the input", "the pooled tensor");
  const auto [grid, block, exact] = pooling_launch(pooling);
  if (exact && in.w % 2 == 0 && is_pair_aligned(in.data)) {
    max_pool_kernel<true><<<grid, block, 0, stream>>>(in.data, out.data, pooling);
  } else {
    max_pool_kernel<false><<<grid, block, 0, stream>>>(in.data, out.data, pooling);
  }
  check_launch();
}

template <class T>
void launch_backward(TensorView<const T> in, TensorView<const T> d_out, TensorView<T> d_in,
                     cudaStream_t stream) {
  const Pooling pooling = require_pooling(in, d_out, "the input", "the pooled tensor");
  require_tensor(d_in, "the input's gradient", in.n, in.c, in.h, in.w, "the shape of the input");
  if (!pooling.is_even()) {  // the elements in no window
    check(cudaMemsetAsync(d_in.data, 0, static_cast<std::size_t>(d_in.size()) * sizeof(T), stream));
  }
  const auto [grid, block, exact] = pooling_launch(pooling);
  if (exact && in.w % 2 == 0 && is_pair_aligned(in.data) && is_pair_aligned(d_in.data)) {
    max_pool_backward_kernel<true>
        <<<grid, block, 0, stream>>>(in.data, d_out.data, d_in.data, pooling);
  } else {
    max_pool_backward_kernel<false>
        <<<grid, block, 0, stream>>>(in.data, d_out.data, d_in.data, pooling);
  }
  check_launch();
}

}  // namespace

void max_pool(TensorView<const float> in, TensorView<float> out, cudaStream_t stream) {
  launch<float>(in, out, stream);
}
void max_pool(TensorView<const __half> in, TensorView<__half> out, cudaStream_t stream) {
  launch<__half>(in, out, stream);
}
void max_pool(TensorView<const __nv_bfloat16> in, TensorView<__nv_bfloat16> out,
              cudaStream_t stream) {
  launch<__nv_bfloat16>(in, out, stream);
}

void max_pool_backward(TensorView<const float> in, TensorView<const float> d_out,
                       TensorView<float> d_in, cudaStream_t stream) {
  launch_backward<float>(in, d_out, d_in, stream);
}
void max_pool_backward(TensorView<const __half> in, TensorView<const __half> d_out,
                       TensorView<__half> d_in, cudaStream_t stream) {
  launch_backward<__half>(in, d_out, d_in, stream);
}
void max_pool_backward(TensorView<const __nv_bfloat16> in, TensorView<const __nv_bfloat16> d_out,
                       TensorView<__nv_bfloat16> d_in, cudaStream_t stream) {
  launch_backward<__nv_bfloat16>(in, d_out, d_in, stream);
}

}  // namespace tut::ch14

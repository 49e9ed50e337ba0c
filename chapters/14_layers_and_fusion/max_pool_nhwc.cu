#include "14_layers_and_fusion/max_pool_nhwc.hpp"

#include <cstdint>
#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256;

using ch13::NhwcView;

// The place in `in` of the upper left element of window `index` of `out`.
template <class In, class Out>
__device__ std::int64_t corner_of(std::int64_t index, const NhwcView<In>& in,
                                  const NhwcView<Out>& out) {
  const int channel = static_cast<int>(index % out.c);
  const std::int64_t pixel = index / out.c;
  const int x = static_cast<int>(pixel % out.w);
  const std::int64_t row = pixel / out.w;  // of all images
  const std::int64_t image = row / out.h;
  const std::int64_t y = row % out.h;
  return ((image * in.h + 2 * y) * in.w + 2 * x) * in.c + channel;
}

template <class T>
__global__ void max_pool_nhwc_kernel(NhwcView<const T> in, NhwcView<T> out, Winner* winners,
                                     BeforePool before) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= out.size()) return;
  const T* corner = in.data + corner_of(index, in, out);
  const std::int64_t down = std::int64_t{in.w} * in.c;
  float largest = static_cast<float>(corner[0]);
  int place = 0;
  for (int i = 1; i < 4; ++i) {
    const float value = static_cast<float>(corner[i / 2 * down + i % 2 * in.c]);
    const bool larger = value > largest || (isnan(value) && !isnan(largest));
    largest = larger ? value : largest;
    place = larger ? i : place;
  }
  const bool cut = before == BeforePool::relu && !(largest > 0.0f);
  winners[index] = cut ? Winner::none : static_cast<Winner>(place);
  out.data[index] = static_cast<T>(cut && !isnan(largest) ? 0.0f : largest);
}

template <class T>
__global__ void max_pool_nhwc_backward_kernel(const Winner* winners, NhwcView<const T> d_out,
                                              NhwcView<T> d_in) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= d_out.size()) return;
  T* corner = d_in.data + corner_of(index, d_in, d_out);
  const std::int64_t down = std::int64_t{d_in.w} * d_in.c;
  const int winner = static_cast<int>(winners[index]);
  const T gradient = d_out.data[index];
  for (int i = 0; i < 4; ++i) {
    corner[i / 2 * down + i % 2 * d_in.c] = i == winner ? gradient : static_cast<T>(0.0f);
  }
}

void append_shape(std::string& text, int n, int h, int w, int c) {
  text += '(';
  for (const int size : {n, h, w}) text += std::to_string(size) += ", ";
  text += std::to_string(c) += ')';
}

template <class Large, class Small>
void require_pooled(const NhwcView<Large>& large, const NhwcView<Small>& small,
                    std::size_t winners) {
  const bool fits = large.h >= 2 && large.w >= 2 && large.n == small.n && large.c == small.c &&
                    small.h == large.h / 2 && small.w == large.w / 2 && large.data != nullptr &&
                    small.data != nullptr && small.size() > 0;
  if (fits && winners == static_cast<std::size_t>(small.size())) return;
  std::string message = "the tensor ";
  append_shape(message, large.n, large.h, large.w, large.c);
  message += " was pooled to ";
  append_shape(message, small.n, small.h, small.w, small.c);
  message += " with ";
  message += std::to_string(winners);
  message += " winners; expected (N, H, W, C), (N, H / 2, W / 2, C), and a winner for each output";
  require(false, message);
}

unsigned blocks_for(std::int64_t size) {
  return static_cast<unsigned>(ceil_div(size, std::int64_t{THREADS}));
}

}  // namespace

template <class T>
void max_pool_nhwc(NhwcView<const T> in, NhwcView<T> out, std::span<Winner> winners,
                   BeforePool before, cudaStream_t stream) {
  require_pooled(in, out, winners.size());
  max_pool_nhwc_kernel<<<blocks_for(out.size()), THREADS, 0, stream>>>(in, out, winners.data(),
                                                                       before);
  check_launch();
}

template <class T>
void max_pool_nhwc_backward(std::span<const Winner> winners, NhwcView<const T> d_out,
                            NhwcView<T> d_in, cudaStream_t stream) {
  require_pooled(d_in, d_out, winners.size());
  if (d_in.h % 2 != 0 || d_in.w % 2 != 0) {
    const auto bytes = static_cast<std::size_t>(d_in.size()) * sizeof(T);
    check(cudaMemsetAsync(d_in.data, 0, bytes, stream));
  }
  max_pool_nhwc_backward_kernel<<<blocks_for(d_out.size()), THREADS, 0, stream>>>(winners.data(),
                                                                                  d_out, d_in);
  check_launch();
}

template void max_pool_nhwc(NhwcView<const float>, NhwcView<float>, std::span<Winner>, BeforePool,
                            cudaStream_t);
template void max_pool_nhwc(NhwcView<const __half>, NhwcView<__half>, std::span<Winner>, BeforePool,
                            cudaStream_t);
template void max_pool_nhwc(NhwcView<const __nv_bfloat16>, NhwcView<__nv_bfloat16>,
                            std::span<Winner>, BeforePool, cudaStream_t);
template void max_pool_nhwc_backward(std::span<const Winner>, NhwcView<const float>,
                                     NhwcView<float>, cudaStream_t);
template void max_pool_nhwc_backward(std::span<const Winner>, NhwcView<const __half>,
                                     NhwcView<__half>, cudaStream_t);
template void max_pool_nhwc_backward(std::span<const Winner>, NhwcView<const __nv_bfloat16>,
                                     NhwcView<__nv_bfloat16>, cudaStream_t);

}  // namespace tut::ch14

#include "14_layers_and_fusion/max_pool_nhwc.hpp"

#include <cstddef>
#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"
#include "tut/tf32.hpp"

namespace tut::ch14 {
namespace {

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

template <class T>
std::size_t size_of(const NhwcView<T>& view) {
  return static_cast<std::size_t>(view.size());
}

// Throws std::invalid_argument unless `small` is what `large` is pooled to, with its winners.
template <class Large, class Small>
void require_pooled(const NhwcView<Large>& large, const NhwcView<Small>& small,
                    std::size_t winners) {
  require_pooling(ch13::shape_of(large), ch13::shape_of(small), "the large tensor",
                  "the pooled tensor");
  require_same_size(winners, "the winners", small.size(), "the pooled tensor");
}

}  // namespace

template <class T>
void max_pool_nhwc(NhwcView<const T> in, NhwcView<T> out, std::span<Winner> winners,
                   BeforePool before, cudaStream_t stream) {
  require_pooled(in, out, winners.size());
  max_pool_nhwc_kernel<<<element_blocks(size_of(out)), ELEMENT_THREADS, 0, stream>>>(
      in, out, winners.data(), before);
  check_launch();
}

template <class T>
void max_pool_nhwc_backward(std::span<const Winner> winners, NhwcView<const T> d_out,
                            NhwcView<T> d_in, cudaStream_t stream) {
  require_pooled(d_in, d_out, winners.size());
  if (d_in.h % 2 != 0 || d_in.w % 2 != 0) {
    const auto bytes = size_of(d_in) * sizeof(T);
    check(cudaMemsetAsync(d_in.data, 0, bytes, stream));
  }
  max_pool_nhwc_backward_kernel<<<element_blocks(size_of(d_out)), ELEMENT_THREADS, 0, stream>>>(
      winners.data(), d_out, d_in);
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
template void max_pool_nhwc(NhwcView<const Tf32>, NhwcView<Tf32>, std::span<Winner>, BeforePool,
                            cudaStream_t);
template void max_pool_nhwc_backward(std::span<const Winner>, NhwcView<const Tf32>, NhwcView<Tf32>,
                                     cudaStream_t);

}  // namespace tut::ch14

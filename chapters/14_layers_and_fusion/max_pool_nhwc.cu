#include "14_layers_and_fusion/max_pool_nhwc.hpp"

#include <cstddef>
#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "14_layers_and_fusion/pooling.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/tf32.hpp"

namespace tut::ch14 {
namespace {

using ch13::NhwcView;

// Where a thread's window lies, and which WIDTH channels of it are the thread's. The windows of a
// row are numbered with their channels, those fastest, and the rows through all images.
struct Place {
  std::int64_t corner, pooled;  // the first channel of the upper left pixel; of the output's
  bool is_there;
};

template <int WIDTH>
__device__ Place place_of(const Pooling& pooling, int channels) {
  const int packs = channels / WIDTH;
  const int index = blockIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int x = index / packs, channel = index % packs * WIDTH;
  return {pooling.first(row, x) * channels + channel, pooling.pooled(row, x) * channels + channel,
          x < pooling.out_w() && row < pooling.rows()};
}

template <int WIDTH, class T>
__global__ void max_pool_nhwc_kernel(const T* in, T* out, Winner* winners, Pooling pooling,
                                     int channels, BeforePool before) {
  const Place place = place_of<WIDTH>(pooling, channels);
  if (!place.is_there) return;
  const std::int64_t down = std::int64_t{pooling.in_w} * channels;
  Pack<T, WIDTH> window[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    window[i] = load_pack<WIDTH>(in + place.corner + i / 2 * down + i % 2 * channels);
  }
  Pack<T, WIDTH> result;
  Pack<Winner, WIDTH> won;
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    float largest = static_cast<float>(window[0].x[k]);
    int winner = 0;
#pragma unroll
    for (int i = 1; i < 4; ++i) {
      const float value = static_cast<float>(window[i].x[k]);
      const bool larger = value > largest || (isnan(value) && !isnan(largest));
      largest = larger ? value : largest;
      winner = larger ? i : winner;
    }
    const bool cut = before == BeforePool::relu && !(largest > 0.0f);
    won.x[k] = cut ? Winner::none : static_cast<Winner>(winner);
    result.x[k] = static_cast<T>(cut && !isnan(largest) ? 0.0f : largest);
  }
  store_pack(winners + place.pooled, won);
  store_pack(out + place.pooled, result);
}

template <int WIDTH, class T>
__global__ void max_pool_nhwc_backward_kernel(const Winner* winners, const T* d_out, T* d_in,
                                              Pooling pooling, int channels) {
  const Place place = place_of<WIDTH>(pooling, channels);
  if (!place.is_there) return;
  const std::int64_t down = std::int64_t{pooling.in_w} * channels;
  const auto won = load_pack<WIDTH>(winners + place.pooled);
  const auto gradient = load_pack<WIDTH>(d_out + place.pooled);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    Pack<T, WIDTH> share;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      share.x[k] = static_cast<int>(won.x[k]) == i ? gradient.x[k] : static_cast<T>(0.0f);
    }
    store_pack(d_in + place.corner + i / 2 * down + i % 2 * channels, share);
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
  constexpr int WIDTH = 16 / sizeof(T);
  require_pooled(in, out, winners.size());
  const bool wide = takes_chunks(in) && takes_chunks(out) && is_aligned(winners.data(), WIDTH);
  const Pooling pooling{in.n, in.h, in.w};
  const auto [grid, block, exact] =
      pooling_launch(out.w * (out.c / (wide ? WIDTH : 1)), pooling.rows());
  const auto kernel = wide ? max_pool_nhwc_kernel<WIDTH, T> : max_pool_nhwc_kernel<1, T>;
  kernel<<<grid, block, 0, stream>>>(in.data, out.data, winners.data(), pooling, in.c, before);
  check_launch();
}

template <class T>
void max_pool_nhwc_backward(std::span<const Winner> winners, NhwcView<const T> d_out,
                            NhwcView<T> d_in, cudaStream_t stream) {
  constexpr int WIDTH = 16 / sizeof(T);
  require_pooled(d_in, d_out, winners.size());
  if (d_in.h % 2 != 0 || d_in.w % 2 != 0) {
    const auto bytes = size_of(d_in) * sizeof(T);
    check(cudaMemsetAsync(d_in.data, 0, bytes, stream));
  }
  const bool wide = takes_chunks(d_in) && takes_chunks(d_out) && is_aligned(winners.data(), WIDTH);
  const Pooling pooling{d_in.n, d_in.h, d_in.w};
  const auto [grid, block, exact] =
      pooling_launch(d_out.w * (d_out.c / (wide ? WIDTH : 1)), pooling.rows());
  const auto kernel =
      wide ? max_pool_nhwc_backward_kernel<WIDTH, T> : max_pool_nhwc_backward_kernel<1, T>;
  kernel<<<grid, block, 0, stream>>>(winners.data(), d_out.data, d_in.data, pooling, d_in.c);
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

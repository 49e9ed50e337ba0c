/// \file
/// Kernels whose elements have nothing to do with each other: the widest accesses that the memory
/// allows, and one loop over what they bring.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {

/// out[i] = f(in[i]...). A thread takes WIDTH neighbours, the last one what is left.
template <int WIDTH, class F, class Out, class... In>
__global__ void __launch_bounds__(ELEMENT_THREADS)
    elementwise_kernel(F f, std::size_t size, Out* out, const In*... in) {
  const std::size_t first = WIDTH * (std::size_t{blockIdx.x} * ELEMENT_THREADS + threadIdx.x);
  if (first + WIDTH <= size) {
    const auto values = [&](const Pack<In, WIDTH>&... packs) {
      Pack<Out, WIDTH> result;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) result.x[k] = f(packs.x[k]...);
      return result;
    };
    store_pack(out + first, values(load_pack<WIDTH>(in + first)...));
  } else {
#pragma unroll 1
    for (std::size_t i = first; i < size; ++i) out[i] = f(in[i]...);
  }
}

/// Launches it with 16 bytes an access, of the largest type, or with one element where the memory
/// does not begin at such multiples.
template <class F, class Out, class... In>
void launch_elementwise(F f, std::size_t size, cudaStream_t stream, Out* out, const In*... in) {
  constexpr int WIDTH = 16 / std::max({sizeof(Out), sizeof(In)...});
  const auto fits = [](const auto* data) { return is_aligned(data, WIDTH * sizeof(*data)); };
  const bool wide = fits(out) && (fits(in) && ...);
  const auto kernel =
      wide ? elementwise_kernel<WIDTH, F, Out, In...> : elementwise_kernel<1, F, Out, In...>;
  const auto threads = ceil_div(size, static_cast<std::size_t>(wide ? WIDTH : 1));
  kernel<<<element_blocks(threads), ELEMENT_THREADS, 0, stream>>>(f, size, out, in...);
  check_launch();
}

}  // namespace tut::ch14

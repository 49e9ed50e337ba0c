/// \file
/// Kernels in which each output element depends only on the input elements at the same place. They
/// use the widest accesses that the memory's alignment allows.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {

//! [kernel]
/// out[i] = f(in[i]...). Each thread takes WIDTH neighbours; the last thread may have fewer.
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
//! [kernel]

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

#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "12_mixed_precision/loss_scale.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/tensor_view.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {

/// Threads of a block in kernels that have a thread for each element.
inline constexpr int ELEMENT_THREADS = 256;

/// How many blocks have a thread for each of `size` elements.
constexpr unsigned element_blocks(std::size_t size) {
  return static_cast<unsigned>(ceil_div(size, std::size_t{ELEMENT_THREADS}));
}

/// Whether the step is to be skipped. There may be no loss scale.
__device__ inline bool overflowed(const ch12::LossScale* scale) {
  return scale != nullptr && scale->overflow != 0;
}

/// The factor that undoes the loss scale in a gradient.
__device__ inline float unscaling(const ch12::LossScale* scale) {
  return scale != nullptr ? scale->inverse : 1.0f;
}

/// Two neighbours, which one load or store moves: 8 bytes of float, 4 of half.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T first, second;
};

//! [pack]
/// Neighbours that one load or store moves.
template <class T, int WIDTH>
struct alignas(WIDTH * sizeof(T)) Pack {
  T x[WIDTH];
};
template <int WIDTH, class T>
__device__ Pack<T, WIDTH> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, WIDTH>*>(from);
}
template <int WIDTH, class T>
__device__ void store_pack(T* to, const Pack<T, WIDTH>& pack) {
  *reinterpret_cast<Pack<T, WIDTH>*>(to) = pack;
}
//! [pack]

/// Whether an address is a multiple of so many bytes.
inline bool is_aligned(const void* data, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

/// The same of several.
template <class... T>
bool are_aligned(std::size_t bytes, const T*... data) {
  return (is_aligned(data, bytes) && ...);
}

/// Whether pairs may be loaded from here.
template <class T>
bool is_pair_aligned(const T* data) {
  return is_aligned(data, sizeof(Pair<T>));
}

/// Throws std::invalid_argument unless the vector has data and at least one element.
template <class T>
void require_elements(std::size_t size, const T* data, const char* name,
                      const SourceLocation& where = SourceLocation::current()) {
  require(size > 0, {name, " has 0 elements; expected at least 1"}, where);
  require(data != nullptr, {name, " has no data (a null pointer)"}, where);
}

/// Throws std::invalid_argument unless two tensors have the same shape, and data.
template <class A, class B>
void require_same_tensor(const TensorView<A>& a, const char* a_name, const TensorView<B>& b,
                         const char* b_name,
                         const SourceLocation& where = SourceLocation::current()) {
  require_tensor(a, a_name, a.n, a.c, a.h, a.w, "", where);
  require_tensor(b, b_name, a.n, a.c, a.h, a.w, (std::string("the shape of ") + a_name).c_str(),
                 where);
}

}  // namespace tut::ch14

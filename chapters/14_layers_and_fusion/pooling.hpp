/// \file
/// Which elements a window of 2 x 2 holds: the index map of everything that pools.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"

namespace tut::ch14 {

/// Windows of 2 x 2 over planes of in_h x in_w that do not overlap. Where a side is odd, its last
/// row or column is in no window.
///
/// The rows of windows are numbered through all planes: row / out_h is the plane.
struct Pooling {
  int planes, in_h, in_w;

  constexpr int out_h() const { return in_h / 2; }
  constexpr int out_w() const { return in_w / 2; }
  constexpr int rows() const { return planes * out_h(); }
  constexpr bool is_even() const { return in_h % 2 == 0 && in_w % 2 == 0; }

  /// Where the window's first element is in the input; the next rows begin in_w further.
  constexpr std::int64_t first(int row, int x) const {
    // Rows of the input above it: two for each row of windows, and the odd rows of earlier planes.
    const int odd_rows = in_h % 2 == 0 ? 0 : row / out_h();
    return (std::int64_t{2} * row + odd_rows) * in_w + 2 * x;
  }
  /// Where the window's result is in the output.
  constexpr std::int64_t pooled(int row, int x) const { return std::int64_t{row} * out_w() + x; }
};

//! [pair]
/// Two neighbours in a row of a window. PAIRS: by one load, for which their address must be a
/// multiple of both together.
template <bool PAIRS, class T>
__device__ Pair<T> load_pair(const T* from) {
  if constexpr (PAIRS) {
    return *reinterpret_cast<const Pair<T>*>(from);
  } else {
    return {from[0], from[1]};
  }
}
//! [pair]
/// The same for a store.
template <bool PAIRS, class T>
__device__ void store_pair(T* to, float first, float second) {
  const Pair<T> pair{static_cast<T>(first), static_cast<T>(second)};
  if constexpr (PAIRS) {
    *reinterpret_cast<Pair<T>*>(to) = pair;
  } else {
    to[0] = pair.first;
    to[1] = pair.second;
  }
}

/// A window's largest element, and where it is: 0 to 3 in row-major order, the first of equals.
struct Largest {
  float value;
  int place;
};

//! [largest]
__device__ __forceinline__ Largest largest_of(float upper_left, float upper_right, float lower_left,
                                              float lower_right) {
  const bool upper_is_right = upper_right > upper_left;
  const bool lower_is_right = lower_right > lower_left;
  const float upper = upper_is_right ? upper_right : upper_left;
  const float lower = lower_is_right ? lower_right : lower_left;
  const bool is_lower = lower > upper;
  return {is_lower ? lower : upper, is_lower ? 2 + lower_is_right : 0 + upper_is_right};
}
//! [largest]

/// A thread for each of `columns` places of `rows` rows: blocks have rows of up to 256 threads, and
/// as many of them as make 256 threads or fewer.
struct PoolingLaunch {
  dim3 grid, block;
  bool exact;  ///< no thread is without a place
};

inline PoolingLaunch pooling_launch(int columns, int rows) {
  const int block_columns = std::min(columns, 256);
  // The most rows that divide all of them, unless that leaves a block too small for its warps.
  int block_rows = 256 / block_columns;
  while (rows % block_rows != 0) --block_rows;
  if (block_rows * block_columns < 64) block_rows = 256 / block_columns;
  const dim3 grid(ceil_div(rows, block_rows), ceil_div(columns, block_columns));
  return {grid, dim3(block_columns, block_rows),
          rows % block_rows == 0 && columns % block_columns == 0};
}

/// The same for each window.
inline PoolingLaunch pooling_launch(const Pooling& pooling) {
  return pooling_launch(pooling.out_w(), pooling.rows());
}

/// Throws std::invalid_argument unless `out` is `in` pooled.
template <class In, class Out>
Pooling require_pooling(TensorView<In> in, TensorView<Out> out, const char* in_name,
                        const char* out_name,
                        const SourceLocation& where = SourceLocation::current()) {
  require_tensor(in, in_name, in.n, in.c, in.h, in.w, "", where);
  if (in.h < 2 || in.w < 2) {
    require(false, {in_name, " is ", shape_part(in), "; expected at least 2 rows and 2 columns"},
            where);
  }
  require_tensor(out, out_name, in.n, in.c, in.h / 2, in.w / 2,
                 "the input with half its rows and columns", where);
  require(std::int64_t{in.n} * in.c * in.h < (std::int64_t{1} << 31),
          {in_name, " is ", shape_part(in), "; expected fewer than 2^31 rows"}, where);
  return {in.n * in.c, in.h, in.w};
}

}  // namespace tut::ch14

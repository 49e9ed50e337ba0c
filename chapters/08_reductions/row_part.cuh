/// \file
/// A row in the registers of the threads that work on it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {

/// WIDTH neighbours, 1 or 4, in one access.
template <int WIDTH>
__device__ inline void load_group(const float* from, float (&values)[WIDTH]) {
  static_assert(WIDTH == 1 || WIDTH == 4, "4 or 16 bytes");
  if constexpr (WIDTH == 4) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
  } else {
    values[0] = *from;
  }
}
/// The same for global memory that is not read again, so that caches keep other data.
template <int WIDTH>
__device__ inline void load_group_once(const float* from, float (&values)[WIDTH]) {
  if constexpr (WIDTH == 4) {
    const float4 v = __ldcs(reinterpret_cast<const float4*>(from));
    values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
  } else {
    values[0] = __ldcs(from);
  }
}
template <int WIDTH>
__device__ inline void store_group(float* to, const float (&values)[WIDTH]) {
  if constexpr (WIDTH == 4) {
    *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
  } else {
    *to = values[0];
  }
}

/// One thread's part of a row: GROUPS groups of WIDTH neighbours. The groups of neighbouring
/// threads are neighbours. Every loop is unrolled, so that the values stay in registers.
template <int ROW_THREADS, int GROUP_WIDTH, int GROUPS>
struct RowPart {
  static constexpr int THREADS = ROW_THREADS, WIDTH = GROUP_WIDTH;
  static constexpr int COLUMNS = THREADS * WIDTH * GROUPS;  // of the longest row that fits

  float values[GROUPS][WIDTH];

  /// The first column of a group of thread t.
  __device__ static int column(int t, int group) { return (group * THREADS + t) * WIDTH; }

  /// Calls f(column, group) for the groups that the row has.
  template <class F>
  __device__ static void each_group(int cols, int t, F f) {
#pragma unroll
    for (int group = 0; group < GROUPS; ++group) {
      const int col = column(t, group);
      if (col < cols) f(col, group);
    }
  }

  /// Calls f(column, value) for every value, also for those beyond the row.
  template <class F>
  __device__ void each(int t, F f) {
#pragma unroll
    for (int group = 0; group < GROUPS; ++group) {
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) f(column(t, group) + i, values[group][i]);
    }
  }

  /// Reads the part; what lies beyond the row becomes `outside`.
  __device__ void load(const float* row, int cols, int t, float outside) {
    each(t, [=](int, float& value) { value = outside; });
    each_group(cols, t, [&](int col, int group) { load_group_once(row + col, values[group]); });
  }
  __device__ void store(float* row, int cols, int t) const {
    each_group(cols, t, [&](int col, int group) { store_group(row + col, values[group]); });
  }
};

/// Whether rows consist of whole float4, at addresses that are multiples of 16.
template <class T>
bool has_rows_of_float4(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0 && m.cols % 4 == 0;
}

/// The longest row that is kept in registers.
inline constexpr int LONGEST_ROW_PART = 16384;

/// Calls `launch(std::type_identity<RowPart<...>>)` with what suits rows of `cols` columns: a warp
/// a row up to 1024, then a block. `wide`: in float4. Longer rows have none: false.
template <class Launch>
bool with_row_part(int cols, bool wide, Launch launch) {
  const auto take = [&](auto four, auto one) { wide ? launch(four) : launch(one); };
  if (cols <= 256) {
    take(std::type_identity<RowPart<32, 4, 2>>(), std::type_identity<RowPart<32, 1, 8>>());
  } else if (cols <= 1024) {
    take(std::type_identity<RowPart<32, 4, 8>>(), std::type_identity<RowPart<32, 1, 32>>());
  } else if (cols <= 4096) {
    take(std::type_identity<RowPart<256, 4, 4>>(), std::type_identity<RowPart<256, 1, 16>>());
  } else if (cols <= LONGEST_ROW_PART) {
    take(std::type_identity<RowPart<256, 4, 16>>(), std::type_identity<RowPart<256, 1, 64>>());
  } else {
    return false;
  }
  return true;
}

/// Threads of a block of it: eight rows of a warp each, or one row.
template <class Part>
constexpr int row_block_threads() {
  return Part::THREADS == 32 ? 256 : Part::THREADS;
}
/// The block, (threads of a row, rows), and the grid for so many rows.
template <class Part>
dim3 row_block() {
  return dim3(Part::THREADS, row_block_threads<Part>() / Part::THREADS);
}
template <class Part>
unsigned row_grid(int rows) {
  return ceil_div(static_cast<unsigned>(rows), row_block<Part>().y);
}

}  // namespace tut::ch08

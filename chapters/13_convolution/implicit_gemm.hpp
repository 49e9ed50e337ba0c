/// \file
/// A product of matrices that exist nowhere in memory: their elements are fetched by an index map.
/// Forward and both gradients of a convolution are this kernel with three pairs of maps.
#pragma once

#include <cuda_runtime.h>

#include "07_register_tiling/thread_tile.hpp"
#include "13_convolution/implicit_operands.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {

//! [memory]
/// A tile of BM x BN, computed by threads with TM x TN sums each, BK steps of k at a time.
template <int BM_, int TM_>
struct ImplicitTile {
  static constexpr int BM = BM_, BN = 128, BK = 8, TM = TM_, TN = 8;
  static constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN, THREADS = THREADS_M * THREADS_N;
  static constexpr int PAD = 4;       // words: rows of k begin 4 banks apart, at 16 bytes
  static constexpr int MAPPED = 512;  // steps of k whose places the block finds out at a time
  static constexpr int A_STEPS = BM * BK / THREADS, B_STEPS = BN * BK / THREADS;
  static_assert(BK * PAD == 32, "a column of 8 steps of k and 4 neighbours: all 32 banks");
  static_assert(THREADS % BN == 0 && MAPPED % BK == 0 && BM * BK % THREADS == 0);
};

/// A block's shared memory: two buffers of tiles, and the parts of the index maps.
template <class Tile>
struct alignas(16) ImplicitMemory {
  float a_tile[2][Tile::BK][Tile::BM + Tile::PAD];  // (buffer, k, row)
  float b_tile[2][Tile::BK][Tile::BN + Tile::PAD];  // (buffer, k, column)
  BPlace columns[Tile::BN];                         // (column)
  BPlace b_places[Tile::MAPPED];                    // (k)
  int rows[Tile::BM];                               // (row)
  int a_places[Tile::MAPPED];                       // (k)
};
//! [memory]

//! [fetch]
/// Fetches the thread's elements of the tiles that begin at mapped step k0. Of A, and of B if
/// neighbours in memory are neighbours in k, that is one step of k of several rows or columns,
/// otherwise several steps of one column.
template <class Tile, class Operands>
__device__ void fetch(const Operands& operands, const ImplicitMemory<Tile>& memory, int k0,
                      int thread, float (&a)[Tile::A_STEPS], float (&b)[Tile::B_STEPS]) {
  constexpr int BK = Tile::BK, BN = Tile::BN, THREADS = Tile::THREADS;
  const int place = memory.a_places[k0 + thread % BK];
#pragma unroll
  for (int i = 0; i < Tile::A_STEPS; ++i) {
    const int row = thread / BK + i * (THREADS / BK);
    a[i] = place >= 0 ? operands.a[memory.rows[row] + place] : 0.0f;
  }
#pragma unroll
  for (int i = 0; i < Tile::B_STEPS; ++i) {
    const int k = Operands::b_along_k ? thread % BK : thread / BN + i * (THREADS / BN);
    const int col = Operands::b_along_k ? thread / BK + i * (THREADS / BK) : thread % BN;
    b[i] =
        element_b(operands, read_place(memory.b_places[k0 + k]), read_place(memory.columns[col]));
  }
}
//! [fetch]

/// Stores what was fetched in a buffer of shared memory.
template <class Operands, class Tile>
__device__ void stage(ImplicitMemory<Tile>& memory, int buffer, int thread,
                      const float (&a)[Tile::A_STEPS], const float (&b)[Tile::B_STEPS]) {
  constexpr int BK = Tile::BK, BN = Tile::BN, THREADS = Tile::THREADS;
#pragma unroll
  for (int i = 0; i < Tile::A_STEPS; ++i) {
    memory.a_tile[buffer][thread % BK][thread / BK + i * (THREADS / BK)] = a[i];
  }
#pragma unroll
  for (int i = 0; i < Tile::B_STEPS; ++i) {
    const int k = Operands::b_along_k ? thread % BK : thread / BN + i * (THREADS / BN);
    const int col = Operands::b_along_k ? thread / BK + i * (THREADS / BK) : thread % BN;
    memory.b_tile[buffer][k][col] = b[i];
  }
}

/// Writes the thread's sums, whose first belongs at (row, col); rows and columns lie in groups of
/// four as ch07::read_fours has them.
template <class Tile, class Operands>
__device__ void store_tile(const Operands& operands, int row0, int col0,
                           const float (&sums)[Tile::TM][Tile::TN]) {
#pragma unroll
  for (int j = 0; j < Tile::TN; j += 4) {
    const int col = col0 + j * Tile::THREADS_N, cols = min(operands.cols - col, 4);
    if (cols <= 0) continue;
    std::int64_t places[4];
#pragma unroll
    for (int x = 0; x < 4; ++x) places[x] = operands.out_place(blockIdx.z, col + min(x, cols - 1));
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) {
      const int row = row0 + i / 4 * 4 * Tile::THREADS_M + i % 4;
      if (row >= operands.rows) continue;
      const float bias = operands.bias != nullptr ? operands.bias[row] : 0.0f;
      float* to = operands.out + std::int64_t{row} * operands.out_pitch;
      float values[4];
#pragma unroll
      for (int x = 0; x < 4; ++x) values[x] = sums[i][j + x] + bias;
      if (operands.fours) {
        *reinterpret_cast<float4*>(to + places[0]) = ch07::as_float4(values);
        continue;
      }
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        if (x < cols) to[places[x]] = values[x];
      }
    }
  }
}

//! [kernel]
/// `Operands` is an ImplicitProduct with its maps. Each slice of the grid sums its own part of the
/// depth.
template <class Operands, class Tile>
__global__ void __launch_bounds__(Tile::THREADS, 512 / Tile::THREADS)
    implicit_gemm_kernel(const Operands operands, int slice_depth) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, TM = Tile::TM, TN = Tile::TN;
  __shared__ ImplicitMemory<Tile> memory;
  const int thread = threadIdx.x, tx = thread % Tile::THREADS_N, ty = thread / Tile::THREADS_N;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int first = blockIdx.z * slice_depth;
  const int last = first + min(slice_depth, operands.depth - first);

  if (thread < BM) memory.rows[thread] = min(row0 + thread, operands.rows - 1) * operands.row_pitch;
  if (thread < BN) {
    const int col = col0 + thread;
    memory.columns[thread] = col < operands.cols ? operands.column(col) : BPlace{0, 0, OUTSIDE, 0};
  }

  float sums[TM][TN] = {};
  for (int mapped = first; mapped < last; mapped += Tile::MAPPED) {
    const int steps = min(Tile::MAPPED, last - mapped), tiles = (steps + BK - 1) / BK;
    for (int k = thread; k < tiles * BK; k += Tile::THREADS) {
      memory.a_places[k] = k < steps ? operands.a_place(mapped + k) : -1;
      memory.b_places[k] = k < steps ? operands.b_place(mapped + k) : BPlace{0, OUTSIDE, 0, 0};
    }
    __syncthreads();
    float a_next[Tile::A_STEPS], b_next[Tile::B_STEPS];
    fetch(operands, memory, 0, thread, a_next, b_next);
    stage<Operands>(memory, 0, thread, a_next, b_next);
    __syncthreads();
    for (int tile = 0; tile < tiles; ++tile) {
      // The next tile is under way while this one is multiplied.
      const bool has_next = tile + 1 < tiles;
      if (has_next) fetch(operands, memory, (tile + 1) * BK, thread, a_next, b_next);
      const int now = tile % 2;
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        float a_part[TM], b_part[TN];
        ch07::read_fours<Tile::THREADS_M>(&memory.a_tile[now][k][ty * 4], a_part);
        ch07::read_fours<Tile::THREADS_N>(&memory.b_tile[now][k][tx * 4], b_part);
        ch07::add_outer_product(a_part, b_part, sums);
      }
      if (has_next) stage<Operands>(memory, 1 - now, thread, a_next, b_next);
      __syncthreads();
    }
  }
  store_tile<Tile>(operands, row0 + ty * 4, col0 + tx * 4, sums);
}
//! [kernel]

template <class Tile, class Operands>
void launch_implicit_tile(const Operands& operands, int slices, cudaStream_t stream) {
  //! [launch]
  const dim3 grid(ceil_div(operands.cols, Tile::BN), ceil_div(operands.rows, Tile::BM), slices);
  const int slice_depth = round_up(ceil_div(operands.depth, slices), Tile::BK);
  implicit_gemm_kernel<Operands, Tile><<<grid, Tile::THREADS, 0, stream>>>(operands, slice_depth);
  //! [launch]
  check_launch();
}

/// Rows of the tile for so many rows: the largest of 128, 64 and 32 that leaves the fewest unused.
constexpr int implicit_rows(int rows) {
  if (rows <= 32) return 32;
  return round_up(rows, 64) < round_up(rows, 128) ? 64 : 128;
}

/// Blocks that one slice takes.
constexpr int implicit_blocks(int rows, int cols) {
  return ceil_div(rows, implicit_rows(rows)) * ceil_div(cols, 128);
}

/// Launches the kernel with a tile that suits the rows. `slices` parts of the depth, each a
/// multiple of the tile's.
template <class Operands>
void launch_implicit_gemm(const Operands& operands, int slices, cudaStream_t stream) {
  switch (implicit_rows(operands.rows)) {
    case 32:
      return launch_implicit_tile<ImplicitTile<32, 4>>(operands, slices, stream);
    case 64:
      return launch_implicit_tile<ImplicitTile<64, 8>>(operands, slices, stream);
    default:
      return launch_implicit_tile<ImplicitTile<128, 8>>(operands, slices, stream);
  }
}

}  // namespace tut::ch13

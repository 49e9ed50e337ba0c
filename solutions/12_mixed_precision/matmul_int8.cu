#include "12_mixed_precision/matmul_int8.hpp"

#include <mma.h>

#include <cstdint>

#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr int TILE = 16;                  // rows and columns of a fragment, and its depth
constexpr int BM = 64, BN = 64, BK = 32;  // a block's tile of C, and its step along k
constexpr int WARPS = 4, THREADS = 32 * WARPS, PARTS = 2;  // a warp has 2 x 2 fragments of sums
constexpr int SLICES = BK / TILE;
constexpr int C_PITCH = TILE + 8;  // of sums: four rows of a fragment lie in different banks

// Below compute capability 7.2 there are no fragments of integers; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720

namespace wmma = nvcuda::wmma;
using APart = wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, signed char, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, TILE, TILE, TILE, int>;

/// 64 rows in slices of 16 bytes along k: (slice, row, k in the slice). A fragment has to begin at
/// a multiple of 32 bytes, and here each does. Eight rows of a slice fill the 32 banks.
using Tile = signed char[SLICES][BM][TILE];

/// Copies 64 rows of m, BK columns of each, into the tile, 0 outside the matrix. Eight neighbouring
/// threads store 16 bytes each in eight rows of a slice; 16 threads have eight whole rows.
__device__ void stage(MatrixView<const signed char> m, int row0, int col0, bool chunks,
                      Tile& tile) {
  for (int i = static_cast<int>(threadIdx.x); i < BM * SLICES; i += THREADS) {
    const int r = i / (8 * SLICES) * 8 + i % 8, slice = i / 8 % SLICES;
    const int row = row0 + r, col = col0 + slice * TILE;
    if (chunks && row < m.rows && col + TILE <= m.cols) {
      *reinterpret_cast<uint4*>(&tile[slice][r][0]) = *reinterpret_cast<const uint4*>(&m(row, col));
      continue;
    }
#pragma unroll 1
    for (int j = 0; j < TILE; ++j) {
      const bool inside = row < m.rows && col + j < m.cols;
      tile[slice][r][j] = inside ? m(row, col + j) : static_cast<signed char>(0);
    }
  }
}

/// Whether rows of m can be read 16 bytes at a time.
__device__ bool takes_chunks(MatrixView<const signed char> m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 16 == 0;
}

/// Writes the sums of the tile of C at (row, col), scaled; by all lanes of a warp. `places` is the
/// warp's own, in shared memory.
__device__ void store_scaled(MatrixView<float> c, int row, int col, [[maybe_unused]] float scale,
                             [[maybe_unused]] const Sum& sum,
                             [[maybe_unused]] int (&places)[TILE][C_PITCH]) {
  //! [hole-store]
  // A lane does not know which elements of the sum it holds. Store the sum in `places`, whose rows
  // lie C_PITCH apart, where each element has a known place. The lanes still read the sum before,
  // and will read this one: what must stand before the store, and what after it?
  __syncwarp();
  wmma::store_matrix_sync(&places[0][0], sum, C_PITCH, wmma::mem_row_major);
  __syncwarp();
  //! [hole-store]
  for (int i = static_cast<int>(threadIdx.x) % 32; i < TILE * TILE; i += 32) {
    // A warp takes rows r and r + 2, which lie in different banks.
    const int line = i / TILE, r = line / 4 * 4 + line % 2 * 2 + line / 2 % 2, s = i % TILE;
    if (row + r >= c.rows || col + s >= c.cols) continue;
    float element = 0.0f;
    //! [hole-scale]
    // The sum of this element is places[r][s]. Convert it to float, and scale it.
    element = scale * static_cast<float>(places[r][s]);
    //! [hole-scale]
    c(row + r, col + s) = element;
  }
}

#endif

__global__ void __launch_bounds__(THREADS)
    matmul_int8_kernel([[maybe_unused]] MatrixView<const signed char> a,
                       [[maybe_unused]] MatrixView<const signed char> b,
                       [[maybe_unused]] float scale, [[maybe_unused]] MatrixView<float> c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
  __shared__ alignas(32) Tile a_tile, b_tile;  // of rows of A, and of rows of B: columns of C
  __shared__ alignas(32) int places[WARPS][TILE][C_PITCH];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int row = warp / 2 * 32, col = warp % 2 * 32;        // of the warp's tile in it
  const bool a_chunks = takes_chunks(a), b_chunks = takes_chunks(b);

  Sum sums[PARTS][PARTS];
  for (auto& line : sums) {
    for (Sum& sum : line) wmma::fill_fragment(sum, 0);
  }
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    stage(a, row0, k0, a_chunks, a_tile);
    stage(b, col0, k0, b_chunks, b_tile);
    __syncthreads();
    for (int slice = 0; slice < SLICES; ++slice) {
      APart a_parts[PARTS];
      for (int i = 0; i < PARTS; ++i) {
        wmma::load_matrix_sync(a_parts[i], &a_tile[slice][row + TILE * i][0], TILE);
      }
      //! [hole-multiply]
      // For each of the PARTS columns of fragments: load the fragment of B from this slice, from
      // the warp's column col + TILE * j on. Its elements are signed char, and its columns are
      // b_tile's rows: how must it be laid out? Then add its products with a_parts to sums[i][j].
      for (int j = 0; j < PARTS; ++j) {
        wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, signed char, wmma::col_major> b_part;
        wmma::load_matrix_sync(b_part, &b_tile[slice][col + TILE * j][0], TILE);
        for (int i = 0; i < PARTS; ++i) wmma::mma_sync(sums[i][j], a_parts[i], b_part, sums[i][j]);
      }
      //! [hole-multiply]
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < PARTS; ++i) {
#pragma unroll
    for (int j = 0; j < PARTS; ++j) {
      store_scaled(c, row0 + row + TILE * i, col0 + col + TILE * j, scale, sums[i][j],
                   places[warp]);
    }
  }
#endif
}

}  // namespace

void matmul_int8(MatrixView<const signed char> a, MatrixView<const signed char> b, float scale,
                 MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const signed char>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  require(a.cols <= MOST_INT8_PRODUCTS, {"K is ", a.cols, "; expected at most ", MOST_INT8_PRODUCTS,
                                         ", so that no sum leaves an int"});
  require_compute_capability(72, "matmul_int8", compute_capability());
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_int8_kernel<<<grid, THREADS, 0, stream>>>(a, b, scale, c);
  check_launch();
}

}  // namespace tut::ch12

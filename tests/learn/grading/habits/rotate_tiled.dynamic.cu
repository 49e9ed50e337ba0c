// Dynamic shared memory, structures with functions of their own, and constants by #define.
#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include <algorithm>
#include <utility>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

#define TILE 32
#define ROWS 8

extern __shared__ float tile_memory[];

struct Tile {
  float* data;
  __device__ float& at(int row, int col) const { return data[row * (TILE + 1) + col]; }
};

template <typename Function>
__device__ void for_rows(Function&& body) {
#pragma unroll
  for (int step = 0; step < TILE / ROWS; ++step) body(int(threadIdx.y) + step * ROWS);
}

__global__ void rotate(tut::MatrixView<const float> in, tut::MatrixView<float> out) {
  const Tile tile{tile_memory};
  const int x = threadIdx.x, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  for_rows([&](int y) {
    if (row0 + y < in.rows && col0 + x < in.cols) tile.at(y, x) = in(row0 + y, col0 + x);
  });
  __syncthreads();
  for_rows([&](int y) {
    if (row0 + x < in.rows && col0 + y < in.cols)
      out(col0 + y, in.rows - 1 - row0 - x) = tile.at(x, y);
  });
}

namespace tut::ch05 {

void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  require_transposed_shape(in, "in", out, "out");
  const auto tiles = [](int size) { return std::max(1, (size + TILE - 1) / TILE); };
  const std::pair grid(tiles(in.cols), tiles(in.rows));
  rotate<<<dim3(grid.first, grid.second), dim3(TILE, ROWS), sizeof(float) * TILE*(TILE + 1),
           stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05

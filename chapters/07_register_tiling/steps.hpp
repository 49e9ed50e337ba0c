/// \file
/// The steps of this chapter, in order, for its demo and its benchmark.
#pragma once

#include <array>

#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "07_register_tiling/matmul_async.hpp"
#include "07_register_tiling/matmul_register_column.hpp"
#include "07_register_tiling/matmul_register_tile.hpp"
#include "07_register_tiling/matmul_tuned.hpp"
#include "07_register_tiling/matmul_vectorized.hpp"
#include "07_register_tiling/matmul_warp_tiled.hpp"

namespace tut::ch07 {

struct Step {
  const char* name;
  const char* thread_tile;
  void (*matmul)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, cudaStream_t);
};

inline constexpr std::array<Step, 7> steps = {{
    {"matmul_tiled", "1 x 1", ch05::matmul_tiled},
    {"matmul_register_column", "8 x 1", matmul_register_column},
    {"matmul_register_tile", "8 x 8", matmul_register_tile},
    {"matmul_vectorized", "8 x 8", matmul_vectorized},
    {"matmul_warp_tiled", "8 x 8", matmul_warp_tiled},
    {"matmul_async", "8 x 8", matmul_async},
    {"matmul_tuned", "8 x 16", matmul_tuned},
}};

}  // namespace tut::ch07

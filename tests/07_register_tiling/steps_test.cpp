#include <doctest/doctest.h>

#include "07_register_tiling/matmul_async.hpp"
#include "07_register_tiling/matmul_register_column.hpp"
#include "07_register_tiling/matmul_register_tile.hpp"
#include "07_register_tiling/matmul_tuned.hpp"
#include "07_register_tiling/matmul_vectorized.hpp"
#include "07_register_tiling/matmul_warp_tiled.hpp"
#include "step_case.hpp"

namespace tut::ch07 {

TEST_CASE("matmul_register_column computes C = AB") {
  test_step(matmul_register_column, {.shapes = matmul_shapes(64, 64, 8)});
}

TEST_CASE("matmul_register_tile computes C = AB") {
  test_step(matmul_register_tile, {.shapes = matmul_shapes(128, 128, 8)});
}

TEST_CASE("matmul_vectorized computes C = AB") {
  test_step(matmul_vectorized, {.shapes = matmul_shapes(128, 128, 16)});
}

TEST_CASE("matmul_warp_tiled computes C = AB") {
  test_step(matmul_warp_tiled, {.shapes = matmul_shapes(128, 128, 16)});
}

TEST_CASE("matmul_async computes C = AB") {
  test_step(matmul_async, {.shapes = matmul_shapes(128, 128, 24)});
}

TEST_CASE("matmul_tuned computes C = AB") {
  test_step(matmul_tuned, {.shapes = matmul_shapes(128, 128, 40)});
}

}  // namespace tut::ch07

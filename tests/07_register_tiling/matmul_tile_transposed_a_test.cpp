#include "07_register_tiling/matmul_tile_transposed_a.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "../far_transposed_a.hpp"
#include "exercise_case.hpp"

namespace tut::ch07 {
namespace {

void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c, int multiple) {
  Guarded<float> at = transposed_image(a, multiple);
  const Guarded<float> at_before = at;
  run_if_fits(
      detail::shapes_fit(a, b, c), {.most_launches = 1},
      [](cudaStream_t stream, MatrixView<const float> view_at, MatrixView<const float> view_b,
         MatrixView<float> view_c) { matmul_tile_transposed_a(view_at, view_b, view_c, stream); },
      at, b, c);
  if (const std::string change = at.change(at_before, "A", false); !change.empty()) {
    throw std::runtime_error(change);
  }
}

MatmulRun<float, float> run_with(int multiple) {
  MatmulRun<float, float> result = [multiple](Guarded<float>& a, Guarded<float>& b,
                                              Guarded<float>& c) { run(a, b, c, multiple); };
  result.transposed = 'A';
  result.transposed_stride = [multiple](const Guarded<float>& a) {
    return transposed_image(a, multiple).stride();
  };
  return result;
}

const MatmulRun<float, float> run_in_fours = run_with(4);

}  // namespace

TEST_CASE("matmul_tile_transposed_a computes the product of A transposed and B") {
  for (const int multiple : {1, 4}) {
    MatmulTestOptions options{.shapes = matmul_shapes(64, 64, 16), .stride_multiple = multiple};
    expect(run_matmul_battery<float, float>(run_with(multiple), options));
  }
}

TEST_CASE("matmul_tile_transposed_a of odd places, long shapes, infinities and NaN") {
  test_beyond_the_battery(run_in_fours);
}

TEST_CASE("matmul_tile_transposed_a of rows that lie far apart") {
  expect(far_transposed_a_outcome(matmul_tile_transposed_a));
}

TEST_CASE("matmul_tile_transposed_a reaches all of a large C") {
  // What is in A does not matter: it is as large as its transpose.
  const auto of_transposed = [](MatrixView<const float> a, MatrixView<const float> b,
                                MatrixView<float> c, cudaStream_t stream) {
    matmul_tile_transposed_a({a.data, a.cols, a.rows, a.rows}, b, c, stream);
  };
  test_reach(of_transposed, run_in_fours);
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 96;
  expect_product_budget(
      "matmul_tile_transposed_a", {M, N, K},
      [](const MatmulShape& s) { return s.m * s.n * (s.k / 8.0 + 4); }, 64, run_in_fours);
  expect_wide_accesses_of_others({M, N, K}, run_in_fours);
  // A shape that taller tiles divide, too.
  expect_words({128, N, K}, kFourByFour, [] {
    return longer_rows_outcome(run_in_fours, {128, N, K}, {});
  });
}

}  // namespace tut::ch07

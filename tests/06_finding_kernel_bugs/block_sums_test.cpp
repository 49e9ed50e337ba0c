#include "06_finding_kernel_bugs/block_sums.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

constexpr int block = 256;
using BlockSums = void (*)(const float*, int, float*, cudaStream_t);

Outcome sums_outcome(BlockSums function, int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_small_integers(values, 1, 100);
  Guarded<float> x = vector_image(values, kApart);
  Guarded<float> sums = empty_image<float>((n + block - 1) / block, kApart);
  const Guarded<float> x_before = x, sums_before = sums;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        function(from.data, n, to.data, stream);
      },
      x, sums);
  if (!run.ok) return run;
  const auto expected = [&](int b) {
    double sum = 0;
    for (int i = b * block; i < std::min(n, (b + 1) * block); ++i) {
      sum += values[static_cast<std::size_t>(i)];
    }
    return sum;
  };
  return first_failure({vector_is(sums_before, sums, "sums", text, expected),
                        nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("the two right versions add up every block") {
  for (const BlockSums function : {block_sums, block_sums_by_neighbours}) {
    for (const int n : lengths()) expect(sums_outcome(function, n));
    CHECK_NOTHROW(function(nullptr, 0, nullptr, nullptr));
    CHECK_THROWS_AS(function(nullptr, -1, nullptr, nullptr), std::invalid_argument);
  }
}

}  // namespace tut::ch06

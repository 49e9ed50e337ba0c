#include "05_shared_memory_tiling/ladder_summary.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace tut {

TEST_CASE("a ladder is said to rise only where each step is faster than the one before") {
  CHECK(ladder_summary(std::vector<Bar>{{"a", 1}, {"b", 2.5}, {"c", 200}}, "GFLOP/s") ==
        "Each step was faster than the one before it.\n");
  CHECK(
      ladder_summary(std::vector<Bar>{{"a", 1}, {"b", 216}, {"c", 67.2}, {"d", 67.2}}, "GFLOP/s") ==
      "Steps that were not faster than the one before, in this run:\n"
      "  c: 67.2 after 216 GFLOP/s\n"
      "  d: 67.2 after 67.2 GFLOP/s\n");
}

TEST_CASE("a step that was not measured is not faster, and neither is the one after it") {
  const std::string text = ladder_summary(std::vector<Bar>{{"a", 1}, {"b", NAN}, {"c", 2}}, "x");
  CHECK(text.find("  b: nan after 1 x\n") != std::string::npos);
  CHECK(text.find("  c: 2 after nan x\n") != std::string::npos);
}

TEST_CASE("a summary of some of the steps says of which") {
  CHECK(ladder_summary(std::vector<Bar>{{"a", 1}, {"b", 2}}, "x", "on the CPU") ==
        "Each step on the CPU was faster than the one before it.\n");
  CHECK(ladder_summary(std::vector<Bar>{{"a", 2}, {"b", 1}}, "x", "on the CPU") ==
        "Steps on the CPU that were not faster than the one before, in this run:\n"
        "  b: 1 after 2 x\n");
}

}  // namespace tut

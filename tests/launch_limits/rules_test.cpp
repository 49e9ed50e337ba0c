// The rules themselves: each refuses what it is there for, and takes what is just within.
#include <doctest/doctest.h>

#include <stdexcept>

#include "fake_runtime.hpp"
#include "sweep.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace {

using namespace tut;
using namespace tut::test;

const AllResources RESOURCES = {{"k", {.registers = 64, .threads = 1024, .shared = 1040}},
                                {"bounded", {.registers = 128, .threads = 256, .shared = 0}},
                                {"greedy", {.registers = 128, .threads = 1024, .shared = 0}}};

bool takes(const Launch& launch) { return refusal(launch, RESOURCES).empty(); }

// Launches as a stub that nvcc makes.
void launch(dim3 grid, dim3 block, std::size_t bytes = 0) {
  static const char kernel = 0;
  cudaLaunchKernel(&kernel, grid, block, nullptr, bytes, nullptr);
}
void launch_and_check(dim3 grid, dim3 block) {
  launch(grid, block);
  check_launch();
}

}  // namespace

TEST_CASE("a launch is refused beyond each limit and taken at it") {
  CHECK(takes({"k", dim3(2147483647, 65535, 65535), dim3(1024)}));
  CHECK_FALSE(takes({"k", dim3(2147483648u), dim3(32)}));
  CHECK_FALSE(takes({"k", dim3(1, 65536), dim3(32)}));
  CHECK_FALSE(takes({"k", dim3(1, 1, 65536), dim3(32)}));
  CHECK_FALSE(takes({"k", dim3(0), dim3(32)}));
  CHECK_FALSE(takes({"k", dim3(1), dim3(0)}));
  CHECK_FALSE(takes({"k", dim3(1), dim3(1025)}));
  CHECK_FALSE(takes({"k", dim3(1), dim3(1, 1, 65)}));
  CHECK(takes({"bounded", dim3(1), dim3(16, 16)}));
  CHECK_FALSE(takes({"bounded", dim3(1), dim3(257)}));
  CHECK(takes({"greedy", dim3(1), dim3(512)}));
  CHECK_FALSE(takes({"greedy", dim3(1), dim3(544)}));
}

TEST_CASE("static and dynamic shared memory count together, and more must be asked for") {
  CHECK(takes({"k", dim3(1), dim3(32), 49136}));
  CHECK_FALSE(takes({"k", dim3(1), dim3(32), 49152}));
  CHECK(takes({"k", dim3(1), dim3(32), 65536, 65536}));
  CHECK_FALSE(takes({"k", dim3(1), dim3(32), 65536, 65535}));
  CHECK(takes({"k", dim3(1), dim3(32), 232432, 232448}));
  CHECK_FALSE(takes({"k", dim3(1), dim3(32), 232448, 232448}));
}

TEST_CASE("a sweep finds a grid that is too large, one that overflows, and a refusal too soon") {
  constexpr std::int64_t most = 2147483647;
  const auto rows_in_y = [](std::int64_t n) {
    launch_and_check(dim3(1, static_cast<unsigned>((n + 15) / 16)), dim3(16, 16));
  };
  CHECK(sweep_fault(ROWS, most, rows_in_y) == "");
  CHECK(sweep_fault(2'000'000, most, rows_in_y).find("of size 1048561") == 0);
  const auto nobody_checks = [](std::int64_t n) {
    launch(dim3(1, static_cast<unsigned>((n + 15) / 16)), dim3(16, 16));
  };
  CHECK(sweep_fault(ROWS, most, nobody_checks).find("nobody noticed") != std::string::npos);
  const auto overflows = [](std::int64_t n) {
    launch_and_check(dim3(static_cast<std::uint32_t>(n * 2048) / 256 + 1), dim3(256));
  };
  CHECK(sweep_fault(ROWS, most, overflows).find("a smaller size has") != std::string::npos);
  const auto refuses = [](std::int64_t n) {
    require(n < 1000, "too many");
    launch_and_check(dim3(1), dim3(256));
  };
  CHECK(sweep_fault(ROWS, most, refuses).find("too many") != std::string::npos);
  CHECK(sweep_fault(999, most, refuses) == "");
  CHECK(sweep_fault(ROWS, most, [](std::int64_t) {}).find("nothing is launched") !=
        std::string::npos);
}

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

TEST_CASE("clusters have 8 blocks at most, and the grid has whole ones") {
  const auto clusters = [](dim3 grid, dim3 cluster) {
    return takes({"k", grid, dim3(32), 0, 0, cluster});
  };
  CHECK(clusters(dim3(16), dim3(8)));
  CHECK(clusters(dim3(4, 2), dim3(2, 2)));
  CHECK_FALSE(clusters(dim3(32), dim3(16)));
  CHECK_FALSE(clusters(dim3(15), dim3(2)));
  CHECK_FALSE(clusters(dim3(4, 3), dim3(2, 2)));
}

TEST_CASE("a tensor map is refused beyond each limit and taken at it") {
  struct Numbers {
    std::uintptr_t address = 16;
    cuuint64_t sizes[2] = {std::uint64_t{1} << 32, 5}, stride = (std::uint64_t{1} << 40) - 16;
    cuuint32_t box[2] = {64, 256}, steps[2] = {1, 8};
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  };
  const auto is_taken = [](auto change) {
    Numbers n;
    change(n);
    return refusal({n.type, 2, n.address, n.sizes, &n.stride, n.box, n.steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, n.swizzle})
        .empty();
  };
  CHECK(is_taken([](Numbers&) {}));
  CHECK_FALSE(is_taken([](Numbers& n) { n.address = 8; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.sizes[1] = 0; }));
  CHECK_FALSE(is_taken([](Numbers& n) { ++n.sizes[0]; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.stride = 1000; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.stride += 16; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.box[1] = 257; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.box[1] = 0; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.steps[1] = 9; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.box[0] = 72; }));  // 144 bytes, and 128 are swizzled
  CHECK_FALSE(is_taken([](Numbers& n) { n.box[0] = 60; }));  // 120 bytes
  CHECK_FALSE(is_taken([](Numbers& n) { n.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }));
  CHECK(is_taken([](Numbers& n) { n.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, n.box[0] = 256; }));
  CHECK_FALSE(is_taken([](Numbers& n) { n.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64; }));
}

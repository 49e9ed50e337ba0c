// The plain test of this chapter's lesson: one version of block_sums, ten times, beside the right
// sums. To be compiled together with the versions; see the lesson.
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "06_finding_kernel_bugs/block_sums.hpp"
#include "tut/device/device_buffer.hpp"

namespace {

using namespace tut;

using BlockSums = void (*)(const float*, int, float*, cudaStream_t);

BlockSums version(std::string_view name) {
  if (name == "in_step") return ch06::block_sums_in_step;
  if (name == "by_neighbours") return ch06::block_sums_by_neighbours;
  return ch06::block_sums;
}

int count_right(BlockSums function, int runs) {
  constexpr int N = 8192, BLOCK = 256;
  std::vector<float> values(N), expected(N / BLOCK);
  for (std::size_t i = 0; i < N; ++i) {
    values[i] = static_cast<float>(i % 7);
    expected[i / BLOCK] += values[i];
  }
  const DeviceBuffer<float> x(values);
  const DeviceBuffer<float> sums(expected.size());
  int right = 0;
  for (int run = 0; run < runs; ++run) {
    function(x.data(), N, sums.data(), nullptr);
    right += sums.to_host() == expected;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int RUNS = 10;
  try {
    const int right = count_right(version(argc > 1 ? argv[1] : "mended"), RUNS);
    std::printf("%d of %d runs right\n", right, RUNS);
    return right == RUNS ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ten_runs: %s\n", error.what());
    return 1;
  }
}

// The plain test of this chapter's lesson: the same sums ten times, beside the right ones.
#include <cstdio>
#include <exception>
#include <vector>

#include "06_finding_kernel_bugs/block_sums.hpp"
#include "tut/device_buffer.hpp"

int main() {
  using namespace tut;
  constexpr int N = 10000, BLOCK = 256, RUNS = 10;
  try {
    std::vector<float> values(N);
    std::vector<float> expected((N + BLOCK - 1) / BLOCK);
    for (int i = 0; i < N; ++i) {
      values[i] = static_cast<float>(i % 7);
      expected[i / BLOCK] += values[i];
    }
    const DeviceBuffer<float> x(values);
    DeviceBuffer<float> sums(expected.size());

    int right = 0;
    for (int run = 0; run < RUNS; ++run) {
      sums.fill_bytes(0xFF);
      ch06::block_sums_in_step(x.data(), N, sums.data());
      right += sums.to_host() == expected;
    }
    std::printf("%d of %d runs right\n", right, RUNS);
    return right == RUNS ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ten_runs: %s\n", error.what());
    return 1;
  }
}

// How often a plain test is fooled: three versions of the same sums, many times each.

#include <cstdio>
#include <string>
#include <vector>

#include "06_finding_kernel_bugs/block_sums.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

constexpr int elements = 1 << 16, block = 256, runs = 500;

using BlockSums = void (*)(const float*, int, float*, cudaStream_t);

// The runs whose sums are all right. Small integers: sums are exact in any order.
int count_right(BlockSums function) {
  std::vector<float> values(elements), expected(elements / block);
  fill_small_integers(values, 1, 100);
  for (std::size_t i = 0; i < values.size(); ++i) expected[i / block] += values[i];
  const DeviceBuffer<float> x(values);
  DeviceBuffer<float> sums(expected.size());
  int right = 0;
  for (int run = 0; run < runs; ++run) {
    sums.fill_bytes(0xFF);
    function(x.data(), elements, sums.data(), nullptr);
    right += sums.to_host() == expected;
  }
  return right;
}

void show(const char* name, BlockSums function, const char* verdict) {
  const std::string right = std::to_string(count_right(function)) + " of " + std::to_string(runs);
  std::printf("%-26s %14s   %s\n", name, right.c_str(), verdict);
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch06_demo", argc, argv, [] {
    std::printf("sums of %d blocks of %d elements\n\n", elements / block, block);
    std::printf("%-26s %14s   %s\n", "", "right answers", "in truth");
    show("block_sums_in_step", ch06::block_sums_in_step, "a race: no barrier in the last rounds");
    show("block_sums", ch06::block_sums, "mended");
    show("block_sums_by_neighbours", ch06::block_sums_by_neighbours,
         "right, and slowed down by bank conflicts");
    if (on_cpu_backend) {
      std::printf(
          "\nHere the threads of a block run one after another, so the race comes out the same way "
          "each time.\nOn a GPU it depends on the compiler, the model and chance.\n");
    }
  });
}

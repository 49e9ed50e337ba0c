// What fusion saves: the same work in separate passes and fused, in bytes and, on a GPU, in time.

#include "tut/bench/demo.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "14_layers_and_fusion/fusion_cases.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using namespace tut::ch14;

/// Throws unless all ways of a case have the same result.
void require_agreement(const FusionCase& work) {
  std::vector<float> expected;
  for (const Way& way : work.ways) {
    work.reset();
    way.run(nullptr);
    const std::vector<float> got = work.result();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::abs(got[i] - expected[i]) <= work.tolerance) continue;
      throw std::runtime_error(work.title + ": " + way.name + " gives another result");
    }
    if (expected.empty()) expected = got;
  }
}

/// Bytes that count mode has counted, or, where nothing counts, those of the contracts.
double bytes_of(const Way& way) {
  if (!can_count()) return way.bytes;
  return static_cast<double>(counted([&] { way.run(nullptr); }).bytes_moved());
}

void show(const FusionCase& work) {
  require_agreement(work);
  std::printf("%s\n", work.title.c_str());
  double first = 0.0;
  for (const Way& way : work.ways) {
    const double bytes = bytes_of(way);
    if (first == 0.0) first = bytes;
    std::printf("  %-24s %8d %14.0f %10.1f a %-10s %5.1f %%", way.name.c_str(), way.launches, bytes,
                bytes / work.count, work.unit.c_str(), 100.0 * bytes / first);
    if (!on_cpu_backend) {
      const float ms = best_ms([&] { way.run(nullptr); });
      std::printf(" %10.4f ms %8.0f GB/s", static_cast<double>(ms), 1e-6 * bytes / ms);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch14_demo", argc, argv, [] {
    std::printf("%-26s %8s %14s\n", "", "launches", can_count() ? "bytes counted" : "bytes");
    const auto cases = on_cpu_backend ? fusion_cases(2, 256, 4096)
                                      : fusion_cases(1000, 1 << 16, std::size_t{1} << 22);
    for (const FusionCase& work : cases) show(work);
  });
}

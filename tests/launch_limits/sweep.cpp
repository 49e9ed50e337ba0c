#include "sweep.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "fake_runtime.hpp"
#include "tut/errors/check.hpp"

namespace tut::test {
namespace {

constexpr std::int64_t SIZES[] = {1,
                                  2,
                                  7,
                                  33,
                                  64,
                                  1000,
                                  4099,
                                  60'000,
                                  65'535,
                                  65'536,
                                  100'000,
                                  500'000,
                                  1'048'561,
                                  8'388'609,
                                  100'000'000,
                                  std::numeric_limits<std::int32_t>::max(),
                                  std::int64_t{1} << 31,
                                  std::int64_t{1} << 34,
                                  std::int64_t{1} << 38};

std::string describe(const Launch& launch) {
  const auto text = [](dim3 d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  return launch.symbol + ", grid " + text(launch.grid) + ", block " + text(launch.block) + ", " +
         std::to_string(launch.dynamic) + " bytes";
}

double threads_of(const std::vector<Launch>& all) {
  double sum = 0;
  for (const Launch& l : all) {
    sum += 1.0 * l.grid.x * l.grid.y * l.grid.z * l.block.x * l.block.y * l.block.z;
  }
  return sum;
}

/// What became of a call: "" and the launches, or why it was refused.
struct Called {
  bool refused = false;
  std::string why;
};

Called called(const std::function<void(std::int64_t)>& call, std::int64_t size) {
  launches().clear();
  cudaGetLastError();
  try {
    call(size);
    return {};
  } catch (const std::invalid_argument& error) {
    return {true, error.what()};
  } catch (const CudaError& error) {
    const std::string what = launches().empty() ? "" : ": " + describe(launches().back());
    return {true, error.what() + what};
  }
}

}  // namespace

std::string sweep_fault(std::int64_t promised, std::int64_t largest,
                        const std::function<void(std::int64_t)>& call) {
  double most_threads = 0;
  bool refused = false;
  for (const std::int64_t size : SIZES) {
    if (size > largest) break;
    const std::string at = "of size " + std::to_string(size) + ": ";
    const Called outcome = called(call, size);
    if (outcome.refused) {
      if (size <= promised) return at + outcome.why;
      refused = true;
      continue;
    }
    for (const Launch& launch : launches()) {
      const std::string why = refusal(launch, all_resources());
      if (!why.empty()) return at + why + ", and nobody noticed: " + describe(launch);
    }
    if (launches().empty()) return at + "nothing is launched";
    if (refused) return at + "is launched, and a smaller size was refused";
    const double threads = threads_of(launches());
    if (threads < most_threads / 8) {
      return at + std::to_string(threads) + " threads, and a smaller size has " +
             std::to_string(most_threads) + ": " + describe(launches().back());
    }
    most_threads = std::max(most_threads, threads);
  }
  return "";
}

void sweep(const std::string& name, std::int64_t promised,
           const std::function<void(std::int64_t)>& call) {
  const std::int64_t most_of_int = std::numeric_limits<std::int32_t>::max();
  const std::string fault =
      sweep_fault(promised, promised == ELEMENTS ? std::int64_t{1} << 38 : most_of_int, call);
  CHECK_MESSAGE(fault.empty(), name, " ", fault);
}

}  // namespace tut::test

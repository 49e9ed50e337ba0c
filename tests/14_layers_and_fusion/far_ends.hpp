#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tut/call_outcome.hpp"
#include "tut/check.hpp"
#include "tut/device_trial.hpp"
#include "tut/grid_reach.hpp"
#include "tut/recorded_call.hpp"

/// Arrays of more elements than 32 bits count, of which a call works on the ends alone.
namespace tut::ch14 {

/// One element of the device's memory.
template <class T>
T element_at(const T* data, std::size_t place) {
  T value{};
  check(cudaMemcpy(&value, data + place, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

template <class T>
void set_element(T* data, std::size_t place, T value) {
  check(cudaMemcpy(data + place, &value, sizeof(T), cudaMemcpyHostToDevice));
}

/// Runs the first and the last blocks of `call` for `most`, with which there are more elements than
/// 2^32, and then asks `values` what they left. `less` has fewer elements than that: its grid is
/// not the larger one. Nothing is run where both are the same, as those are that go round: the last
/// blocks need not have the last elements.
inline Outcome far_ends_outcome(const std::string& text, const SizedCall& call, int less, int most,
                                const std::function<Outcome()>& values) {
  if (has_failed() || simt_run_ends == nullptr) return {};
  const auto blocks_of = [&](int size) {
    const RecordedCall recorded([&](cudaStream_t stream) { call(stream, size); });
    std::uint64_t blocks = 0;
    for (const auto& [grid, block] : recorded.launches()) {
      blocks += std::uint64_t{grid.x} * grid.y * grid.z;
    }
    return blocks;
  };
  constexpr const char* kQuestion = ": are offsets computed in 64 bits?";
  std::uint64_t fewer = 0, more = 0;
  const Outcome run = outcome_of_call(
      text,
      [&] {
        fewer = blocks_of(less);
        more = blocks_of(most);
        if (more <= fewer || more > EndsOnly::kNumbered) return;
        const EndsOnly ends;
        run_to_end([&](cudaStream_t stream) { call(stream, most); });
      },
      kQuestion);
  if (!run.ok) return run;
  if (more < fewer) {
    return failure("values", "the call launches " + std::to_string(fewer) + " blocks for " +
                                 std::to_string(less) + ", and only " + std::to_string(more) +
                                 " for " + std::to_string(most) + " (" + text + ")" + kQuestion);
  }
  return more > fewer && more <= EndsOnly::kNumbered ? values() : run;
}

}  // namespace tut::ch14

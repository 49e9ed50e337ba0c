#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tut/errors/check.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/device_trial.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/recorded_call.hpp"

/// Arrays of more elements than 32 bits count, of which a call works on the ends alone.
namespace tut {

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

/// The place of the last element that is not 0, as memory is that nobody has written; 0 if there is
/// none.
template <class T>
std::size_t last_written(const T* data, std::size_t size) {
  constexpr std::size_t kPart = std::size_t{1} << 18;
  std::vector<T> part(kPart);
  for (std::size_t end = size; end > 0;) {
    const std::size_t begin = end - std::min(end, kPart);
    check(cudaMemcpy(part.data(), data + begin, (end - begin) * sizeof(T), cudaMemcpyDeviceToHost));
    for (std::size_t i = end; i-- > begin;) {
      if (part[i - begin] != T{}) return i;
    }
    end = begin;
  }
  return 0;
}

/// Runs the first and the last blocks of `call` for `most`, with which there are more elements than
/// 2^32, and then asks `values` what they left. `less` has fewer elements than that: no grid is as
/// large for it. A grid that is, whose blocks go round, need not have the last elements in its last
/// blocks, and `values(true)` has to be content with that. Nothing is run if there is one of so few
/// blocks that each has much to do.
inline Outcome far_ends_outcome(const std::string& text, const SizedCall& call, int less, int most,
                                const std::function<Outcome(bool goes_round)>& values) {
  constexpr std::uint64_t kMany = 60'000;  // blocks: as many as a grid has in y
  if (has_failed() || simt_run_ends == nullptr) return {};
  const auto blocks_of = [&](int size) {
    const RecordedCall recorded([&](cudaStream_t stream) { call(stream, size); });
    std::vector<std::uint64_t> blocks;
    for (const auto& [grid, block] : recorded.launches()) {
      blocks.push_back(std::uint64_t{grid.x} * grid.y * grid.z);
    }
    return blocks;
  };
  constexpr const char* kQuestion = ": are offsets computed in 64 bits?";
  bool has_run = false, goes_round = false;
  std::string shrinks;
  const Outcome run = outcome_of_call(
      text,
      [&] {
        const std::vector<std::uint64_t> fewer = blocks_of(less), more = blocks_of(most);
        has_run = fewer.size() == more.size();
        for (std::size_t i = 0; has_run && i < more.size(); ++i) {
          goes_round |= more[i] == fewer[i];
          has_run = more[i] <= EndsOnly::kNumbered && (more[i] > fewer[i] || more[i] >= kMany);
          if (more[i] >= fewer[i]) continue;
          has_run = false;
          shrinks = "the call launches " + std::to_string(fewer[i]) + " blocks for " +
                    std::to_string(less) + ", and only " + std::to_string(more[i]) + " for " +
                    std::to_string(most) + " (" + text + ")" + kQuestion;
        }
        if (!has_run) return;
        const EndsOnly ends;
        run_to_end([&](cudaStream_t stream) { call(stream, most); });
      },
      kQuestion);
  if (!run.ok) return run;
  if (!shrinks.empty()) return failure("values", shrinks);
  return has_run ? values(goes_round) : run;
}

}  // namespace tut

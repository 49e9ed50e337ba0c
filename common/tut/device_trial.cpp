#include "tut/device_trial.hpp"

#include <string>

#include "tut/call_failure.hpp"
#include "tut/check.hpp"

namespace tut {
namespace {

/// How many trials of a program are made with other data and other memory.
constexpr int kFullTrials = 24;

void synchronize_all() { check(cudaDeviceSynchronize()); }

/// Records the call, which must not have done anything yet.
void refuse_early_work(const TrialParts& parts, const std::vector<std::byte>& before) {
  synchronize_all();
  if (parts.contents() == before) return;
  throw CallFailure("stream",
                    "memory changed while the call was only being recorded; expected that it "
                    "starts all of its work on the stream that it gets");
}

void refuse_launches(const CallRules& rules, int launches) {
  if (rules.most_launches == 0 || launches <= rules.most_launches) return;
  throw CallFailure(
      "stream", "the call launches " + std::to_string(launches) + " kernels; expected " +
                    (rules.most_launches == 1 ? std::string("one")
                                              : "at most " + std::to_string(rules.most_launches)));
}

}  // namespace

void run_to_end(const StreamCall& call) {
  const Stream stream;
  check_launch();
  call(stream);
  check_launch();
  stream.synchronize();
  synchronize_all();
}

void run_trial(const CallRules& rules, const TrialParts& parts) {
  if (!rules.recordable) return run_to_end(parts.call);
  static int full_trials = 0;
  const bool full = parts.is_small && full_trials < kFullTrials;
  std::vector<std::byte> before;
  if (full) {
    ++full_trials;
    parts.set_other_data();
    run_to_end(parts.call);
    parts.set_other_data();
    before = parts.contents();
  }
  const RecordedCall recorded(parts.call);
  if (full) refuse_early_work(parts, before);
  refuse_launches(rules, recorded.launches());
  parts.set_data();
  synchronize_all();
  const Stream stream, other_stream;
  if (full && rules.at_once) parts.call_on_other_memory(other_stream);
  recorded.replay(stream);
  stream.synchronize();
  synchronize_all();
}

}  // namespace tut

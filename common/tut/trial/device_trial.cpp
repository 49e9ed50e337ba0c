#include "tut/trial/device_trial.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simt/inspect/check/interface.hpp"
#include "simt/runtime/interface.hpp"
#include "tut/bench/counting.hpp"
#include "tut/errors/check.hpp"
#include "tut/trial/call_failure.hpp"
#include "tut/trial/refusing_stream.hpp"

namespace tut {
namespace {

/// How many trials of a program that come to their end are made with other data and other memory.
constexpr int kFullTrials = 24;

/// Until it goes, blocks start in an order of their own where the backend can do that: 0 is the
/// order of their numbers.
class BlockOrder {
 public:
  explicit BlockOrder(std::uint64_t seed) {
    if (simt_set_seed == nullptr) return;
    before_ = simt_seed();
    if (before_ == 0) simt_set_seed(seed);
  }
  BlockOrder(const BlockOrder&) = delete;
  BlockOrder& operator=(const BlockOrder&) = delete;
  ~BlockOrder() {
    if (simt_set_seed != nullptr) simt_set_seed(before_);
  }

 private:
  std::uint64_t before_ = 0;
};

void synchronize_all() { check(cudaDeviceSynchronize()); }

/// Runs `start`'s work on the call's own data.
template <class Start>
void run_once(const TrialParts& parts, Start&& start) {
  parts.set_data();
  synchronize_all();
  start();
  synchronize_all();
}

/// Records the call, which must not have done anything yet.
void refuse_early_work(const TrialParts& parts, const std::vector<std::byte>& before) {
  synchronize_all();
  if (parts.contents() == before) return;
  throw CallFailure("stream",
                    "memory changed while the call was only being recorded; expected that it "
                    "starts all of its work on the stream that it gets");
}

/// Whether a call says of a stream that refuses launches, by a CudaError.
bool tells(const StreamCall& call, cudaStream_t stream) {
  try {
    call(stream);
  } catch (const CudaError&) {
    return true;
  }
  return false;
}

/// Until it goes, the call to CUDA of that number fails.
class FailingCall {
 public:
  explicit FailingCall(std::uint64_t number) { simt_fail_call(number); }
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;
  ~FailingCall() { simt_fail_call(0); }

  /// The function's name, empty for a launch; nothing if there was no such call.
  static std::optional<std::string> name() {
    const char* const failed = simt_failed_call();
    if (failed == nullptr) return std::nullopt;
    const std::string text = failed;
    return text.starts_with("cuda") && !text.starts_with("cudaLaunch") ? text : "";
  }
};

[[noreturn]] void refuse_silence_of(const std::string& function) {
  throw CallFailure(
      "launch",
      function.empty()
          ? "a launch was refused, as the test arranged, and the call returned as if it had not "
            "been; expected a CudaError: check cudaGetLastError after each launch, as "
            "check_launch() does"
          : function +
                " failed, as the test arranged, and the call returned as if it had not; expected a "
                "CudaError: check what each CUDA call returns, as check() does");
}

/// A call must say so if CUDA refuses one of its launches, or another of its calls to CUDA fails.
/// Where only a GPU is there, all launches are refused at once: of a call that `launches` none,
/// nothing can be asked.
void refuse_silence(const StreamCall& call, bool recordable, bool launches) {
  constexpr std::uint64_t kMostCalls = 64;
  if (simt_fail_call == nullptr) {
    if (!recordable || !launches) return;
    const RefusingStream stream;
    if (!tells(call, stream)) refuse_silence_of("");
    return;
  }
  for (std::uint64_t number = 1; number <= kMostCalls; ++number) {
    const Stream stream;
    if (recordable) check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    bool told = false;
    std::optional<std::string> failed;
    {
      const FailingCall failing(number);
      told = tells(call, stream);
      failed = FailingCall::name();
    }
    cudaGraph_t graph = nullptr;
    if (recordable && cudaStreamEndCapture(stream, &graph) == cudaSuccess) {
      check(cudaGraphDestroy(graph));
    }
    cudaGetLastError();
    if (!failed) return;
    if (!told) refuse_silence_of(*failed);
  }
}

/// Whether no call has launched these kernels yet.
bool is_new(const std::vector<const void*>& kernels) {
  static std::set<std::vector<const void*>> known;
  return known.insert(kernels).second;
}

/// Memory that belongs to no caller is shared by all calls.
void refuse_variables() {
  const char* const name =
      simt_check_written_variable != nullptr ? simt_check_written_variable() : nullptr;
  if (name == nullptr) return;
  throw CallFailure("state", "a kernel writes to the __device__ variable " + std::string(name) +
                                 ", which calls on two streams would share; expected that it "
                                 "keeps what it needs in the memory that it gets");
}

/// `<<<8, 128>>>`, with y and z where they are not 1.
std::string launch_text(const LaunchShape& shape) {
  const auto sides = [](const dim3& d) {
    if (d.y == 1 && d.z == 1) return std::to_string(d.x);
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) +
           ")";
  };
  return "<<<" + sides(shape.grid) + ", " + sides(shape.block) + ">>>";
}

/// Of a grid or a block, however its sides are.
std::uint64_t count_of(const dim3& d) { return std::uint64_t{d.x} * d.y * d.z; }

void refuse_launches(const CallRules& rules, const std::vector<LaunchShape>& launches) {
  if (rules.most_launches != 0 && launches.size() > static_cast<std::size_t>(rules.most_launches)) {
    throw CallFailure(
        "launch",
        "the call launches " + std::to_string(launches.size()) + " kernels; expected " +
            (rules.most_launches == 1 ? std::string("one")
                                      : "at most " + std::to_string(rules.most_launches)));
  }
  if (!rules.launch) return;
  const auto& [grid, block] = *rules.launch;
  const std::string expected = launch_text(*rules.launch);
  if (launches.empty()) {
    throw CallFailure("launch", "the call launches no kernel; expected " + expected);
  }
  for (const LaunchShape& shape : launches) {
    if (count_of(shape.grid) != count_of(grid) || count_of(shape.block) != count_of(block)) {
      throw CallFailure(
          "launch", "the kernel is launched with " + launch_text(shape) + "; expected " + expected);
    }
  }
}

/// Replays on the same data in other orders of the blocks: the memory must be as `first` each time.
void expect_same_bits(const TrialParts& parts, const RecordedCall& recorded,
                      const std::vector<std::byte>& first) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const BlockOrder order(seed);
    run_once(parts, [&] { recorded.replay(nullptr); });
    if (parts.contents() == first) continue;
    return keep_failure(
        {"values",
         "the result has other bits when the blocks run in another order; expected the same each "
         "time: is the order of the additions fixed?"});
  }
}

/// Of two calls that have run beside each other, the second in the other memory of that way: alone
/// each must leave the same.
void refuse_change_beside(const TrialParts& parts, const RecordedCall& recorded, int way) {
  const auto agreement = parts.keep_result();
  run_once(parts, [&] { recorded.replay(nullptr); });
  bool changed = agreement() == Agreement::none;
  if (!changed && parts.agreement() == Agreement::none) {
    parts.set_other_memory(way);
    run_to_end(parts.call_on_other_memory);
    changed = parts.agreement() != Agreement::none;
  }
  if (!changed) return;
  throw CallFailure("state",
                    "the call gives another result while a second one runs on another stream, "
                    "with its own memory; expected the same as alone: do the calls share "
                    "memory besides their arguments, such as a __constant__ or __device__ "
                    "variable or a buffer that the launcher keeps?");
}

/// Why the result in other memory is not that of the first call on the same data, or did not stay
/// in it; nothing if it is and did.
std::optional<CallFailure> difference_in_other_memory(const CallRules& rules,
                                                      const TrialParts& parts) {
  if (const std::string change = parts.written_around(); !change.empty()) {
    return CallFailure("values",
                       change +
                           ", where its rows begin at other places in memory; expected that "
                           "what lies between them stays as it is");
  }
  const Agreement agreement = parts.agreement();
  if (agreement == Agreement::none) {
    return CallFailure(
        "values",
        "the same data gave other values when an argument began at another address, or had a "
        "longer stride, though they are right otherwise; expected the same: is each row found by "
        "its stride, and not by the number of columns? Is something used that nothing has written? "
        "Or is there a separate path for addresses, or strides, that are no multiples of 16 "
        "bytes?");
  }
  if (rules.same_bits_anywhere && agreement != Agreement::bits) {
    return CallFailure("values",
                       "the result has other bits where the arguments begin at other places in "
                       "memory; expected the same: the order of the additions may not depend on "
                       "addresses");
  }
  return std::nullopt;
}

}  // namespace

int detail::ways_for(const std::vector<std::int64_t>& sizes, KnownSizes& known, int all) {
  constexpr std::size_t kSizesInAllWays = 4;
  constexpr int kSomeWays = 3;
  if (!known.insert(sizes).second) return 1;
  return known.size() <= kSizesInAllWays ? all : std::min(all, kSomeWays);
}

void run_to_end(const StreamCall& call) {
  const Stream stream;
  check_launch();
  call(stream);
  check_launch();
  stream.synchronize();
  synchronize_all();
}

namespace {

/// Calls again, with another content of what a kernel's variables hold before anything is assigned
/// to them: that may change nothing of the result, which has been noted.
void refuse_unset_variables(const TrialParts& parts, int trial) {
  constexpr int kAll = -1;
  constexpr unsigned char kUsual = 0xFF;  // NaN, which a maximum and a minimum pass over
  const unsigned char other = trial % 2 == 0 ? 0x4F : 0xCF;  // a large number, or minus one
  if (simt_check_unset == nullptr || simt_check_unset() == 0) return;
  const auto agreement = parts.keep_result();
  const auto changes_with = [&](int variable) {
    const auto agrees_with = [&](unsigned char byte) {
      simt_check_fill_unset(variable, byte);
      parts.set_other_data();
      run_to_end(parts.call);
      return agreement() != Agreement::none;
    };
    const bool same = agrees_with(other);
    simt_check_fill_unset(variable, kUsual);
    return !same && agrees_with(kUsual);
  };
  if (!changes_with(kAll)) return;
  std::string names;
  for (int i = 0; i < simt_check_unset(); ++i) {
    if (changes_with(i))
      names += (names.empty() ? "" : " and ") + std::string(simt_check_unset_text(i));
  }
  throw CallFailure("unset",
                    "the result changes with what a variable of a thread holds before "
                    "anything is assigned to it; expected that none is read before: " +
                        names);
}

void try_call(const CallRules& rules, const TrialParts& parts) {
  if (CountingTrial* counting = CountingTrial::current()) {
    parts.set_data();
    counting->add(tut::counted([&] { run_to_end(parts.call); }));
    return;
  }
  if (!rules.recordable) {
    if (rules.throws_refusals && parts.is_small) {
      refuse_silence(parts.call, false, true);
      parts.set_data();
    }
    return run_to_end(parts.call);
  }
  static int full_trials = 0, next_way = 0;
  const bool full = parts.is_small && full_trials < kFullTrials;
  std::vector<std::byte> before;
  if (full) {
    parts.set_other_data();
    run_to_end(parts.call);
    parts.note_result();
    refuse_unset_variables(parts, full_trials);
    parts.set_other_data();
    before = parts.contents();
  }
  const RecordedCall recorded(parts.call);
  if (full) refuse_early_work(parts, before);
  const std::vector<LaunchShape> launches = recorded.launches();
  refuse_launches(rules, launches);
  if (rules.throws_refusals && (full || is_new(recorded.kernels()))) {
    refuse_silence(parts.call, true, !launches.empty());
  }
  if (!full) {
    run_once(parts, [&] { recorded.replay(nullptr); });
    return;
  }
  for (int i = 0; i < parts.ways; ++i) {
    const int way = next_way++;
    parts.set_other_memory(way);
    const BlockOrder order(static_cast<std::uint64_t>(way));
    if (rules.at_once && (full_trials + i) % 2 == 0) {
      const RecordedCall both(parts.call, parts.call_on_other_memory);
      run_once(parts, [&] { both.replay(nullptr); });
      refuse_change_beside(parts, recorded, way);
    } else {
      run_to_end(parts.call_on_other_memory);
      // What the other call left behind is asked for once; and the call's own result stays.
      if (i == 0 || i + 1 == parts.ways) run_once(parts, [&] { recorded.replay(nullptr); });
    }
    if (const auto difference = difference_in_other_memory(rules, parts)) {
      return keep_failure(*difference);
    }
  }
  if (rules.at_once) refuse_variables();
  if (rules.same_bits) expect_same_bits(parts, recorded, parts.contents());
  ++full_trials;
}

}  // namespace

void run_trial(const CallRules& rules, const TrialParts& parts) {
  static const bool stops = std::getenv("TUT_STOP_AT_FINDING") != nullptr;
  try_call(rules, parts);
  if (stops && simt_check_stop != nullptr) simt_check_stop();
}

}  // namespace tut

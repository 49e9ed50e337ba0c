// Calls that keep to the stream that they are given, and calls that do not. Their work is copies
// and fills of CUDA's, so that this runs on every backend without a kernel.

#include "tut/trial/device_trial.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/device_case.hpp"

namespace tut {
namespace {

// 80 kB: the second calls move one argument at a time, and tiny data in every way.
constexpr int size = 10000;
constexpr std::size_t bytes = size * sizeof(float);
constexpr int tiny_size = 1000;

template <int count>
using Elements = std::integral_constant<int, count>;

using Call = void (*)(cudaStream_t, const float* from, float* to);

// Each call's images are of new sizes: tiny ones get several ways of the other memory only then,
// and the first few all.
int new_number() {
  static int number = 0;
  return ++number;
}

// A copy of one vector to another, from memory to memory of the device.
template <int elements = size>
Outcome copy_outcome(Call call, const CallRules& rules = {}, const Placement& placement = {}) {
  const int stride = elements + 16 * new_number();
  Guarded<float> from(1, elements, stride, 16), to(1, elements, stride, 16);
  for (Guarded<float>* vector : {&from, &to}) vector->set_placement(placement);
  for (int i = 0; i < elements; ++i) from.view()(0, i) = static_cast<float>(i);
  const Guarded<float> from_before = from;
  Outcome outcome = run_on_device(
      rules, "consecutive numbers",
      [&](cudaStream_t stream, MatrixView<const float> a, MatrixView<float> b) {
        call(stream, a.data, b.data);
      },
      from, to);
  if (!outcome.ok) return outcome;
  for (int i = 0; i < elements; ++i) {
    if (to.cview()(0, i) != from_before.cview()(0, i)) {
      take_kept_failure();
      return failure("values", "not copied");
    }
  }
  return take_kept_failure();
}

template <int elements = size>
void copy_on(cudaStream_t stream, const float* from, float* to) {
  check(cudaMemcpyAsync(to, from, elements * sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

void refuses(Call call, const std::string& reason) {
  const Outcome outcome = copy_outcome(call);
  INFO(outcome.report);
  CHECK(outcome.kind == "stream");
  CHECK(outcome.report.find(reason) != std::string::npos);
  CHECK(copy_outcome(call, {.recordable = false, .throws_refusals = false}).ok);
}

}  // namespace

TEST_CASE("trial: a call that keeps to its stream passes, on one stream or more") {
  CHECK(copy_outcome(copy_on).report == "");
  const Call by_two_streams = [](cudaStream_t stream, const float* from, float* to) {
    static const Stream own(cudaStreamNonBlocking);
    Event begin(cudaEventDisableTiming), end(cudaEventDisableTiming);
    begin.record(stream);
    own.wait(begin);
    copy_on(own, from, to);
    end.record(own);
    check(cudaStreamWaitEvent(stream, end));
  };
  CHECK(copy_outcome(by_two_streams).report == "");
}

TEST_CASE_TEMPLATE("trial: a second call gets its arguments at odd places, unless forbidden", Size,
                   Elements<size>, Elements<tiny_size>) {
  const Call marks_odd_places = [](cudaStream_t stream, const float* from, float* to) {
    copy_on<Size::value>(stream, from, to);
    const auto place = reinterpret_cast<std::uintptr_t>(to) % 32;
    if (place != 0) check(cudaMemsetAsync(to, 0, place, stream));
  };
  const auto failures = [&](int trials, const Placement& placement = {}) {
    std::vector<std::string> reports;
    for (int i = 0; i < trials; ++i) {
      const Outcome outcome =
          copy_outcome<Size::value>(marks_odd_places, {.same_bits_anywhere = true}, placement);
      if (!outcome.ok) reports.push_back(outcome.report);
    }
    return reports;
  };
  // Each of two vectors in turn, by one element, by two and by four, and both of them not at all;
  // tiny ones in all ways at once.
  const bool tiny = Size::value == tiny_size;
  const int trials = tiny ? 1 : 7;
  const auto told = failures(trials);
  REQUIRE(told.size() == (tiny ? 1 : 3));
  CHECK(told[0].find("gave other values when an argument began at another address") !=
        std::string::npos);
  CHECK(failures(1, {.start = 0}).empty());  // few trials of a program are full
  CHECK(failures(tiny ? 1 : 4, {.start = 8}).empty());
}

// Copies a matrix of 6 columns by rows, of which each is as wide as `width_of(stride)`.
Outcome rows_outcome(std::size_t (*width_of)(std::int64_t stride), const Placement& placement) {
  const int rows = 4 + new_number();
  Guarded<float> from(rows, 6, 6, 16), to(rows, 6, 6, 16);
  from.fill(3.0F);
  for (Guarded<float>* matrix : {&from, &to}) matrix->set_placement(placement);
  const Outcome outcome = run_on_device(
      {}, "rows of 6",
      [&](cudaStream_t stream, MatrixView<const float> a, MatrixView<float> b) {
        const auto bytes_of = [](const auto& matrix) {
          return static_cast<std::size_t>(matrix.stride) * sizeof(float);
        };
        const std::size_t width = std::min(width_of(a.stride), width_of(b.stride));
        check(cudaMemcpy2DAsync(b.data, bytes_of(b), a.data, bytes_of(a), width * sizeof(float),
                                static_cast<std::size_t>(a.rows), cudaMemcpyDeviceToDevice,
                                stream));
      },
      from, to);
  const Outcome kept = take_kept_failure();
  return outcome.ok ? kept : outcome;
}

TEST_CASE(
    "trial: rows that begin at multiples of 16 bytes have something behind them, which stays") {
  const auto own_width = [](std::int64_t) { return std::size_t{6}; };
  const auto whole_vectors = [](std::int64_t stride) {
    return std::size_t{stride % 4 == 0 ? 8u : 6u};
  };
  CHECK(rows_outcome(own_width, {}).report == "");
  const Outcome writes_more = rows_outcome(whole_vectors, {});
  CHECK(
      writes_more.report.find("wrote outside of an argument at row 0, column 6 (it has 6 columns, "
                              "stride 8)") != std::string::npos);
  CHECK(rows_outcome(whole_vectors, {.stride = 0}).report == "");
}

TEST_CASE("trial: at another place sums may be rounded otherwise, unless their bits are promised") {
  // The lowest byte of the first float counts for less than 2^-15 of it.
  constexpr int own_size = tiny_size + 1;
  const Call rounds_at_odd_places = [](cudaStream_t stream, const float* from, float* to) {
    copy_on<own_size>(stream, from, to);
    const bool odd = reinterpret_cast<std::uintptr_t>(to) % 32 != 0;
    if (odd) check(cudaMemsetAsync(to + 1, 0x55, 1, stream));
  };
  CHECK(copy_outcome<own_size>(rounds_at_odd_places).report == "");
  const Outcome bits = copy_outcome<own_size>(rounds_at_odd_places, {.same_bits_anywhere = true});
  CHECK(bits.report.find("the result has other bits where the arguments begin at other places") !=
        std::string::npos);
}

TEST_CASE("trial: how far two results are the same") {
  using detail::agreement_of;
  using Floats = std::vector<float>;
  const auto of = [](const Floats& a, const Floats& b) {
    return agreement_of(std::tuple(a), std::tuple(b));
  };
  const float nan = NAN, infinity = INFINITY;
  CHECK(of({1, 2, nan}, {1, 2, nan}) == Agreement::bits);
  CHECK(of({}, {}) == Agreement::bits);
  CHECK(of({0.0F}, {-0.0F}) == Agreement::values);
  // A sum whose terms cancel is judged by the largest one.
  CHECK(of({100, 1e-3F}, {100, -0.2F}) == Agreement::values);
  CHECK(of({100, 1e-3F}, {100, 2}) == Agreement::none);
  CHECK(of({1, nan}, {1, 1}) == Agreement::none);
  CHECK(of({1, infinity}, {1, -infinity}) == Agreement::none);
  CHECK(of({1, infinity}, {1, 3e38F}) == Agreement::none);
  CHECK(of({3e38F, infinity}, {3e38F, nan}) == Agreement::values);
  // Whole numbers are exact, beside any others.
  using Whole = std::vector<int>;
  const auto with_whole = [](int other) {
    return agreement_of(std::tuple(Whole{1000}, Floats{1}), std::tuple(Whole{other}, Floats{1}));
  };
  CHECK(with_whole(1000) == Agreement::bits);
  CHECK(with_whole(1001) == Agreement::none);
  // A matrix of small values is judged beside one of large ones by what sums may have cancelled.
  const auto beside_large = [](float small) {
    return agreement_of(std::tuple(Floats{1e-3F}, Floats{1}), std::tuple(Floats{small}, Floats{1}));
  };
  CHECK(beside_large(1.05e-3F) == Agreement::values);
  CHECK(beside_large(2e-3F) == Agreement::none);
}

TEST_CASE("trial: a CUDA call that no recorded call may make is named") {
  if (simt_capture_call == nullptr) return;
  const Outcome asks = copy_outcome([](cudaStream_t stream, const float* from, float* to) {
    copy_on(stream, from, to);
    cudaStreamQuery(stream);
  });
  CHECK(asks.kind == "stream");
  CHECK(asks.report.find("the call asks what is finished, by cudaStreamQuery; expected") !=
        std::string::npos);
  const Outcome copies = copy_outcome([](cudaStream_t, const float* from, float* to) {
    cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
  });
  CHECK(copies.report.find(", by cudaMemcpy; expected") != std::string::npos);
  const Outcome allocates = copy_outcome([](cudaStream_t stream, const float* from, float* to) {
    void* memory = nullptr;
    cudaMalloc(&memory, bytes);
    copy_on(stream, from, to);
    cudaFree(memory);
  });
  CHECK(allocates.report.find("the call allocates memory, by cudaMalloc") != std::string::npos);
  const Outcome waits = copy_outcome([](cudaStream_t stream, const float* from, float* to) {
    copy_on(stream, from, to);
    cudaStreamSynchronize(stream);
  });
  CHECK(waits.report.find("the call makes the host wait, by cudaStreamSynchronize; expected") !=
        std::string::npos);
}

TEST_CASE("trial: a call that waits, or allocates, is refused") {
  const std::string reason = "the call makes the host wait";
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        copy_on(stream, from, to);
        check(cudaStreamSynchronize(stream));
      },
      reason);
  // Nobody looks at what the call returns.
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        copy_on(stream, from, to);
        cudaDeviceSynchronize();
      },
      reason);
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        const DeviceBuffer<float> copy(size);
        copy_on(stream, from, copy.data());
        copy_on(stream, copy.data(), to);
      },
      "allocates");
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        Event end;
        copy_on(stream, from, to);
        end.record(stream);
        cudaEventSynchronize(end);
      },
      "");
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        void* memory = nullptr;
        check(cudaMallocAsync(&memory, bytes, stream));
        copy_on(stream, from, to);
        check(cudaFreeAsync(memory, stream));
      },
      "the call allocates memory");
}

TEST_CASE("trial: a call that uses another stream is refused") {
  const std::string legacy = "the call uses the default stream";
  refuses([](cudaStream_t, const float* from, float* to) { copy_on(nullptr, from, to); }, legacy);
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        check(cudaMemset(to, 0, bytes));
        copy_on(stream, from, to);
      },
      legacy);
  refuses(
      [](cudaStream_t, const float* from, float* to) {
        static const Stream own(cudaStreamNonBlocking);
        copy_on(own, from, to);
      },
      "memory changed while the call was only being recorded");
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        static const Stream own(cudaStreamNonBlocking);
        Event begin(cudaEventDisableTiming);
        begin.record(stream);
        own.wait(begin);
        copy_on(own, from, to);
      },
      "its stream does not wait for that one");
}

TEST_CASE("trial: a call that lets the host work, or uses the host's memory, is refused") {
  refuses(
      [](cudaStream_t, const float* from, float* to) {
        std::vector<float> host(size);
        check(cudaMemcpy(host.data(), from, bytes, cudaMemcpyDeviceToHost));
        check(cudaMemcpy(to, host.data(), bytes, cudaMemcpyHostToDevice));
      },
      "the call uses the default stream");
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        static const float zero = 0;
        check(cudaMemcpyAsync(to, &zero, sizeof(zero), cudaMemcpyHostToDevice, stream));
        copy_on(stream, from, to);
      },
      "the call copies from the host's memory");
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        static float first = 0;
        copy_on(stream, from, to);
        check(cudaMemcpyAsync(&first, to, sizeof(first), cudaMemcpyDeviceToHost, stream));
      },
      "the call copies to the host's memory");
  refuses(
      [](cudaStream_t stream, const float* from, float* to) {
        copy_on(stream, from, to);
        check(cudaLaunchHostFunc(
            stream, [](void*) {}, nullptr));
      },
      "the call lets the host do work");
}

TEST_CASE("trial: calls that share memory which their caller does not see are wrong") {
  const Call by_way_of_scratch = [](cudaStream_t stream, const float* from, float* to) {
    static const DeviceBuffer<float> scratch(size);
    check(cudaMemcpyAsync(scratch.data(), from, bytes, cudaMemcpyDeviceToDevice, stream));
    check(cudaMemcpyAsync(to, scratch.data(), bytes, cudaMemcpyDeviceToDevice, stream));
  };
  const Outcome first = copy_outcome(by_way_of_scratch), second = copy_outcome(by_way_of_scratch);
  // One of them runs beside another call. On a GPU it need not: the other may be over by then.
  if (on_cpu_backend) {
    const Outcome& wrong = first.ok ? second : first;
    INFO(wrong.report);
    CHECK(wrong.kind == "state");
    CHECK(wrong.report.find("while a second one runs on another stream") != std::string::npos);
  }
  CHECK(copy_outcome(by_way_of_scratch, {.at_once = false}).ok);
}

TEST_CASE("trial: a call that remembers its last call is wrong") {
  const Call remembers_addresses = [](cudaStream_t stream, const float* from, float* to) {
    static std::map<const float*, DeviceBuffer<float>> known;
    if (!known.contains(from)) {
      cudaStreamCaptureStatus status{};
      check(cudaStreamIsCapturing(stream, &status));
      if (status == cudaStreamCaptureStatusNone) {
        DeviceBuffer<float> copy(size);
        copy_on(stream, from, copy.data());
        known.emplace(from, std::move(copy));
      }
    }
    const auto found = known.find(from);
    copy_on(stream, found == known.end() ? from : found->second.data(), to);
  };
  CHECK(copy_outcome(remembers_addresses).kind == "values");
  const Call works_once = [](cudaStream_t stream, const float* from, float* to) {
    static int calls = 0;
    if (calls++ == 0) copy_on(stream, from, to);
  };
  CHECK(copy_outcome(works_once).kind == "values");
}

TEST_CASE("trial: what a call throws is told as without a recording") {
  const Outcome thrown =
      copy_outcome([](cudaStream_t, const float*, float*) { throw std::runtime_error("not yet"); });
  CHECK(thrown.kind == "values");
  CHECK(thrown.report.find("the function threw \"not yet\"") != std::string::npos);
  const Outcome refused = copy_outcome(
      [](cudaStream_t, const float*, float*) { check(cudaErrorInvalidConfiguration); });
  CHECK(refused.kind == "launch");
}

TEST_CASE("trial: a call has to say so whichever of its calls to CUDA fails") {
  if (simt_fail_call == nullptr) return;
  const Outcome second = copy_outcome(
      [](cudaStream_t stream, const float* from, float* to) {
        copy_on<size / 2>(stream, from, to);
        cudaMemcpyAsync(to + size / 2, from + size / 2, bytes / 2, cudaMemcpyDeviceToDevice,
                        stream);
      },
      {.recordable = false});
  CHECK(second.kind == "launch");
  CHECK(
      second.report.find(
          "cudaMemcpyAsync failed, as the test arranged, and the call returned as if it had not") !=
      std::string::npos);
  const Outcome both = copy_outcome(
      [](cudaStream_t stream, const float* from, float* to) {
        copy_on<size / 2>(stream, from, to);
        copy_on<size / 2>(stream, from + size / 2, to + size / 2);
      },
      {.recordable = false});
  CHECK(both.ok);
}

}  // namespace tut

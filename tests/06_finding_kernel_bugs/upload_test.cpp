// no budget: it launches no kernel, and what is counted is what kernels do
#include "06_finding_kernel_bugs/upload.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/numeric/math.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/page_end.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

Outcome upload_outcome(int n, unsigned flags, std::size_t guard) {
  const std::vector<float> values = random_values(n, 9);
  const PageEndMatrix<float> host({values.data(), 1, n, n});
  Guarded<float> x = empty_image<float>(n, guard);
  const Guarded<float> before = x;
  const std::string text = "n = " + std::to_string(n);
  Outcome run = run_on_device(
      {.recordable = false}, text,
      [&](cudaStream_t, MatrixView<float> to) {
        const Stream stream(flags);
        check(cudaDeviceSynchronize());  // x has been filled: a non-blocking stream does not wait
        check(cudaMemsetAsync(to.data, 0, values.size() * sizeof(float), stream));
        upload(host.cview().data, values.size(), to.data, stream);
        host.refuse_use_past_end("host");
      },
      x);
  if (!run.ok) return run;
  return vector_is(before, x, "x", text,
                   [&](int i) { return static_cast<double>(values[static_cast<std::size_t>(i)]); });
}

/// Whether n values went to the device by copies of a chunk each, from two pinned buffers, of which
/// one was filled while the other was on its way. `count`: how many copies there were.
Outcome copies_outcome(std::span<const SimtCopy> copies, std::size_t count, std::size_t n,
                       std::size_t chunk) {
  const std::string text = "n = " + std::to_string(n);
  if (count != ceil_div(n, chunk)) {
    return failure("stream", std::to_string(count) + (count == 1 ? " copy" : " copies") +
                                 "; expected " + std::to_string(ceil_div(n, chunk)) + ", of " +
                                 std::to_string(chunk) + " values each (" + text + ")");
  }
  std::set<const void*> buffers;
  std::size_t beside_another = 0;
  for (const SimtCopy& copy : copies) {
    if (!copy.pinned) {
      return failure("stream",
                     "a copy reads ordinary host memory, for which the host waits; "
                     "expected that all copies read pinned buffers (" +
                         text + ")");
    }
    buffers.insert(copy.host);
    if (copy.under_way >= 2) ++beside_another;
  }
  if (buffers.size() > 2) {
    return failure("stream", "the copies read " + std::to_string(buffers.size()) +
                                 " places in pinned memory; expected two buffers (" + text + ")");
  }
  // The first has no other beside it.
  if (count > 1 && 2 * beside_another < copies.size() - 1) {
    return failure("stream",
                   std::to_string(beside_another) + " of " + std::to_string(copies.size()) +
                       " copies are issued while another is under way: before each of the others "
                       "the host waits until no copy is under way; expected that it waits only for "
                       "the copy from the buffer that it is about to fill (" +
                       text + ")");
  }
  return {};
}

}  // namespace

TEST_CASE("upload copies every element, after the work before it on streams of both kinds") {
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    for (const int n : {1, 4095, 4096, 4097, 8192, 12288, 12289, 20011, 65536}) {
      for (const std::size_t guard : {kApart, kOdd}) expect(upload_outcome(n, flags, guard));
    }
  }
}

TEST_CASE("upload returns when its copies are done") {
  for (const int n : {1, 4096, 8192, 9000}) {
    const std::vector<float> values = random_values(n, 10);
    const DeviceBuffer<float> x(values.size());
    const Stream stream;
    upload(values.data(), values.size(), x.data(), stream);
    // A GPU may have done them by now. The CPU backend holds a stream for done when the host has
    // waited for it.
    const bool waited = !on_cpu_backend || cudaStreamQuery(stream) == cudaSuccess;
    expect(waited ? Outcome{}
                  : failure("values", "the host has not waited for the last copy (n = " +
                                          std::to_string(n) + ")"));
    stream.synchronize();
  }
}

TEST_CASE("upload fills one pinned buffer while the other is on its way") {
  if (simt_note_copies == nullptr) return;  // a GPU does not tell how it was asked
  constexpr std::size_t CHUNK = 4096;
  for (const std::size_t n : {CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 9 * CHUNK + 7}) {
    const std::vector<float> values = random_values(static_cast<int>(n), 12);
    const DeviceBuffer<float> x(n);
    const Stream stream;
    simt_note_copies(true);
    upload(values.data(), n, x.data(), stream);
    SimtCopy copies[16];
    const std::size_t count = simt_noted_copies(copies, std::size(copies));
    simt_note_copies(false);
    expect(copies_outcome({copies, std::min(count, std::size(copies))}, count, n, CHUNK));
  }
}

// So many values are not copied here: a call to CUDA fails when a few chunks are under way.
TEST_CASE("upload of as many values as there may be begins with the first") {
  if (simt_fail_call == nullptr || has_failed()) return;
  constexpr std::uint64_t SOME_CALLS = 16;
  constexpr std::size_t N = kLongSize, BYTES = N * sizeof(float);
  void* const host =
      mmap(nullptr, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED) return;
  const LongBuffer<float> x(N);
  bool has_thrown = false;
  simt_fail_call(SOME_CALLS);
  try {
    upload(static_cast<const float*>(host), N, x.data());
  } catch (const CudaError&) {
    has_thrown = true;
  }
  simt_fail_call(0);
  cudaGetLastError();
  munmap(host, BYTES);
  expect(has_thrown ? Outcome{}
                    : failure("values",
                              "a CUDA call that belongs to one of the first copies of 10^9 "
                              "values would have failed, and there was none, or nothing was "
                              "thrown: are values, and their bytes, counted in 64 bits?"));
}

TEST_CASE("upload throws if a copy fails") {
  const std::vector<float> values = random_values(5000, 11);
  CHECK_THROWS_AS(upload(values.data(), 1, nullptr), CudaError);
  CHECK_THROWS_AS(upload(values.data(), values.size(), nullptr), CudaError);
  cudaGetLastError();
  check(cudaDeviceReset());  // what was allocated when it threw is no concern of this test
}

// Behind the reset, which would free what a call leaves: check mode tells of it at the end.
TEST_CASE("upload frees its buffers") {
  for (const int n : {1, 9000}) {
    const std::vector<float> values = random_values(n, 13);
    const DeviceBuffer<float> x(values.size());
    upload(values.data(), values.size(), x.data());
    expect(x.to_host() == values
               ? Outcome{}
               : failure("values", "x is not what the host holds (n = " + std::to_string(n) + ")"));
  }
}

TEST_CASE("upload of nothing touches nothing") { CHECK_NOTHROW(upload(nullptr, 0, nullptr)); }

}  // namespace tut::ch06

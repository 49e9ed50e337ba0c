#include "context.hpp"

#include <atomic>
#include <string_view>

#include "cuda_runtime_api.h"
#include "interface.hpp"
#include "observer.hpp"

namespace simt::detail {

namespace {

// `pending` is a kernel's error that no call has reported yet.
std::atomic<int> pending{cudaSuccess};
std::atomic<int> sticky{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;
thread_local cudaError_t last_launch = cudaSuccess;

/// What a call gave back, and its name.
struct Outcome {
  cudaError_t error = cudaSuccess;
  const char* call = nullptr;
};

// Of the latest call, and of the latest that failed; cudaGetLastError forgets neither.
thread_local Outcome latest;
thread_local Outcome last_failure;

// What simt_fail_call asked for, and the calls since.
std::atomic<std::uint64_t> failing_call{0};
std::atomic<std::uint64_t> calls_made{0};
std::atomic<const char*> failed_call{nullptr};

/// What gives back what the program has, mostly where a failure could not be told.
bool gives_back(std::string_view name) {
  for (const char* const word : {"Free", "Destroy", "Unregister"}) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool has_to_fail(const NamedCall& call) {
  const std::uint64_t number = failing_call.load(std::memory_order_relaxed);
  if (number == 0 || !call.is_outermost() || gives_back(NamedCall::name())) return false;
  if (++calls_made != number) return false;
  failed_call.store(NamedCall::name());
  return true;
}

void note_kernel_error(cudaError_t error) {
  int none = cudaSuccess;
  pending.compare_exchange_strong(none, error);
}

bool context_is_broken() { return pending.load(std::memory_order_relaxed) != cudaSuccess; }

cudaError_t sticky_error(bool synchronise) {
  if (!context_is_broken()) return cudaSuccess;
  if (synchronise) sticky.store(pending.load());
  return static_cast<cudaError_t>(sticky.load());
}

void clear_sticky_error() {
  pending.store(cudaSuccess);
  sticky.store(cudaSuccess);
  last_error = cudaSuccess;
}

cudaError_t remember(cudaError_t error) {
  latest = {error, NamedCall::name()};
  if (error != cudaSuccess) {
    // "Not ready" is an answer, not an error, and is not kept as the last error.
    if (error != cudaErrorNotReady) last_error = error;
    last_failure = latest;
  }
  return error;
}

cudaError_t latest_error(std::string_view call) {
  return latest.call != nullptr && call == latest.call ? latest.error : cudaSuccess;
}

cudaError_t launch_error() { return last_launch; }

void set_launch_error(cudaError_t error) { last_launch = error; }

}  // namespace simt::detail

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  simt::detail::last_error = cudaSuccess;
  return error;
}

void simt_fail_call(std::uint64_t number) {
  simt::detail::failing_call.store(number);
  simt::detail::calls_made.store(0);
  simt::detail::failed_call.store(nullptr);
}

std::uint64_t simt_calls_made() { return simt::detail::calls_made.load(); }

const char* simt_error_call(cudaError_t error) {
  const simt::detail::Outcome& failure = simt::detail::last_failure;
  return error == failure.error ? failure.call : nullptr;
}

const char* simt_failed_call() { return simt::detail::failed_call.load(); }

cudaError_t cudaPeekAtLastError() {
  if (simt::detail::Observer* watching = simt::detail::observer()) watching->asked_for_error();
  const cudaError_t sticky = simt::detail::sticky_error(false);
  return sticky != cudaSuccess ? sticky : simt::detail::last_error;
}

#include "context.hpp"

#include <atomic>

#include "cuda_runtime_api.h"
#include "observer.hpp"

namespace simt::detail {

namespace {

// `pending` is a kernel's error that no call has reported yet.
std::atomic<int> pending{cudaSuccess};
std::atomic<int> sticky{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;
thread_local cudaError_t last_launch = cudaSuccess;

}  // namespace

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
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t launch_error() { return last_launch; }

void set_launch_error(cudaError_t error) { last_launch = error; }

}  // namespace simt::detail

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  simt::detail::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  if (simt::detail::Observer* watching = simt::detail::observer()) watching->asked_for_error();
  const cudaError_t sticky = simt::detail::sticky_error(false);
  return sticky != cudaSuccess ? sticky : simt::detail::last_error;
}

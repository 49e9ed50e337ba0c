/// @file
/// The state that CUDA calls a context: errors, and whether it can still be used.
#ifndef SIMT_RUNTIME_CONTEXT_HPP
#define SIMT_RUNTIME_CONTEXT_HPP

#include <string_view>

#include "driver_types.h"

namespace simt::detail {

/// Notes an error of a kernel that ran. As on a GPU it comes to light at the next call that
/// synchronises, and then stays until cudaDeviceReset.
void note_kernel_error(cudaError_t error);

/// True once a kernel has failed: no kernel runs any more.
bool context_is_broken();

/// The error that every call returns from now on, or cudaSuccess. With `synchronise`, errors of
/// kernels come to light first.
cudaError_t sticky_error(bool synchronise);

void clear_sticky_error();

/// Keeps an error for cudaGetLastError, of this host thread, and passes it on.
cudaError_t remember(cudaError_t error);

/// What the last launch of this host thread was refused for, or cudaSuccess.
cudaError_t launch_error();
void set_launch_error(cudaError_t error);

/// While it lives, this host thread is in a call of the runtime API: the outermost one's name.
class NamedCall {
 public:
  explicit NamedCall(const char* name) : outer_(name_) {
    if (outer_ == nullptr) name_ = name;
  }
  ~NamedCall() { name_ = outer_; }
  NamedCall(const NamedCall&) = delete;
  NamedCall& operator=(const NamedCall&) = delete;

  bool is_outermost() const { return outer_ == nullptr; }

  /// nullptr outside of a call.
  static const char* name() { return name_; }

 private:
  static inline thread_local const char* name_ = nullptr;
  const char* outer_;
};

/// Counts a call that the program makes, and says whether it is the one that has to fail
/// (simt_fail_call).
bool has_to_fail(const NamedCall& call);

/// What the host thread's latest call gave back, if that is the function of this name.
cudaError_t latest_error(std::string_view call);

/// Every call of the runtime API, whose name the compiler adds: the sticky error if there is one,
/// else what `body` returns; that is remembered. Most calls let errors of kernels come to light,
/// the asynchronous ones do not.
template <class Body>
cudaError_t api_call(Body&& body, const char* name = __builtin_FUNCTION()) {
  const NamedCall named(name);
  if (has_to_fail(named)) return remember(cudaErrorUnknown);
  const cudaError_t sticky = sticky_error(true);
  return remember(sticky != cudaSuccess ? sticky : body());
}

template <class Body>
cudaError_t async_call(Body&& body, const char* name = __builtin_FUNCTION()) {
  const NamedCall named(name);
  if (has_to_fail(named)) return remember(cudaErrorUnknown);
  const cudaError_t sticky = sticky_error(false);
  return remember(sticky != cudaSuccess ? sticky : body());
}

}  // namespace simt::detail

#endif

#pragma once

#include <cuda_runtime.h>

#include <cstdio>

/// What CUDA 13.0 says of a grid or a block that cannot be, seen on an H200; documented, and said
/// by versions before, is the other.
#if CUDART_VERSION >= 13000
constexpr cudaError_t kImpossibleShape = cudaErrorInvalidValue;
#else
constexpr cudaError_t kImpossibleShape = cudaErrorInvalidConfiguration;
#endif

/// What a conformance program found wrong; its exit code is `report()`.
inline int failures = 0;

/// Notes a result that is not what CUDA gives.
template <class Got, class Want>
void expect(const char* what, Got got, Want want) {
  if (got == static_cast<Got>(want)) return;
  std::printf("%s: expected %lld, got %lld\n", what, static_cast<long long>(want),
              static_cast<long long>(got));
  ++failures;
}

/// The same for what NVIDIA does not document, and GPUs may do otherwise: there it is only told.
template <class Got, class Want>
void expect_here(const char* what, Got got, Want want) {
#ifdef TUT_BACKEND_CPU
  expect(what, got, want);
#else
  if (got == static_cast<Got>(want)) return;
  std::printf("not as on the CPU backend: %s: %lld there, %lld here\n", what,
              static_cast<long long>(want), static_cast<long long>(got));
#endif
}

/// What each thread of a kernel has left in out[thread], which is 0 again after it.
template <class T, class Expected>
void expect_each(const char* what, T* out, int threads, Expected expected) {
  expect(what, cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0;
  for (int t = 0; t < threads; ++t) {
    wrong += out[t] != expected(t);
    out[t] = 0;
  }
  expect(what, wrong, 0);
}

inline int report() {
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? 0 : 1;
}

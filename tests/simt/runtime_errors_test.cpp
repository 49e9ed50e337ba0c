#include <doctest/doctest.h>

#include <atomic>
#include <cassert>
#include <string>

#include "run_kernel.hpp"

namespace {

const auto kNothing = [](const uint3, const uint3, const dim3, const dim3) {};

// Keeps the last error from leaking into the next test.
struct Cleaner {
  ~Cleaner() { reset_device(); }
};

}  // namespace

TEST_CASE("launch configurations that CUDA refuses, with its codes") {
  const Cleaner cleaner;
  CHECK(run_kernel(1, 1025, kNothing) == cudaErrorInvalidConfiguration);
  CHECK(run_kernel(1, dim3(64, 64), kNothing) == cudaErrorInvalidConfiguration);
  CHECK(run_kernel(1, dim3(1, 1, 65), kNothing) == cudaErrorInvalidConfiguration);
  CHECK(run_kernel(1, 0, kNothing) == cudaErrorInvalidConfiguration);
  CHECK(run_kernel(dim3(1, 0), 1, kNothing) == cudaErrorInvalidConfiguration);
  CHECK(run_kernel(dim3(1, 65536), 1, kNothing) == cudaErrorInvalidConfiguration);
  CHECK(run_kernel(1, 1024, kNothing) == cudaSuccess);
  CHECK(run_kernel(dim3(1, 65535), 1, kNothing) == cudaSuccess);
}

TEST_CASE("dynamic shared memory is limited to 48 KiB without opting in") {
  const Cleaner cleaner;
  CHECK(run_kernel({1, 1, 48 * 1024, nullptr, false}, kNothing) == cudaSuccess);
  CHECK(run_kernel({1, 1, 48 * 1024 + 1, nullptr, false}, kNothing) == cudaErrorInvalidValue);
}

TEST_CASE("more threads than __launch_bounds__ are error 701") {
  const Cleaner cleaner;
  CHECK(run_kernel({1, 128, 0, nullptr, false}, kNothing, 128) == cudaSuccess);
  CHECK(run_kernel({1, 129, 0, nullptr, false}, kNothing, 128) == cudaErrorLaunchOutOfResources);
}

TEST_CASE("a cooperative grid must fit on the device") {
  const Cleaner cleaner;
  CHECK(run_kernel({8, 1024, 0, nullptr, true}, kNothing) == cudaSuccess);
  CHECK(run_kernel({9, 1024, 0, nullptr, true}, kNothing) == cudaErrorCooperativeLaunchTooLarge);
}

TEST_CASE("a null pointer used in a kernel is error 700, which stays until the device is reset") {
  const Cleaner cleaner;
  // Nearly null: UndefinedBehaviorSanitizer would end the program at a store to null itself.
  int* null = reinterpret_cast<int*>(64);
  const auto store = [=](const uint3 thread, const uint3, const dim3, const dim3) {
    __syncthreads();
    if (thread.x == 5) *static_cast<volatile int*>(null) = 1;
    __syncthreads();
  };
  // The launch itself is fine: as on a GPU, the error comes to light at the next synchronisation.
  CHECK(run_kernel(4, 64, store) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4) == cudaErrorIllegalAddress);
  int ran = 0;
  CHECK(run_kernel(1, 1, [&](const uint3, const uint3, const dim3, const dim3) { ran = 1; }) ==
        cudaErrorIllegalAddress);
  CHECK(ran == 0);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaMalloc(&memory, 4) == cudaSuccess);
  CHECK(run_kernel(1, 1, [&](const uint3, const uint3, const dim3, const dim3) { ran = 1; }) ==
        cudaSuccess);
  CHECK(ran == 1);
}

TEST_CASE("freed memory used in a kernel is error 700") {
  const Cleaner cleaner;
  int* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1000) == cudaSuccess);
  REQUIRE(cudaFree(memory) == cudaSuccess);
  run_loop_kernel(1, 1, [=](const uint3, const uint3, const dim3, const dim3) { memory[3] = 1; });
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

TEST_CASE("reading well past an allocation is error 700") {
  const Cleaner cleaner;
  float* memory = nullptr;
  float* out = nullptr;
  REQUIRE(cudaMalloc(&memory, 256 * sizeof(float)) == cudaSuccess);
  REQUIRE(cudaMalloc(&out, sizeof(float)) == cudaSuccess);
  run_kernel(1, 1, [=](const uint3, const uint3, const dim3, const dim3) { *out = memory[256]; });
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

TEST_CASE("a failed assertion is error 710, a trap 719") {
  const Cleaner cleaner;
  run_kernel(2, 40, [](const uint3 thread, const uint3, const dim3, const dim3) {
    __syncthreads();
    assert(thread.x != 33);
  });
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
  CHECK(cudaDeviceReset() == cudaSuccess);
  run_kernel(2, 40, [](const uint3, const uint3, const dim3, const dim3) { simt::trap(); });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

TEST_CASE("threads that wait at different places are a deadlock: error 719") {
  const Cleaner cleaner;
  run_kernel(3, 64, [](const uint3 thread, const uint3, const dim3, const dim3) {
    if (thread.x == 40) {
      __syncthreads();
    } else {
      simt::warp_collective(simt::WarpOperation::sync, ~0U, 0);
    }
  });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
  run_kernel({4, 32, 0, nullptr, true}, [](const uint3, const uint3 block, const dim3, const dim3) {
    if (block.x != 2) simt::grid_barrier();
  });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
  run_kernel(1, 32, [](const uint3, const uint3, const dim3, const dim3) { simt::grid_barrier(); });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

TEST_CASE("a stack that overflows is error 719") {
  const Cleaner cleaner;
  struct Recursion {
    static int endless(volatile int* depth) {
      volatile char frame[512] = {};
      *depth = *depth + 1;
      return *depth < 0 ? 0 : endless(depth) + frame[*depth % 512];
    }
  };
  run_kernel(1, 3, [](const uint3, const uint3, const dim3, const dim3) {
    volatile int depth = 0;
    Recursion::endless(&depth);
  });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

TEST_CASE("after a fault in one grid the next runs right") {
  const Cleaner cleaner;
  for (int round = 0; round < 3; ++round) {
    run_kernel(20, 64, [](const uint3 thread, const uint3 block, const dim3, const dim3) {
      __syncthreads();
      if (block.x == 13 && thread.x == 1) simt::trap();
      __syncthreads();
    });
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaDeviceReset() == cudaSuccess);
    std::atomic<int> count = 0;
    run_kernel(20, 64, [&](const uint3, const uint3, const dim3, const dim3) {
      __syncthreads();
      ++count;
    });
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(count == 20 * 64);
  }
}

TEST_CASE("errors have CUDA's names and texts") {
  CHECK(std::string(cudaGetErrorName(cudaErrorIllegalAddress)) == "cudaErrorIllegalAddress");
  CHECK(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) ==
        "an illegal memory access was encountered");
  CHECK(std::string(cudaGetErrorName(static_cast<cudaError_t>(12345))) ==
        "unrecognized error code");
}

TEST_CASE("cudaGetLastError forgets an ordinary error, cudaPeekAtLastError does not") {
  const Cleaner cleaner;
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

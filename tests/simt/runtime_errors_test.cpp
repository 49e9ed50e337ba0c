#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cassert>
#include <string>

#include "run_kernel.hpp"
#include "simt/runtime/interface.hpp"

namespace {

const auto kNothing = [](const uint3, const uint3, const dim3, const dim3) {};

// Keeps the last error from leaking into the next test.
struct Cleaner {
  ~Cleaner() { reset_device(); }
};

}  // namespace

TEST_CASE("launch configurations that CUDA refuses, with its codes") {
  const Cleaner cleaner;
  CHECK(run_kernel(1, 1025, kNothing) == cudaErrorInvalidValue);
  CHECK(run_kernel(1, dim3(64, 64), kNothing) == cudaErrorInvalidValue);
  CHECK(run_kernel(1, dim3(1, 1, 65), kNothing) == cudaErrorInvalidValue);
  CHECK(run_kernel(1, 0, kNothing) == cudaErrorInvalidValue);
  CHECK(run_kernel(dim3(1, 0), 1, kNothing) == cudaErrorInvalidValue);
  CHECK(run_kernel(dim3(1, 65536), 1, kNothing) == cudaErrorInvalidValue);
  CHECK(run_kernel(1, 1024, kNothing) == cudaSuccess);
  CHECK(run_kernel(dim3(1, 65535), 1, kNothing) == cudaSuccess);
}

TEST_CASE("what is wrong with a launch that is refused is told") {
  const Cleaner cleaner;
  const auto refusal = [] {
    const char* const text = simt_refused_launch();
    return text != nullptr ? std::string(text) : "";
  };
  REQUIRE(run_kernel(dim3(1, 70000), 256, kNothing) == cudaErrorInvalidValue);
  CHECK(refusal() ==
        "gridDim.y is 70000 in <<<(1, 70000), 256>>>; expected 1 to 65535, as only gridDim.x "
        "may be larger");
  REQUIRE(run_kernel(3, dim3(64, 32), kNothing) == cudaErrorInvalidValue);
  CHECK(refusal() ==
        "the number of threads in a block is 2048 in <<<3, (64, 32)>>>; expected at most 1024");
  REQUIRE(run_kernel({1, 129, 0, nullptr, false}, kNothing, 128) == cudaErrorLaunchOutOfResources);
  CHECK(refusal().ends_with("expected at most 128, as the kernel's __launch_bounds__ says"));
  REQUIRE(run_kernel(1, 1024, kNothing) == cudaSuccess);
  CHECK(refusal() == "");
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

TEST_CASE("the call of a number fails, by its name, and does nothing; what frees is not counted") {
  const Cleaner cleaner;
  int* memory = nullptr;
  const auto calls = [&] {
    const cudaError_t allocated = cudaMalloc(reinterpret_cast<void**>(&memory), 4);
    const cudaError_t filled = cudaMemset(memory, 0, 4);
    CHECK(cudaGetLastError() == filled);
    cudaFree(memory);
    const cudaError_t launched = run_kernel(1, 1, kNothing);
    return std::array{allocated, filled, launched};
  };
  simt_fail_call(2);
  CHECK(calls() == std::array{cudaSuccess, cudaErrorUnknown, cudaSuccess});
  CHECK(std::string(simt_failed_call()) == "cudaMemset");
  simt_fail_call(3);
  CHECK(calls()[2] == cudaErrorUnknown);
  simt_fail_call(100);
  CHECK(calls() == std::array{cudaSuccess, cudaSuccess, cudaSuccess});
  CHECK(simt_failed_call() == nullptr);
  simt_fail_call(0);
  CHECK(calls() == std::array{cudaSuccess, cudaSuccess, cudaSuccess});
}

TEST_CASE("copies are noted with their memory, and with those that the host has not waited for") {
  const Cleaner cleaner;
  int *device = nullptr, *pinned = nullptr, pageable[4] = {};
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 16) == cudaSuccess);
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 16) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  simt_note_copies(true);
  cudaMemcpyAsync(device, pinned, 8, cudaMemcpyHostToDevice, stream);
  cudaEventRecord(event, stream);
  cudaMemcpyAsync(device + 2, pinned + 2, 8, cudaMemcpyHostToDevice, stream);
  cudaEventSynchronize(event);
  cudaMemcpyAsync(device, pageable, 16, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(device, device + 1, 4, cudaMemcpyDeviceToDevice, stream);
  SimtCopy copies[4] = {};
  REQUIRE(simt_noted_copies(copies, 4) == 4);
  simt_note_copies(false);
  CHECK(simt_noted_copies(copies, 4) == 0);
  CHECK(copies[0].host == pinned);
  CHECK(copies[0].size == 8);
  const bool is_pinned[] = {true, true, false, true};
  const unsigned under_way[] = {1, 2, 2, 1};
  for (int i = 0; i < 4; ++i) {
    CHECK(copies[i].pinned == is_pinned[i]);
    CHECK(copies[i].under_way == under_way[i]);
  }
  CHECK(copies[2].host == pageable);
}

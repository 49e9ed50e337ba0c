#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <csignal>
#include <string>

#include "capture_stderr.hpp"
#include "run_kernel.hpp"

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Cleaner {
  ~Cleaner() { reset_device(); }
};

// The signal that ends a child process which does `action`, or 0.
template <class Action>
int signal_of_child(Action action) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGABRT, SIG_DFL);
    (void)!std::freopen("/dev/null", "w", stderr);
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("a failed assertion is told in CUDA's words") {
  const Cleaner cleaner;
  const std::string text = capture_stderr([] {
    run_kernel(dim3(2, 3), dim3(4, 2),
               [](const uint3 thread, const uint3 block, const dim3, const dim3) {
                 assert(!(block.x == 1 && block.y == 2 && thread.x == 3 && thread.y == 1));
               });
  });
  CHECK(contains(text, "runtime_messages_test.cpp:"));
  CHECK(contains(text,
                 ": block: [1,2,0], thread: [3,1,0] Assertion `!(block.x == 1 && block.y == "
                 "2 && thread.x == 3 && thread.y == 1)` failed."));
}

TEST_CASE("a deadlock is told in one line: who waits where") {
  const Cleaner cleaner;
  const std::string text = capture_stderr([] {
    run_kernel(1, 64, [](const uint3 thread, const uint3, const dim3, const dim3) {
      if (thread.x == 40) {
        __syncthreads();
      } else {
        simt::warp_collective(simt::WarpOperation::sync, ~0U, 0);
      }
    });
  });
  CHECK(contains(text, "deadlock in kernel test_kernel (run_kernel.hpp:1), block (0,0,0)"));
  CHECK(contains(text, "1 thread waits at __syncthreads, the first is thread (40,0,0)"));
  CHECK(contains(text, "31 threads wait at a collective of warp 1 with mask 0xffffffff"));
  CHECK(text.find('\n') == text.size() - 1);
}

TEST_CASE("a fault is told with the kernel, the thread and what was wrong") {
  const Cleaner cleaner;
  float* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 100 * sizeof(float)) == cudaSuccess);
  const std::string beyond = capture_stderr([&] {
    run_kernel(1, 8, [=](const uint3 thread, const uint3, const dim3, const dim3) {
      if (thread.x == 6) memory[200] = 1;
    });
  });
  CHECK(contains(beyond, "out-of-bounds access 400 bytes past the end of an allocation of 400"));
  CHECK(contains(beyond, "kernel test_kernel (run_kernel.hpp:1), block (0,0,0), thread (6,0,0)"));
  reset_device();
  const std::string freed = capture_stderr([&] {
    run_kernel(1, 1, [=](const uint3, const uint3, const dim3, const dim3) { memory[0] = 1; });
  });
  CHECK(contains(freed, "device memory that was freed or never allocated"));
}

TEST_CASE("too much static shared memory is told with both sizes, and refuses the launch") {
  const Cleaner cleaner;
  cudaError_t error = cudaSuccess;
  const std::string text = capture_stderr([&] {
    error = run_kernel(1, 1, [](const uint3, const uint3, const dim3, const dim3) {
      simt::shared<char[60000]>()[0] = 1;
    });
  });
  CHECK(error == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(contains(text, "needs 60000 bytes of static and 0 of dynamic shared memory"));
}

TEST_CASE("a division by zero in a kernel is an error of the kernel") {
  const Cleaner cleaner;
  const std::string text = capture_stderr([] {
    run_kernel(1, 4, [](const uint3 thread, const uint3, const dim3, const dim3) {
      volatile int zero = 0;
      volatile int result = 0;
      // In assembly, so that no sanitizer stops at it first.
      if (thread.x == 2) {
#if defined(__x86_64__)
        int quotient = 1;
        int high = 0;
        asm volatile("idivl %2" : "+a"(quotient), "+d"(high) : "m"(zero));
        result = quotient;
#else
        result = 1 / zero;
#endif
      }
      (void)result;
    });
  });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(contains(text, "division by zero"));
}

TEST_CASE("faults of host code are not caught") {
  run_kernel(2, 2, [](const uint3, const uint3, const dim3, const dim3) {});
#ifndef __SANITIZE_ADDRESS__
  const int from_fault = signal_of_child([] {
    run_kernel(1, 2, [](const uint3, const uint3, const dim3, const dim3) {});
    int* volatile wild = reinterpret_cast<int*>(64);
    *wild = 1;
  });
  CHECK(from_fault == SIGSEGV);
  const int from_raise = signal_of_child([] {
    run_kernel(1, 2, [](const uint3, const uint3, const dim3, const dim3) {});
    std::raise(SIGSEGV);
  });
  CHECK(from_raise == SIGSEGV);
#endif
  CHECK(signal_of_child([] { assert(kill(0, 0) == 12345); }) == SIGABRT);
}

TEST_CASE("calls that need a configuration or a fiber end the program") {
  const auto direct = [] {
    static simt::KernelInfo kernel{"direct", "file.cu", 1, 0};
    simt::Launch launch(kernel);
  };
  CHECK(signal_of_child(direct) == SIGABRT);
  CHECK(signal_of_child([] { simt::block_barrier(); }) == SIGABRT);
  CHECK(signal_of_child([] {
          run_loop_kernel(1, 1, [](const uint3, const uint3, const dim3, const dim3) {
            simt::block_barrier();
          });
        }) == SIGABRT);
}

TEST_CASE("an error in one block stops the rest of the grid soon") {
  const Cleaner cleaner;
  std::atomic<unsigned> started = 0;
  run_kernel(1000000, 32, [&](const uint3 thread, const uint3 block, const dim3, const dim3) {
    if (thread.x == 0) ++started;
    if (block.x == 10) simt::trap();
  });
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(started < 999000);
}

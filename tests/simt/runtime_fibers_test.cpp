#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "run_kernel.hpp"

namespace {

unsigned linear(const uint3& thread, const dim3& block) {
  return thread.x + block.x * (thread.y + block.y * thread.z);
}

}  // namespace

TEST_CASE("every thread of every block runs once, with its own built-in variables") {
  const dim3 grid(3, 4, 5);
  const dim3 block(7, 3, 2);
  std::vector<int> seen(3 * 4 * 5 * 7 * 3 * 2);
  int* counts = seen.data();
  const auto body = [=](const uint3 thread, const uint3 index, const dim3 dim, const dim3 blocks) {
    const unsigned place = index.x + blocks.x * (index.y + blocks.y * index.z);
    const bool same = ::threadIdx.x == thread.x && ::threadIdx.y == thread.y &&
                      ::threadIdx.z == thread.z && ::blockIdx.z == index.z &&
                      ::blockDim.x == dim.x && ::gridDim.y == blocks.y;
    counts[place * 42 + linear(thread, dim)] += same ? 1 : 100;
  };
  SUBCASE("on fibers") { CHECK(run_kernel(grid, block, body) == cudaSuccess); }
  SUBCASE("as loops") { CHECK(run_loop_kernel(grid, block, body) == cudaSuccess); }
  for (const int count : seen) CHECK(count == 1);
}

TEST_CASE("each thread has its own copy of the parameters") {
  int value = 5;
  std::vector<int> result(64);
  int* out = result.data();
  run_kernel(2, 32, [=](const uint3 thread, const uint3 index, const dim3, const dim3) mutable {
    value += static_cast<int>(thread.x);
    out[index.x * 32 + thread.x] = value;
  });
  for (int i = 0; i < 64; ++i) CHECK(result[i] == 5 + i % 32);
}

TEST_CASE("a barrier separates what comes before from what comes after") {
  for (const unsigned threads : {1U, 2U, 31U, 33U, 256U, 1024U}) {
    CAPTURE(threads);
    std::atomic<int> errors = 0;
    const auto body = [&errors](const uint3 thread, const uint3, const dim3 dim, const dim3) {
      int* values = simt::shared<int[1024]>();
      for (int round = 0; round < 5; ++round) {
        values[thread.x] = static_cast<int>(thread.x) + round;
        __syncthreads();
        const unsigned other = (thread.x + 1 + round) % dim.x;
        if (values[other] != static_cast<int>(other) + round) ++errors;
        if (::threadIdx.x != thread.x) ++errors;
        __syncthreads();
      }
    };
    CHECK(run_kernel(7, threads, body) == cudaSuccess);
    CHECK(errors == 0);
  }
}

TEST_CASE("threads that have ended count as arrived") {
  for (const unsigned living : {1U, 2U, 40U, 63U}) {
    CAPTURE(living);
    std::atomic<unsigned> through = 0;
    std::atomic<unsigned> order_errors = 0;
    run_kernel(3, 64, [&, living](const uint3 thread, const uint3, const dim3, const dim3) {
      unsigned& arrived = simt::shared<unsigned>();
      if (thread.x == 64 - living) arrived = 0;
      __syncthreads();
      if (thread.x < 64 - living) return;
      ++arrived;
      __syncthreads();
      if (arrived != living) ++order_errors;
      ++through;
    });
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(through == 3 * living);
    CHECK(order_errors == 0);
  }
}

TEST_CASE("a thread may end before any other reaches the barrier, or after") {
  std::atomic<unsigned> through = 0;
  run_kernel(2, 100, [&](const uint3 thread, const uint3, const dim3, const dim3) {
    if (thread.x % 2 == 0) return;
    __syncthreads();
    if (thread.x % 3 == 0) return;
    __syncthreads();
    ++through;
  });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(through == 2 * 33);
}

TEST_CASE("barriers that vote") {
  std::vector<int> counts(48), all(48), any(48);
  int *count_out = counts.data(), *all_out = all.data(), *any_out = any.data();
  run_kernel(1, 48, [=](const uint3 thread, const uint3, const dim3, const dim3) {
    count_out[thread.x] = __syncthreads_count(thread.x % 3 == 0);
    all_out[thread.x] = __syncthreads_and(thread.x < 48) * 2 + __syncthreads_and(thread.x != 47);
    any_out[thread.x] = __syncthreads_or(thread.x == 17) * 2 + __syncthreads_or(0);
  });
  for (int i = 0; i < 48; ++i) {
    CHECK(counts[i] == 16);
    CHECK(all[i] == 2);
    CHECK(any[i] == 2);
  }
}

TEST_CASE("shared memory begins each block as 0xFF and keeps declarations apart") {
  struct First {
    int values[10];
  };
  struct Second {
    double values[3];
  };
  std::atomic<int> errors = 0;
  run_kernel({8, 4, 64, nullptr, false},
             [&](const uint3 thread, const uint3, const dim3, const dim3) {
               auto& first = simt::shared<First>();
               auto& second = simt::shared<Second>();
               auto* dynamic = static_cast<unsigned*>(simt::dynamic_shared());
               if (thread.x == 0) {
                 for (const int value : first.values) errors += value != -1;
                 for (int i = 0; i < 16; ++i) errors += dynamic[i] != 0xFFFFFFFFU;
                 errors += reinterpret_cast<std::uintptr_t>(dynamic) % 1024 != 0;
                 first.values[9] = 1;
                 dynamic[15] = 2;
                 second.values[0] = 3;
               }
               __syncthreads();
               errors += first.values[9] != 1 || dynamic[15] != 2 || second.values[0] != 3;
               errors += &first != &simt::shared<First>();
             });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(errors == 0);
}

TEST_CASE("deep recursion fits on a thread's stack") {
  struct Recursion {
    static int sum(int depth) {
      volatile char frame[256] = {};
      frame[depth % 256] = 1;
      if (depth == 0) return frame[0] - 1;
      return sum(depth - 1) + 1;
    }
  };
  std::atomic<int> errors = 0;
  run_kernel(1, 40, [&](const uint3, const uint3, const dim3, const dim3) {
    __syncthreads();
    errors += Recursion::sum(200) != 200;
    __syncthreads();
  });
  CHECK(errors == 0);
}

// Blocks that wait until another one runs beside them. In a process of its own: see below.
TEST_CASE("blocks of a first launch" * doctest::skip()) {
  std::atomic<int> running{0}, met{0};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  CHECK(run_loop_kernel(2, 1, [&](uint3, uint3, dim3, dim3) {
          ++running;
          while (running < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
          if (running == 2) ++met;
        }) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(met == 2);
}

TEST_CASE("the first launch of a program is shared among processors") {
  if (std::thread::hardware_concurrency() < 2 || std::getenv("SIMT_THREADS") != nullptr) return;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  CHECK(std::system(
            ("'" + self + "' --no-skip -tc='blocks of a first launch' > /dev/null").c_str()) == 0);
}

TEST_CASE("launches from several host threads do not disturb each other") {
  std::vector<std::thread> hosts;
  std::atomic<int> total = 0;
  for (int host = 0; host < 4; ++host) {
    hosts.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        run_kernel(9, 33, [&](const uint3, const uint3, const dim3, const dim3) {
          __syncthreads();
          ++total;
        });
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  CHECK(total == 4 * 50 * 9 * 33);
}

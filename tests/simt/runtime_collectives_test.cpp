#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "run_kernel.hpp"

using simt::WarpOperation;

namespace {

constexpr unsigned kAll = ~0U;

// Runs one value-producing function in each thread of one block.
template <class Function>
std::vector<std::uint64_t> collect(unsigned threads, Function function) {
  std::vector<std::uint64_t> results(threads);
  std::uint64_t* out = results.data();
  run_kernel(1, threads, [=](const uint3 thread, const uint3, const dim3, const dim3) {
    out[thread.x] = function(thread.x);
  });
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  return results;
}

}  // namespace

TEST_CASE("shuffles read the lane that CUDA says") {
  const auto index = collect(64, [](unsigned t) {
    return simt::warp_collective(WarpOperation::shuffle_index, kAll, t * 10, 5);
  });
  const auto up = collect(64, [](unsigned t) {
    return simt::warp_collective(WarpOperation::shuffle_up, kAll, t, 3, 16);
  });
  const auto down = collect(64, [](unsigned t) {
    return simt::warp_collective(WarpOperation::shuffle_down, kAll, t, 3, 8);
  });
  const auto exchange = collect(
      64, [](unsigned t) { return simt::warp_collective(WarpOperation::shuffle_xor, kAll, t, 9); });
  for (unsigned t = 0; t < 64; ++t) {
    CAPTURE(t);
    CHECK(index[t] == (t / 32 * 32 + 5) * 10);
    CHECK(up[t] == (t % 16 >= 3 ? t - 3 : t));
    CHECK(down[t] == (t % 8 < 5 ? t + 3 : t));
    CHECK(exchange[t] == (t ^ 9U));
  }
}

TEST_CASE("a lane that takes no part gives 0 to a shuffle") {
  const auto eight = collect(32, [](unsigned t) -> std::uint64_t {
    if (t >= 8) return 0;
    return simt::warp_collective(WarpOperation::shuffle_down, 0xFF, t + 1, 4);
  });
  for (unsigned t = 0; t < 8; ++t) CHECK(eight[t] == (t < 4 ? t + 5 : 0));
}

TEST_CASE("64-bit values pass whole") {
  const auto result = collect(32, [](unsigned t) {
    return simt::warp_collective(WarpOperation::shuffle_index, kAll, 0x0123456789ABCDEFULL + t,
                                 31 - static_cast<int>(t));
  });
  for (unsigned t = 0; t < 32; ++t) CHECK(result[t] == 0x0123456789ABCDEFULL + 31 - t);
}

TEST_CASE("votes, matches and reductions") {
  const auto operation = [](WarpOperation what, auto value_of) {
    return collect(32, [=](unsigned t) { return simt::warp_collective(what, kAll, value_of(t)); });
  };
  const auto is_third = [](unsigned t) { return std::uint64_t{t % 3 == 0}; };
  CHECK(operation(WarpOperation::ballot, is_third)[7] == 0x49249249);
  CHECK(operation(WarpOperation::any, is_third)[7] == 1);
  CHECK(operation(WarpOperation::all, is_third)[7] == 0);
  CHECK(operation(WarpOperation::all, [](unsigned) { return 1; })[7] == 1);
  CHECK(operation(WarpOperation::match_any, [](unsigned t) { return t / 4; })[9] == 0xF00);
  CHECK(operation(WarpOperation::match_all, [](unsigned) { return 6; })[9] == kAll);
  CHECK(operation(WarpOperation::match_all, [](unsigned t) { return t; })[9] == 0);
  const auto lane = [](unsigned t) { return t; };
  CHECK(operation(WarpOperation::add, lane)[3] == 496);
  CHECK(operation(WarpOperation::max_unsigned, lane)[3] == 31);
  const auto negative = [](unsigned t) { return std::uint64_t{10 - t} & 0xFFFFFFFF; };
  CHECK(operation(WarpOperation::min_signed, negative)[3] == 0xFFFFFFEB);
  CHECK(operation(WarpOperation::max_signed, negative)[3] == 10);
  CHECK(operation(WarpOperation::min_unsigned, negative)[3] == 0);
  CHECK(operation(WarpOperation::bit_xor, lane)[3] == 0);
  CHECK(operation(WarpOperation::bit_or, lane)[3] == 31);
}

TEST_CASE("different masks of one warp wait at once") {
  const auto result = collect(32, [](unsigned t) {
    const unsigned mask = t % 2 == 0 ? 0x55555555 : 0xAAAAAAAA;
    std::uint64_t sum = simt::warp_collective(WarpOperation::add, mask, t);
    if (t % 2 == 0) sum += simt::warp_collective(WarpOperation::add, 0x55555555, 1000);
    return sum + simt::warp_collective(WarpOperation::sync, kAll, 0);
  });
  for (unsigned t = 0; t < 32; ++t) CHECK(result[t] == (t % 2 == 0 ? 240 + 16000 : 256));
}

TEST_CASE("lanes that ended and lanes beyond the block count as arrived") {
  const auto short_warp = collect(
      40, [](unsigned t) { return simt::warp_collective(WarpOperation::ballot, kAll, t != 39); });
  CHECK(short_warp[0] == kAll);
  CHECK(short_warp[35] == 0x7F);

  // In each case other lanes end before the first waits, while some wait, and as the last.
  for (const unsigned kept : {0U, 5U, 31U}) {
    CAPTURE(kept);
    const auto ended = collect(32, [=](unsigned t) -> std::uint64_t {
      if (t != kept && t % 4 != 1) return 99;
      return simt::warp_collective(WarpOperation::ballot, kAll, 1);
    });
    CHECK(ended[kept] == (0x22222222U | 1U << kept));
  }
}

TEST_CASE("the last lane to end releases those that wait") {
  const auto result = collect(64, [](unsigned t) -> std::uint64_t {
    if (t % 32 < 31) return simt::warp_collective(WarpOperation::add, kAll, 1);
    simt::yield();
    return 0;
  });
  CHECK(result[0] == 31);
  CHECK(result[33] == 31);
}

TEST_CASE("warps diverge and barriers of the block come between") {
  const auto result = collect(96, [](unsigned t) {
    std::uint64_t sum = t;
    if (t / 32 == 1) {
      for (int step = 16; step > 0; step /= 2) {
        sum += simt::warp_collective(WarpOperation::shuffle_down, kAll, sum, step);
      }
    }
    __syncthreads();
    if (t / 32 == 2) sum = simt::warp_collective(WarpOperation::shuffle_index, kAll, sum, 1);
    __syncthreads();
    return sum;
  });
  CHECK(result[0] == 0);
  CHECK(result[32] == (32 + 63) * 16);
  CHECK(result[70] == 65);
}

TEST_CASE("converged lanes are those that come to the same call") {
  static const char upper_site = 0;
  static const char lower_site = 0;
  const auto result = collect(32, [](unsigned t) -> std::uint64_t {
    unsigned mask = 0;
    if (t < 10) {
      mask = simt::converged_lanes(&lower_site, true);
    } else if (t % 2 == 0) {
      mask = simt::converged_lanes(&upper_site, true);
    }
    __syncthreads();
    return mask;
  });
  CHECK(result[3] == 0x3FF);
  CHECK(result[12] == 0x55555400);
  CHECK(result[13] == 0);
}

TEST_CASE("named barriers count only those that call them") {
  std::atomic<int> errors = 0;
  run_kernel(2, 64, [&](const uint3 thread, const uint3, const dim3, const dim3) {
    unsigned* sums = simt::shared<unsigned[2]>();
    const unsigned half = thread.x / 32;
    if (thread.x % 32 == 0) sums[half] = 0;
    simt::named_barrier(&sums[half], 32);
    ++sums[half];
    const bool last = simt::named_barrier(&sums[half], 32);
    if (sums[half] != 32) ++errors;
    if (last) sums[half] = 100;
    simt::named_barrier(&sums[half], 32);
    if (sums[half] != 100) ++errors;
  });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(errors == 0);
}

TEST_CASE("waiting for a notification") {
  std::atomic<int> errors = 0;
  run_kernel(3, 70, [&](const uint3 thread, const uint3, const dim3, const dim3) {
    int& value = simt::shared<int>();
    if (thread.x == 0) value = 0;
    __syncthreads();
    if (thread.x == 69) {
      value = 42;
      simt::notify_all(&value);
    } else {
      while (value == 0) simt::wait_on(&value);
      if (value != 42) ++errors;
    }
  });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(errors == 0);
}

TEST_CASE("a grid barrier separates phases of all blocks") {
  for (const unsigned blocks : {1U, 2U, 7U, 32U}) {
    CAPTURE(blocks);
    std::atomic<unsigned> arrived = 0;
    std::atomic<int> errors = 0;
    run_kernel({blocks, 96, 0, nullptr, true},
               [&](const uint3, const uint3, const dim3 dim, const dim3 grid) {
                 for (unsigned round = 1; round <= 4; ++round) {
                   ++arrived;
                   simt::grid_barrier();
                   if (arrived != round * dim.x * grid.x) ++errors;
                   simt::grid_barrier();
                 }
               });
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(errors == 0);
  }
}

TEST_CASE("blocks that poll for each other make progress, in any order") {
  std::atomic<unsigned> turn = 0;
  run_kernel(40, 64, [&](const uint3 thread, const uint3 index, const dim3, const dim3 grid) {
    if (thread.x == 0) {
      while (turn != grid.x - 1 - index.x) simt::yield();
      ++turn;
    }
    __syncthreads();
  });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(turn == 40);
}

TEST_CASE("an exchange made for a whole block writes the results of its threads and no others") {
  constexpr unsigned kPlaces = 96;
  for (const unsigned threads : {96U, 80U, 32U, 20U}) {
    for (const int bits : {1, 2, 4, 8, 16, 5}) {
      CAPTURE(threads);
      CAPTURE(bits);
      std::vector<int> values(kPlaces), results(kPlaces, -1);
      for (unsigned t = 0; t < kPlaces; ++t) values[t] = static_cast<int>(t) + 1;
      simt::BlockRun block{};
      block.dim = dim3(threads);
      int* const given = values.data();
      simt_all___shfl_xor_sync(block, simt::detail::kAllInside.data(), results.data(),
                               simt::SameForAll<unsigned>{kAll}, given,
                               simt::SameForAll<int>{bits});
      for (unsigned t = 0; t < kPlaces; ++t) {
        const unsigned other = t ^ static_cast<unsigned>(bits);
        const int from_there = other < threads ? static_cast<int>(other) + 1 : 0;
        CHECK(results[t] == (t < threads ? from_there : -1));
      }
    }
  }
}

// Atomics: the old value comes back, the wrap rules are CUDA's, and no update is lost.
#include "simt/atomics.hpp"

#include <doctest/doctest.h>

#include <climits>
#include <thread>
#include <vector>

TEST_CASE("atomics return the old value and store the new one") {
  int i = 5;
  CHECK(atomicAdd(&i, 3) == 5);
  CHECK(atomicSub(&i, 10) == 8);
  CHECK(atomicMin(&i, -7) == -2);
  CHECK(atomicMax(&i, 4) == -7);
  CHECK(atomicExch(&i, 1) == 4);
  CHECK(atomicCAS(&i, 2, 9) == 1);
  CHECK(i == 1);
  CHECK(atomicCAS(&i, 1, 9) == 1);
  CHECK(i == 9);
  i = INT_MAX;
  CHECK(atomicAdd(&i, 1) == INT_MAX);
  CHECK(i == INT_MIN);
  unsigned u = 0b1100;
  CHECK(atomicAnd(&u, 0b0110u) == 0b1100u);
  CHECK(atomicOr(&u, 0b0011u) == 0b0100u);
  CHECK(atomicXor(&u, 0b1111u) == 0b0111u);
  CHECK(u == 0b1000u);
  CHECK(atomicMax(&u, UINT_MAX) == 8u);
  CHECK(u == UINT_MAX);
  float f = 1.0f;
  CHECK(atomicAdd(&f, 0.5f) == 1.0f);
  CHECK(atomicExch(&f, -2.0f) == 1.5f);
  CHECK(f == -2.0f);
  double d = 1.0;
  CHECK(atomicAdd_system(&d, 2.0) == 1.0);
  CHECK(d == 3.0);
  unsigned long long q = 1ull << 40;
  CHECK(atomicCAS_block(&q, 1ull << 40, 7ull) == 1ull << 40);
  CHECK(q == 7ull);
  long long s = -1;
  CHECK(atomicMin(&s, -5ll) == -1);
  CHECK(s == -5);
  unsigned short h = 3;
  CHECK(atomicCAS(&h, static_cast<unsigned short>(3), static_cast<unsigned short>(4)) == 3);
  CHECK(h == 4);
}

TEST_CASE("atomicInc and atomicDec wrap") {
  unsigned u = 2;
  CHECK(atomicInc(&u, 3u) == 2u);
  CHECK(atomicInc(&u, 3u) == 3u);
  CHECK(u == 0u);
  u = 9;
  CHECK(atomicInc(&u, 3u) == 9u);
  CHECK(u == 0u);
  CHECK(atomicDec(&u, 3u) == 0u);
  CHECK(u == 3u);
  CHECK(atomicDec(&u, 3u) == 3u);
  CHECK(u == 2u);
  u = 9;
  CHECK(atomicDec(&u, 3u) == 9u);
  CHECK(u == 3u);
}

TEST_CASE("no update is lost between threads") {
  constexpr int kTurns = 20000;
  float f = 0.0f;
  unsigned wrapped = 0;
  int largest = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTurns; ++i) {
        atomicAdd(&f, 1.0f);
        atomicInc(&wrapped, 6u);
        atomicMax(&largest, i * 4 + t);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(f == 4.0f * kTurns);
  CHECK(wrapped == 4u * kTurns % 7u);
  CHECK(largest == (kTurns - 1) * 4 + 3);
}

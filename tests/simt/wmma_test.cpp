// What of WMMA a program of CUDA cannot see: layouts, conversions, messages.
#include <doctest/doctest.h>
#include <mma.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "capture_stderr.hpp"
#include "run_kernel.hpp"

namespace {

namespace wmma = nvcuda::wmma;

struct Cleaner {
  ~Cleaner() { reset_device(); }
};

bool same(const simt::wmma::Layout& a, const simt::wmma::Layout& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

}  // namespace

TEST_CASE("a layout holds every element, as often as any other") {
  for (const unsigned elements : {32u, 64u, 128u, 256u, 512u}) {
    for (unsigned count = elements / 32; count <= 16; count *= 2) {
      std::vector<int> held(elements);
      const auto layout = simt::wmma::draw_layout(5, elements, count, 3);
      for (int lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < count; ++i) {
          ++held[layout.chunk[lane] * count + (i ^ layout.flip)];
        }
      }
      for (const int times : held) CHECK(times == static_cast<int>(32 * count / elements));
    }
  }
}

TEST_CASE("layouts differ by seed and by kind, and are always the same") {
  const auto layout = simt::wmma::draw_layout(1, 256, 8, 0);
  CHECK(same(layout, simt::wmma::draw_layout(1, 256, 8, 0)));
  CHECK(!same(layout, simt::wmma::draw_layout(1, 256, 8, 1)));
  CHECK(!same(layout, simt::wmma::draw_layout(2, 256, 8, 0)));
}

TEST_CASE("conversions of WMMA agree with the types' own, all bits of them") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto raw = static_cast<std::uint16_t>(bits);
    float wide = 0;
    simt::wmma::widen_half(&raw, &wide, 1);
    const float want = __half2float(__half(__half_raw{raw}));
    if (want == want) CHECK(std::bit_cast<unsigned>(wide) == std::bit_cast<unsigned>(want));
    if (want != want) CHECK(wide != wide);
    // Around each half: itself, and what lies between it and the next.
    for (const int step : {-0x1001, -0x1000, -0xFFF, -1, 0, 1, 0xFFF, 0x1000, 0x1001}) {
      const auto near =
          std::bit_cast<float>(std::bit_cast<unsigned>(want) + static_cast<unsigned>(step));
      std::uint16_t narrow = 0;
      simt::wmma::narrow_to_half(&near, &narrow, 1);
      const auto expected = static_cast<__half_raw>(__float2half(near)).x;
      if (narrow != expected) CHECK(narrow == expected);
    }
  }
}

TEST_CASE("half's smallest numbers are rounded as its type rounds them") {
  for (float value = 0x1p-27f; value < 0x1p-13f; value *= 1.0009f) {
    std::uint16_t narrow = 0;
    simt::wmma::narrow_to_half(&value, &narrow, 1);
    const auto expected = static_cast<__half_raw>(__float2half(value)).x;
    if (narrow != expected) CHECK(narrow == expected);
  }
}

TEST_CASE("part of a warp cannot multiply: one line says so") {
  const Cleaner cleaner;
  const std::string text = capture_stderr([] {
    run_kernel(1, 20, [](const uint3, const uint3, const dim3, const dim3) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
      wmma::fill_fragment(a, half(1.0f));
      wmma::fill_fragment(b, half(1.0f));
      wmma::fill_fragment(c, 0.0f);
      wmma::mma_sync(c, a, b, c);
    });
  });
  CHECK(text ==
        "simt: wmma::mma_sync in kernel test_kernel (run_kernel.hpp:1), block (0,0,0), "
        "warp 0: called by 20 lanes, needs all 32\n");
}

TEST_CASE("addresses and distances of rows are multiples of 16 bytes") {
  const Cleaner cleaner;
  alignas(32) static std::array<half, 1024> memory;
  for (const bool address : {true, false}) {
    const std::string text = capture_stderr([=] {
      run_kernel(1, 32, [=](const uint3, const uint3, const dim3, const dim3) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::load_matrix_sync(a, memory.data() + (address ? 1 : 0), address ? 16 : 17);
      });
    });
    CHECK(text == std::string("simt: wmma::load_matrix_sync in kernel test_kernel "
                              "(run_kernel.hpp:1), block (0,0,0): ") +
                      (address ? "the address" : "ldm") + " must be a multiple of 16 bytes\n");
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    reset_device();
  }
}

TEST_CASE("lanes that name different matrices, against the rules, read and write their own parts") {
  const Cleaner cleaner;
  alignas(32) static std::array<float, 256> ones, twos, even, odd;
  ones.fill(1.0f);
  twos.fill(2.0f);
  even.fill(0.0f);
  odd.fill(0.0f);
  run_kernel(1, 32, [](const uint3 thread, const uint3, const dim3, const dim3) {
    const bool first = thread.x % 2 == 0;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(c, first ? ones.data() : twos.data(), 16, wmma::mem_row_major);
    wmma::store_matrix_sync(first ? even.data() : odd.data(), c, 16, wmma::mem_row_major);
  });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  // A lane has pairs of neighbours, every fourth of a row.
  for (std::size_t i = 0; i < 256; ++i) {
    const bool first = i / 2 % 2 == 0;
    CHECK(even[i] == (first ? 1.0f : 0.0f));
    CHECK(odd[i] == (first ? 0.0f : 2.0f));
  }
}

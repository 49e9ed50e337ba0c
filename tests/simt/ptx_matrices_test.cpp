// What is wrong with a call of mma.sync, ldmatrix or stmatrix is told in one line.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "capture_stderr.hpp"
#include "run_kernel.hpp"

namespace {

using simt::ptx::Element;
using simt::ptx::Mma;

constexpr const char* kWhere = " in kernel test_kernel (run_kernel.hpp:1), block (0,0,0), warp 0: ";

struct Cleaner {
  ~Cleaner() { reset_device(); }
};

/// What a block says of which each thread moves the row that `offset(thread)` tells, in 1024 bytes
/// of shared memory.
template <class Offset>
std::string said_of_rows(unsigned threads, bool loads, Offset offset) {
  return capture_stderr([=] {
    run_kernel({1, threads, 1024, nullptr, false},
               [=](const uint3 thread, const uint3, const dim3, const dim3) {
                 void* const row = __cvta_shared_to_generic(offset(thread.x));
                 std::uint32_t registers[4] = {};
                 loads ? simt::ptx::ldmatrix<false>(row, registers)
                       : simt::ptx::stmatrix<false>(row, registers);
               });
  });
}

}  // namespace

TEST_CASE("part of a warp cannot come to mma.sync, ldmatrix or stmatrix") {
  const Cleaner cleaner;
  const std::string text = capture_stderr([] {
    run_kernel(1, 20, [](const uint3, const uint3, const dim3, const dim3) {
      constexpr Mma kForm{16, 16, Element::f32, Element::f16, Element::f16, Element::f32, false};
      const std::uint32_t a[4] = {}, b[2] = {}, c[4] = {};
      std::uint32_t d[4];
      simt::ptx::mma<kForm>(d, a, b, c);
    });
  });
  CHECK(text ==
        std::string("simt: mma.sync.m16n8k16") + kWhere + "called by 20 lanes, needs all 32\n");
  reset_device();
  for (const bool loads : {true, false}) {
    CHECK(said_of_rows(31, loads, [](unsigned thread) { return 16 * thread; }) ==
          std::string(loads ? "simt: ldmatrix" : "simt: stmatrix") + kWhere +
              "called by 31 lanes, needs all 32\n");
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    reset_device();
  }
}

TEST_CASE("lanes that wait at mma.sync for others that wait elsewhere are a deadlock") {
  const Cleaner cleaner;
  const std::string text = capture_stderr([] {
    run_kernel(1, 32, [](const uint3 thread, const uint3, const dim3, const dim3) {
      if (thread.x % 2 == 0) return __syncthreads();
      constexpr Mma kForm{8, 4, Element::f64, Element::f64, Element::f64, Element::f64, false};
      const double a[1] = {}, b[1] = {}, c[2] = {};
      double d[2];
      simt::ptx::mma<kForm>(d, a, b, c);
    });
  });
  CHECK(text.find("16 threads wait at a collective of warp 0 with mask 0xffffffff (0xaaaaaaaa "
                  "came)") != std::string::npos);
}

TEST_CASE("rows begin at multiples of 16 bytes, in shared memory") {
  const Cleaner cleaner;
  for (const bool loads : {true, false}) {
    const std::string name = loads ? "simt: ldmatrix" : "simt: stmatrix";
    CHECK(said_of_rows(32, loads, [](unsigned thread) { return 18 * thread; }) ==
          name + kWhere +
              "the row that lane 1 addresses, at 18 in shared memory, does not begin at a multiple "
              "of 16 bytes\n");
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    reset_device();
    CHECK(said_of_rows(32, loads, [](unsigned thread) { return 48 * thread; }) ==
          name + kWhere +
              "the row that lane 22 addresses, at 1056 in shared memory, lies outside the "
              "block's\n");
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    reset_device();
  }
}

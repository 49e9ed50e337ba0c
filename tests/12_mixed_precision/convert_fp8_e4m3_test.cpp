#include "12_mixed_precision/convert_fp8_e4m3.hpp"

#include <cuda_fp8.h>
#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "rounding_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"

namespace tut::ch12 {
namespace {

Outcome widening_outcome(int size) {
  Guarded<std::uint8_t> in(1, size, size, 1024);
  Guarded<float> out(1, size, size, 1024);
  std::iota(in.view().data, in.view().data + size, std::uint8_t{0});  // and from 0 again
  const Guarded<std::uint8_t> in_before = in;
  const Guarded<float> out_before = out;
  const std::string text = std::to_string(size) + " codes";
  Outcome run = run_on_device(
      text,
      [size](cudaStream_t stream, MatrixView<std::uint8_t> from, MatrixView<float> to) {
        const auto n = static_cast<std::size_t>(size);
        from_fp8_e4m3({from.data, n}, {to.data, n}, stream);
      },
      in, out);
  if (!run.ok) return run;
  for (int i = 0; i < size; ++i) {
    const int code = i % 256;
    const auto storage = static_cast<__nv_fp8_storage_t>(code);
    const float expected = __half2float(__half(__nv_cvt_fp8_to_halfraw(storage, __NV_E4M3)));
    const float got = out.cview()(0, i);
    const bool same = std::isnan(expected) ? std::isnan(got) && !is_unwritten(got)
                                           : std::bit_cast<std::uint32_t>(got) ==
                                                 std::bit_cast<std::uint32_t>(expected);
    if (same) continue;
    char words[120];
    std::snprintf(words, sizeof(words), "code 0x%02X means %.9g, but became %.9g\n",
                  static_cast<unsigned>(code), static_cast<double>(expected),
                  static_cast<double>(got));
    return failure("values", words);
  }
  return first_failure({only_inside_changed(out_before, out, "out", text, true),
                        nothing_changed(in_before, in, "in", text, true)});
}

}  // namespace

TEST_CASE("to_fp8_e4m3 gives CUDA's bits at every number, midpoint and neighbour") {
  const RoundingTrial<std::uint8_t> trial{
      E4M3, to_fp8_e4m3,
      [](float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); },
      [](std::uint8_t got, std::uint8_t expected) {
        return got == expected || ((got & 0x7F) == 0x7F && (expected & 0x7F) == 0x7F);
      }};
  for (const std::size_t count : {SIZE_MAX, std::size_t{1}, std::size_t{257}}) {
    expect(rounding_outcome(trial, count));
  }
}

TEST_CASE("from_fp8_e4m3 knows what every code means") {
  for (const int size : {256, 1000, 257, 1}) expect(widening_outcome(size));
}

TEST_CASE("lengths that differ or are 0 are refused") {
  const DeviceBuffer<float> floats(2);
  const DeviceBuffer<std::uint8_t> codes(2);
  CHECK_THROWS_AS(to_fp8_e4m3({floats.data(), 2}, {codes.data(), 1}), std::invalid_argument);
  CHECK_THROWS_AS(from_fp8_e4m3({codes.data(), 0}, {floats.data(), 0}), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 4096;
  const DeviceBuffer<float> floats(std::vector<float>(SIZE, 0.1f));
  const DeviceBuffer<std::uint8_t> codes(SIZE);
  expect_budget("convert_fp8_e4m3", 10.0 * SIZE, [&] {
    to_fp8_e4m3({floats.data(), SIZE}, {codes.data(), SIZE});
    from_fp8_e4m3({codes.data(), SIZE}, {floats.data(), SIZE});
  });
}

}  // namespace tut::ch12

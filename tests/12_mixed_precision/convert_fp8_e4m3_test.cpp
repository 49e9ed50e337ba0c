#include "12_mixed_precision/convert_fp8_e4m3.hpp"

#include <cuda_fp8.h>
#include <doctest/doctest.h>

#include <stdexcept>

#include "rounding_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch12 {
namespace {

const RoundingTrial<std::uint8_t> trial{
    E4M3, to_fp8_e4m3, [](float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); },
    [](std::uint8_t got, std::uint8_t expected) {
      return got == expected || ((got & 0x7F) == 0x7F && (expected & 0x7F) == 0x7F);
    }};

/// All codes in turn, from another one on each time, so that each stands at every place of a group.
std::uint8_t code_at(int i) { return static_cast<std::uint8_t>(i + i / 256 * 5); }

void fill_codes(Guarded<std::uint8_t>& image) {
  for (int i = 0; i < image.cols(); ++i) image.view()(0, i) = code_at(i);
}

/// What the codes become: the first wrong one in words.
std::string wrong_codes(std::span<const float> out) {
  for (int i = 0; i < static_cast<int>(out.size()); ++i) {
    const int code = code_at(i);
    const auto storage = static_cast<__nv_fp8_storage_t>(code);
    const float expected = __half2float(__half(__nv_cvt_fp8_to_halfraw(storage, __NV_E4M3)));
    const float got = out[static_cast<std::size_t>(i)];
    const bool same = std::isnan(expected) ? std::isnan(got) && !is_unwritten(got)
                                           : std::bit_cast<std::uint32_t>(got) ==
                                                 std::bit_cast<std::uint32_t>(expected);
    if (same) continue;
    char words[120];
    std::snprintf(words, sizeof(words), "element %d: code 0x%02X means %.9g, but ", i,
                  static_cast<unsigned>(code), static_cast<double>(expected));
    return words +
           (is_unwritten(got) ? "nothing was written\n" : "became " + value_text(got) + "\n");
  }
  return "";
}

Outcome widening_outcome(int size, Begin begin = {}) {
  Guarded<std::uint8_t> in(1, size, size, begin.in);
  Guarded<float> out(1, size, size, begin.out);
  fill_codes(in);
  const Guarded<std::uint8_t> in_before = in;
  const Guarded<float> out_before = out;
  const std::string text = std::to_string(size) + " codes";
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [size](cudaStream_t stream, MatrixView<std::uint8_t> from, MatrixView<float> to) {
        const auto n = static_cast<std::size_t>(size);
        from_fp8_e4m3({from.data, n}, {to.data, n}, stream);
      },
      in, out);
  if (!run.ok) return run;
  const std::span<const float> values{out.cview().data, static_cast<std::size_t>(size)};
  const std::string wrong = wrong_codes(values);
  if (!wrong.empty()) return failure("values", wrong + "  (" + text + ")");
  return first_failure({only_inside_changed(out_before, out, "out", text, true),
                        nothing_changed(in_before, in, "in", text, true)});
}

/// Every code to a float and back, in one call.
Outcome round_trip_outcome(int size) {
  Guarded<std::uint8_t> in(1, size, size, 0), out(1, size, size, 0);
  Guarded<float> floats(1, size, size, 0);
  fill_codes(in);
  const Guarded<std::uint8_t> in_before = in;
  const std::string text = std::to_string(size) + " codes";
  Outcome run = run_on_device(
      text,
      [size](cudaStream_t stream, MatrixView<std::uint8_t> from, MatrixView<float> between,
             MatrixView<std::uint8_t> to) {
        const auto n = static_cast<std::size_t>(size);
        from_fp8_e4m3({from.data, n}, {between.data, n}, stream);
        to_fp8_e4m3({between.data, n}, {to.data, n}, stream);
      },
      in, floats, out);
  if (!run.ok) return run;
  const std::string wrong = wrong_codes({floats.cview().data, static_cast<std::size_t>(size)});
  if (!wrong.empty()) return failure("values", wrong);
  for (int i = 0; i < size; ++i) {
    const std::uint8_t code = in_before.cview()(0, i), got = out.cview()(0, i);
    if (trial.matches(got, code)) continue;
    return failure("values", "code " + std::to_string(code) + " becomes " + std::to_string(got) +
                                 " on the way to a float and back");
  }
  return {};
}

}  // namespace

TEST_CASE("to_fp8_e4m3 gives CUDA's bits at every number, midpoint and neighbour") {
  expect_rounding(trial);
}

TEST_CASE("from_fp8_e4m3 knows what every code means") {
  for (const int size : {256, 1000, 257, 1, 300003}) expect(widening_outcome(size));
  for (const Begin& begin : anywhere) expect(widening_outcome(1000, begin));
}

TEST_CASE("every code becomes itself on the way to a float and back") {
  expect(round_trip_outcome(4096));
}

TEST_CASE("lengths that differ or are 0 are refused") {
  const DeviceBuffer<float> floats(2);
  const DeviceBuffer<std::uint8_t> codes(2);
  for (const auto& [from, to] : WRONG_LENGTHS) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK_THROWS_AS(to_fp8_e4m3({floats.data(), from}, {codes.data(), to}), std::invalid_argument);
    CHECK_THROWS_AS(from_fp8_e4m3({codes.data(), from}, {floats.data(), to}),
                    std::invalid_argument);
  }
}

TEST_CASE("from_fp8_e4m3 of as many codes as there may be") {
  const LongBuffer<std::uint8_t> codes;
  const LongBuffer<float> floats;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        from_fp8_e4m3({codes.data(), size}, {floats.data(), size}, stream);
      },
      [](int n) { return widening_outcome(n); }, 300003,
      MarkedParts("the result", floats.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr int SIZE = 16384, kOddSize = SIZE + 5;  // so that a thread may take 16 codes and more
  expect_budget("convert_fp8_e4m3", 5.0 * SIZE, [] { return rounding_outcome(trial, SIZE); });
  expect_budget("convert_fp8_e4m3", 5.0 * SIZE, [] { return widening_outcome(SIZE); });
  expect_cost(5.0 * kOddSize, [] { return rounding_outcome(trial, kOddSize); });
  expect_cost(5.0 * kOddSize, [] { return widening_outcome(kOddSize); });
}

}  // namespace tut::ch12

// Whether a tolerance that the next lower precision passes is found, and one that is right is left
// alone.

#include "tut/compare/lower_precision.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tut/compare/compare.hpp"
#include "tut/numeric/precision_fp8.hpp"
#include "tut/numeric/random.hpp"

namespace tut {
namespace {

HostMatrix<double> uniform() {
  HostMatrix<float> values(4, 8);
  fill_uniform(values, 1);
  return to_double_matrix(values.cview());
}

HostMatrix<double> all(const HostMatrix<double>& like, double value) {
  return make_matrix<double>(like.rows(), like.cols(), [&](int, int) { return value; });
}

HostMatrix<double> relative(const HostMatrix<double>& values, double error) {
  return make_matrix<double>(values.rows(), values.cols(),
                             [&](int r, int c) { return error * std::abs(values(r, c)); });
}

constexpr SignificantBits kFloat{24}, kHalf{11}, kInt{32, true};

/// What is said of a result that is exact, with this bound.
Outcome of_bound(const HostMatrix<double>& values, SignificantBits bits,
                 const HostMatrix<double>& bound, const std::string& name = "C") {
  LowerPrecisionTrial trial;
  trial.note(name, bits, values, values, bound);
  return trial.outcome();
}

bool says(const Outcome& outcome, const std::string& words) {
  return !outcome.ok && outcome.kind == "tolerance" &&
         outcome.report.find(words) != std::string::npos;
}

TEST_CASE("significant bits of types, and those of the next lower precision") {
  CHECK(significant_bits<double>() == SignificantBits{53});
  CHECK(significant_bits<float>() == kFloat);
  CHECK(significant_bits<__half>() == kHalf);
  CHECK(significant_bits<__nv_bfloat16>() == SignificantBits{8});
  CHECK(significant_bits<__nv_fp8_e4m3>() == SignificantBits{4});
  CHECK(significant_bits<__nv_fp8_e5m2>() == SignificantBits{3});
  CHECK(significant_bits<int>() == kInt);
  const std::vector<int> floating = {53, 24, 11, 8, 4, 3};
  for (std::size_t i = 0; i + 1 < floating.size(); ++i) {
    CHECK(next_lower({floating[i]}) == floating[i + 1]);
  }
  CHECK(next_lower({17}) == 11);
  CHECK(next_lower({1}) == 1);
  CHECK(next_lower({64, true}) == 24);
  CHECK(next_lower(kInt) == 11);
  CHECK(next_lower({16, true}) == 4);
  CHECK(next_lower({8, true}) == 2);
}

TEST_CASE("rounding at so many bits is that of the types") {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const float x = random_uniform(2, i, -3, 3), small = x * 0x1p-100f;
    CHECK(round_to_bits(x, 11) == double{__half2float(__float2half(x))});
    CHECK(round_to_bits(x, 8) == double{__bfloat162float(__float2bfloat16(x))});
    CHECK(round_to_bits(small, 8) == double{__bfloat162float(__float2bfloat16(small))});
  }
  CHECK(round_to_bits(2049, 11) == 2048);  // a midpoint, to even
  CHECK(round_to_bits(2051, 11) == 2052);
  CHECK(round_to_bits(0, 11) == 0);
  CHECK(std::isnan(round_to_bits(std::nan(""), 11)));
  CHECK(std::isinf(round_to_bits(std::numeric_limits<double>::infinity(), 11)));
}

TEST_CASE("values of types at the next lower precision") {
  CHECK(at_next_lower(1.0 / 3) == double{1.0f / 3});
  CHECK(at_next_lower(0.1f) == __half2float(__float2half(0.1f)));
  CHECK(at_next_lower(1e30f) != 1e30f);
  CHECK(std::isfinite(at_next_lower(1e30f)));
  CHECK(at_next_lower(2049) == 2048);
  CHECK(at_next_lower(-2049) == -2048);
  CHECK(at_next_lower(std::numeric_limits<std::uint16_t>::max()) == 65535);
  CHECK(at_next_lower(std::uint8_t{13}) == 12);
}

TEST_CASE("a tolerance of float is right, and one that half passes is found") {
  const HostMatrix<double> values = uniform();
  CHECK(of_bound(values, kFloat, relative(values, 0x1p-22)).ok);
  CHECK(of_bound(values, kFloat, relative(values, 0x1p-13)).ok);
  CHECK(says(of_bound(values, kFloat, relative(values, 0x1p-11)),
             "C: 24 significant bits rounded to 11 pass each of 1 comparisons with a tolerance, "
             "with errors up to 0."));
  CHECK(says(of_bound(values, kFloat, all(values, 1e-3)), "narrow the tolerance"));
}

TEST_CASE("what a contract promises in TF32 has the tolerance of TF32") {
  const HostMatrix<double> values = uniform();
  CHECK(of_bound(values, {11}, relative(values, 0x1p-10)).ok);
  CHECK(says(of_bound(values, {11}, relative(values, 0x1p-8)), "11 significant bits rounded to 8"));
}

TEST_CASE("one comparison of a result is enough, and each result needs one") {
  const HostMatrix<double> values = uniform();
  LowerPrecisionTrial trial;
  trial.note("mean", kFloat, values, values, all(values, 1));
  trial.note("mean", kFloat, values, values, relative(values, 0x1p-20));
  CHECK(trial.outcome().ok);
  trial.note("variance", kFloat, values, values, all(values, 1));
  CHECK(says(trial.outcome(), "variance: "));
  CHECK(trial.summary().find("mean: 24 significant bits rounded to 11 fail 1 of 2") !=
        std::string::npos);
}

TEST_CASE("exact comparisons do not make up for a wide tolerance") {
  const HostMatrix<double> values = uniform();
  LowerPrecisionTrial trial;
  trial.note("C", kFloat, values, values, all(values, 0));
  CHECK(trial.outcome().ok);
  trial.note("C", kFloat, values, values, all(values, 1e-3));
  CHECK_FALSE(trial.outcome().ok);
}

TEST_CASE("small integers, zeros and infinities show nothing") {
  const HostMatrix<double> values = uniform();
  const HostMatrix<double> sevens = all(values, 7);
  CHECK(says(of_bound(sevens, kInt, all(values, 0)), "use values that it changes"));
  CHECK(of_bound(all(values, 4097), kInt, all(values, 0)).ok);
  CHECK(says(of_bound(all(values, INFINITY), kFloat, all(values, 1e-6)), "changes no value"));
  LowerPrecisionTrial trial;  // a special value beside others, without a name of its own
  trial.note("C", kFloat, values, values, relative(values, 0x1p-22));
  trial.note("", kFloat, sevens, sevens, all(values, 1e-3));
  CHECK(trial.outcome().ok);
  trial.note("y", kFloat, sevens, sevens, all(values, 0));  // zeros and ones, say
  CHECK(trial.outcome().ok);
  trial.note("counts", kInt, sevens, sevens, all(values, 0));  // of another type
  CHECK(says(trial.outcome(), "counts: an integer of 32 bits rounded to 11 pass each comparison"));
}

TEST_CASE("a test that compares in its own way is told so, if it does not say what it notices") {
  LowerPrecisionTrial trial;
  CHECK(says(trial.outcome(), "no comparison by tut::compare or tut::is_right"));
  trial.note_exact("codes", {16, true}, false);
  CHECK(says(trial.outcome(), "codes: "));
  trial.note_exact("codes", {16, true}, true);
  CHECK(trial.outcome().ok);
}

// These pass. With TUT_TRY_LIMITS=1 the first must not, the second must (tests/CMakeLists.txt).
TEST_CASE("TUT_TRY_LIMITS: a wide tolerance") {
  const HostMatrix<double> values = uniform();
  const auto got = make_matrix<float>(
      values.rows(), values.cols(), [&](int r, int c) { return static_cast<float>(values(r, c)); });
  expect(compare(got.cview(), values, all(values, 1e-2)));
}

TEST_CASE("TUT_TRY_LIMITS: a narrow tolerance") {
  const HostMatrix<double> values = uniform();
  const auto got = make_matrix<float>(
      values.rows(), values.cols(), [&](int r, int c) { return static_cast<float>(values(r, c)); });
  expect(compare(got.cview(), values, all(values, 1e-6)));
  CHECK(is_right(got(0, 0), values(0, 0), 1e-6));
  const std::vector<int> counts = {3, 4097};
  expect(compare_exactly(counts, counts, "counts"));
  try_own_comparison("own", std::span<const int>(counts),
                     [&](std::span<const int> others) { return others[1] == counts[1]; });
}

TEST_CASE("TUT_TRY_LIMITS: a comparison of its own that notices nothing") {
  const std::vector<int> counts = {3, 4097};
  try_own_comparison("own", std::span<const int>(counts),
                     [&](std::span<const int> others) { return others[0] == counts[0]; });
}

}  // namespace
}  // namespace tut

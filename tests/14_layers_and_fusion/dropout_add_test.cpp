#include "14_layers_and_fusion/dropout_add.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_image.hpp"

namespace tut::ch14 {
namespace {

// What elements are multiplied with if word k of draw(index) belongs to element place(index, k).
template <class Draw, class Place>
std::vector<double> factors_of(std::size_t size, float probability, Draw draw, Place place) {
  std::vector<double> result(size);
  for (std::uint64_t index = 0; index < 256 * (size / 1024 + 1); ++index) {
    const Words words = draw(index);
    const std::uint32_t four[4] = {words.a, words.b, words.c, words.d};
    for (int k = 0; k < 4; ++k) {
      const std::uint64_t i = place(index, k);
      if (i >= size) continue;
      const bool kept = four[k] >= dropout_threshold(probability);
      result[i] = kept ? 1.0 / (1.0 - probability) : 0.0;
    }
  }
  return result;
}

// What dropout multiplies each element with.
std::vector<double> factors(std::size_t size, const DropoutOptions& o) {
  return factors_of(
      size, o.probability, [&](std::uint64_t index) { return random_words(o.seed, o.step, index); },
      DropoutLayout::element);
}

// The masks of those who draw other words, or take them for other elements.
struct OtherMask {
  const char* text;
  std::vector<double> factors;
};
std::vector<OtherMask> other_masks(std::size_t size, const DropoutOptions& o) {
  const auto own = [&](std::uint64_t index) { return random_words(o.seed, o.step, index); };
  const auto drawn = [&](auto draw) {
    return factors_of(size, o.probability, draw, DropoutLayout::element);
  };
  return {
      {"the mask of a step and a seed that are exchanged: random_words(seed, step, index)",
       drawn([&](std::uint64_t index) { return random_words(o.step, o.seed, index); })},
      {"a mask that has the first word of each draw four times: word k belongs to element "
       "(index, k)",
       drawn([&](std::uint64_t index) {
         const std::uint32_t word = own(index).a;
         return Words{word, word, word, word};
       })},
      {"a mask that begins anew in every block: the index goes on through all of them",
       drawn([&](std::uint64_t index) { return own(index % 256); })},
      {"a mask whose word k belongs to element 4 * index + k: DropoutLayout::element says which",
       factors_of(size, o.probability, own, [](std::uint64_t index, int k) {
         return 4 * index + static_cast<std::uint64_t>(k);
       })}};
}

Outcome run(const std::string& text, const DropoutOptions& options, Guarded<float>& in,
            Guarded<float>& residual, Guarded<float>& out) {
  return run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> x, MatrixView<float> r, MatrixView<float> y) {
        dropout_add(span_of(x), span_of(r), span_of(y), options, stream);
      },
      in, residual, out);
}

Outcome values_outcome(std::size_t size, const DropoutOptions& options, std::size_t shift = 0) {
  Guarded<float> in = vector_image(uniform_values(size, 1), shift),
                 residual = vector_image(uniform_values(size, 2), shift),
                 out = result_image<float>(size, shift);
  const Guarded<float> in_before = in, residual_before = residual, out_before = out;
  const std::string text = std::to_string(size) + " elements, probability " +
                           number_text(options.probability) + ", step " +
                           std::to_string(options.step) + ", " + std::to_string(4 * shift) +
                           " bytes off an aligned place";
  if (Outcome outcome = run(text, options, in, residual, out); !outcome.ok) return outcome;
  const std::vector<double> factor = factors(size, options);
  std::vector<double> expected;
  for (std::size_t i = 0; i < size; ++i) {
    expected.push_back(residual_before.cview().data[i] + factor[i] * in_before.cview().data[i]);
  }
  const auto at = [](const Guarded<float>& vector, int i) {
    return static_cast<double>(vector.cview().data[i]);
  };
  const auto x = [&](int i) { return at(in_before, i); };
  const auto r = [&](int i) { return at(residual_before, i); };
  const auto kept = [&](int i) { return factor[static_cast<std::size_t>(i)] != 0; };
  const double scale = 1 / (1 - static_cast<double>(options.probability));
  std::vector<Formula> mistakes = {
      {"made as if all were kept: where `in` is dropped, out is just the residual",
       [&](int, int i) { return r(i) + scale * x(i); }},
      {"the residual alone: what is kept is added to it", [&](int, int i) { return r(i); }},
      {"made with the values that should be dropped, and without those that should be kept",
       [&](int, int i) { return r(i) + (kept(i) ? 0 : scale * x(i)); }},
      {"made without the scale of what is kept, 1 / (1 - probability)",
       [&](int, int i) { return r(i) + (kept(i) ? x(i) : 0); }},
      {"made with 1 / probability: what is kept is scaled by 1 / (1 - probability)",
       [&](int, int i) { return r(i) + (kept(i) ? x(i) / options.probability : 0); }},
      {"made with 1 - probability: what is kept is divided by it",
       [&](int, int i) { return r(i) + (kept(i) ? x(i) / scale : 0); }},
      {"made without the residual", [&](int, int i) { return kept(i) ? scale * x(i) : 0; }},
      {"made with the residual dropped as well: it stays where it was",
       [&](int, int i) { return kept(i) ? r(i) + scale * x(i) : 0; }},
      {"made with the residual scaled as well: only what is kept of `in` is",
       [&](int, int i) { return kept(i) ? scale * (r(i) + x(i)) : r(i); }},
      {"made with every residual scaled: only what is kept of `in` is",
       [&](int, int i) { return scale * (r(i) + (kept(i) ? x(i) : 0)); }}};
  const std::vector<OtherMask> others = other_masks(size, options);
  for (const OtherMask& other : others) {
    mistakes.push_back({std::string("made with ") + other.text, [&](int, int i) {
                          return r(i) + other.factors[static_cast<std::size_t>(i)] * x(i);
                        }});
  }
  return first_failure(
      {near_outcome(out_before, out, expected, 1e-6, 1e-6, "out", text, 0, mistakes),
       nothing_changed(in_before, in, "in", text, true),
       nothing_changed(residual_before, residual, "residual", text, true)});
}

// Residuals and inputs of every kind. What is dropped leaves the residual, or NaN if it is infinite
// or NaN itself.
Outcome special_values_outcome(std::size_t size) {
  const DropoutOptions options{.probability = 0.5f, .seed = 4, .step = 6};
  const float special[] = {INF, -INF, NOT_A_NUMBER, 1e30f, -1e30f, 1e-40f, 0.0f, 1.0f};
  const std::vector<double> factor = factors(size, options);
  std::vector<float> values, residuals;
  std::vector<double> expected;
  for (std::size_t i = 0; i < size; ++i) {
    values.push_back(special[i % 8]);
    residuals.push_back(special[i / 8 % 8]);
    expected.push_back(residuals[i] + (factor[i] != 0 ? factor[i] * values[i] : 0.0));
  }
  Guarded<float> in = vector_image(values), residual = vector_image(residuals),
                 out = result_image<float>(size);
  const std::string text = std::to_string(size) + " special values";
  const Outcome outcome = run(text, options, in, residual, out);
  if (!outcome.ok) return outcome;
  for (std::size_t i = 0; i < size; ++i) {
    const float got = out.cview().data[i];
    if (factor[i] == 0 && !std::isfinite(values[i]) && std::isnan(got)) expected[i] = got;
  }
  return special_outcome(out, expected, "out", text);
}

}  // namespace

TEST_CASE("dropout_add adds what dropout keeps") {
  for (const std::size_t size : {1000, 1, 255, 256, 257, 1023, 1024, 1025, 5003}) {
    expect(values_outcome(size, {.probability = 0.3f, .seed = 5, .step = 8}));
    expect(values_outcome(size, {.probability = 0.8f, .seed = std::uint64_t{3} << 40, .step = 1}));
    expect(values_outcome(size, {.probability = 0.0f}));
  }
  expect(values_outcome(2500, {.probability = 0.3f, .seed = 5, .step = std::uint64_t{7} << 33}));
  expect(values_outcome(2500, {.probability = 0.99f, .seed = 5}));
}

TEST_CASE("dropout_add with more blocks than a device has") {
  // A thread that stops at a NaN leaves out the element one grid further.
  expect(special_values_outcome(1100003));
}

TEST_CASE("dropout_add wherever its floats begin") {
  for (const std::size_t shift : {1, 2, 3}) expect(values_outcome(4096, {.seed = 3}, shift));
}

TEST_CASE("dropout_add with what is infinite, no number, huge or tiny") {
  for (const std::size_t size : {300, 5003}) expect(special_values_outcome(size));
}

// `below`: by how much the word is smaller than the threshold.
void expect_threshold(std::uint32_t below) {
  // A threshold whose last 8 bits are 0 is a probability that float holds exactly.
  int found[4] = {};
  for (std::uint64_t index = 0; index < 2560; ++index) {
    const Words words = random_words(9, 0, index);
    const std::uint32_t four[4] = {words.a, words.b, words.c, words.d};
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t threshold = four[k] + below;
      if (threshold % 256 != 0 || four[k] < 0x80000000u || found[k]++ > 0) continue;
      const float probability = static_cast<float>(threshold) * 0x1p-32f;
      REQUIRE(dropout_threshold(probability) == threshold);
      expect(values_outcome(10240, {.probability = probability, .seed = 9}));
    }
  }
  for (const int count : found) CHECK(count > 0);
}

TEST_CASE("dropout_add keeps a word that equals the threshold, and drops the one below it") {
  expect_threshold(0);
  expect_threshold(1);
}

TEST_CASE("dropout_add in place of either vector") {
  constexpr std::size_t SIZE = 2500;
  const DropoutOptions options{.probability = 0.5f, .seed = 1, .step = 2};
  const DeviceBuffer<float> x(uniform_values(SIZE, 1)), r(uniform_values(SIZE, 2));
  const DeviceBuffer<float> y(SIZE);
  const auto all = [](const DeviceBuffer<float>& data) {
    return std::span<float>(data.data(), data.size());
  };
  dropout_add(all(x), all(r), all(y), options);
  const std::vector<float> expected = y.to_host();
  const DeviceBuffer<float> x_in_place(x.to_host());
  dropout_add(all(x_in_place), all(r), all(x_in_place), options);
  expect(compare_exactly(x_in_place.to_host(), expected, "out in place of in"));
  dropout_add(all(x), all(r), all(r), options);
  expect(compare_exactly(r.to_host(), expected, "out in place of residual"));
}

TEST_CASE("dropout_add refuses what does not fit") {
  const DeviceBuffer<float> x(8);
  const std::span<float> all(x.data(), 8);
  for (const std::span<float>& other : {all.first(7), all.first(0)}) {
    INFO("other of ", other.size(), " elements, and all of ", all.size());
    CHECK_THROWS_AS(dropout_add(other, all, all, {}), std::invalid_argument);
    CHECK_THROWS_AS(dropout_add(all, other, all, {}), std::invalid_argument);
    CHECK_THROWS_AS(dropout_add(all, all, other, {}), std::invalid_argument);
  }
  CHECK_THROWS_AS(dropout_add({}, {}, {}, {}), std::invalid_argument);
  for (const float probability : {1.0f, -0.5f, -1e-30f, 1.5f, INF, -INF, NOT_A_NUMBER}) {
    CAPTURE(probability);
    CHECK_THROWS_AS(dropout_add(all, all, all, {.probability = probability}),
                    std::invalid_argument);
  }
}

TEST_CASE("dropout_add of as many elements as there may be") {
  const LongBuffer<float> in, residual, out;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        dropout_add({in.data(), size}, {residual.data(), size}, {out.data(), size}, {}, stream);
      },
      [](int n) { return values_outcome(static_cast<std::size_t>(n), {.seed = 3}); }, 1100003,
      MarkedParts("out", out.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 8192, kOddSize = SIZE + 5;
  expect_budget("dropout_add", 12.0 * SIZE, [] { return values_outcome(SIZE, {.seed = 1}); });
  expect_bytes(
      12.0 * kOddSize, [] { return values_outcome(kOddSize, {.seed = 1}, 1); }, 1.25);
}

}  // namespace tut::ch14

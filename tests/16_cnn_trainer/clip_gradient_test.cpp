#include "16_cnn_trainer/clip_gradient.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "../14_layers_and_fusion/vector_image.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch16 {
namespace {

using ch14::INF;
using ch14::near_outcome;
using ch14::NOT_A_NUMBER;
using ch14::result_image;
using ch14::span_of;
using ch14::uniform_values;
using ch14::vector_image;

/// What clip_gradient leaves behind.
struct Images {
  explicit Images(const std::vector<float>& values, std::size_t shift = 0)
      : gradient(vector_image(values, shift)),
        scratch(result_image<float>(clip_gradient_scratch(values.size()), shift)),
        norm(result_image<float>(1, shift)) {}
  Guarded<float> gradient, scratch, norm;
};

Outcome run(Images& images, float max_norm, const std::string& text) {
  return run_on_device(
      {.same_bits = true, .same_bits_anywhere = true}, text,
      [&](cudaStream_t stream, MatrixView<float> g, MatrixView<float> s, MatrixView<float> n) {
        clip_gradient(span_of(g), max_norm, span_of(s), n.data, stream);
      },
      images.gradient, images.scratch, images.norm);
}

std::vector<double> sums_of_squares(const std::vector<float>& values) {
  std::vector<double> sums(clip_gradient_scratch(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[i / CLIP_STRETCH] += static_cast<double>(values[i]) * values[i];
  }
  return sums;
}

double norm_of(const std::vector<float>& values) {
  double sum = 0;
  for (const double part : sums_of_squares(values)) sum += part;
  return std::sqrt(sum);
}

Outcome values_outcome(const std::vector<float>& values, float max_norm, std::size_t shift = 0) {
  constexpr double relative = 3e-6;
  Images images(values, shift);
  const Images before = images;
  const std::string text = std::to_string(values.size()) + " elements, largest norm " +
                           number_text(max_norm) + ", " + std::to_string(4 * shift) +
                           " bytes off an aligned place";
  Outcome outcome = run(images, max_norm, text);
  if (!outcome.ok) return outcome;
  const double norm = norm_of(values), factor = norm > max_norm ? max_norm / norm : 1.0;
  std::vector<double> scaled;
  for (const float value : values) scaled.push_back(factor * value);
  return first_failure({near_outcome(before.scratch, images.scratch, sums_of_squares(values),
                                     relative, 0, "scratch", text),
                        near_outcome(before.norm, images.norm, {norm}, relative, 0, "norm", text),
                        near_outcome(before.gradient, images.gradient, scaled,
                                     norm > max_norm ? relative : 0, 0, "the gradient", text)});
}

std::vector<float> small_integers(std::size_t size) {
  std::vector<float> values(size);
  fill_small_integers(values, 4, 3);
  return values;
}

// Half of its length is cut off.
Outcome halved_outcome(const std::vector<float>& values, std::size_t shift = 0) {
  return values_outcome(values, 0.5f * static_cast<float>(norm_of(values)), shift);
}

/// As many stretches as there may be, of which only the ends are run: their partial sums are in the
/// norm. Elements between the ends are 0. Nothing is checked if other blocks than the first and
/// last ones write those sums.
Outcome many_parts_outcome() {
  constexpr int UNIT = 4096, UNITS = kLongSize / UNIT,
                TRIED = 1030 * static_cast<int>(CLIP_STRETCH) / UNIT;
  constexpr std::size_t SIZE = std::size_t{UNIT} * UNITS, PARTS = clip_gradient_scratch(SIZE);
  constexpr std::size_t LONGEST = std::size_t{1} << 25;  // that is run as a whole
  const LongBuffer<float> gradient(SIZE), scratch(PARTS);
  const DeviceBuffer<float> norm(std::vector<float>{-1.0f});
  if (simt_run_ends != nullptr) {
    const float first = 3.0f, last = 4.0f;
    check(cudaMemcpy(gradient.data(), &first, sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpy(gradient.data() + SIZE - 1, &last, sizeof(float), cudaMemcpyHostToDevice));
  }
  const Outcome reached = grid_reach_outcome(
      {[&](cudaStream_t stream, int units) {
         const std::size_t size = std::size_t{UNIT} * static_cast<std::size_t>(units);
         // Nothing is cut off: each of several runs finds the same gradient.
         clip_gradient({gradient.data(), size}, 10.0f,
                       {scratch.data(), clip_gradient_scratch(size)}, norm.data(), stream);
       },
       "times " + std::to_string(UNIT) + " elements"},
      [](int units) {
        const std::size_t size = std::size_t{UNIT} * static_cast<std::size_t>(units);
        return size > LONGEST ? Outcome{} : halved_outcome(uniform_values(size, 1));
      },
      TRIED, UNITS);
  if (!reached.ok || has_failed() || simt_run_ends == nullptr) return reached;
  float first = 0.0f, last = 0.0f;  // partial sums
  check(cudaMemcpy(&first, scratch.data(), sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(&last, scratch.data() + PARTS - 1, sizeof(float), cudaMemcpyDeviceToHost));
  const float got = norm.to_host()[0];
  if (first != 9.0f || last != 16.0f || got == -1.0f || std::abs(got - 5.0f) < 2e-5f) return {};
  return failure("values", "the norm is " + value_text(got) + "; expected 5, as the " +
                               std::to_string(SIZE) +
                               " elements are 3, 0, ..., 0, 4: are all partial sums added?");
}

}  // namespace

TEST_CASE("clip_gradient scales a long gradient down to the largest norm") {
  for (const std::size_t size : {5000, 1, 2, 31, 255, 256, 257, 2047, 2048, 2049, 4096, 60013}) {
    expect(halved_outcome(uniform_values(size, 1)));
  }
}

TEST_CASE("clip_gradient with more partial sums than a block has threads") {
  expect(halved_outcome(uniform_values(1030 * CLIP_STRETCH + 3, 1)));
}

TEST_CASE("clip_gradient with one partial sum that outweighs many others") {
  // Added one by one to the first, none of the others counts.
  std::vector<float> values = uniform_values(300 * CLIP_STRETCH, 1);
  values[0] = 0x1p17f;
  expect(halved_outcome(values));
}

TEST_CASE("clip_gradient of a gradient too long to be run") { expect(many_parts_outcome()); }

TEST_CASE("clip_gradient wherever its floats begin") {
  for (const std::size_t shift : {1, 2, 3}) expect(halved_outcome(uniform_values(4096, 1), shift));
}

TEST_CASE("clip_gradient with gradients that are small or large as a whole") {
  for (const float size : {1e-6f, 1e-12f, 1e12f}) {
    expect(halved_outcome(uniform_values(5000, 1, -size, size)));
  }
}

TEST_CASE("clip_gradient leaves a short gradient as it is") {
  for (const std::size_t size : {5000, 1, 2048, 2049}) {
    const std::vector<float> values = uniform_values(size, 2);
    expect(values_outcome(values, 1.01f * static_cast<float>(norm_of(values))));
  }
  expect(values_outcome(std::vector<float>(3000), 1.0f));
  expect(values_outcome({3.0f, -4.0f}, 5.001f));
  expect(values_outcome(uniform_values(3000, 2), INF));
}

TEST_CASE("clip_gradient leaves each bit of a short gradient") {
  std::vector<float> values(300, -0.0f);
  values[7] = 1e-40f;
  values[8] = 0.5f;
  Images images(values);
  const Images before = images;
  expect(run(images, 1.0f, "a short gradient"));
  expect(nothing_changed(before.gradient, images.gradient, "gradient", "a short gradient", true));
}

TEST_CASE("clip_gradient adds up each element once") {
  for (const std::size_t size : {2049, 60013}) {
    expect(values_outcome(small_integers(size), 1.0f));
  }
  // One element that is not 0: wherever it is, it is in one sum, once.
  for (const std::size_t place : {0, 255, 256, 2047, 2048, 4999}) {
    std::vector<float> values(5000);
    values[place] = -8.0f;
    expect(values_outcome(values, 2.0f));
  }
}

TEST_CASE("clip_gradient does not change a gradient whose norm is not finite") {
  for (const float strange : {INF, -INF, NOT_A_NUMBER, 1e30f, 3e17f}) {
    std::vector<float> values = uniform_values(5000, 3);
    values[4321] = strange;
    // Each block's sum of squares fits into a float, and all of them together do not.
    if (strange == 3e17f) std::ranges::fill(values, strange);
    Images images(values);
    const Images before = images;
    const std::string text = "an element, or all, are " + std::to_string(strange);
    expect(run(images, 1.0f, text));
    const float norm = images.norm.cview()(0, 0);
    const bool told = std::isnan(strange) ? std::isnan(norm) : norm == INF;
    expect(told ? Outcome{}
                : failure("values", "the norm is " + value_text(norm) + "; expected " +
                                        (std::isnan(strange) ? "nan" : "inf") + " (" + text + ")"));
    expect(nothing_changed(before.gradient, images.gradient, "gradient", text, true));
  }
}

TEST_CASE("clip_gradient gives equal gradients equal norms, wherever they begin") {
  const std::vector<float> values = uniform_values(9000, 6);
  Images aligned(values);
  expect(run(aligned, 1.0f, "a gradient at a multiple of 16 bytes"));
  for (const std::size_t shift : {1, 2, 3}) {
    Images shifted(values, shift);
    const std::string text = std::to_string(4 * shift) + " bytes off an aligned place";
    expect(run(shifted, 1.0f, text));
    std::string different;  // the first value whose bits differ
    const auto compare = [&](const std::string& name, float here, float there) {
      if (!different.empty() || bits_of(here) == bits_of(there)) return;
      different = name + " is " + value_text(here) + " (" + text + "), and at an aligned place " +
                  value_text(there);
    };
    compare("the norm", shifted.norm.cview()(0, 0), aligned.norm.cview()(0, 0));
    for (int i = 0; i < aligned.scratch.cols(); ++i) {
      compare("partial sum " + std::to_string(i), shifted.scratch.cview()(0, i),
              aligned.scratch.cview()(0, i));
    }
    expect(different.empty()
               ? Outcome{}
               : failure("values", different + "; expected the same bits: does the order of the "
                                               "additions depend on the size alone?"));
  }
}

TEST_CASE("clip_gradient refuses what does not fit") {
  const DeviceBuffer<float> values(4096), parts(2), norm(1);
  const auto gradient = [&](std::size_t size) { return std::span(values.data(), size); };
  const auto scratch = [&](std::size_t size) { return std::span(parts.data(), size); };
  CHECK_THROWS_AS(clip_gradient(gradient(0), 1, scratch(0), norm.data()), std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), 1, scratch(1), norm.data()), std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(2048), 1, scratch(2), norm.data()), std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), 1, scratch(2), nullptr), std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), 0, scratch(2), norm.data()), std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), -1, scratch(2), norm.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), -INF, scratch(2), norm.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), 1, scratch(3), norm.data()), std::invalid_argument);
  CHECK_THROWS_AS(clip_gradient(gradient(4096), std::nanf(""), scratch(2), norm.data()),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 262144;
  expect_budget("clip_gradient", 12.0 * SIZE,
                [] { return values_outcome(uniform_values(SIZE, 1), 1.0f); });
  // A gradient that is short enough is only read, and by each warp the norm.
  expect_budget("clip_gradient", (4.0 + 32.0 / 32) * SIZE,
                [] { return values_outcome(uniform_values(SIZE, 1), 1e6f); });
  constexpr std::size_t kOddSize = SIZE + 5;
  expect_bytes(
      12.0 * kOddSize, [] { return values_outcome(uniform_values(kOddSize, 1), 1.0f, 1); }, 1.25);
}

}  // namespace tut::ch16

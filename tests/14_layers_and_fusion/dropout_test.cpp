#include "14_layers_and_fusion/dropout.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

std::vector<float> dropped(std::size_t size, const DropoutOptions& options) {
  const GuardedVector<float> in(std::vector<float>(size, 1.0f)), out(size);
  dropout(in.span(), out.span(), options);
  return out.read();
}

}  // namespace

TEST_CASE("philox gives the words of its authors' test vectors") {
  // Random123's known answers for philox4x32 with 10 rounds: counter, key, result.
  static_assert(philox({0, 0, 0, 0}, 0, 0) ==
                Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  static_assert(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff) ==
                Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  static_assert(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
                Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  // The sequences of the course: index, step and seed go where they are said to go.
  static_assert(random_words(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88) ==
                Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  CHECK(random_words(1, 2, 3) != random_words(1, 2, 4));
  CHECK(random_words(1, 2, 3) != random_words(1, 3, 3));
  CHECK(random_words(1, 2, 3) != random_words(2, 2, 3));
}

TEST_CASE("the words of a mask belong to each element once") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t index = 0; index < 600; ++index) {
    for (int word = 0; word < DropoutLayout::EACH; ++word) {
      seen.insert(DropoutLayout::element(index, word));
    }
  }
  CHECK(seen.size() == 2400);
  CHECK(DropoutLayout::element(0, 1) == 256);
  CHECK(DropoutLayout::element(255, 3) == 1023);
  CHECK(DropoutLayout::element(256, 0) == 1024);
}

TEST_CASE("dropout drops where its words say so, and scales what it keeps") {
  const DropoutOptions options{
      .probability = 0.3f, .seed = 7, .step = (std::uint64_t{1} << 40) + 5};
  for (const std::size_t size : {1, 31, 255, 257, 1023, 1024, 1025, 5003}) {
    CAPTURE(size);
    const std::vector<float> host = random_vector<float>(size, 1);
    const GuardedVector<float> in(host), out(size);
    dropout(in.span(), out.span(), options);
    std::vector<double> expected(size);
    for (std::uint64_t index = 0; index < 256 * (size / 1024 + 1); ++index) {
      const Words words = random_words(options.seed, options.step, index);
      const std::uint32_t four[4] = {words.a, words.b, words.c, words.d};
      for (int k = 0; k < 4; ++k) {
        const std::uint64_t i = DropoutLayout::element(index, k);
        if (i >= size) continue;
        expected[i] = four[k] < dropout_threshold(0.3f) ? 0.0 : host[i] / (1 - double{0.3f});
      }
    }
    check_near(out.read_double(), expected, 2e-7, 0);
    CHECK(same_bytes(in.read(), host));
    dropout(in.span(), in.span(), options);
    CHECK(same_bytes(in.read(), out.read()));
  }
}

TEST_CASE("dropout keeps the share it should, and with it the mean") {
  for (const float probability : {0.1f, 0.5f, 0.9f}) {
    constexpr std::size_t size = 100000;
    const std::vector<float> out = dropped(size, {.probability = probability, .seed = 3});
    double kept = 0, sum = 0;
    for (const float value : out) {
      kept += value != 0.0f;
      sum += value;
    }
    // Five standard deviations of a share of `size` draws.
    const double deviation = std::sqrt(probability * (1.0 - probability) / size);
    CHECK(std::abs(kept / size - (1.0 - probability)) <= 5 * deviation);
    CHECK(std::abs(sum / size - 1.0) <= 5 * deviation / (1.0 - probability));
  }
  CHECK(dropped(1000, {.probability = 0.0f}) == std::vector<float>(1000, 1.0f));
}

TEST_CASE("a mask is a function of seed, step and element") {
  const DropoutOptions options{.probability = 0.5f, .seed = 1, .step = 9};
  const std::vector<float> mask = dropped(3000, options);
  CHECK(dropped(3000, options) == mask);
  // A longer vector has the same mask where both are: what a larger batch does.
  std::vector<float> longer = dropped(5000, options);
  longer.resize(3000);
  CHECK(longer == mask);
  for (const DropoutOptions other : {DropoutOptions{0.5f, 2, 9}, DropoutOptions{0.5f, 1, 10},
                                     DropoutOptions{0.5f, 1 + (std::uint64_t{1} << 32), 9}}) {
    const std::vector<float> another = dropped(3000, other);
    int equal = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) equal += another[i] == mask[i];
    CHECK(std::abs(equal - 1500) < 140);  // five standard deviations
  }
}

TEST_CASE_TEMPLATE("other types have the masks of float; the gradient is the same call", T, __half,
                   __nv_bfloat16, Tf32) {
  const DropoutOptions options{.probability = 0.5f, .seed = 4, .step = 2};
  const std::vector<float> mask = dropped(777, options);
  const std::vector<T> host = random_vector<T>(777, 5);
  const GuardedVector<T> in(host), out(std::size_t{777});
  dropout(in.span(), out.span(), options);
  const std::vector<double> got = out.read_double(), x = in_double(host);
  // L = sum of g * dropout(x) is linear in x, so its gradient is g times the mask.
  std::vector<double> expected;
  for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(x[i] * mask[i]);
  check_near(got, expected, 0, 0);
}

TEST_CASE("dropout refuses probabilities that are none") {
  const GuardedVector<float> memory(std::size_t{8});
  for (const float probability : {1.0f, -0.1f, NAN}) {
    CAPTURE(probability);
    CHECK_THROWS_AS(dropout(memory.span(), memory.span(), {.probability = probability}),
                    std::invalid_argument);
  }
}

}  // namespace tut::ch14::test

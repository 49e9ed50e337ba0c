#include "14_layers_and_fusion/relu_bits.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_image.hpp"

namespace tut::ch14 {
namespace {

// The bits that relu_bits must leave.
std::vector<std::uint32_t> bits_of_values(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits((values.size() + 31) / 32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) bits[i / 32] |= std::uint32_t{1} << i % 32;
  }
  return bits;
}

std::vector<double> as_double(const std::vector<std::uint32_t>& words) {
  return {words.begin(), words.end()};
}

Outcome run_forward(const std::string& text, Guarded<float>& in, Guarded<float>& out,
                    Guarded<std::uint32_t>& bits) {
  return run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<float> x, MatrixView<float> y,
         MatrixView<std::uint32_t> words) {
        relu_bits(span_of(x), span_of(y), span_of(words), stream);
      },
      in, out, bits);
}

Outcome run_backward(const std::string& text, Guarded<std::uint32_t>& bits, Guarded<float>& d_out,
                     Guarded<float>& d_in) {
  return run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<std::uint32_t> words, MatrixView<float> dy,
         MatrixView<float> dx) {
        relu_bits_backward(span_of(words), span_of(dy), span_of(dx), stream);
      },
      bits, d_out, d_in);
}

std::string case_text(std::size_t size, std::size_t shift) {
  return std::to_string(size) + " elements, " + std::to_string(4 * shift) +
         " bytes off an aligned place";
}

Outcome forward_outcome(std::size_t size, std::size_t shift = 0) {
  std::vector<float> values = uniform_values(size, 1);
  values[size / 2] = 0.0f;
  Guarded<float> in = vector_image(values, shift), out = result_image<float>(size, shift);
  Guarded<std::uint32_t> bits = result_image<std::uint32_t>((size + 31) / 32, shift);
  const Guarded<float> in_before = in, out_before = out;
  const Guarded<std::uint32_t> bits_before = bits;
  const std::string text = case_text(size, shift);
  if (Outcome run = run_forward(text, in, out, bits); !run.ok) return run;
  std::vector<double> expected;
  for (const float value : values) expected.push_back(value > 0 ? value : 0);
  return first_failure(
      {near_outcome(out_before, out, expected, 0, 0, "out", text),
       near_outcome(bits_before, bits, as_double(bits_of_values(values)), 0, 0, "bits", text),
       nothing_changed(in_before, in, "in", text, true)});
}

Outcome backward_outcome(std::size_t size, std::size_t shift = 0) {
  const std::vector<float> values = uniform_values(size, 2);
  Guarded<float> d_out = vector_image(uniform_values(size, 3), shift),
                 d_in = result_image<float>(size, shift);
  Guarded<std::uint32_t> bits = vector_image(bits_of_values(values), shift);
  const Guarded<float> d_out_before = d_out, d_in_before = d_in;
  const Guarded<std::uint32_t> bits_before = bits;
  const std::string text = case_text(size, shift) + ", the gradient";
  if (Outcome run = run_backward(text, bits, d_out, d_in); !run.ok) return run;
  std::vector<double> expected;
  for (std::size_t i = 0; i < size; ++i) {
    expected.push_back(values[i] > 0 ? d_out_before.cview().data[i] : 0.0f);
  }
  return first_failure({near_outcome(d_in_before, d_in, expected, 0, 0, "d_in", text),
                        nothing_changed(d_out_before, d_out, "d_out", text, true),
                        nothing_changed(bits_before, bits, "bits", text, true)});
}

// Around a word, a warp's 1024 elements, and a block's 8192; and more blocks than a device has.
const std::vector<std::size_t> sizes{1,    31,   32,   33,   1000, 1023,  1024,
                                     1025, 8191, 8192, 8193, 8225, 20011, 1100003};

// What a comparison, a sign bit or a product with 0 or 1 may get wrong.
std::vector<float> special_values() {
  std::vector<float> values{1,    -1,    NOT_A_NUMBER, -NOT_A_NUMBER, INF,    -INF,
                            0.0f, -0.0f, 1e30f,        -1e30f,        1e-40f, -1e-40f};
  for (int i = 0; i < 30; ++i) values.push_back(values[static_cast<std::size_t>(i)]);
  return values;
}

}  // namespace

TEST_CASE("relu_bits cuts off what is negative, and remembers where") {
  for (const std::size_t size : sizes) expect(forward_outcome(size));
}

TEST_CASE("relu_bits_backward passes the gradient where a bit is set") {
  for (const std::size_t size : sizes) expect(backward_outcome(size));
}

TEST_CASE("relu_bits and its gradient wherever their numbers begin") {
  for (const std::size_t shift : {1, 2, 3}) {
    expect(forward_outcome(4128, shift));
    expect(backward_outcome(4128, shift));
  }
}

TEST_CASE("relu_bits with NaN and infinity, huge or tiny, and in place") {
  const std::vector<float> values = special_values();
  Guarded<float> x = vector_image(values), out = result_image<float>(values.size());
  Guarded<std::uint32_t> bits = result_image<std::uint32_t>(2);
  const Guarded<std::uint32_t> bits_before = bits;
  std::vector<double> expected;
  for (const float value : values) expected.push_back(value < 0 ? 0.0f : value);
  expect(run_forward("special values", x, out, bits));
  expect(special_outcome(out, expected, "out", "special values"));
  expect(near_outcome(bits_before, bits, as_double(bits_of_values(values)), 0, 0, "bits",
                      "special values"));
  expect(run_on_device(
      "special values, in place",
      [](cudaStream_t stream, MatrixView<float> xv, MatrixView<std::uint32_t> words) {
        relu_bits(span_of(xv), span_of(xv), span_of(words), stream);
      },
      x, bits));
  expect(special_outcome(x, expected, "out", "special values, in place"));
}

TEST_CASE("relu_bits_backward keeps back an infinite gradient, and works in place") {
  const std::vector<float> gradients = special_values();
  const std::size_t size = gradients.size();
  const std::vector<float> values = uniform_values(size, 5);
  Guarded<float> d = vector_image(gradients), d_in = result_image<float>(size);
  Guarded<std::uint32_t> bits = vector_image(bits_of_values(values));
  std::vector<double> expected;
  for (std::size_t i = 0; i < size; ++i) expected.push_back(values[i] > 0 ? gradients[i] : 0.0f);
  expect(run_backward("special gradients", bits, d, d_in));
  expect(special_outcome(d_in, expected, "d_in", "special gradients"));
  expect(run_on_device(
      "special gradients, in place",
      [](cudaStream_t stream, MatrixView<std::uint32_t> words, MatrixView<float> dv) {
        relu_bits_backward(span_of(words), span_of(dv), span_of(dv), stream);
      },
      bits, d));
  expect(special_outcome(d, expected, "d_in", "special gradients, in place"));
}

TEST_CASE("relu_bits and its gradient in memory of just its size") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{32}, std::size_t{1024}}) {
    const std::size_t words = (size + 31) / 32;
    const std::vector<float> values = uniform_values(size, 4);
    const DeviceBuffer<float> x(values), y(size), d(size);
    const DeviceBuffer<std::uint32_t> bits(words);
    relu_bits({x.data(), size}, {y.data(), size}, {bits.data(), words});
    expect(compare_words(bits.to_host(), bits_of_values(values), "bits"));
    relu_bits_backward({bits.data(), words}, {x.data(), size}, {d.data(), size});
    // The input is its own gradient.
    expect(compare_exactly(d.to_host(), y.to_host(), "the gradient"));
  }
}

TEST_CASE("relu_bits refuses lengths that do not fit") {
  const DeviceBuffer<float> x(33);
  const DeviceBuffer<std::uint32_t> bits(2);
  struct Lengths {
    std::size_t from, to, words;
  };
  // 33 numbers have 2 words, 32 have 1.
  for (const auto& [from, to, words] : {Lengths{33, 33, 1},
                                        {33, 33, 0},
                                        {32, 32, 2},
                                        {33, 32, 2},
                                        {32, 33, 2},
                                        {32, 33, 1},
                                        {33, 0, 2},
                                        {0, 33, 2},
                                        {0, 0, 0}}) {
    CAPTURE(from);
    CAPTURE(to);
    CAPTURE(words);
    CHECK_THROWS_AS(relu_bits({x.data(), from}, {x.data(), to}, {bits.data(), words}),
                    std::invalid_argument);
    CHECK_THROWS_AS(relu_bits_backward({bits.data(), words}, {x.data(), from}, {x.data(), to}),
                    std::invalid_argument);
  }
}

TEST_CASE("relu_bits and its gradient of as many elements as there may be") {
  const LongBuffer<float> from, to;
  const LongBuffer<std::uint32_t> bits;
  const auto words = [&](std::size_t size) { return std::span(bits.data(), (size + 31) / 32); };
  MarkedParts results("out", to.data(), kLongSize);
  results.add_ends("bits", bits.data(), words(kLongSize).size());
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        relu_bits({from.data(), size}, {to.data(), size}, words(size), stream);
      },
      [](int n) { return forward_outcome(static_cast<std::size_t>(n)); }, 1100003, results));
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        relu_bits_backward(words(size), {from.data(), size}, {to.data(), size}, stream);
      },
      [](int n) { return backward_outcome(static_cast<std::size_t>(n)); }, 1100003,
      MarkedParts("d_in", to.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 16384, kOddSize = SIZE + 5;
  expect_budget("relu_bits", 8.125 * SIZE, [] { return forward_outcome(SIZE); });
  expect_budget("relu_bits", 8.125 * SIZE, [] { return backward_outcome(SIZE); });
  expect_bytes(
      8.125 * kOddSize, [] { return forward_outcome(kOddSize, 1); }, 1.25);
  expect_bytes(
      8.125 * kOddSize, [] { return backward_outcome(kOddSize, 1); }, 1.25);
}

}  // namespace tut::ch14

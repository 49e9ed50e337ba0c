#include "08_reductions/dot_product.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "../sum_case.hpp"
#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch08 {
namespace {

using Values = std::vector<float>;

double product_of(const Values& left, const Values& right) {
  const DeviceBuffer<float> x(left), y(right), scratch(dot_product_scratch(left.size())),
      out(Values{-1.0f});
  const DeviceBuffer<unsigned> finished(std::vector<unsigned>{0});
  run_to_end([&](cudaStream_t stream) {
    dot_product({x.data(), left.size()}, {y.data(), right.size()}, {scratch.data(), scratch.size()},
                finished.data(), out.data(), stream);
  });
  return out.to_host()[0];
}

/// Which of so many products is made of the wrong elements, or is not counted exactly once; "" if
/// that does not show.
std::string wrong_product(std::size_t size) {
  constexpr std::size_t kLongest = 20000;
  if (size > kLongest) return "";
  const auto name_of = [](int i) {
    return "x[" + std::to_string(i) + "] y[" + std::to_string(i) + "]";
  };
  const auto sum_of_first = [&](int count) {
    Values left(size, 0.0f);
    std::fill_n(left.begin(), count, 1.0f);
    return product_of(left, Values(size, 1.0f));
  };
  try {
    std::string wrong = miscounted_term(static_cast<int>(size), sum_of_first, name_of);
    Values numbers(size);
    for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<float>(i);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                                std::size_t{1024}, size / 2, size - 1}) {
      if (!wrong.empty() || i >= size) continue;
      Values left(size, 0.0f);
      left[i] = 1.0f;
      const auto other = static_cast<std::size_t>(product_of(left, numbers));
      if (other == i || other >= size) continue;
      wrong = "x[" + std::to_string(i) + "] is multiplied by y[" + std::to_string(other) +
              "], expected y[" + std::to_string(i) + "]";
    }
    return wrong;
  } catch (const std::exception&) {
    return "";  // which other cases tell of
  }
}

/// `calls` with the same scratch memory and counter: what the first leaves there must not disturb
/// the second. The first gets `more_scratch` than is needed.
Outcome dot_outcome(const Values& left, const Values& right, std::size_t x_guard,
                    std::size_t y_guard, bool exact, int calls = 2, std::size_t more_scratch = 3) {
  const std::size_t size = left.size();
  Guarded<float> x = vector_image(left, x_guard), y = vector_image(right, y_guard),
                 out = result_image<float>(static_cast<std::size_t>(calls));
  const Guarded<float> x_before = x, y_before = y, out_before = out;
  const std::size_t needed = dot_product_scratch(size);
  Guarded<float> scratch = result_image<float>(needed + more_scratch);
  Guarded<unsigned> finished = vector_image<unsigned>({0});
  scratch.set_scratch();
  const Guarded<float> scratch_before = scratch;
  const std::string text =
      std::to_string(size) + " elements" + strange_text(left) + (calls > 1 ? ", two calls" : "");
  Outcome run = run_on_device(
      {.same_bits = true, .same_bits_anywhere = true, .most_launches = calls}, text,
      [calls, needed](cudaStream_t stream, MatrixView<float> a, MatrixView<float> b,
                      MatrixView<float> to, MatrixView<float> memory,
                      MatrixView<unsigned> counter) {
        for (int call = 0; call < calls; ++call) {
          const std::span<float> all = span_of(memory);
          dot_product(span_of(a), span_of(b), call == 0 ? all : all.first(needed), counter.data,
                      to.data + call, stream);
        }
      },
      x, y, out, scratch, finished);
  if (!run.ok) return run;
  if (const unsigned count = finished.cview()(0, 0); count != 0) {
    return failure("values", "the counter is " + std::to_string(count) +
                                 " after the call, expected 0: a call that finds it above 0 has "
                                 "no last block, and writes no result (" +
                                 text + ")");
  }
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += static_cast<double>(left[i]) * right[i];
    magnitude += std::abs(static_cast<double>(left[i]) * right[i]);
  }
  const double depth = static_cast<double>(sum_vectorized_depth(size)) + 1;
  const double bound = exact ? 0 : 1.01 * depth * 0x1p-24 * magnitude;
  const auto name_of = [](std::size_t i) { return "the product of call " + std::to_string(i); };
  const std::vector<double> sums(static_cast<std::size_t>(calls), sum), bounds(sums.size(), bound);
  Outcome outcome = first_failure(
      {second_call_outcome(out.cview(), text),
       std::isfinite(sum) ? vector_outcome(out_before, out, sums, bounds,
                                           calls > 1 ? "the product, twice" : "the product", text,
                                           [&] { return wrong_product(size); })
                          : special_outcome({out.cview().data, sums.size()}, sums, text, name_of),
       only_inside_changed(scratch_before, scratch, "scratch", text, true),
       nothing_changed(x_before, x, "x", text, true),
       nothing_changed(y_before, y, "y", text, true)});
  if (!outcome.ok) return outcome;
  if (bits_of(out.cview()(0, 0)) == bits_of(out.cview()(0, calls - 1))) return {};
  return failure(
      "values", "the second call, which gets less scratch memory, has other bits than the first (" +
                    text + ")");
}

}  // namespace

TEST_CASE("dot products of any numbers") {
  // Both begin an element behind a multiple of 16 bytes, and then only one: in the same order.
  expect(dot_outcome(uniform_values(5000, 1), uniform_values(5000, 2), 1025, 1025, false));
  for (const std::size_t size : lengths()) {
    expect(dot_outcome(uniform_values(size, 1), uniform_values(size, 2), 1024, 1024, false));
  }
}

TEST_CASE("dot products of small integers are exact, also at odd places in memory") {
  for (const std::size_t size : {1, 1023, 1024, 1025, 4097, 65543}) {
    const Values x = small_integers(size, 3, 5), y = small_integers(size, 4, 5);
    expect(dot_outcome(x, y, 1024, 1024, true));
    expect(dot_outcome(x, y, 1025, 1024, true));
    expect(dot_outcome(x, y, 1024, 1027, true));
  }
}

TEST_CASE("every product is in the sum once") {
  for (const std::size_t place : {0, 3, 1023, 1024, 4095, 4096, 8191, 8999}) {
    Values x = uniform_values(9000, 5), y(9000, 0.0f);
    x[place] = 3.0f, y[place] = -8.0f;
    expect(dot_outcome(x, y, 1024, 1024, true));
    expect(dot_outcome(y, x, 1024, 1024, true));
  }
}

TEST_CASE("many small sums beside a large one are not lost one by one") {
  // One addition after the other would lose each of them: 2^-25 is half of the last place of 1.
  constexpr std::size_t SIZE = 1u << 20;
  Values x(SIZE, 0.0f);
  for (std::size_t i = 1; i < SIZE / 4096; ++i) x[4096 * i + 4 * i] = 0x1p-25f;
  x[0] = 1.0f;
  expect(dot_outcome(x, Values(SIZE, 1.0f), 1024, 1024, false, 1));
}

TEST_CASE("small sums of a block's threads beside a large one are not lost one by one") {
  // A sum in each thread, as long as the block has 256 and each takes four neighbours.
  Values x(1024, 0.0f);
  for (std::size_t i = 4; i < x.size(); i += 4) x[i] = 0x1p-25f;
  x[0] = 1.0f;
  expect(dot_outcome(x, Values(x.size(), 1.0f), 1024, 1024, false, 1));
}

TEST_CASE("every product is in the sum once, and few are lost, in stretches longer than a tile") {
  // 1 + 2^-24 is 1: what is added to the large product by itself is lost. So are the products of
  // its thread where they go to one sum, a sum of its block for each level of the tree, the sums of
  // the blocks that its thread adds up, and one of them for each level. Together they are more than
  // the contract allows, unless a thread has several sums.
  if (has_failed()) return;
  const WithoutRaces watched_in_part;
  constexpr std::size_t SIZE = LONGER_STRETCHES, LENGTH = stretch_length(SIZE),
                        THREADS = STRETCH_THREADS;
  DeviceBuffer<float> x(SIZE);
  x.fill_bytes(0);
  double sum = 0;
  const auto put = [&](std::size_t place, float value) {
    check(cudaMemcpy(x.data() + place, &value, sizeof(value), cudaMemcpyHostToDevice));
    sum += double{value} * value;
  };
  put(0, 1.0f);
  for (std::size_t i = 1; i < LENGTH; ++i) {
    if (i % (4 * THREADS) < 4) put(i, 0x1p-12f);
  }
  for (std::size_t t = 1; t < THREADS; t *= 2) {
    put(4 * t, 0x1p-12f);
    put(LENGTH * t, 0x1p-12f);
  }
  for (std::size_t block = THREADS; block < stretches(SIZE); block += THREADS) {
    put(LENGTH * block, 0x1p-12f);
  }
  // None of these is lost, and each would be missed.
  float one_of_few = 0x1p-5f;
  for (const std::size_t place : IN_LONGER_STRETCHES) put(place, one_of_few), one_of_few /= 2;

  const DeviceBuffer<float> out(Values{7.0f}), scratch(dot_product_scratch(SIZE));
  const DeviceBuffer<unsigned> finished(std::vector<unsigned>{0});
  const std::string text = std::to_string(SIZE) + " elements, in stretches of two tiles";
  Outcome outcome = outcome_of_call(text, [&] {
    run_to_end([&](cudaStream_t stream) {
      const std::span<const float> in{x.data(), SIZE};
      dot_product(in, in, {scratch.data(), scratch.size()}, finished.data(), out.data(), stream);
    });
  });
  if (!outcome.ok) return expect(outcome);
  const double depth = static_cast<double>(sum_vectorized_depth(SIZE)) + 1;
  const double bound = 1.01 * depth * 0x1p-24 * sum, got = out.to_host()[0];
  if (is_right(static_cast<float>(got), sum, bound)) return expect({});
  char wrong[200];
  std::snprintf(
      wrong, sizeof wrong,
      "the product of the array with itself is %.9g; expected %.9g within %.2g%s", got, sum, bound,
      std::abs(got - sum) < 0x1p-16 ? ": are many products added to one sum, one after the other?"
                                    : "");
  expect(failure("values", std::string(wrong) + " (" + text + ")"));
}

TEST_CASE("infinities and NaN are in the sum like any other product") {
  for (const std::size_t size : {1, 7, 4097}) {
    for (const std::size_t place : {std::size_t{0}, size - 1}) {
      for (const float value : {INF, -INF, NOT_A_NUMBER}) {
        Values x = small_integers(size, 6, 5), y(size, 1.0f);
        x[place] = value;
        expect(dot_outcome(x, y, 1024, 1024, false, 1));
        expect(dot_outcome(y, x, 1024, 1024, false, 1));
        y[place] = 0.0f;  // NaN in each case
        expect(dot_outcome(x, y, 1024, 1025, false, 1));
      }
    }
  }
}

TEST_CASE("the dot product of nothing is 0, also where nothing is a null pointer") {
  for (const bool null : {false, true}) {
    Guarded<float> x = vector_image(Values(4, 5.0f)), out = result_image<float>(2),
                   scratch = result_image<float>(dot_product_scratch(0));
    Guarded<unsigned> finished = vector_image<unsigned>({0});
    const Guarded<float> before = out;
    const std::string text =
        std::string("no elements") + (null ? ", null pointers" : "") + ", two calls";
    Outcome outcome = run_on_device(
        {.most_launches = 2}, text,
        [null](cudaStream_t stream, MatrixView<float> a, MatrixView<float> to,
               MatrixView<float> memory, MatrixView<unsigned> counter) {
          for (int call = 0; call < 2; ++call) {
            const std::span<const float> none{null ? nullptr : a.data, 0};
            dot_product(none, none, span_of(memory), counter.data, to.data + call, stream);
          }
        },
        x, out, scratch, finished);
    if (outcome.ok) {
      outcome = vector_outcome(before, out, {0, 0}, {0, 0}, "the product of call", text);
    }
    if (outcome.ok && finished.cview()(0, 0) != 0) {
      outcome = failure("values", "the counter is not 0 after the call (" + text + ")");
    }
    expect(outcome);
  }
}

TEST_CASE("dot_product refuses what does not fit") {
  const DeviceBuffer<float> values(5000), parts(2), out(1);
  const DeviceBuffer<unsigned> finished(std::vector<unsigned>{0});
  const auto x = [&](std::size_t size) { return std::span<const float>(values.data(), size); };
  const auto y = x;
  const auto scratch = [&](std::size_t size) { return std::span(parts.data(), size); };
  const std::span<const float> null(static_cast<const float*>(nullptr), 5000);
  CHECK_THROWS_AS(dot_product(null, y(5000), scratch(2), finished.data(), out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(5000), null, scratch(2), finished.data(), out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(5000), y(4999), scratch(2), finished.data(), out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(4999), y(5000), scratch(2), finished.data(), out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(5000), y(5000), scratch(1), finished.data(), out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(0), y(0), scratch(0), finished.data(), out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(5000), y(5000), scratch(2), nullptr, out.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(dot_product(x(5000), y(5000), scratch(2), finished.data(), nullptr),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  // Aligned memory is loaded by 16 bytes whatever its size; there are as many blocks as stretches,
  // however much scratch memory there is.
  constexpr std::size_t LARGE_SCRATCH = 4000;
  for (const std::size_t size : {131072, 131075}) {
    expect_budget("dot_product", 8.0 * size + 100.0 * dot_product_scratch(size), [&] {
      return dot_outcome(uniform_values(size, 1), uniform_values(size, 2), 1024, 1024, false, 1,
                         LARGE_SCRATCH);
    });
  }
}

}  // namespace tut::ch08

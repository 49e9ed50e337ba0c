#include "16_cnn_trainer/attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../refusal_case.hpp"
#include "../tensor_products.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/compare.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/sparse_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch16 {
namespace {

struct Shape {
  int queries, keys, heads = 1;
};

/// Elements between rows of Q; K has twice as many, V three times, out four times.
struct Case {
  Shape shape;
  int extra = 0;
  const char* shifted = "";  // what begins one element behind a multiple of 16 bytes
};

struct Images {
  Guarded<__half> q, k, v, out;
};

Images make_images(const Case& test) {
  const auto& [queries, keys, heads] = test.shape;
  const auto image = [&](const std::string& name, int rows, int times) {
    const std::size_t guard = test.extra > 0 || *test.shifted != 0 ? 4096 : 0;
    return Guarded<__half>(rows, 64 * heads, 64 * heads + times * test.extra,
                           guard + (name == test.shifted ? 1 : 0));
  };
  return {image("Q", queries, 1), image("K", keys, 2), image("V", keys, 3),
          image("out", queries, 4)};
}

void fill_random(Guarded<__half>& image, std::uint64_t seed, float largest) {
  HostMatrix<__half> values(image.rows(), image.cols());
  HostMatrix<float> random(image.rows(), image.cols());
  fill_uniform(random, seed, -largest, largest);
  std::ranges::transform(random.span(), values.data(), [](float x) { return __float2half(x); });
  image.set(values);
}

template <class F>
void fill_with(Guarded<__half>& image, F element) {
  for (int r = 0; r < image.rows(); ++r) {
    for (int c = 0; c < image.cols(); ++c) {
      image.view()(r, c) = __float2half(static_cast<float>(element(r, c)));
    }
  }
}

std::string text_of(const Case& test) {
  return std::to_string(test.shape.queries) + " queries, " + std::to_string(test.shape.keys) +
         " keys, " + std::to_string(test.shape.heads) + " heads, " + std::to_string(test.extra) +
         " elements between rows of Q" +
         (*test.shifted == 0
              ? ""
              : std::string(", ") + test.shifted + " one element behind a multiple of 16 bytes");
}

/// A mistake, or none.
struct Variant {
  double scale = 0.125;
  int first_key = 0;       // of those that count
  int keys_of_zeros = 0;   // behind the last one
  bool is_divided = true;  // by the sum
  int head_of_values = 0;  // further
};

/// What is expected, or what a mistake makes, in double.
HostMatrix<double> attend(const HostMatrix<double>& q, const HostMatrix<double>& k,
                          const HostMatrix<double>& v, const Variant& variant = {}) {
  const int keys = k.rows(), heads = q.cols() / 64;
  HostMatrix<double> out(q.rows(), q.cols());
  std::vector<double> weights(static_cast<std::size_t>(keys));
  for (int head = 0; head < heads; ++head) {
    const int col0 = 64 * head, value0 = 64 * ((head + variant.head_of_values) % heads);
    for (int i = 0; i < q.rows(); ++i) {
      double largest = variant.keys_of_zeros > 0 ? 0.0 : -std::numeric_limits<double>::infinity();
      for (int j = variant.first_key; j < keys; ++j) {
        double score = 0;
        for (int c = 0; c < 64; ++c) score += q(i, col0 + c) * k(j, col0 + c);
        score *= variant.scale;
        weights[static_cast<std::size_t>(j)] = score;
        largest = std::fmax(largest, score);
      }
      double sum = variant.keys_of_zeros > 0 ? variant.keys_of_zeros * std::exp(-largest) : 0.0;
      for (int j = variant.first_key; j < keys; ++j) {
        double& weight = weights[static_cast<std::size_t>(j)];
        weight = std::exp(weight - largest);
        sum += weight;
      }
      if (!variant.is_divided) sum = 1;
      for (int c = 0; c < 64; ++c) {
        double element = 0;
        for (int j = variant.first_key; j < keys; ++j) {
          element += weights[static_cast<std::size_t>(j)] * v(j, value0 + c);
        }
        out(i, col0 + c) = element / sum;
      }
    }
  }
  return out;
}

/// What is likely to go wrong, as formulas: computed if they are asked for.
std::vector<Formula> mistakes_of(const HostMatrix<double>& q, const HostMatrix<double>& k,
                                 const HostMatrix<double>& v) {
  const auto made = [&](const std::string& text, const Variant& variant) {
    const HostMatrix<double> out = attend(q, k, v, variant);
    return Formula{text, [out](int r, int c) { return out(r, c); }};
  };
  const int last_step = (k.rows() - 1) / 64 * 64;
  std::vector<Formula> mistakes = {
      made("made of scores that were not divided by 8, the root of 64", {.scale = 1}),
      made("made of scores that were divided by 64, and not by its root", {.scale = 1.0 / 64}),
      made("a sum of weights times values that was not divided by the sum of the weights",
           {.is_divided = false})};
  if (k.rows() % 64 != 0) {
    mistakes.push_back(
        made("made with keys beyond the last, whose scores are 0: their weights are "
             "not, so they must not be in the sum",
             {.keys_of_zeros = 64 - k.rows() % 64}));
  }
  if (last_step > 0) {
    mistakes.push_back(
        made("made of the last step's keys alone (step of 64): are the sums so far "
             "kept, and rescaled when the largest score grows?",
             {.first_key = last_step}));
  }
  if (q.cols() > 64) {
    mistakes.push_back(made("made of the next head's values", {.head_of_values = 1}));
  }
  return mistakes;
}

Outcome run_on(Images& images, const std::string& text) {
  return run_on_device(
      {.most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<const __half> q, MatrixView<const __half> k,
         MatrixView<const __half> v, MatrixView<__half> out) { attention(q, k, v, out, stream); },
      images.q, images.k, images.v, images.out);
}

/// `exact`: the result must come out without any error.
Outcome outcome_of(Images images, const std::string& text, bool exact = false) {
  const Images before = images;
  if (Outcome outcome = run_on(images, text); !outcome.ok) return outcome;
  const auto q = to_double_matrix(before.q.cview()), k = to_double_matrix(before.k.cview()),
             v = to_double_matrix(before.v.cview());
  const HostMatrix<double> expected = attend(q, k, v);
  const auto sizes =
      make_matrix<double>(v.rows(), v.cols(), [&](int r, int c) { return std::abs(v(r, c)); });
  const HostMatrix<double> magnitude = attend(q, k, sizes);
  std::vector<double> sum_of_sizes(static_cast<std::size_t>(v.cols()));
  for (int r = 0; r < v.rows(); ++r) {
    for (int c = 0; c < v.cols(); ++c) sum_of_sizes[static_cast<std::size_t>(c)] += sizes(r, c);
  }
  const auto bound = make_matrix<double>(q.rows(), q.cols(), [&](int r, int c) {
    return exact ? 0.0
                 : 0x1p-9 * magnitude(r, c) + 0x1p-24 * sum_of_sizes[static_cast<std::size_t>(c)] +
                       0x1p-25;
  });
  const auto pattern = [&](const Mismatch& mismatch) {
    return formula_pattern(mismatch, mistakes_of(q, k, v));
  };
  return first_failure({compare(images.out.cview(), expected, bound,
                                {.name = "out", .shape = text, .pattern = pattern}),
                        only_inside_changed(before.out, images.out, "out", text),
                        nothing_changed(before.q, images.q, "Q", text),
                        nothing_changed(before.k, images.k, "K", text),
                        nothing_changed(before.v, images.v, "V", text)});
}

Images random_images(const Case& test, float of_queries = 1) {
  Images images = make_images(test);
  fill_random(images.q, 1, of_queries);
  fill_random(images.k, 2, 1);
  fill_random(images.v, 3, 1);
  return images;
}

Outcome random_outcome(const Case& test, float of_queries = 1) {
  return outcome_of(random_images(test, of_queries), text_of(test));
}

/// Each query is 16 times one of the keys, which consist of 1 and -1: that key has all the weight.
Outcome chosen_keys_outcome(const Case& test) {
  Images images = make_images(test);
  HostMatrix<float> signs(test.shape.keys, 64 * test.shape.heads);
  fill_uniform(signs, 4);
  fill_with(images.k, [&](int r, int c) { return signs(r, c) < 0 ? -1 : 1; });
  fill_with(images.q, [&](int r, int c) {
    const int key = (r * 37 + c / 64 * 11 + 5) % test.shape.keys;
    return signs(key, c) < 0 ? -16 : 16;
  });
  fill_random(images.v, 5, 8);
  return outcome_of(std::move(images), text_of(test) + ", each query 16 times one key", true);
}

/// All scores are 0: the result is the mean of the values.
Outcome mean_outcome(const Case& test) {
  Images images = make_images(test);
  fill_random(images.k, 6, 1);
  images.q.fill(__float2half(0.0f));
  HostMatrix<__half> values(images.v.rows(), images.v.cols());
  fill_small_integers(values, 7, 3);
  images.v.set(values);
  return outcome_of(std::move(images), text_of(test) + ", all queries 0", true);
}

/// Scores that rise with the keys, or fall: the largest so far changes in each step, or never.
Outcome slope_outcome(const Case& test, double slope) {
  Images images = random_images(test);
  images.q.fill(__float2half(1.0f));
  const int keys = test.shape.keys;
  fill_with(images.k, [=](int r, int) { return slope * (2.0 * r / keys - 1); });
  return outcome_of(std::move(images),
                    text_of(test) + (slope > 0 ? ", scores rising" : ", scores falling"));
}

/// Scores of 8192 and -8192: every 32nd key has an equal share.
Outcome large_scores_outcome() {
  const Case test{{65, 128, 1}};
  Images images = make_images(test);
  images.q.fill(__float2half(32.0f));
  fill_with(images.k, [](int r, int) { return r % 32 == 7 ? 32 : -32; });
  HostMatrix<__half> values(images.v.rows(), images.v.cols());
  fill_small_integers(values, 8, 3);
  images.v.set(values);
  return outcome_of(std::move(images), text_of(test) + ", scores of 8192 and -8192", true);
}

/// All scores are -8192: no smaller number may stand in for the largest.
Outcome low_scores_outcome() {
  const Case test{{5, 80, 1}};
  Images images = make_images(test);
  images.q.fill(__float2half(32.0f));
  images.k.fill(__float2half(-32.0f));
  fill_with(images.v, [](int, int c) { return c % 7; });
  return outcome_of(std::move(images), text_of(test) + ", all scores -8192", true);
}

Outcome nan_outcome(const Shape& shape) {
  const Case test{shape, 3};
  Images images = random_images(test);
  const Images plain = images;
  const int row = shape.queries / 2, col = 64 * (shape.heads - 1) + 5;
  images.q.view()(row, col) = __float2half(std::nanf(""));
  images.v.view()(shape.keys - 1, 7) = __float2half(std::nanf(""));
  const std::string text =
      text_of(test) + ", NaN in row " + std::to_string(row) + " of Q and in " + "column 7 of V";
  if (Outcome outcome = run_on(images, text); !outcome.ok) return outcome;
  const HostMatrix<double> numbers =
      attend(to_double_matrix(plain.q.cview()), to_double_matrix(plain.k.cview()),
             to_double_matrix(plain.v.cview()));
  const auto expected = make_matrix<double>(numbers.rows(), numbers.cols(), [&](int r, int c) {
    const bool is_nan = (r == row && c / 64 == col / 64) || c == 7;
    return is_nan ? std::nan("") : numbers(r, c);
  });
  const auto bound =
      make_matrix<double>(numbers.rows(), numbers.cols(), [](int, int) { return 0x1p-8; });
  return compare(images.out.cview(), expected, bound,
                 {.name = "out", .shape = text, .pattern = {}});
}

/// The rows of one of the matrices lie so far apart that offsets are beyond 32 bits.
Outcome far_outcome(const std::string& far, int rows, std::int64_t far_stride) {
  const int queries = far == "Q" || far == "out" ? rows : 5,
            keys = far == "K" || far == "V" ? rows : 7;
  const auto matrix = [&](const std::string& name, int count) {
    return SparseMatrix<__half>(count, 64, far == name ? far_stride : 64);
  };
  SparseMatrix<__half> q = matrix("Q", queries), k = matrix("K", keys), v = matrix("V", keys),
                       out = matrix("out", queries);
  if (!q.is_there() || !k.is_there() || !v.is_there() || !out.is_there()) return {};
  const Images images = random_images({{queries, keys, 1}});
  const auto upload = [](SparseMatrix<__half>& to, const Guarded<__half>& from) {
    to.upload(make_matrix<__half>(from.rows(), from.cols(),
                                  [&](int r, int c) { return from.cview()(r, c); }));
  };
  upload(q, images.q);
  upload(k, images.k);
  upload(v, images.v);
  upload(out, images.out);
  const std::string text = std::to_string(queries) + " queries, " + std::to_string(keys) +
                           " keys, rows of " + far + " " + far_text(far_stride);
  Outcome run = run_far(text, [&](cudaStream_t stream) {
    attention(q.cview(), k.cview(), v.cview(), out.view(), stream);
  });
  if (!run.ok) return run;
  const HostMatrix<double> expected =
      attend(to_double_matrix(images.q.cview()), to_double_matrix(images.k.cview()),
             to_double_matrix(images.v.cview()));
  const auto bound = make_matrix<double>(queries, 64, [](int, int) { return 0x1p-8; });
  return compare(out.download().cview(), expected, bound,
                 {.name = "out", .shape = text, .stride = out.cview().stride, .pattern = {}});
}

double cost(const Shape& shape) {
  return shape.heads * (4.0 * shape.queries * shape.keys + 256.0 * shape.queries);
}

}  // namespace

TEST_CASE("attention: each query that is like one key alone gets its value") {
  for (const Shape& shape :
       {Shape{64, 64, 1}, {64, 128, 2}, {65, 63, 1}, {1, 1, 1}, {5, 131, 3}, {130, 3, 1}}) {
    for (const int extra : {1, 8}) expect(chosen_keys_outcome({shape, extra}));
  }
}

TEST_CASE("attention: equal scores give the mean of the values") {
  for (const Shape& shape : {Shape{64, 64, 1}, {33, 128, 2}, {7, 32, 1}, {70, 256, 1}, {3, 1, 1}}) {
    expect(mean_outcome({shape, 8}));
  }
}

TEST_CASE("attention of random queries, keys and values") {
  for (const Shape& shape :
       {Shape{64, 64, 1}, {128, 192, 2}, {65, 63, 1}, {63, 65, 3}, {1, 300, 1}, {17, 47, 1}}) {
    expect(random_outcome({shape, 0}));
    expect(random_outcome({shape, 1}));
    expect(random_outcome({shape, 8}, 6));
  }
}

TEST_CASE("attention of scores that rise or fall with the keys") {
  for (const double slope : {1.0, -1.0, 2.0}) {
    for (const Shape& shape : {Shape{16, 192, 1}, {3, 100, 1}}) {
      expect(slope_outcome({shape, 0}, slope));
    }
  }
}

TEST_CASE("attention of scores that are large") {
  expect(large_scores_outcome());
  expect(low_scores_outcome());
}

TEST_CASE("attention of matrices at odd places") {
  for (const char* shifted : {"Q", "K", "V", "out"}) {
    expect(random_outcome({{64, 128, 1}, 8, shifted}));
  }
}

TEST_CASE("attention of many keys, many queries and many heads") {
  expect(random_outcome({{3, 2100, 1}}));
  expect(random_outcome({{2100, 3, 1}}));
  expect(random_outcome({{2, 3, 70}}));
}

TEST_CASE("attention passes a NaN on, and to nobody else") {
  for (const Shape& shape : {Shape{64, 128, 2}, {37, 50, 1}}) expect(nan_outcome(shape));
}

TEST_CASE("attention of rows that lie far apart") {
  for (const char* far : {"Q", "K", "V", "out"}) {
    expect(far_outcome(far, 5, kFarStride));
    expect(far_outcome(far, kFarRows, kFarTileStride));
    expect(far_outcome(far, 256, kFarWholeStride + 64));
  }
}

TEST_CASE("attention reaches all of a million queries") {
  constexpr int MOST = 1'000'000;
  const LongBuffer<__half> q(std::size_t{MOST} * 64), k(64), v(64), out(std::size_t{MOST} * 64);
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int queries) {
         attention({q.data(), queries, 64, 64}, {k.data(), 1, 64, 64}, {v.data(), 1, 64, 64},
                   {out.data(), queries, 64, 64}, stream);
       },
       "queries"},
      [](int queries) {
        return random_outcome({{queries, 1, 1}});
      },
      2100, MarkedParts("out", out.data(), std::size_t{MOST} * 64), MOST));
}

TEST_CASE("attention refuses shapes that do not fit") {
  const DeviceBuffer<__half> from(64 * 64);
  const DeviceBuffer<__half> to(64 * 64);
  struct Sizes {
    int rows = 3, cols = 64, stride = 64;
  };
  const auto refused = [&](const std::string& what, const Sizes& q, const Sizes& k, const Sizes& v,
                           const Sizes& out) {
    expect(refusal_outcome(what, [&] {
      const auto view = [](auto* data, const Sizes& s) {
        return MatrixView{data, s.rows, s.cols, s.stride};
      };
      const __half* data = from.data();
      attention(view(data, q), view(data, k), view(data, v), view(to.data(), out));
    }));
  };
  refused("K of 3 keys, V of 4", {}, {}, {4}, {});
  refused("Q of 3 rows, out of 4", {}, {}, {}, {4});
  refused("Q and out of 128 columns, K and V of 64", {3, 128, 128}, {}, {}, {3, 128, 128});
  refused("Q of 64 columns, out of 128", {}, {}, {}, {3, 128, 128});
  refused("K of 64 columns, V of 128", {}, {}, {3, 128, 128}, {});
  refused("63 columns", {3, 63, 64}, {3, 63, 64}, {3, 63, 64}, {3, 63, 64});
  refused("0 columns", {3, 0, 64}, {3, 0, 64}, {3, 0, 64}, {3, 0, 64});
  refused("no queries", {0}, {}, {}, {0});
  refused("no keys", {}, {0}, {0}, {});
  refused("Q of stride 63", {3, 64, 63}, {}, {}, {});
  refused("K of stride 63", {}, {3, 64, 63}, {}, {});
  refused("V of stride 63", {}, {}, {3, 64, 63}, {});
  refused("out of stride 63", {}, {}, {}, {3, 64, 63});
}

TEST_CASE("budget") {
  constexpr Shape SHAPE{128, 256, 2};
  for (const int extra : {0, 64}) {
    expect_budget("attention", cost(SHAPE), [=] { return random_outcome({SHAPE, extra}); });
  }
  for (const Shape& shape : {Shape{64, 512, 1}, {256, 64, 1}}) {
    expect_cost(cost(shape), [=] { return random_outcome({shape}); });
  }
  for (const Shape& shape : {Shape{63, 63, 1}, {3, 63, 1}, {63, 3, 1}}) {
    expect_tensor_products(2 * fragment_products(shape.queries, shape.keys, 64),
                           [=] { return random_outcome({shape}); });
  }
}

}  // namespace tut::ch16

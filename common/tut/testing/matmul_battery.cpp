#include "tut/testing/matmul_battery.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include "tut/compare/case_summary.hpp"

namespace tut {
namespace {

int next_prime(int least) {
  for (int candidate = std::max(2, least);; ++candidate) {
    bool prime = true;
    for (int d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (prime) return candidate;
  }
}

void add_once(std::vector<MatmulShape>& shapes, MatmulShape shape) {
  shape = {std::max(1, shape.m), std::max(1, shape.n), std::max(1, shape.k)};
  if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
}

std::string inputs_text(MatmulInputs inputs) {
  switch (inputs) {
    case MatmulInputs::random:
    case MatmulInputs::dense_random:
      return "random values";
    case MatmulInputs::small_integers:
      return "small integers, to be exact";
    case MatmulInputs::one_hot_a:
      return "A has a single 1, C must be one row of B";
    case MatmulInputs::one_hot_b:
      return "B has a single 1, C must be one column of A";
  }
  return "";
}

}  // namespace

std::string shape_text(const MatmulShape& shape) {
  const std::string k = std::to_string(shape.k);
  return std::to_string(shape.m) + "x" + k + " * " + k + "x" + std::to_string(shape.n);
}

std::vector<MatmulShape> matmul_shapes(int tile_m, int tile_n, int tile_k) {
  std::vector<MatmulShape> shapes;
  // The first failure is the one that is shown: shapes that show more come first.
  add_once(shapes, {tile_m, tile_n, tile_k});
  add_once(shapes, {tile_m + 1, tile_n + 1, tile_k + 1});
  add_once(shapes, {2 * tile_m, tile_n, 3 * tile_k});
  add_once(shapes, {tile_m, 2 * tile_n, tile_k + tile_k / 2});
  add_once(shapes, {next_prime(2 * tile_m), next_prime(tile_n + 2), next_prime(tile_k + 2)});
  add_once(shapes, {tile_m - 1, tile_n - 1, tile_k - 1});
  add_once(shapes, {1, tile_n + 3, 2 * tile_k + 1});
  add_once(shapes, {tile_m + 3, 1, tile_k});
  // One size alone that its tile does not divide; of N a multiple of 16 bytes.
  add_once(shapes, {1, tile_n, tile_k});
  add_once(shapes, {tile_m, 8, tile_k});
  add_once(shapes, {1, 1, 1});
  // With a seed from outside some that nobody can have seen.
  constexpr std::uint64_t kDrawnShapes = 3;
  for (std::uint64_t i = 0; environment_seed() != 0 && i < kDrawnShapes; ++i) {
    const auto size = [&](int tile, std::uint64_t which) {
      return 1 + static_cast<int>(drawn_bits(which, i) % static_cast<std::uint64_t>(2 * tile + 5));
    };
    add_once(shapes, {size(tile_m, 0), size(tile_n, 1), size(tile_k, 2)});
  }
  return shapes;
}

void MatmulTally::add(const MatmulShape& shape, Outcome outcome) {
  if (entries_.empty() || !(entries_.back().shape == shape)) entries_.push_back({shape, true});
  if (outcome.ok) return;
  entries_.back().ok = false;
  stopped_ = outcome.kind == "launch";
  if (first_.ok) first_ = std::move(outcome);
}

Outcome MatmulTally::result(char transposed) const {
  if (first_.ok || !depends_on_case(first_.kind)) return first_;
  std::vector<CaseResult> cases;
  for (const Entry& entry : entries_) {
    const std::string text = shape_text(entry.shape);
    cases.push_back(
        {detail::text_of_transposed(transposed, 0, text), parameters_of(text), entry.ok});
  }
  const std::string summary = summary_of_cases(cases, "shapes", first_.report);
  if (summary.empty()) return first_;
  Outcome result = first_;
  const std::string last = "kind: " + result.kind;
  result.report.resize(result.report.size() - last.size());
  result.report += "  " + summary + "\n" + last;
  return result;
}

namespace detail {

std::vector<MatmulShape> usable_shapes(const MatmulTestOptions& options) {
  std::vector<MatmulShape> shapes;
  for (const MatmulShape& shape : options.shapes) {
    add_once(shapes, {round_up(shape.m, options.m_multiple), round_up(shape.n, options.n_multiple),
                      round_up(shape.k, options.k_multiple)});
  }
  return shapes;
}

std::string case_text(const MatmulShape& shape, MatmulInputs inputs, std::int64_t a_stride,
                      std::int64_t b_stride, std::int64_t c_stride) {
  return "shape " + shape_text(shape) + ", strides " + std::to_string(a_stride) + ", " +
         std::to_string(b_stride) + ", " + std::to_string(c_stride) + "; " + inputs_text(inputs);
}

std::string text_of_transposed(char factor, std::int64_t stride, std::string text) {
  if (factor != 'A' && factor != 'B') return text;
  const bool is_a = factor == 'A';
  const auto replace = [&](const std::string& pattern, const std::string& by) {
    text = std::regex_replace(text, std::regex(pattern), by);
  };
  replace(R"((\d+)x(\d+) \* (\d+)x(\d+))", is_a ? "($2x$1)^T * $3x$4" : "$1x$2 * ($4x$3)^T");
  replace(std::string("\\b") + factor + R"(\((\d+), (\d+)\))", factor + std::string("($2, $1)"));
  replace(is_a ? "one column of A" : "one row of B", is_a ? "one row of A" : "one column of B");
  const std::string own = std::to_string(stride);
  replace(is_a ? R"(strides \d+, (\d+))" : R"((strides \d+), \d+)",
          is_a ? "strides " + own + ", $1" : "$1, " + own);
  return text;
}

int exact_limit(int k, double exact) {
  return static_cast<int>(std::min(8.0, std::floor(std::sqrt(exact / k))));
}

HostMatrix<float> matmul_input(int rows, int cols, MatmulInputs inputs, int part, int limit,
                               std::uint64_t seed) {
  HostMatrix<float> values(rows, cols);
  const std::uint64_t stream =
      1000 * seed + 2 * static_cast<std::uint64_t>(inputs) + static_cast<std::uint64_t>(part);
  const bool one_hot = (inputs == MatmulInputs::one_hot_a && part == 0) ||
                       (inputs == MatmulInputs::one_hot_b && part == 1);
  if (inputs == MatmulInputs::random || inputs == MatmulInputs::dense_random) {
    fill_uniform(values, stream);
  } else if (one_hot) {
    values.fill(0);
    values(static_cast<int>(drawn_bits(stream, 0) % static_cast<std::uint64_t>(rows)),
           static_cast<int>(drawn_bits(stream, 1) % static_cast<std::uint64_t>(cols))) = 1;
  } else {
    fill_small_integers(values, stream, limit);
  }
  return values;
}

}  // namespace detail
}  // namespace tut

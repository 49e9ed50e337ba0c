#include "02_fast_cpu_matmul/pack_b_pairs.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "tut/compare/compare.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/guarded.hpp"
#include "tut/trial/page_end.hpp"

namespace tut::ch02 {
namespace {

// Every element of B is its own number, so the panels must match exactly.
HostMatrix<double> expected_panels(MatrixView<const float> b) {
  const int panel_size = pair_panel_cols * round_up(b.rows, 2);
  const auto size = static_cast<int>(pair_panels_size(b.rows, b.cols));
  return make_matrix<double>(size / 32, 32, [&](int line, int place) -> double {
    const int offset = line * 32 + place;
    const int panel = offset / panel_size, pair = offset % panel_size / 32;
    const int k = 2 * pair + place % 2, col = panel * pair_panel_cols + place / 2;
    return k < b.rows && col < b.cols ? b(k, col) : 0.0f;
  });
}

Outcome packing_outcome(int depth, int cols, int padding) {
  Guarded<float> b(depth, cols, cols + padding, 0);
  b.set(make_matrix<float>(depth, cols, [&](int k, int j) { return 1 + k * cols + j; }));
  const Guarded<float> b_before = b;
  const auto lines = static_cast<int>(pair_panels_size(depth, cols) / 32);
  Guarded<float> panels(lines, 32, 32, 65);  // they begin at no multiple of 16 bytes
  const Guarded<float> panels_before = panels;

  const PageEndMatrix<float> b_at_end(b.cview());
  const PageEndMatrix<float> panels_at_end(panels.cview());
  pack_b_pairs(b_at_end.cview(), panels_at_end.view().data);
  pack_b_pairs(b_at_end.cview(), panels.view().data);
  b_at_end.copy_to(b.view().data);

  const std::string text = "B " + shape_text(b.cview()) + ", 32 floats a row";
  const HostMatrix<double> expected = expected_panels(b_before.cview());
  const auto zero = make_matrix<double>(lines, 32, [](int, int) { return 0; });
  Outcome values =
      compare(panels.cview(), expected, zero, {.name = "the panels", .shape = text, .pattern = {}});
  if (!values.ok) return values;
  const Outcome inside = outcome_of_call(text, [&] {
    b_at_end.refuse_use_past_end("B");
    panels_at_end.refuse_use_past_end("the panels");
  });
  if (!inside.ok) return inside;
  for (const std::string& change : {panels.change_outside(panels_before, "the panels", false),
                                    b.change(b_before, "B", false)}) {
    if (!change.empty()) return failure("values", change + " (" + text + ")");
  }
  return {};
}

// Compares with ==, which also tells infinities from what they are not; a NaN is to be one, and -0
// not 0.
Outcome equal_outcome(MatrixView<const float> b, const std::string& text) {
  const auto size = static_cast<std::size_t>(pair_panels_size(b.rows, b.cols));
  std::vector<float> panels(size, unwritten_value<float>());
  pack_b_pairs(b, panels.data());
  const HostMatrix<double> expected = expected_panels(b);
  for (std::size_t i = 0; i < size; ++i) {
    const double wanted = expected.span()[i];
    const bool lost_sign = wanted == 0 && std::signbit(wanted) && !std::signbit(panels[i]);
    if (is_right(panels[i], wanted, 0) && !lost_sign) continue;
    return failure("values", "float " + std::to_string(i) + " of the panels is " +
                                 value_text(panels[i]) + "; expected " + value_text(wanted) + " (" +
                                 text + ")");
  }
  return {};
}

}  // namespace

TEST_CASE("pack_b_pairs puts every element in its place and 0 elsewhere") {
  for (const int depth : {1, 2, 3, 8, 17}) {
    for (const int cols : {1, 15, 16, 17, 37}) {
      for (const int padding : {0, 3}) expect(packing_outcome(depth, cols, padding));
    }
  }
}

TEST_CASE("pack_b_pairs with one long side") {
  expect(packing_outcome(16411, 3, 1));
  expect(packing_outcome(3, 16411, 1));
}

// Packs values of every size, with the infinities and NaN among them, as they are.
TEST_CASE("pack_b_pairs keeps every value as it is") {
  HostMatrix<float> b(19, 35);
  for (std::size_t i = 0; i < b.span().size(); ++i) {
    b.span()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(drawn_bits(1, i) >> 32));
  }
  b(3, 4) = b(18, 34) = std::numeric_limits<float>::quiet_NaN();
  b(4, 3) = -std::numeric_limits<float>::infinity();
  b(0, 0) = b(7, 20) = -0.0f;
  b(5, 5) = std::numeric_limits<float>::denorm_min();
  expect(equal_outcome(b.cview(), "values of every size"));
}

TEST_CASE("pack_b_pairs has zeros beside infinite elements") {
  HostMatrix<float> b(3, 17);
  b.fill(std::numeric_limits<float>::infinity());
  expect(equal_outcome(b.cview(), "B is infinite"));
}

TEST_CASE("pack_b_pairs with rows that lie far apart") {
  const ch01::FarRows far(5, 20);
  if (!far.is_there()) return;
  ch01::copy(make_matrix<float>(5, 20, [](int k, int j) { return 1 + k * 20 + j; }).cview(),
             far.view());
  expect(equal_outcome(far.view(), "rows " + std::to_string(ch01::FarRows::kStride) +
                                       " elements apart: are offsets computed in 64 bits?"));
}

TEST_CASE("pack_b_pairs refuses an empty B, and a stride below its row") {
  float panel[32] = {};
  CHECK_THROWS_AS(pack_b_pairs({panel, 0, 4, 4}, panel), std::invalid_argument);
  CHECK_THROWS_AS(pack_b_pairs({panel, 4, 0, 4}, panel), std::invalid_argument);
  CHECK_THROWS_AS(pack_b_pairs({panel, -1, 4, 4}, panel), std::invalid_argument);
  CHECK_THROWS_AS(pack_b_pairs({panel, 2, -1, 4}, panel), std::invalid_argument);
  CHECK_THROWS_AS(pack_b_pairs({panel, 2, 4, 3}, panel), std::invalid_argument);
  CHECK_THROWS_AS(pack_b_pairs({panel, 1, 4, 3}, panel), std::invalid_argument);
}

}  // namespace tut::ch02

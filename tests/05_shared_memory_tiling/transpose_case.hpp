#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tut/compare/device_probe.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"

namespace tut::ch05 {

using TurnFunction = void (*)(MatrixView<const float>, MatrixView<float>, cudaStream_t);
/// Row and column of the input that belong at (row, column) of the output.
using TurnMap = std::function<std::pair<int, int>(int, int)>;

/// How the matrices of a case lie in memory: one row directly behind the other; the same, beginning
/// at no multiple of 16 bytes; with padding; with longer rows that begin at multiples of 128 bytes.
enum class Layout { dense, odd, padded, longer };

/// Random values, and some that only a copy leaves as they are.
inline HostMatrix<float> turn_values(int rows, int cols) {
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, 11);
  if (rows < 5) return values;
  values(0, 0) = std::numeric_limits<float>::infinity();
  values(1, cols - 1) = -std::numeric_limits<float>::infinity();
  values(2, 0) = std::numeric_limits<float>::max();
  values(3, cols / 2) = std::numeric_limits<float>::denorm_min();
  values(2, cols - 1) = std::numeric_limits<float>::lowest();
  values(4, 0) = -0.0f;
  values(4, cols / 2) = std::bit_cast<float>(0x7fc0'1234U);  // a NaN
  values(rows - 1, 0) = std::bit_cast<float>(0xffc5'6789U);  // another
  values(rows - 1, cols - 1) = std::numeric_limits<float>::infinity();
  return values;
}

/// "in(0, 2) goes to out(2, 0), expected to out(2, 4)": what one element of the input says.
inline std::string probe_turn(TurnFunction function, const TurnMap& source, int rows, int cols) {
  Probe probe{{{"in", {rows, cols}}}, {"out", {cols, rows}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    Probe::Values values;
    for (int r = 0; r < cols; ++r) {
      for (int c = 0; c < rows; ++c) {
        const auto [from_row, from_col] = source(r, c);
        values.push_back(inputs[0][static_cast<std::size_t>(from_row * cols + from_col)]);
      }
    }
    return values;
  };
  probe.run = probe_on_device(
      probe.output, [=](const std::vector<const float*>& from, float* to, cudaStream_t stream) {
        function({from[0], rows, cols, cols}, {to, cols, rows, rows}, stream);
      });
  return probe_one_hot(probe);
}

/// The whole output: each element the one of the input that `source` names, exactly.
inline Outcome compare_turned(MatrixView<const float> out, const HostMatrix<float>& values,
                              TurnFunction function, const TurnMap& source,
                              const std::string& text) {
  const auto expected = make_matrix<double>(out.rows, out.cols, [&](int r, int c) {
    const auto [from_row, from_col] = source(r, c);
    return static_cast<double>(values(from_row, from_col));
  });
  const auto exact = make_matrix<double>(out.rows, out.cols, [](int, int) { return 0.0; });
  const auto pattern = [&](const Mismatch& mismatch) {
    const bool misplaced = mismatch.unwritten == 0 && mismatch.bad() > mismatch.rows();
    return misplaced ? probe_turn(function, source, values.rows(), values.cols()) : std::string();
  };
  Outcome outcome =
      compare(out, expected, exact, {.name = "out", .shape = text, .pattern = pattern});
  for (int r = 0; outcome.ok && r < out.rows; ++r) {
    for (int c = 0; outcome.ok && c < out.cols; ++c) {
      // A copy keeps the sign of a zero, too, and all bits of a NaN.
      const auto [from_row, from_col] = source(r, c);
      const std::uint32_t got = bits_of(out(r, c)), bits = bits_of(values(from_row, from_col));
      if (got == bits) continue;
      outcome = failure("values", "out(" + std::to_string(r) + ", " + std::to_string(c) + ") has " +
                                      (((got ^ bits) >> 31) != 0 ? "another sign" : "other bits") +
                                      " than the element that it copies (" + text + ")");
    }
  }
  return outcome;
}

/// Runs a transpose or a rotation of a (rows, cols) matrix: every output element must be the input
/// element that `source` names, exactly; the input and what lies around must stay.
inline Outcome turn_outcome(TurnFunction function, const TurnMap& source, int rows, int cols,
                            Layout layout, const CallRules& rules = {}) {
  const bool padded = layout == Layout::padded;
  const std::size_t guard = padded ? 4096 : layout == Layout::odd ? 1 : 0;
  const int longer = layout == Layout::longer ? 32 : 0;
  Guarded<float> in(rows, cols, padded ? cols + 3 : cols + longer, guard);
  Guarded<float> out(cols, rows, padded ? rows + 5 : rows + longer, guard);
  const HostMatrix<float> values = turn_values(rows, cols);
  in.set(values);
  const Guarded<float> in_before = in, out_before = out;
  const std::string text = "in " + std::to_string(rows) + "x" + std::to_string(cols) +
                           ", strides " + std::to_string(in.stride()) + " and " +
                           std::to_string(out.stride());

  Outcome run = run_on_device(
      rules, text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        function(from, to, stream);
      },
      in, out);
  if (!run.ok) return run;
  return first_failure({compare_turned(out.cview(), values, function, source, text),
                        only_inside_changed(out_before, out, "out", text),
                        nothing_changed(in_before, in, "in", text)});
}

/// The same of rows that are so many elements apart, in the input or in the output.
inline Outcome far_turn_outcome(TurnFunction function, const TurnMap& source, int rows, int cols,
                                bool far_in, std::int64_t stride = kFarStride) {
  const std::string text = std::string("rows of ") + (far_in ? "in" : "out") + " are " +
                           far_text(stride) + ", in " + std::to_string(rows) + "x" +
                           std::to_string(cols);
  SparseMatrix<float> in(rows, cols, far_in ? stride : cols);
  SparseMatrix<float> out(cols, rows, far_in ? rows : stride);
  if (!in.is_there() || !out.is_there()) return {};
  const HostMatrix<float> values = turn_values(rows, cols);
  in.upload(values);
  out.upload(HostMatrix<float>(cols, rows));
  Outcome run =
      run_far(text, [&](cudaStream_t stream) { function(in.cview(), out.view(), stream); });
  return run.ok ? compare_turned(out.download().cview(), values, function, source, text) : run;
}

/// Calls `check(rows, cols)` for shapes around tiles of 32 x 32.
inline void for_each_turn_shape(const std::function<void(int, int)>& check) {
  for (const auto& [rows, cols] : {std::pair{32, 32},
                                   {1, 1},
                                   {1, 40},
                                   {40, 1},
                                   {31, 33},
                                   {33, 31},
                                   {64, 96},
                                   {67, 41},
                                   {8, 100}}) {
    check(rows, cols);
  }
}

}  // namespace tut::ch05

#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <utility>

#include "tut/device_case.hpp"
#include "tut/random.hpp"

namespace tut::ch05 {

using TurnFunction = void (*)(MatrixView<const float>, MatrixView<float>, cudaStream_t);
/// Row and column of the input that belong at (row, column) of the output.
using TurnMap = std::function<std::pair<int, int>(int, int)>;

/// Runs a transpose or a rotation of a random (rows, cols) matrix: every output element must be the
/// input element that `source` names, exactly; the input and what lies around must stay.
inline Outcome turn_outcome(TurnFunction function, const TurnMap& source, int rows, int cols,
                            bool dense) {
  const std::size_t guard = dense ? 0 : 4096;
  Guarded<float> in(rows, cols, dense ? cols : cols + 3, guard);
  Guarded<float> out(cols, rows, dense ? rows : rows + 5, guard);
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, 11);
  in.set(values);
  const Guarded<float> in_before = in, out_before = out;
  const std::string text = "in " + std::to_string(rows) + "x" + std::to_string(cols) +
                           ", strides " + std::to_string(in.stride()) + " and " +
                           std::to_string(out.stride());

  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        function(from, to, stream);
      },
      in, out);
  if (!run.ok) return run;

  const auto expected = make_matrix<double>(cols, rows, [&](int r, int c) {
    const auto [from_row, from_col] = source(r, c);
    return static_cast<double>(values(from_row, from_col));
  });
  const auto exact = make_matrix<double>(cols, rows, [](int, int) { return 0.0; });
  return first_failure({compare(out.cview(), expected, exact, {.name = "out", .shape = text}),
                        only_inside_changed(out_before, out, "out", text),
                        nothing_changed(in_before, in, "in", text)});
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

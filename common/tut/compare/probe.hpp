/// \file
/// One-hot probes: which element of an input an output uses, and which it should.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tut {

/// A tensor of a probe: its name in messages, and its sizes, the last of neighbours in memory.
struct ProbeTensor {
  std::string name;
  std::vector<int> sizes;

  std::size_t size() const;
  /// "w(0, 2)" for an element that is so many places behind the first.
  std::string element(std::size_t index) const;
};

/// A function that is linear in each of its one or two inputs: a product of matrices however they
/// are stored, a convolution by image and weights, sums along rows, a copy to other places.
struct Probe {
  using Values = std::vector<double>;
  using Function = std::function<Values(const std::vector<Values>& inputs)>;

  std::vector<ProbeTensor> inputs;
  ProbeTensor output;
  Function run;           ///< under test
  Function reference;     ///< what it must compute
  double exact = 0x1p24;  ///< integers up to this pass through unchanged
};

/// Runs the function with one input 0 but for a single 1, the other one counting its elements, so
/// that each output tells which of them it is made from. Returns what the first wrong one says:
/// "y(0, 1) takes x(0, 0) times w(0, 1), expected times w(1, 0)"; "x(1, 2) goes to sums(2),
/// expected to sums(1)"; "" if all are right, or the function throws.
std::string probe_one_hot(const Probe& probe);

}  // namespace tut

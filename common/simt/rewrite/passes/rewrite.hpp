/// \file
/// CUDA C++ to C++: the rewriter as a library.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace simt::rewrite {

struct Options {
  /// Device functions and variables keep external linkage (nvcc -rdc=true).
  bool separate_compilation = false;
  /// Split kernels at their uniform barriers where that is possible.
  bool split_barriers = true;
  /// Functions in which threads meet get another form, which split kernels call.
  bool collectives = true;
  /// The result will be watched: threads say who they are, and arrays what they are called.
  bool watched = false;
  /// Although it will be watched, expressions stay as they are written: what the compiler says of
  /// them is to be shown.
  bool as_written = false;
  /// The result is for a debugger: every thread has a stack of its own and says when it begins.
  bool debug = false;
  /// What nvcc refuses of device code is an error.
  bool strict_device = false;
  /// The result is only to be asked which side uses what: see sides.hpp.
  bool mark_sides = false;
  /// The result is for clang.
  bool clang = false;
  /// Kernels that stay whole all the same, by their numbers in Result::kernels.
  std::set<std::size_t> whole = {};
};

/// How a kernel runs.
struct KernelReport {
  std::string name;
  std::string file;
  unsigned first_line = 0;
  unsigned last_line = 0;
  bool split = false;
  bool meets = false;    ///< split, its threads meet in calls of functions
  bool waits = false;    ///< threads may wait for others: whole, it runs on fibers
  std::string obstacle;  ///< where it is not split: `WHAT (FILE:LINE)`
};

struct Result {
  std::string text;
  /// Unsupported constructs, each as `FILE:LINE: error: ...`. Not empty: `text` is of no use.
  std::vector<std::string> errors;
  std::vector<KernelReport> kernels;
  /// Calls of functions that there are not here, as such errors. The compiler finds those that are
  /// left in the code that it makes, if it comes so far.
  std::vector<std::string> refused_calls;
  /// With Options::mark_sides: is there anything to ask?
  bool sides_meet = false;

  /// Was any kernel split?
  bool split() const;
};

/// Rewrites a preprocessed CUDA source to preprocessed C++ that calls the runtime of launch.hpp.
/// `host` was preprocessed without __CUDA_ARCH__ and `device` with it; an empty `device` says that
/// both are the same. The result keeps its line markers: the compiler's messages point at the
/// learner's lines.
Result rewrite(std::string_view host, std::string_view device, const Options& options);

/// Does any file of this preprocessed text that is not a system header mention __CUDA_ARCH__?
bool mentions_cuda_arch(std::string_view preprocessed);

}  // namespace simt::rewrite

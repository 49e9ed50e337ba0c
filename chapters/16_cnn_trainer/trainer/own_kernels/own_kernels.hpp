/// \file
/// A learner's own kernels in the place of the course's: which of them a network needs, which can
/// be trusted, and whose are used.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "16_cnn_trainer/trainer/experiment/train_options.hpp"
#include "16_cnn_trainer/trainer/formats/fp32_kernels.hpp"
#include "16_cnn_trainer/trainer/network/network_spec.hpp"

namespace tut::ch16 {

/// The solution of an exercise that is linked into this program.
struct OwnKernel {
  std::string_view exercise;   ///< "conv2d_dilated"
  std::filesystem::path file;  ///< its source
  bool (*agrees)();  ///< whether it gives what the course's kernels give: small odd shapes
};

/// What of a network an exercise, or two together, can compute.
enum class Operation {
  conv2d,
  conv2d_backward_input,
  conv2d_backward_weights,
  relu,
  dense_relu,
  dense,
  dense_backward,
  loss,
  lion
};

/// An operation, and the exercises that compute it.
struct OwnOperation {
  Operation operation;
  std::vector<std::string> exercises;
};

/// The exercises that this program has been linked with; none in ch16_demo.
std::span<const OwnKernel> own_kernels();

/// Puts those exercises in the place of what `kernels` had.
/// Errors: std::invalid_argument if this program has not been linked with them.
void use_own(Kernels& kernels, std::span<const OwnOperation> operations);

/// What came of trying a kernel.
enum class Verdict { agrees, unfinished, wrong_values, error, crashes, never_ends };

/// One line of the table.
struct KernelChoice {
  Operation operation;
  std::string name;                    ///< the operation in words
  std::vector<std::string> exercises;  ///< that compute it, or would
  bool own = false;
  std::string remark;  ///< of the reference's: why; else for which layers it is not used, or empty
  std::string next;    ///< of the reference's: the exercise that is missing, if one is
};

/// Who computes what.
struct KernelChoices {
  std::vector<KernelChoice> all;
  std::vector<std::string> without_exercise;  ///< what else the network needs, from the course

  bool any_own() const;
  /// What use_own takes.
  std::vector<OwnOperation> own() const;
  /// The exercises that are used, in the course's order, each once.
  std::vector<std::string> used() const;
  const KernelChoice* find(Operation operation) const;
};

/// Asks `judge` about each exercise that the network and the optimiser have a use for, at most
/// once, and takes those that agree. Where two exercises would do, it takes the first that does.
KernelChoices choose_kernels(const NetworkSpec& spec, Optimiser optimiser,
                             const std::function<Verdict(std::string_view exercise)>& judge);

/// The table, a line for each operation.
std::string to_text(const KernelChoices& choices);

/// Tries the kernel in a process of its own, with so many seconds of tut::Patience from when its
/// device is ready: whatever it does, this program goes on. `program` is this one: it runs as
/// `program --try-kernel EXERCISE`, closes descriptor 3 when it is ready, and ends with
/// answer_trial.
/// Errors: std::system_error if no process can be started.
Verdict try_kernel(const OwnKernel& kernel, const std::filesystem::path& program, double seconds);

/// In that process: starts the device, tries the kernel and ends it, with an exit code that
/// try_kernel knows. Nothing else than coming to an end counts as agreement.
[[noreturn]] void answer_trial(std::span<const OwnKernel> kernels, std::string_view exercise);

}  // namespace tut::ch16

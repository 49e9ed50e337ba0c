/// \file
/// What a run and an experiment begin with: the files to write, the kernels to train with, and what
/// is printed first.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "16_cnn_trainer/trainer/checkpoint/atomic_file.hpp"
#include "16_cnn_trainer/trainer/command_line.hpp"
#include "16_cnn_trainer/trainer/experiment/model.hpp"
#include "16_cnn_trainer/trainer/formats/fp32_kernels.hpp"
#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"
#include "tut/data/choose.hpp"

namespace tut::ch16 {

/// The files that tell of a run. They are looked at before the training, not after it.
struct OutputFiles {
  /// Errors: those of AtomicFile, for a file that cannot be written, and those of
  /// require_results_file, for one that holds something else.
  explicit OutputFiles(const CommandLine& line);
  std::optional<AtomicFile> json, curves, mistakes;
};

/// The kernels to train with, and whose they are.
struct Chosen {
  Kernels kernels = reference_kernels();
  KernelChoices choices;
};

/// Tries the learner's kernels, where `line` asks for them, prints what came of it, and notes in
/// `line` whose are used.
/// Errors: std::runtime_error where the table that it has printed leaves nothing to train with.
Chosen choose(CommandLine& line, const NetworkSpec& spec);

/// Prints data, network, kernels and settings, a line each.
void print_settings(const CommandLine& line, const NetworkSpec& spec, const data::Choice& chosen,
                    std::span<Model* const> models);

/// The title of a picture: which network, in which number format.
std::string title_of(const CommandLine& line);

}  // namespace tut::ch16

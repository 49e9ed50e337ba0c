/// \file
/// The command lines that cucc understands: nvcc's, and the C++ compiler's behind `--launcher`.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace simt::rewrite {

enum class Mode { run, check, count };

enum class Stage { preprocess, rewrite, assemble_text, compile, link };

/// A command line taken apart.
struct CommandLine {
  std::string compiler = "g++";
  Mode mode = Mode::run;
  Stage stage = Stage::link;
  std::vector<std::string> inputs;
  std::string output;                           ///< -o; empty: by default
  std::vector<std::string> preprocessor_flags;  ///< -D, -I, ...: not for preprocessed text
  std::vector<std::string> compiler_flags;      ///< -O, -f, -W, -std, ...: for every step
  std::vector<std::string> linker_flags;
  std::string language;              ///< -x
  bool writes_dependencies = false;  ///< -MD or -MMD
  bool system_dependencies = true;   ///< -MD rather than -MMD
  bool phony_dependencies = false;   ///< -MP
  std::string dependency_file;
  std::vector<std::string> dependency_targets;  ///< -MT and -MQ with their arguments
  bool separate_compilation = false;
  bool optimises = false;          ///< -O was given
  bool targets_machine = false;    ///< -march was given
  bool links_device_code = false;  ///< -dlink: nothing to do here but to write an object file
  bool device_debug = false;       ///< -G: device code for a debugger
  bool strict_device = false;      ///< what nvcc refuses of device code is an error
  bool shared_runtime = false;     ///< -lcudart or -cudart shared
  bool runs_program = false;
  bool verbose = false;
  bool split_report = false;  ///< says of each kernel how it runs
  bool dry_run = false;
};

/// The message is for the user.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments with those of response files (`--options-file FILE`) in their places.
std::vector<std::string> read_response_files(const std::vector<std::string>& arguments);

/// nvcc's command line. Options that only concern GPUs are accepted and have no effect.
CommandLine parse_nvcc(const std::vector<std::string>& arguments);

/// A compiler command as CMake writes it, the compiler first.
CommandLine parse_compiler(const std::vector<std::string>& command);

/// Is this a source that must be rewritten?
bool is_cuda_source(const CommandLine& line, const std::string& input);

/// Ends with one of C's or C++'s suffixes (not .cu).
bool is_plain_source(const std::string& input);

}  // namespace simt::rewrite

#include "compile.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "headers.hpp"
#include "process.hpp"
#include "rewrite.hpp"
#include "spacing.hpp"

namespace simt::rewrite {
namespace {

using Command = std::vector<std::string>;

void append(Command& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

bool is_clang(const std::string& compiler) { return compiler.find("clang") != std::string::npos; }

/// The first step's command, up to its input and output.
Command preprocess_command(const CompileJob& job, bool device) {
  Command command = {job.line.compiler, "-E", "-x", "c++"};
  append(command, job.line.compiler_flags);
  append(command, job.line.preprocessor_flags);
  append(command,
         {"-isystem", job.installation.include_folder, "-include", "cuda_runtime.h", "-D__CUDACC__",
          "-D__NVCC__", "-D__SIMT__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
          "-D__CUDACC_VER_BUILD__=0", "-D__CUDACC_EXTENDED_LAMBDA__",
          "-D__CUDACC_RELAXED_CONSTEXPR__", "-D__CUDA_ARCH_LIST__=900"});
  // Macros for themselves: some programs ask by them what compiles the file.
  for (const char* word : {"__host__", "__device__", "__global__", "__shared__", "__constant__",
                           "__managed__", "__forceinline__", "__noinline__", "__launch_bounds__"}) {
    command.push_back(std::string("-D") + word + "=" + word);
  }
  if (job.line.separate_compilation) command.emplace_back("-D__CUDACC_RDC__");
  if (job.line.mode != Mode::run) command.emplace_back("-D__SIMT_WATCHED__");
  if (device) append(command, {"-D__CUDA_ARCH__=900", "-w"});
  return command;
}

/// The flags that make the first step write the dependency file of the whole job.
Command dependency_flags(const CompileJob& job, const std::string& file) {
  Command flags = {job.line.system_dependencies ? "-MD" : "-MMD", "-MF", file};
  if (job.line.phony_dependencies) flags.emplace_back("-MP");
  if (job.line.dependency_targets.empty()) {
    append(flags, {"-MT", job.output});
  } else {
    append(flags, job.line.dependency_targets);
  }
  return flags;
}

std::string default_dependency_file(const std::string& output) {
  const std::size_t dot = output.rfind('.');
  const std::size_t slash = output.rfind('/');
  const bool suffix = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return (suffix ? output.substr(0, dot) : output) + ".d";
}

/// Adds the prerequisites of the rule in `from` to the rule in `to`.
void merge_dependencies(const std::string& to, const std::string& from) {
  const std::string extra = read_file(from);
  const std::size_t colon = extra.find(": ");
  if (colon == std::string::npos) return;
  std::string prerequisites = extra.substr(colon + 1);
  const std::size_t rule_end = prerequisites.find("\n\n");
  if (rule_end != std::string::npos) prerequisites.resize(rule_end);
  std::string all = read_file(to);
  const std::size_t target = all.find(": ");
  if (target == std::string::npos) return;
  while (!prerequisites.empty() && prerequisites.back() == '\n') prerequisites.pop_back();
  all.insert(target + 1, prerequisites + " \\\n");
  write_file(to, all);
}

/// What the CPU backend has no counterpart of, by the headers that bring it.
std::string unsupported_header(std::string_view messages) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> headers{{
      {"thrust/", "Thrust"},
      {"cub/", "CUB"},
      {"curand", "cuRAND"},
      {"cufft", "cuFFT"},
      {"cusparse", "cuSPARSE"},
      {"nvrtc.h", "NVRTC"},
  }};
  if (messages.find("No such file") == std::string_view::npos) return "";
  for (const auto& [text, name] : headers) {
    if (messages.find(text) == std::string_view::npos) continue;
    return "cucc: error: " + std::string(name) + " is not supported on the CPU backend\n";
  }
  return "";
}

/// Runs a command and shows what it says afterwards; if it fails, only with `show_failure`.
int run_quietly(const CommandLine& line, Command command, bool show_failure) {
  if (isatty(STDERR_FILENO) != 0) command.emplace_back("-fdiagnostics-color=always");
  if (line.verbose || line.dry_run) std::cerr << "#$ " << shell_line(command) << '\n';
  if (line.dry_run) return 0;
  const TemporaryFile file(".log");
  const int status = run_process(command, file.path());
  if (status == 0 || show_failure) {
    const std::string messages = read_file(file.path());
    std::cerr << messages << (status == 0 ? "" : unsupported_header(messages));
  }
  return status;
}

/// Preprocesses for the host or the device into `output`.
int preprocess(const CompileJob& job, bool device, const std::string& output) {
  Command command = preprocess_command(job, device);
  const bool dependencies = job.line.writes_dependencies;
  const std::string file = job.line.dependency_file.empty() ? default_dependency_file(job.output)
                                                            : job.line.dependency_file;
  const TemporaryFile device_dependencies(".d");
  if (dependencies)
    append(command, dependency_flags(job, device ? device_dependencies.path() : file));
  append(command, {job.input, "-o", output});
  const int status = run_quietly(job.line, command, true);
  if (status == 0 && device && dependencies && !job.line.dry_run) {
    merge_dependencies(file, device_dependencies.path());
  }
  return status;
}

/// Is the last -O among the flags one that asks for speed?
bool optimises(const std::vector<std::string>& flags) {
  bool speed = false;
  for (const std::string& flag : flags) {
    if (flag.starts_with("-O")) speed = flag == "-O" || flag == "-O1" || flag == "-O2";
  }
  return speed;
}

/// The last step's command: preprocessed C++ to an object or assembly file.
Command compile_command(const CompileJob& job, const std::string& rewritten, bool split) {
  Command command;
  if (job.use_ccache) command.emplace_back("ccache");
  command.push_back(job.line.compiler);
  append(command, job.line.compiler_flags);
  // Kernels name their built-in variables as parameters.
  const auto& flags = job.line.compiler_flags;
  if (std::any_of(flags.begin(), flags.end(),
                  [](const std::string& flag) { return flag.starts_with("-Wshadow"); })) {
    command.emplace_back("-Wno-shadow");
  }
  // Kernels look at memory as whatever type suits the load, and nvcc lets them.
  command.emplace_back("-fno-strict-aliasing");
  if (job.line.mode == Mode::run) {
    // Loops over threads are vectorised from -O3 on.
    command.emplace_back("-fopenmp-simd");
    // g++ 12's basic-block vectoriser reads past the end of arrays.
    if (!is_clang(job.line.compiler)) command.emplace_back("-fno-tree-slp-vectorize");
    // Loops are instantiated for block sizes that the program may never use, and where clang cannot
    // vectorise one that is told to be, it is no concern of the program's author.
    if (is_clang(job.line.compiler)) {
      command.emplace_back("-Wno-pass-failed");
    } else {
      // In a kernel as it was written, a loop that goes past an array goes past it.
      command.emplace_back(split ? "-Wno-aggressive-loop-optimizations"
                                 : "-fno-aggressive-loop-optimizations");
    }
    command.emplace_back("-Wno-array-bounds");
    if (optimises(flags)) command.emplace_back("-O3");
  } else {
    append(command, watching_flags(job.line.mode));
  }
  append(command, {job.line.stage == Stage::assemble_text ? "-S" : "-c", "-x", "c++-cpp-output",
                   rewritten, "-o", job.output});
  return command;
}

/// What CUCC_SPLIT asks for.
enum class SplitPolicy {
  allow,   ///< split; a kernel that does not compile split is compiled whole
  strict,  ///< split; what does not compile split is an error
  off
};

SplitPolicy split_policy(const CommandLine& line) {
  if (line.mode != Mode::run) return SplitPolicy::off;
  const char* text = std::getenv("CUCC_SPLIT");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "on") return SplitPolicy::allow;
  if (word == "strict") return SplitPolicy::strict;
  if (word == "off") return SplitPolicy::off;
  throw UsageError("CUCC_SPLIT is '" + std::string(word) + "'; it can be on, off or strict");
}

/// The source, preprocessed for both sides.
struct Preprocessed {
  std::string host;
  std::string device;  ///< empty: as the host's
};

/// Preprocesses; 0, or an exit status with messages on standard error.
int preprocess_both(const CompileJob& job, Preprocessed& source) {
  const TemporaryFile file(".ii");
  int status = preprocess(job, false, file.path());
  if (status != 0 || job.line.dry_run) return status;
  source.host = restore_spacing(read_file(file.path()));
  const std::vector<std::string> foreign =
      find_toolkit_headers(entered_files(source.host), job.installation.include_folder);
  for (const std::string& error : foreign) std::cerr << error << '\n';
  if (!foreign.empty()) return 1;
  if (mentions_cuda_arch(source.host)) {
    status = preprocess(job, true, file.path());
    if (status == 0) source.device = restore_spacing(read_file(file.path()));
  }
  return status;
}

Result rewrite_source(const CompileJob& job, const Preprocessed& source, bool split) {
  Options options;
  options.separate_compilation = job.line.separate_compilation;
  options.split_barriers = split;
  options.clang = is_clang(job.line.compiler);
  options.watched = job.line.mode != Mode::run;
  Result result = rewrite(source.host, source.device, options);
  for (const std::string& error : result.errors) std::cerr << error << '\n';
  return result;
}

}  // namespace

// Every load and store calls the checker, which takes the place of ThreadSanitizer's runtime; and
// so does every piece of code that runs from its beginning to its end. Vectors stay whole, so that
// a float4 is one access; code stays in the order of the source, as count mode takes that for the
// order in which a diverged warp goes on. For check mode a subscript past an extent that the
// array's type has tells of itself, too; count mode goes without, as then fewer of the loads that
// are one become one.
std::vector<std::string> watching_flags(Mode mode) {
  std::vector<std::string> flags = {"-fsanitize=thread",
                                    "-fsanitize-coverage=trace-pc",
                                    "-O1",
                                    "-g1",
                                    "-fno-optimize-sibling-calls",
                                    "-fno-tree-sra",
                                    "-fno-reorder-blocks",
                                    "-fno-thread-jumps",
                                    "-Wno-attributes",
                                    "--param=tsan-distinguish-volatile=1",
                                    "-Wno-tsan"};
  if (mode == Mode::check) flags.emplace_back("-fsanitize=bounds-strict");
  return flags;
}

int run_step(const CommandLine& line, const std::vector<std::string>& command) {
  if (line.verbose || line.dry_run) std::cerr << "#$ " << shell_line(command) << '\n';
  return line.dry_run ? 0 : run_process(command);
}

int compile_cuda(const CompileJob& job) {
  if (job.line.stage == Stage::preprocess) {
    return preprocess(job, false, job.output.empty() ? "-" : job.output);
  }
  Preprocessed source;
  const int status = preprocess_both(job, source);
  if (status != 0 || job.line.dry_run) return status;
  const SplitPolicy policy = split_policy(job.line);
  Result result = rewrite_source(job, source, policy != SplitPolicy::off);
  if (!result.errors.empty()) return 1;
  if (job.line.stage == Stage::rewrite) {
    if (job.output.empty() || job.output == "-") {
      std::cout << result.text;
    } else {
      write_file(job.output, result.text);
    }
    return 0;
  }
  const TemporaryFile rewritten(".ii");
  write_file(rewritten.path(), result.text);
  if (result.split && policy == SplitPolicy::allow) {
    // Only what it says of the kernels as they were written is of use.
    if (run_quietly(job.line, compile_command(job, rewritten.path(), true), false) == 0) return 0;
    result = rewrite_source(job, source, false);
    write_file(rewritten.path(), result.text);
  }
  return run_step(job.line, compile_command(job, rewritten.path(), result.split));
}

}  // namespace simt::rewrite

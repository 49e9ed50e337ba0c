#include "compile.hpp"

#include <algorithm>
#include <iostream>

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
  if (job.line.separate_compilation) command.emplace_back("-D__CUDACC_RDC__");
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
  const int status = run_step(job.line, command);
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
Command compile_command(const CompileJob& job, const std::string& rewritten) {
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
    // Loops are instantiated for block sizes that the program may never use.
    append(command, {"-Wno-aggressive-loop-optimizations", "-Wno-array-bounds"});
    if (optimises(flags)) command.emplace_back("-O3");
  }
  append(command, {job.line.stage == Stage::assemble_text ? "-S" : "-c", "-x", "c++-cpp-output",
                   rewritten, "-o", job.output});
  return command;
}

/// Rewrites the preprocessed file; 0, or 1 with messages on standard error.
int rewrite_file(const CompileJob& job, const std::string& preprocessed, std::string& text) {
  const std::string host = restore_spacing(read_file(preprocessed));
  const std::vector<std::string> foreign =
      find_toolkit_headers(entered_files(host), job.installation.include_folder);
  for (const std::string& error : foreign) std::cerr << error << '\n';
  if (!foreign.empty()) return 1;
  std::string device;
  if (mentions_cuda_arch(host)) {
    const TemporaryFile file(".device.ii");
    const int status = preprocess(job, true, file.path());
    if (status != 0) return status;
    device = restore_spacing(read_file(file.path()));
  }
  Options options;
  options.separate_compilation = job.line.separate_compilation;
  options.split_barriers = job.line.mode == Mode::run;
  options.clang = is_clang(job.line.compiler);
  Result result = rewrite(host, device, options);
  for (const std::string& error : result.errors) std::cerr << error << '\n';
  text = std::move(result.text);
  return result.errors.empty() ? 0 : 1;
}

}  // namespace

int run_step(const CommandLine& line, const std::vector<std::string>& command) {
  if (line.verbose || line.dry_run) std::cerr << "#$ " << shell_line(command) << '\n';
  return line.dry_run ? 0 : run_process(command);
}

int compile_cuda(const CompileJob& job) {
  if (job.line.stage == Stage::preprocess) {
    return preprocess(job, false, job.output.empty() ? "-" : job.output);
  }
  const TemporaryFile preprocessed(".ii");
  int status = preprocess(job, false, preprocessed.path());
  if (status != 0 || job.line.dry_run) return status;
  std::string text;
  status = rewrite_file(job, preprocessed.path(), text);
  if (status != 0) return status;
  if (job.line.stage == Stage::rewrite) {
    if (job.output.empty()) {
      std::cout << text;
    } else {
      write_file(job.output, text);
    }
    return 0;
  }
  const TemporaryFile rewritten(".ii");
  write_file(rewritten.path(), text);
  return run_step(job.line, compile_command(job, rewritten.path()));
}

}  // namespace simt::rewrite

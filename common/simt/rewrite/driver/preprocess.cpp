#include "driver/preprocess.hpp"

#include <algorithm>
#include <iostream>

#include "driver/headers.hpp"
#include "driver/missing.hpp"
#include "driver/process.hpp"
#include "driver/stubs.hpp"
#include "frontend/spacing.hpp"
#include "passes/rewrite.hpp"

namespace simt::rewrite {
namespace {

/// The first step's command, up to its input and output.
Command preprocess_command(const CompileJob& job, bool device) {
  Command command = {job.line.compiler, "-E", "-x", "c++"};
  append(command, job.line.compiler_flags);
  append(command, preprocessor_flags(job.line, job.installation));
  append(command, {"-include", "cuda_runtime.h", "-D__CUDACC__", "-D__NVCC__", "-D__SIMT__",
                   "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
                   "-D__CUDACC_VER_BUILD__=0", "-D__CUDACC_EXTENDED_LAMBDA__",
                   "-D__CUDACC_RELAXED_CONSTEXPR__", "-D__CUDA_ARCH_LIST__=900"});
  // Macros for themselves: some programs ask by them what compiles the file.
  for (const char* word : {"__host__", "__device__", "__global__", "__shared__", "__constant__",
                           "__managed__", "__forceinline__", "__noinline__", "__launch_bounds__"}) {
    command.push_back(std::string("-D") + word + "=" + word);
  }
  if (job.line.separate_compilation) command.emplace_back("-D__CUDACC_RDC__");
  if (job.line.mode != Mode::run) {
    append(command, {"-D__SIMT_WATCHED__", "-include", "simt/elements.hpp"});
  }
  if (job.line.mode == Mode::check) {
    // std::copy and similar functions call these, whose accesses would otherwise not be watched.
    append(command, {"-D__builtin_memcpy=simt_memcpy", "-D__builtin_memmove=simt_memmove",
                     "-D__builtin_memset=simt_memset"});
  }
  if (device) append(command, {"-D__CUDA_ARCH__=900", "-D__CUDA_ARCH_FEAT_SM90_ALL", "-w"});
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

/// Preprocesses for the host or the device into `output`. With `stubs` it goes on past headers of
/// CUDA's that are not here, of which `missing` tells then.
int preprocess(const CompileJob& job, bool device, const std::string& output,
               Stubs* stubs = nullptr, std::string* missing = nullptr) {
  Command command = preprocess_command(job, device);
  const bool dependencies = job.line.writes_dependencies;
  const std::string file = job.line.dependency_file.empty() ? default_dependency_file(job.output)
                                                            : job.line.dependency_file;
  const TemporaryFile device_dependencies(".d");
  if (dependencies)
    append(command, dependency_flags(job, device ? device_dependencies.path() : file));
  append(command, {job.input, "-o", output});
  while (true) {
    std::string said;
    const int status =
        run_quietly(job.line, stubs != nullptr ? stubs->seen_by(command) : command, said);
    if (status != 0 && stubs != nullptr) {
      const MissingHeader header = missing_header(said);
      if (!header.name.empty() && stubs->add(header.name)) {
        *missing += header.text;
        continue;
      }
      std::cerr << *missing;
    }
    show_said(job.installation, status, said);
    if (status == 0 && device && dependencies && !job.line.dry_run) {
      merge_dependencies(file, device_dependencies.path());
    }
    return status;
  }
}

bool asks_for_rules(const CommandLine& line) {
  return std::ranges::any_of(line.preprocessor_flags,
                             [](const std::string& flag) { return flag == "-M" || flag == "-MM"; });
}

/// Preprocesses for the host, past headers of CUDA's that are not here.
int preprocess_host(const CompileJob& job, const std::string& output, Stubs& stubs,
                    Preprocessed& source) {
  while (true) {
    const int status = preprocess(job, false, output, &stubs, &source.missing);
    if (status != 0 || job.line.dry_run) return status;
    source.host = restore_spacing(read_file(output));
    const std::vector<MissingHeader> foreign =
        find_toolkit_headers(entered_files(source.host), job.installation.include_folder);
    bool has_new = false;
    for (const MissingHeader& header : foreign) {
      source.missing += header.text;
      has_new = stubs.add(header.name) || has_new;
    }
    if (foreign.empty()) return 0;
    if (has_new) continue;
    std::cerr << source.missing;
    return 1;
  }
}

}  // namespace

int preprocess_both(const CompileJob& job, Preprocessed& source) {
  const TemporaryFile file(".ii");
  Stubs stubs;
  int status = preprocess_host(job, file.path(), stubs, source);
  if (status != 0 || job.line.dry_run) return status;
  if (mentions_cuda_arch(source.host)) {
    status = preprocess(job, true, file.path(), &stubs, &source.missing);
    if (status == 0) source.device = restore_spacing(read_file(file.path()));
  }
  return status;
}

int show_preprocessed(const CompileJob& job) {
  const std::string output = job.output.empty() ? "-" : job.output;
  if (asks_for_rules(job.line) || job.line.dry_run) return preprocess(job, false, output);
  const TemporaryFile file(".ii");
  int status = preprocess(job, false, file.path());
  if (status != 0) return status;
  std::string text = read_file(file.path());
  if (mentions_cuda_arch(text)) {
    status = preprocess(job, true, file.path());
    if (status != 0) return status;
    text += read_file(file.path());
  }
  if (output == "-") {
    std::cout << text;
  } else {
    write_file(output, text);
  }
  return 0;
}

}  // namespace simt::rewrite

#include "driver/compile.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <iostream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "driver/headers.hpp"
#include "driver/missing.hpp"
#include "driver/preprocess.hpp"
#include "driver/process.hpp"
#include "passes/rewrite.hpp"
#include "passes/sides.hpp"

namespace simt::rewrite {
namespace {

bool is_clang(const std::string& compiler) { return compiler.find("clang") != std::string::npos; }

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
  // Tensor maps are parameters of kernels, aligned to 64 bytes: g++ would tell how that once was.
  if (!is_clang(job.line.compiler)) command.emplace_back("-Wno-psabi");
  // Kernels look at memory as whatever type suits the load, and nvcc lets them.
  command.emplace_back("-fno-strict-aliasing");
  if (job.line.device_debug && job.line.mode == Mode::run) {
    // Nothing is left out or moved.
  } else if (job.line.mode == Mode::run) {
    // Loops over threads are vectorised, from -O3 on, and straight code is. With g++ no other loops
    // are: g++ 12 and 13 load past the end of arrays in some (see simt/lane_marks.hpp), but not in
    // straight code. This option leaves `omp simd` alone; -fno-tree-loop-vectorize would not.
    command.emplace_back("-fopenmp-simd");
    if (!is_clang(job.line.compiler))
      append(command, {"-fno-tree-vectorize", "-ftree-slp-vectorize"});
    // Loops are instantiated for block sizes that the program may never use, so clang's warning
    // that it cannot vectorise one does not help the program's author.
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
    append(command, watching_flags(job.line.mode, job.line.device_debug));
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
  if (line.mode != Mode::run || line.device_debug) return SplitPolicy::off;
  const char* text = std::getenv("CUCC_SPLIT");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "on") return SplitPolicy::allow;
  if (word == "strict") return SplitPolicy::strict;
  if (word == "off") return SplitPolicy::off;
  throw UsageError("CUCC_SPLIT is '" + std::string(word) + "'; it can be on, off or strict");
}

/// What every rewriting of a job's source goes by.
Options options_of(const CompileJob& job) {
  Options options;
  options.separate_compilation = job.line.separate_compilation;
  options.split_barriers = false;
  options.clang = is_clang(job.line.compiler);
  return options;
}

Result rewrite_source(const CompileJob& job, const Preprocessed& source, bool split,
                      const std::set<std::size_t>& whole = {}, bool collectives = true) {
  Options options = options_of(job);
  options.whole = whole;
  options.collectives = collectives;
  options.split_barriers = split;
  options.strict_device = job.line.strict_device;
  options.watched = job.line.mode != Mode::run;
  options.debug = job.line.device_debug;
  Result result = rewrite(source.host, source.device, options);
  for (const std::string& error : result.errors) *job.messages << error << '\n';
  return result;
}

/// What one side uses that belongs to the other, as the compiler tells it. It says nothing of a
/// source that does not compile.
std::vector<std::string> wrong_sides(const CompileJob& job, const Preprocessed& source) {
  Options options = options_of(job);
  options.mark_sides = true;
  const Result marked = rewrite(source.host, source.device, options);
  if (!marked.errors.empty() || !marked.sides_meet) return {};
  const TemporaryFile text(".ii");
  const TemporaryFile messages(".log");
  write_file(text.path(), marked.text);
  Command command{"env", "LC_ALL=C", job.line.compiler};
  for (const std::string& flag : job.line.compiler_flags) {
    if (!flag.starts_with("-W")) command.push_back(flag);
  }
  append(command,
         {"-fsyntax-only", "-Wdeprecated-declarations", "-Wvla", "-fdiagnostics-color=never",
          "-fno-diagnostics-show-caret", "-x", "c++-cpp-output", text.path()});
  run_process(command, messages.path());
  return find_wrong_sides(source.host, source.device, read_file(messages.path()));
}

/// Shows them, one for each line that has no error yet. Are there any?
bool show_wrong_sides(const std::vector<std::string>& wrong,
                      const std::vector<std::string>& errors) {
  const auto place = [](const std::string& error) {
    return error.substr(0, error.find(": error"));
  };
  std::set<std::string> places;
  for (const std::string& error : errors) places.insert(place(error));
  for (const std::string& error : wrong) {
    if (places.insert(place(error)).second) std::cerr << error << '\n';
  }
  return !wrong.empty();
}

/// Does a compiler's message name a line of the kernel?
bool mentions(const std::string& messages, const KernelReport& kernel) {
  const std::string place = kernel.file + ":";
  for (std::size_t at = messages.find(place); at != std::string::npos;
       at = messages.find(place, at + 1)) {
    const unsigned long line = std::strtoul(messages.c_str() + at + place.size(), nullptr, 10);
    if (kernel.first_line <= line && line <= kernel.last_line) return true;
  }
  return false;
}

/// Does the compiler object to nothing but what a split relied on?
bool only_unconfirmed(const std::string& messages) {
  static constexpr std::string_view kError = "error: ";
  for (std::size_t at = messages.find(kError); at != std::string::npos;
       at = messages.find(kError, at + 1)) {
    const std::string line = messages.substr(at, messages.find('\n', at) - at);
    if (line.find("not confirmed for a split") == std::string::npos &&
        line.find("constant expression") == std::string::npos &&
        line.find("call to non-") == std::string::npos) {
      return false;
    }
  }
  return true;
}

/// Says of each kernel how it runs.
void report_split(const CompileJob& job, const Result& result) {
  if (!job.line.split_report) return;
  for (const KernelReport& kernel : result.kernels) {
    std::ostream& messages = *job.messages;
    messages << kernel.file << ':' << kernel.first_line << ": note: " << kernel.name << " runs ";
    if (kernel.split) {
      messages << "cut at its barriers, as loops over the threads of a block\n";
    } else {
      messages << (kernel.waits ? "whole, on fibers" : "whole, as a loop over threads");
      if (!kernel.obstacle.empty()) messages << ": it has " << kernel.obstacle;
      messages << '\n';
    }
  }
}

/// What a compiler says, or that CUDA has what it misses here and the CPU backend has not.
std::string shown(const Installation& installation, const std::string& messages) {
  std::string missing = missing_text(messages, installation.include_folder);
  if (!missing.empty()) return missing;
  // A kernel's body is a lambda here, of which its author knows nothing.
  std::string result;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("In lambda function:") == std::string::npos) result += line + '\n';
  }
  return result;
}

/// Runs the compiler; what it says goes to the job's messages, or to `failure` if it fails.
int run_compiler(const CompileJob& job, const Command& command, std::string* failure = nullptr) {
  std::string said;
  const int status = run_quietly(job.line, command, said);
  if (status != 0 && failure != nullptr) {
    *failure = said;
  } else {
    *job.messages << (status == 0 ? said : shown(job.installation, said));
  }
  return status;
}

/// Names that the compiler misses in a rewritten source that is not to be compiled.
std::string missing_in(const CompileJob& job, const std::string& rewritten) {
  const TemporaryFile text(".ii");
  write_file(text.path(), rewritten);
  Command command{job.line.compiler};
  append(command, job.line.compiler_flags);
  append(command, {"-w", "-fsyntax-only", "-x", "c++-cpp-output", text.path()});
  std::string said;
  run_quietly(job.line, command, said);
  return missing_text(said, job.installation.include_folder);
}

/// What the compiler says of a source that is not to be watched; empty if it has no error.
std::string failure_unwatched(const CompileJob& job, const Preprocessed& source) {
  Options options = options_of(job);
  options.watched = options.as_written = true;
  const TemporaryFile text(".ii");
  write_file(text.path(), rewrite(source.host, source.device, options).text);
  Command command{job.line.compiler};
  append(command, job.line.compiler_flags);
  append(command, {"-fsyntax-only", "-x", "c++-cpp-output", text.path()});
  std::string said;
  return run_quietly(job.line, command, said) == 0 ? std::string() : said;
}

/// Compiles with kernels split; those of which the compiler does not confirm what the split relies
/// on stay whole. False if it does not compile even so.
bool compile_split(const CompileJob& job, const Preprocessed& source, Result result,
                   const TemporaryFile& rewritten, bool strict) {
  std::set<std::size_t> whole;
  bool collectives = true;
  while (result.split()) {
    std::string failure;
    if (run_compiler(job, compile_command(job, rewritten.path(), true), &failure) == 0) {
      report_split(job, result);
      return true;
    }
    if (strict && !only_unconfirmed(failure)) {
      *job.messages << shown(job.installation, failure);
      return false;
    }
    const std::size_t before = whole.size();
    for (std::size_t i = 0; i < result.kernels.size(); ++i) {
      if (result.kernels[i].split && mentions(failure, result.kernels[i])) whole.insert(i);
    }
    if (whole.size() == before) {
      // It may be about a function that has another form for split kernels.
      const bool meets = std::any_of(result.kernels.begin(), result.kernels.end(),
                                     [](const KernelReport& kernel) { return kernel.meets; });
      if (!collectives || !meets) {
        if (strict) *job.messages << shown(job.installation, failure);
        return false;
      }
      collectives = false;
    }
    result = rewrite_source(job, source, true, whole, collectives);
    write_file(rewritten.path(), result.text);
  }
  if (!strict) return false;
  report_split(job, result);
  return run_compiler(job, compile_command(job, rewritten.path(), false)) == 0;
}

/// The steps behind the preprocessor.
int compile_rewritten(const CompileJob& job, const Preprocessed& source, SplitPolicy policy,
                      Result result) {
  if (job.line.stage == Stage::rewrite) {
    report_split(job, result);
    if (job.output.empty() || job.output == "-") {
      std::cout << result.text;
    } else {
      write_file(job.output, result.text);
    }
    return 0;
  }
  const TemporaryFile rewritten(".ii");
  write_file(rewritten.path(), result.text);
  if (result.split()) {
    // Where it fails, only what it says of the kernels as they were written is of use.
    const bool strict = policy == SplitPolicy::strict;
    if (compile_split(job, source, result, rewritten, strict)) return 0;
    if (strict) return 1;
    result = rewrite_source(job, source, false);
    write_file(rewritten.path(), result.text);
  }
  report_split(job, result);
  const Command command = compile_command(job, rewritten.path(), result.split());
  if (job.line.mode == Mode::run) return run_compiler(job, command);
  std::string failure;
  const int status = run_compiler(job, command, &failure);
  if (status == 0) return 0;
  // Errors are reported for the source as it is, without the calls that watch it.
  const std::string unwatched = failure_unwatched(job, source);
  *job.messages << shown(job.installation, unwatched.empty() ? failure : unwatched);
  return status;
}

}  // namespace

int run_quietly(const CommandLine& line, std::vector<std::string> command, std::string& said) {
  if (isatty(STDERR_FILENO) != 0) command.emplace_back("-fdiagnostics-color=always");
  if (line.verbose || line.dry_run) std::cerr << "#$ " << shell_line(command) << '\n';
  if (line.dry_run) return 0;
  const TemporaryFile file(".log");
  const int status = run_process(command, file.path());
  said = read_file(file.path());
  return status;
}

void show_said(const Installation& installation, int status, const std::string& said) {
  std::cerr << (status == 0 ? said : shown(installation, said));
}

int run_step(const CommandLine& line, const std::vector<std::string>& command) {
  if (line.verbose || line.dry_run) std::cerr << "#$ " << shell_line(command) << '\n';
  return line.dry_run ? 0 : run_process(command);
}

int compile_cuda(const CompileJob& job) {
  if (job.line.stage == Stage::preprocess) return show_preprocessed(job);
  Preprocessed source;
  const int status = preprocess_both(job, source);
  if (status != 0 || job.line.dry_run) return status;
  // Beside the compilation, which someone waits for. What it finds is shown alone: most of what the
  // compiler says of such a source follows from it.
  std::future<std::vector<std::string>> wrong;
  if (job.line.strict_device) {
    wrong = std::async(std::launch::async, [&] { return wrong_sides(job, source); });
  }
  const SplitPolicy policy = split_policy(job.line);
  std::ostringstream messages;
  CompileJob quiet = job;
  quiet.messages = &messages;
  const Result result = rewrite_source(quiet, source, policy != SplitPolicy::off);
  int failed = 1;
  if (result.errors.empty() && source.missing.empty()) {
    failed = compile_rewritten(quiet, source, policy, result);
  } else {
    messages << source.missing << missing_in(job, result.text);
  }
  if (wrong.valid() && show_wrong_sides(wrong.get(), result.errors)) {
    if (failed == 0) unlink(job.output.c_str());
    if (result.errors.empty()) return 1;
    failed = 1;
  }
  const std::string said = messages.str();
  const bool adds_calls =
      failed != 0 && (!result.errors.empty() || !source.missing.empty() || hides_calls(said));
  std::cerr << (adds_calls ? merge_lines(said, result.refused_calls) : said);
  return failed;
}

}  // namespace simt::rewrite

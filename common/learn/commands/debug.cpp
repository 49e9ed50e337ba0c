#include <fmt/format.h>

#include <filesystem>

#include "learn/commands/commands.hpp"
#include "learn/core/checker.hpp"
#include "learn/core/cuda_compiler.hpp"
#include "learn/core/error.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/own_file.hpp"
#include "learn/core/process.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// What is debugged.
struct Debuggee {
  fs::path program;
  fs::path file;  ///< the learner's
  std::vector<std::string> arguments;
};

/// gdb, with where its libraries are if a set-up without root has unpacked it.
struct Debugger {
  std::string program;
  Environment environment;
};

Debuggee build_exercise(const Context& context, const Exercise& exercise, bool check) {
  if (!fs::exists(context.root / exercise.file)) throw UsageError(exercise.missing_text());
  const std::string target = exercise.target() + (check ? "_debug_checked" : "_debug");
  StatusLine status;
  const BuildResult build = context.tree().build({target}, status.build_bar(exercise.name));
  if (build.unknown_target) {
    throw UsageError(check ? fmt::format("{} has no check mode here: that is the CPU backend's, "
                                         "with g++; leave out --check",
                                         exercise.name)
                           : fmt::format("the build has no target {}", target));
  }
  if (!build.ok) {
    throw UsageError(fmt::format("{} does not compile:\n{}", exercise.name, build.messages));
  }
  return {context.tree().program(target),
          context.root / exercise.file,
          {"--no-colors=true", "--no-breaks=true", "--test-case-exclude=budget"}};
}

Debuggee build_debuggee(const Context& context, const DebugOptions& options) {
  const Standing standing = load_standing(context);
  const bool own_file = fs::path(options.what).extension() == ".cu" &&
                        find_exercise(standing.course, options.what) == nullptr;
  Debuggee debuggee;
  if (own_file) {
    const OwnFileMode mode = options.check ? OwnFileMode::debug_check : OwnFileMode::debug;
    debuggee = {build_own_file(context, options.what, mode), fs::absolute(options.what), {}};
  } else {
    const Exercise& exercise = standing.pick(options.what);
    if (const std::string obstacle = gpu_obstacle(context, exercise); !obstacle.empty()) {
      throw UsageError(fmt::format("{} {}; './learn --backend cpu debug {}' does without",
                                   exercise.name, obstacle, exercise.name));
    }
    debuggee = build_exercise(context, exercise, options.check);
  }
  debuggee.arguments.insert(debuggee.arguments.end(), options.arguments.begin(),
                            options.arguments.end());
  return debuggee;
}

/// @throws UsageError where there is no gdb, or one without Python.
Debugger find_gdb(const Context& context) {
  const auto found = find_program("gdb");
  if (!found) {
    throw UsageError("gdb is missing, and could not be installed: 'apt-get install gdb' brings it");
  }
  Debugger debugger{found->string(), {}};
  const fs::path unpacked = context.root / ".deps" / "usr";
  if (*found == unpacked / "bin" / "gdb") {
    debugger.environment.emplace_back("LD_LIBRARY_PATH",
                                      (unpacked / "lib" / "x86_64-linux-gnu").string());
  }
  const Outcome outcome =
      run_captured({{debugger.program, "-nx", "-batch", "-ex", "python print('has ' + 'python')"},
                    {},
                    debugger.environment});
  if (outcome.output.find("has python") == std::string::npos) {
    throw UsageError(
        fmt::format("{} has no Python, which the course's part of it is written in; "
                    "expected the full gdb ('apt-get install gdb')",
                    debugger.program));
  }
  return debugger;
}

/// @throws UsageError where the toolkit has none.
Debugger find_cuda_gdb(const Context& context) {
  const fs::path folder = fs::path(cuda_compiler(context)[0]).parent_path();
  if (fs::exists(folder / "cuda-gdb")) return {(folder / "cuda-gdb").string(), {}};
  if (const auto found = find_program("cuda-gdb")) return {found->string(), {}};
  throw UsageError(
      fmt::format("no cuda-gdb beside {}/nvcc or on PATH; './learn --backend cpu debug' uses gdb",
                  folder.empty() ? "." : folder.string()));
}

/// The link that an editor starts, so that it need not know the program's name.
void leave_link(const Context& context, const Debuggee& debuggee) {
  const fs::path link = context.build_folder / "debug" / "program";
  fs::create_directories(link.parent_path());
  fs::remove(link);
  fs::create_symlink(debuggee.program, link);
}

std::string quoted_for_gdb(const fs::path& file) { return file.lexically_normal().string(); }

}  // namespace

int debug_command(const Context& context, const DebugOptions& options) {
  const bool on_gpu = context.backend == "cuda";
  if (on_gpu && options.check) {
    throw UsageError("--check is the CPU backend's: './learn --backend cpu debug --check ...'");
  }
  Debugger debugger;
  if (!options.prepare) debugger = on_gpu ? find_cuda_gdb(context) : find_gdb(context);
  const Debuggee debuggee = build_debuggee(context, options);
  leave_link(context, debuggee);
  if (options.prepare) return exit_ok;

  Command command{{debugger.program, "-q"}, {}, debugger.environment};
  const auto add = [&](std::initializer_list<std::string> words) {
    command.argv.insert(command.argv.end(), words);
  };
  if (options.batch) add({"-batch"});
  add({"-iex", "set debuginfod enabled off"});
  if (on_gpu) {
    add({"-ex", "set cuda break_on_launch application", "-ex", "run"});
  } else {
    add({"-x", (context.root / "common/learn/debug/cuda_gdb.py").string(), "-ex",
         "cuda start " + quoted_for_gdb(debuggee.file)});
  }
  for (const std::string& file : options.command_files) add({"-x", file});
  for (const std::string& text : options.commands) add({"-ex", text});
  add({"--args", debuggee.program.string()});
  command.argv.insert(command.argv.end(), debuggee.arguments.begin(), debuggee.arguments.end());
  return shell_exit_code(run_attached(command));
}

}  // namespace tut::learn

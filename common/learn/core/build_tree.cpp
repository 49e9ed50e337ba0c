#include "learn/core/build_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;

BuildStep parse_build_step(std::string_view line) {
  BuildStep step;
  if (!line.starts_with('[')) return {};
  if (std::sscanf(std::string(line).c_str(), "[%d/%d]", &step.done, &step.total) != 2) return {};
  return step;
}

std::string compiler_messages(std::string_view build_output) {
  std::string result;
  bool next_is_command = false;
  for (const std::string& line : split_lines(build_output)) {
    if (next_is_command) {
      next_is_command = false;
      continue;
    }
    if (line.starts_with("FAILED: ")) {
      next_is_command = true;
      continue;
    }
    const bool tool_line =
        parse_build_step(line).total > 0 || line.starts_with("ninja: build stopped") ||
        line.starts_with("ninja: Entering directory") || line.starts_with("ninja: no work to do");
    // The CPU backend compiles a kernel's body as a lambda, of which the learner knows nothing.
    const bool inside = line.ends_with(": In lambda function:");
    if (!tool_line && !inside) result += line + "\n";
  }
  return result;
}

std::string warnings_about(std::string_view file, std::string_view messages) {
  const std::string place = std::string(file) + ":";
  std::vector<std::string> warnings;
  bool inside = false;
  for (const std::string& line : split_lines(messages)) {
    const bool belongs = line.starts_with(' ') || line.find(": note: ") != std::string::npos;
    if (!belongs) {
      inside = line.starts_with(place) && line.find(": warning: ") != std::string::npos;
      if (inside) warnings.emplace_back();
    }
    if (inside) warnings.back() += line + "\n";
  }
  std::string result;
  for (auto warning = warnings.begin(); warning != warnings.end(); ++warning) {
    if (std::find(warnings.begin(), warning, *warning) == warning) result += *warning;
  }
  return result;
}

bool BuildTree::configured() const { return fs::exists(folder_ / "build.ninja"); }

std::string BuildTree::cache_variable(std::string_view name) const {
  const std::string prefix = fmt::format("{}:", name);
  for (const std::string& line : split_lines(read_file(folder_ / "CMakeCache.txt").value_or(""))) {
    if (!line.starts_with(prefix)) continue;
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) return line.substr(equals + 1);
  }
  return "";
}

std::string BuildTree::ninja() const {
  const std::string program = cache_variable("CMAKE_MAKE_PROGRAM");
  return program.empty() ? "ninja" : program;
}

bool BuildTree::has_target(std::string_view name) const {
  const std::string rules = read_file(folder_ / "build.ninja").value_or("");
  return rules.find(fmt::format("\nbuild {}: phony", name)) != std::string::npos;
}

void BuildTree::expect_target(std::string_view name) const {
  if (configured() && !has_target(name)) configure_again();
}

BuildResult BuildTree::build_once(const std::vector<std::string>& targets,
                                  const BuildProgress& progress) const {
  Command command{{ninja(), "-C", folder_.string()}, {}, {{"NINJA_STATUS", "[%f/%t] "}}};
  command.argv.insert(command.argv.end(), targets.begin(), targets.end());
  BuildStep last;
  const Outcome outcome = run_captured(command, {}, [&](std::string_view line) {
    const BuildStep step = parse_build_step(line);
    if (!progress || step.total <= 0 || step.done == step.total) return;
    last = step;
    progress(step);
  });
  BuildResult result;
  result.ok = outcome.ok();
  if (progress && result.ok) progress({last.total, last.total});
  result.unknown_target = outcome.output.find("ninja: error: unknown target") != std::string::npos;
  result.messages = with_paths_from(source_, compiler_messages(outcome.output));
  result.seconds = outcome.seconds;
  return result;
}

Outcome BuildTree::configure_again() const {
  std::string cmake = cache_variable("CMAKE_COMMAND");
  if (cmake.empty()) cmake = "cmake";
  return run_captured({{cmake, "-S", source_.string(), "-B", folder_.string()}, {}, {}});
}

BuildResult BuildTree::build(const std::vector<std::string>& targets,
                             const BuildProgress& progress) const {
  if (!configured()) {
    throw UsageError(
        fmt::format("{} is not set up; run ./learn from the course's folder", folder_.string()));
  }
  require_writable_folder(folder_);
  require_writable_folder(folder_ / "bin");
  require_writable_file(folder_ / ".ninja_log");  // root's, where root has built before
  BuildResult result = build_once(targets, progress);
  if (!result.unknown_target) return result;
  const Outcome configured = configure_again();
  if (configured.ok()) return build_once(targets, progress);
  result.unknown_target = false;
  result.messages = "The build cannot be configured:\n" + configured.output;
  return result;
}

bool BuildTree::is_built(const std::vector<std::string>& targets) const {
  if (!configured()) return false;
  require_writable_folder(folder_);
  // A dry run of build.ninja itself would see no further than whether CMake has to run again.
  const fs::path other = folder_ / "dry_run.ninja";
  const std::string text = "include build.ninja\n";
  if (read_file(other) != text) write_file_atomically(other, text);
  Command command{{ninja(), "-C", folder_.string(), "-f", other.filename().string(), "-n"}, {}, {}};
  command.argv.insert(command.argv.end(), targets.begin(), targets.end());
  return run_captured(command).output.find("ninja: no work to do") != std::string::npos;
}

fs::path BuildTree::require_program(const std::string& target, std::string_view what,
                                    const BuildProgress& progress) const {
  const BuildResult result = build({target}, progress);
  if (result.unknown_target) {
    throw UsageError(fmt::format("{} has no program to run here (no target {})", what, target));
  }
  if (!result.ok) throw UsageError(fmt::format("{} does not build:\n{}", what, result.messages));
  return program(target);
}

}  // namespace tut::learn

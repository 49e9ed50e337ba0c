#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/process.hpp"

namespace tut::learn {

/// What a build printed, for a learner: the compiler's messages as they are, without the build
/// tool's progress lines and command lines.
std::string compiler_messages(std::string_view build_output);

/// Of such messages the warnings about one file, each once, with the lines that belong to them.
std::string warnings_about(std::string_view file, std::string_view messages);

/// The share of a build that is done, from a line "[3/12] ..." of the build tool.
struct BuildStep {
  int done = 0;
  int total = 0;
};
BuildStep parse_build_step(std::string_view line);

struct BuildResult {
  bool ok = false;
  bool unknown_target = false;
  std::string messages;  ///< compiler_messages of its output
  double seconds = 0;
};

/// Told of every step that is done; when the build has succeeded, once more with done == total.
using BuildProgress = std::function<void(BuildStep)>;

/// A configured build folder, e.g. ROOT/build/cpu.
class BuildTree {
 public:
  BuildTree(std::filesystem::path source, std::filesystem::path folder)
      : source_(std::move(source)), folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  bool configured() const;

  /// A variable of the CMake cache; empty when it is not there.
  std::string cache_variable(std::string_view name) const;

  /// The build tool that the folder was configured for.
  std::string ninja() const;

  /// Whether the last configuration had this target.
  bool has_target(std::string_view name) const;

  /// Configures again if the last configuration did not have this target: its files may have come
  /// since. What that says, a build of the target says again.
  void expect_target(std::string_view name) const;

  /// Where the program of a target lies.
  std::filesystem::path program(std::string_view target) const { return folder_ / "bin" / target; }

  /// Builds targets; configures again first when one is not known yet.
  /// @throws UsageError when the folder is not configured, or cannot be written.
  BuildResult build(const std::vector<std::string>& targets,
                    const BuildProgress& progress = nullptr) const;

  /// Whether nothing is left to do for these targets, as far as files are known that belong to
  /// them.
  /// @throws UsageError when the folder cannot be written
  bool is_built(const std::vector<std::string>& targets) const;

  /// Builds a program that must exist and returns where it lies.
  /// @throws UsageError when there is no such target or it does not compile; `what` names it.
  std::filesystem::path require_program(const std::string& target, std::string_view what,
                                        const BuildProgress& progress = nullptr) const;

 private:
  BuildResult build_once(const std::vector<std::string>& targets,
                         const BuildProgress& progress) const;
  Outcome configure_again() const;

  std::filesystem::path source_;
  std::filesystem::path folder_;
};

}  // namespace tut::learn

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tut::learn {

/// A program with its arguments, run without a shell.
struct Command {
  std::vector<std::string> argv;
  std::filesystem::path folder;  ///< working folder; empty: the caller's
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to the caller's
  /// Called in the new process just before it becomes the program, where only what is safe after
  /// fork() in a process with threads may be done. Returns false, with errno, to give up.
  std::function<bool()> before_exec = {};
};

/// How a program ended.
struct Outcome {
  int exit_code = -1;  ///< -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool truncated = false;       ///< more output than the limit; the rest was dropped
  bool over_memory = false;     ///< killed: more memory than the limit
  bool over_processes = false;  ///< killed: more processes than the limit
  double seconds = 0;
  std::string output;  ///< standard output and standard error in the order written

  bool ok() const { return exit_code == 0; }
};

struct CaptureLimits {
  double seconds = 0;  ///< 0: no limit; a program that uses up this tut::Patience is killed
  std::size_t bytes = std::size_t{1} << 20;
  bool stop_when_full = false;   ///< a program that prints more than `bytes` is killed
  std::size_t memory_bytes = 0;  ///< 0: no limit; resident, with all that it has started
  int processes = 0;             ///< 0: no limit; it, and all that it has started
};

/// A program that runs beside its caller, with its output captured and nothing to read.
class RunningProgram {
 public:
  /// @throws UsageError when it cannot be started.
  explicit RunningProgram(const Command& command);
  /// Kills it if nobody has waited for it.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Waits for its end; to be called once.
  /// @param on_line called for each complete line as it comes
  Outcome finish(const CaptureLimits& limits = {},
                 const std::function<void(std::string_view)>& on_line = nullptr);

 private:
  std::chrono::steady_clock::time_point begin_;
  pid_t pid_ = -1;
  int output_ = -1;
};

/// Runs a program with its output captured and nothing to read.
/// @param on_line called for each complete line as it comes
/// @throws UsageError when it cannot be started.
Outcome run_captured(const Command& command, const CaptureLimits& limits = {},
                     const std::function<void(std::string_view)>& on_line = nullptr);

/// Runs a program on the caller's own terminal and waits for it.
/// @throws UsageError when it cannot be started.
Outcome run_attached(const Command& command);

/// The exit code a shell would give: 128 + N after signal N.
int shell_exit_code(const Outcome& outcome);

/// What a tool of the compiler's or the build's prints, say nm.
/// @throws UsageError when it is not on PATH, or fails.
std::string output_of_tool(const std::vector<std::string>& command);

/// The program of that name on PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace tut::learn

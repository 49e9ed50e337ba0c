/// \file
/// Where code that nobody vouches for is compiled and run: bubblewrap's namespaces, a filter of
/// system calls, and limits of time, memory, processes, files and output.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "learn/core/context.hpp"
#include "learn/core/process.hpp"

namespace tut::learn {

struct SandboxLimits {
  double seconds = 60;  ///< a tut::Patience; and of processor time, of each process
  std::size_t memory_bytes = std::size_t{4} << 30;  ///< resident, of all processes together
  std::size_t file_bytes = std::size_t{512} << 20;  ///< of a file that is written
  std::size_t output_bytes = std::size_t{4} << 20;  ///< printed; with more it is stopped
  int processes = 64;
  bool address_space = false;  ///< memory_bytes limit addresses, too: not where these are reserved
};

/// What a program in the sandbox sees of the course.
enum class SandboxView {
  sources,  ///< without solutions, tests, exercises and all that was built; with the compiler
  built,    ///< and with all that was built: only for programs that are the course's own
};

/// A program to be run in the sandbox. Its working folder and paths are those within.
struct SandboxRun {
  std::vector<std::string> argv;
  std::filesystem::path folder;
  std::vector<std::pair<std::string, std::string>> environment;  ///< all that it gets
  SandboxView view = SandboxView::sources;
  bool may_write = false;  ///< in the private folder
  int channel = -1;        ///< a descriptor to hand over; its number stays the same
  SandboxLimits limits;
};

/// The signal that ended a program, as the sandbox passes it on; 0: none did.
int signal_of(const Outcome& outcome);

/// What a program that was stopped had too much of, such as "more than 20 s of work, or of
/// waiting"; "" if none stopped it.
std::string excess(const Outcome& outcome, const SandboxLimits& limits);

/// How programs are kept apart from this machine.
class Isolation {
 public:
  /// Finds out whether bubblewrap works here.
  /// @param unsafe go on without it, if it does not
  /// @throws UsageError that says what is wrong and what helps, unless `unsafe`
  Isolation(const Context& context, bool unsafe);

  bool isolated() const { return !bwrap_.empty(); }

  /// What is not kept apart, a sentence; empty: everything is.
  const std::string& missing() const { return missing_; }

  const Context& context() const { return context_; }
  const std::filesystem::path& bwrap() const { return bwrap_; }
  bool drops_root() const { return drops_root_; }
  bool limits_processes() const { return limits_processes_; }

 private:
  const Context& context_;
  std::filesystem::path bwrap_;
  std::string missing_;
  bool drops_root_ = false;
  bool limits_processes_ = false;  ///< by a resource limit; else only by looking now and then
};

/// The place of one submission: a private folder, with the file in it, that is removed with this.
class Sandbox {
 public:
  /// @param source the exercise's file, relative to the course's root: there `text` stands
  Sandbox(const Isolation& isolation, const std::filesystem::path& source, std::string_view text);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// The private folder as programs within see it, and as it is outside.
  std::filesystem::path inner() const;
  const std::filesystem::path& outer() const { return folder_; }

  /// The submission as programs within see it.
  std::filesystem::path source() const;

  /// @throws UsageError when it cannot be started at all.
  Outcome run(const SandboxRun& run) const;

 private:
  std::vector<std::string> command_line(const SandboxRun& run, int filter) const;

  const Isolation& isolation_;
  std::filesystem::path source_;
  std::filesystem::path folder_;
};

}  // namespace tut::learn

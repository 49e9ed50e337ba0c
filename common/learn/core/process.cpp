#include "learn/core/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "learn/core/error.hpp"
#include "tut/text/patience.hpp"

namespace tut::learn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// In the child: becomes the program, or reports errno through the pipe.
[[noreturn]] void become(const Command& command, int output, int error_pipe) {
  const auto fail = [&] {
    const int error = errno;
    [[maybe_unused]] const ssize_t sent = write(error_pipe, &error, sizeof(error));
    _exit(127);
  };
  std::signal(SIGINT, SIG_DFL);
  if (output >= 0) {
    const int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) fail();
  }
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) fail();
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  if (command.before_exec && !command.before_exec()) fail();
  std::vector<char*> argv;
  for (const std::string& argument : command.argv) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  fail();
  std::abort();
}

/// Starts the program; `output` < 0 leaves it the caller's streams.
pid_t start(const Command& command, int output) {
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) throw UsageError("cannot make a pipe");
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) become(command, output, error_pipe[1]);
  close(error_pipe[1]);
  int error = pid < 0 ? errno : 0;
  if (pid > 0 && read(error_pipe[0], &error, sizeof(error)) == sizeof(error)) {
    waitpid(pid, nullptr, 0);
  }
  close(error_pipe[0]);
  if (error != 0) {
    throw UsageError(fmt::format("cannot run {}: {}", command.argv[0], std::strerror(error)));
  }
  return pid;
}

void wait_for(pid_t pid, Outcome& outcome) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
}

/// Collects what comes through the pipe, line by line.
class Collector {
 public:
  Collector(Outcome& outcome, std::size_t limit, const std::function<void(std::string_view)>& sink)
      : outcome_(outcome), limit_(limit), on_line_(sink) {}

  void take(std::string_view text) {
    const std::size_t room = limit_ - std::min(limit_, outcome_.output.size());
    outcome_.truncated |= text.size() > room;
    outcome_.output += text.substr(0, room);
    if (!on_line_) return;
    line_ += text;
    for (std::size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1)) {
      on_line_(std::string_view(line_).substr(0, end));
    }
  }

 private:
  Outcome& outcome_;
  std::size_t limit_;
  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
};

/// Looks now and then whether a program keeps to its limits.
class LimitWatch {
 public:
  LimitWatch(pid_t pid, const CaptureLimits& limits) : pid_(pid), limits_(limits) {
    const bool watches_use = limits.memory_bytes > 0 || limits.processes > 0;
    if (limits.seconds > 0) patience_.emplace(pid, limits.seconds);
    // Memory fills faster than time passes.
    const int most_ms = watches_use ? 100 : 250;
    if (patience_) look_ms_ = std::clamp(static_cast<int>(100 * limits.seconds), 10, most_ms);
    if (!patience_ && watches_use) look_ms_ = most_ms;
  }

  /// Milliseconds from one look to the next; -1: there is nothing to look at.
  int look_ms() const { return look_ms_; }

  /// Whether the program has gone too far; `outcome` gets the reason.
  bool is_over(Outcome& outcome) {
    if (outcome.truncated && limits_.stop_when_full) return true;
    if (look_ms_ < 0 || seconds_since(last_look_) * 1000 < look_ms_) return false;
    const ProcessUse use = use_of(pid_);
    outcome.over_memory = limits_.memory_bytes > 0 && use.resident_bytes > limits_.memory_bytes;
    outcome.over_processes = limits_.processes > 0 && use.processes > limits_.processes;
    outcome.timed_out = patience_ && patience_->is_over(use.seconds);
    last_look_ = Clock::now();
    return outcome.timed_out || outcome.over_memory || outcome.over_processes;
  }

 private:
  pid_t pid_;
  const CaptureLimits& limits_;
  std::optional<Patience> patience_;
  int look_ms_ = -1;
  Clock::time_point last_look_ = Clock::now();
};

/// Reads all that comes. Returns false if the program went beyond its limits first.
bool collect(int input, pid_t pid, const CaptureLimits& limits, Outcome& outcome,
             Collector& collector) {
  LimitWatch watch(pid, limits);
  char buffer[65536];
  while (true) {
    if (watch.is_over(outcome)) return false;
    pollfd ready{input, POLLIN, 0};
    if (poll(&ready, 1, watch.look_ms()) <= 0) continue;
    const ssize_t count = read(input, buffer, sizeof(buffer));
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
    if (count > 0) collector.take({buffer, static_cast<std::size_t>(count)});
  }
}

}  // namespace

RunningProgram::RunningProgram(const Command& command) : begin_(Clock::now()) {
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) throw UsageError("cannot make a pipe");
  try {
    pid_ = start(command, output[1]);
  } catch (...) {
    close(output[0]);
    close(output[1]);
    throw;
  }
  close(output[1]);
  output_ = output[0];
}

RunningProgram::~RunningProgram() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  close(output_);
  Outcome ignored;
  wait_for(pid_, ignored);
}

Outcome RunningProgram::finish(const CaptureLimits& limits,
                               const std::function<void(std::string_view)>& on_line) {
  Outcome outcome;
  Collector collector(outcome, limits.bytes, on_line);
  if (!collect(output_, pid_, limits, outcome, collector)) kill(pid_, SIGKILL);
  close(output_);
  wait_for(pid_, outcome);
  pid_ = -1;
  outcome.seconds = seconds_since(begin_);
  return outcome;
}

Outcome run_captured(const Command& command, const CaptureLimits& limits,
                     const std::function<void(std::string_view)>& on_line) {
  return RunningProgram(command).finish(limits, on_line);
}

Outcome run_attached(const Command& command) {
  const auto begin = Clock::now();
  Outcome outcome;
  // The terminal sends Ctrl-C to both; the child decides, and we report how it ended.
  const auto previous = std::signal(SIGINT, SIG_IGN);
  const auto restore = [&] { std::signal(SIGINT, previous); };
  try {
    wait_for(start(command, -1), outcome);
  } catch (...) {
    restore();
    throw;
  }
  restore();
  outcome.seconds = seconds_since(begin);
  return outcome;
}

int shell_exit_code(const Outcome& outcome) {
  return outcome.signal != 0 ? 128 + outcome.signal : outcome.exit_code;
}

std::string output_of_tool(const std::vector<std::string>& command) {
  if (!find_program(command.front())) {
    throw UsageError(command.front() + " is not on PATH; it comes with the compiler's binutils");
  }
  Outcome outcome = run_captured({command, {}, {}}, {.bytes = std::size_t{64} << 20});
  if (!outcome.ok()) {
    throw UsageError(fmt::format("'{}' failed:\n{}", command.front(), outcome.output));
  }
  return std::move(outcome.output);
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const auto candidate = std::filesystem::path(rest.substr(0, end)) / name;
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace tut::learn

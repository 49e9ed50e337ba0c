#include "learn/core/git.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

Outcome run_git(const std::filesystem::path& root, std::vector<std::string> arguments) {
  std::vector<std::string> argv = {"git", "-C", root.string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_captured(
      {argv, {}, {{"GIT_TERMINAL_PROMPT", "0"}, {"LC_ALL", "C"}, {"GIT_OPTIONAL_LOCKS", "0"}}},
      {.bytes = std::size_t{64} << 20});
}

/// Git's reason in one line: its first line that names one, with the list of files that may follow;
/// else its first line.
std::string reason_in(const std::string& output) {
  std::string reason;
  const std::vector<std::string> lines = split_lines(output);
  for (const std::string& line : lines) {
    if (!reason.empty()) {
      if (!line.starts_with('\t')) break;
      reason += " " + std::string(trim(line));
    }
    for (const std::string_view mark : {"fatal: ", "error: "}) {
      if (reason.empty() && line.starts_with(mark)) reason = line.substr(mark.size());
    }
  }
  if (!reason.empty()) return reason;
  return lines.empty() ? "git gave no reason" : lines[0];
}

}  // namespace

Git::Git(std::filesystem::path root) : root_(std::move(root)) {
  if (!find_program("git")) {
    throw UsageError("git is not on PATH; install it with this system's package manager");
  }
  const auto top = try_output({"rev-parse", "--show-toplevel"});
  std::error_code error;
  if (!top || !std::filesystem::equivalent(std::string(trim(*top)), root_, error)) {
    throw UsageError(fmt::format(
        "{} is no git checkout; expected a course that was got with git clone", root_.string()));
  }
}

std::optional<Git> Git::around(const std::filesystem::path& folder) {
  Git git;
  git.root_ = folder;
  if (!find_program("git") || !git.try_output({"rev-parse", "--is-inside-work-tree"})) {
    return std::nullopt;
  }
  return git;
}

std::optional<std::string> Git::try_output(std::vector<std::string> arguments) const {
  Outcome outcome = run_git(root_, std::move(arguments));
  if (!outcome.ok()) return std::nullopt;
  return std::move(outcome.output);
}

std::string Git::output(std::vector<std::string> arguments, const std::string& what) const {
  const Outcome outcome = run_git(root_, std::move(arguments));
  if (!outcome.ok()) throw UsageError(fmt::format("{}: {}", what, reason_in(outcome.output)));
  return std::string(trim(outcome.output));
}

std::vector<std::string> Git::list(std::vector<std::string> arguments,
                                   const std::string& what) const {
  const Outcome outcome = run_git(root_, std::move(arguments));
  if (!outcome.ok()) throw UsageError(fmt::format("{}: {}", what, reason_in(outcome.output)));
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin < outcome.output.size();) {
    const std::size_t end = std::min(outcome.output.find('\0', begin), outcome.output.size());
    entries.push_back(outcome.output.substr(begin, end - begin));
    begin = end + 1;
  }
  return entries;
}

std::optional<std::string> Git::file(const std::string& commit, const std::string& path) const {
  return try_output({"cat-file", "blob", commit + ":" + path});
}

}  // namespace tut::learn

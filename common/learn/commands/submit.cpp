#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "learn/commands/commands.hpp"
#include "learn/core/archive.hpp"
#include "learn/core/assignment.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/review.hpp"
#include "learn/core/stub_source.hpp"
#include "learn/core/todos.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// What of an assigned exercise is missing, and the command that helps; empty where nothing is.
std::string shortcoming(const Context& context, const Standing& standing, const Exercise& exercise,
                        const std::optional<std::string>& text) {
  if (!text) return exercise.missing_text();
  try {
    const std::string stub = stub_text(context.root, exercise);
    if (*text == stub) return "is still as it was given";
    const std::size_t empty = empty_todos(*text, stub).size();
    if (empty > 0) {
      return fmt::format("{} of {} TODO{} still empty", empty, count_todos(stub),
                         empty == 1 ? " is" : "s are");
    }
  } catch (const UsageError&) {
    // There is no stub to compare with.
  }
  const std::string check = fmt::format("'./learn check {}' checks it", exercise.name);
  switch (standard_of(standing.progress.at(exercise.name), file_mark(*text))) {
    case Standard::passed:
      return "";
    case Standard::failed:
      return "its check failed; " + check + " again";
    case Standard::edited:
    case Standard::passed_before:
      return "not checked since the last edit; " + check;
    case Standard::never_checked:
      break;
  }
  return "not checked yet; " + check;
}

std::string utc(std::chrono::sys_seconds time) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC",
                     fmt::gmtime(static_cast<std::time_t>(time.time_since_epoch().count())));
}

void print_due(const Assignment& assignment) {
  if (!assignment.due) return;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const bool late = now > *assignment.due + std::chrono::minutes(assignment.late.grace_minutes);
  fmt::print("Due {}{}.\n", utc(*assignment.due),
             late ? fmt::format(": it is late, and counts {:g} % if it is handed in now",
                                100 * late_factor(assignment, now))
                  : "");
}

Assignment find_assignment(const Context& context, const SubmitOptions& options,
                           const Course& course) {
  const fs::path file =
      options.assignment.empty() ? context.root / "assignment.toml" : fs::path(options.assignment);
  if (options.assignment.empty() && !read_file(file)) {
    throw UsageError(
        "no assignment.toml in the course's folder; name one: "
        "./learn submit --assignment FILE.toml");
  }
  return load_assignment(file, course);
}

}  // namespace

int submit_command(const Context& context, const SubmitOptions& options) {
  const Standing standing = load_standing(context);
  const Assignment assignment = find_assignment(context, options, standing.course);
  const fs::path out =
      options.out.empty() ? context.root / "submission.tar.gz" : fs::path(options.out);
  require_archive_name(out);

  fmt::print("{}\n", context.style.bold(assignment.title));
  print_due(assignment);
  std::vector<PackedFile> files;
  std::size_t missing = 0;
  for (const AssignedExercise& assigned : assignment.exercises) {
    const Exercise& exercise = pick_exercise(standing.course, assigned.name);
    auto text = read_file(context.root / exercise.file);
    const std::string lacks = shortcoming(context, standing, exercise, text);
    missing += lacks.empty() ? 0 : 1;
    fmt::print("{}", wrap(fmt::format("  {} {}{}", lacks.empty() ? "[x]" : "[ ]", assigned.name,
                                      lacks.empty() ? "" : ": " + lacks),
                          terminal_width(), 0, 4));
    if (text) files.push_back({exercise.file.string(), std::move(*text), false});
  }
  std::fflush(stdout);
  if (files.empty()) throw UsageError("none of the files is there; nothing was packed");
  if (missing > 0 && !options.anyway) {
    fmt::print(stderr,
               "learn: {} of {} exercises are not ready, and nothing was packed; "
               "'./learn submit --anyway' packs what is there\n",
               missing, assignment.exercises.size());
    return exit_check_failed;
  }
  const std::string before = write_archive(out, pack(files, out));
  fmt::print("{}{}: {} of {} files.\n", out.string(), before.empty() ? "" : " (" + before + ")",
             files.size(), assignment.exercises.size());
  return exit_ok;
}

}  // namespace tut::learn

#include "learn/commands/check_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <vector>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/progress.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/stub_source.hpp"
#include "learn/core/text.hpp"
#include "learn/core/todos.hpp"
#include "learn/stubs/projection.hpp"

namespace tut::learn {
namespace {

/// Whether no exercise has been built yet: what all of them need is built with the first.
bool is_first_build(const BuildTree& tree, const Exercise& exercise) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(tree.program(exercise.target()).parent_path(), error)) {
    if (entry.path().filename().string().find("_exercise") != std::string::npos) return false;
  }
  return true;
}

CheckResult check_with_bar(const Context& context, const Exercise& exercise) {
  StatusLine status;
  const BuildProgress bar = status.build_bar(
      exercise.name,
      is_first_build(context.tree(), exercise) ? "the first build can take some minutes" : "");
  return check_exercise(context, exercise, [&](BuildStep step) {
    bar(step);
    if (step.done == step.total) status.show(fmt::format("testing {} ...", exercise.name));
  });
}

std::string advice(const Context& context, const Exercise& exercise, const CheckResult& result,
                   int hints_seen) {
  if (result.verdict == Verdict::cannot_run || result.verdict == Verdict::compile_error) return "";
  const auto hints = static_cast<int>(exercise.hints.size());
  const std::string command = fmt::format("./learn hint {}", exercise.name);
  if (hints_seen < hints) {
    return fmt::format("Stuck? {} shows hint {} of {}.\n", context.style.cyan(command),
                       hints_seen + 1, hints);
  }
  if (!has_solution(context.root, exercise)) {
    return fmt::format("Stuck? {} shows the hints again.\n", context.style.cyan(command));
  }
  return fmt::format("Stuck? {} shows the hints again, {} the solution.\n",
                     context.style.cyan(command),
                     context.style.cyan("./learn solution " + exercise.name + " --give-up"));
}

/// The TODOs of a learner's file under which nothing stands yet.
struct Todos {
  std::vector<int> empty;  ///< lines
  int all = 0;
};

Todos todos_of(const Context& context, const Exercise& exercise) {
  const auto text = read_file(context.root / exercise.file);
  if (!text) return {};
  try {
    const std::string stub = stub_text(context.root, exercise);
    return {empty_todos(*text, stub), count_todos(stub)};
  } catch (const UsageError&) {
    return {};  // there is no stub to compare with
  }
}

std::string todos_text(const Exercise& exercise, const Todos& todos) {
  const bool one = todos.empty.size() == 1;
  return fmt::format("{} of {} TODO{} {} still empty: {}, line{} {}\n", todos.empty.size(),
                     todos.all, todos.all == 1 ? "" : "s", one ? "is" : "are",
                     exercise.file.string(), one ? "" : "s", fmt::join(todos.empty, ", "));
}

/// What went wrong, and where: one thing.
std::string cause_text(const Exercise& exercise, const CheckResult& result, const Todos& todos) {
  const bool tested = result.verdict == Verdict::failed || result.verdict == Verdict::crashed ||
                      result.verdict == Verdict::timed_out;
  if (!tested) return result.report;
  std::string empty = todos.empty.empty() ? "" : todos_text(exercise, todos);
  if (!empty.empty() && static_cast<int>(todos.empty.size()) == todos.all) return empty;
  std::string text = result.said.cause + empty;
  if (!result.said.printed.empty()) {
    text += text.empty() ? "" : "\nThe program printed:\n";
    text += result.said.printed;
  }
  return text;
}

/// What passed besides its test, and what to look at next.
std::string pass_text(const Context& context, const Exercise& exercise, const CheckResult& result) {
  std::string text;
  if (!result.said.counted.empty()) text += "Its kernels " + result.said.counted + ".\n";
  if (exercise.file.extension() == ".cu" && has_solution(context.root, exercise)) {
    text +=
        fmt::format("{} shows your kernels beside the solution's.\n",
                    context.style.cyan(fmt::format("./learn solution {} --diff", exercise.name)));
  }
  return text;
}

/// What went wrong, and what the compiler warned of in the learner's file. A warning of a variable
/// that is not set comes first, as it may be the cause of all the rest.
void print_cause(const std::string& cause, const CheckResult& result, int width) {
  if (cause.empty() && result.warnings.empty()) return;
  const bool points = result.verdict == Verdict::compile_error;  // with its blanks: not wrapped
  const auto print_warnings = [&](const char* title) {
    if (!result.warnings.empty()) fmt::print("\n{}\n{}", title, result.warnings);
  };
  const bool is_unset = result.warnings.find("uninitialized") != std::string::npos;
  if (is_unset) print_warnings("The compiler warned of this, which may be why:");
  if (!cause.empty()) fmt::print("\n{}", points ? cause : wrap(cause, width, 0, 2));
  if (!is_unset) print_warnings("The compiler also warned of this:");
  fmt::print("\n");
}

/// All that a test said, unless it is in `cause`; without the lines that are for programs.
std::string rest_of_report(const std::string& cause, const std::string& report) {
  std::string rest;
  bool says_more = false;
  for (const std::string& line : split_lines(report)) {
    const std::string_view text = trim(line);
    if (text.starts_with("kind: ")) continue;
    rest += line + "\n";
    says_more = says_more || cause.find(text) == std::string::npos;
  }
  return says_more ? "The whole report:\n\n" + rest + "\n" : "";
}

void print_result(const Context& context, const Exercise& exercise, const CheckResult& result,
                  bool full) {
  const int width = terminal_width();
  fmt::print("{}  {}\n", context.style.bold(label(exercise)), exercise.file.string());
  fmt::print("{}",
             wrap(fmt::format("{}: {}", exercise.name, verdict_line(context, exercise, result)),
                  width, 0, 2));
  if (result.verdict == Verdict::passed) {
    fmt::print("{}", wrap(pass_text(context, exercise, result), width));
  } else {
    const std::string cause = cause_text(exercise, result, todos_of(context, exercise));
    print_cause(cause, result, width);
    const std::string rest = rest_of_report(cause, result.report);
    if (full) {
      fmt::print("{}", rest);
    } else if (!rest.empty() && result.verdict == Verdict::failed) {
      fmt::print("{} shows all that its test said.\n",
                 context.style.cyan(fmt::format("./learn check {} --full", exercise.name)));
    }
  }
  if (result.verdict != Verdict::passed) {
    const int hints_seen = load_progress(context.root).at(exercise.name).hints;
    fmt::print("{}", wrap(advice(context, exercise, result, hints_seen), width));
  }
  std::fflush(stdout);
}

}  // namespace

std::string verdict_line(const Context& context, const Exercise& exercise,
                         const CheckResult& result) {
  const Style& style = context.style;
  const bool plain_cpp = exercise.needs == "cpu";
  const std::string where = plain_cpp ? "" : " " + context.where();
  switch (result.verdict) {
    case Verdict::passed: {
      std::string text = style.green("passed") + where;
      if (!plain_cpp && context.backend != "cuda") {
        text += "; not verified on a GPU";
        if (result.taken_by_nvcc) text += ", though nvcc compiles it, too";
      }
      if (result.watched) text += "; no race or other bug seen";
      if (result.budget_measured) {
        text += "; within its memory budget";
      } else if (!exercise.budget.empty()) {
        text += "; its memory budget was not measured";
      }
      return text + fmt::format(" (built in {:.1f} s, tested in {:.1f} s)", result.build_seconds,
                                result.run_seconds);
    }
    case Verdict::failed: {
      const std::string& what = result.said.verdict;
      return style.red("failed") + where + (what.empty() ? "" : ": " + what);
    }
    case Verdict::compile_error:
      return style.red("does not compile");
    case Verdict::crashed:
      return style.red("crashed") + where;
    case Verdict::timed_out:
      return style.red("took too long") + where;
    case Verdict::cannot_run:
      return style.yellow("not run");
  }
  return "";
}

std::string next_line(const Context& context, const Standing& standing, const std::string& solved) {
  const Exercise* next = standing.next_after(solved);
  if (next == nullptr) return "That was the last open exercise: you have solved them all.\n";
  std::vector<std::string> skipped;
  for (const Exercise& one : standing.course.exercises) {
    if (&one == next) break;
    if (standing.progress.at(one.name).passed()) continue;
    const std::string what =
        one.chapter == next->chapter ? one.name : fmt::format("chapter {:02}", one.chapter);
    if (skipped.empty() || skipped.back() != what) skipped.push_back(what);
  }
  const std::string before =
      skipped.empty() ? "" : fmt::format(" (still open before it: {})", fmt::join(skipped, ", "));
  return wrap(fmt::format("Next: {}  {}{}", context.style.bold(label(*next)), next->title, before),
              terminal_width(), 0, 2) +
         next_steps(context, standing, *next);
}

CheckResult check_and_report(const Context& context, const Exercise& exercise, Show show) {
  const bool quiet = show == Show::nothing;
  if (const std::string obstacle = gpu_obstacle(context, exercise); !quiet && !obstacle.empty()) {
    fmt::print("{} will only be built, not run: it {}.\n", exercise.name, obstacle);
    std::fflush(stdout);
  }
  const auto mark = [&] { return file_mark_of(context.root / exercise.file); };
  std::string checked_file = mark();
  CheckResult result = check_with_bar(context, exercise);
  if (mark() != checked_file) checked_file.clear();  // nobody knows which of the two was compiled
  if (!quiet) print_result(context, exercise, result, show == Show::all);
  if (result.verdict == Verdict::cannot_run) return result;
  // Who tries the course's solution has not solved anything.
  const bool is_solution = has_marks(read_file(context.root / exercise.file).value_or(""));
  if (result.verdict == Verdict::passed && is_solution) {
    if (!quiet) {
      fmt::print("{}", wrap(fmt::format("{} is the course's solution, with its marks: {} is not "
                                        "noted as solved.\n",
                                        exercise.file.string(), exercise.name),
                            terminal_width()));
    }
  } else {
    update_progress(context.root, [&](Progress& progress) {
      Record& record = progress.records[exercise.name];
      const std::string backend = exercise.needs == "cpu" ? "cpu" : context.backend;
      if (result.verdict == Verdict::passed) {
        note_pass(record, backend, checked_file,
                  fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))));
      } else {
        note_failure(record, checked_file);
      }
    });
  }
  return result;
}

}  // namespace tut::learn

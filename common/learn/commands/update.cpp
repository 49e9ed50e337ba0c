#include "learn/core/update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/standing.hpp"

namespace tut::learn {
namespace {

/// What is new of the exercises between two commits.
class News {
 public:
  News(const Context& context, const Git& git, const UpdateJournal& done)
      : context_(context), git_(git), done_(done), progress_(load_progress(context.root)) {}

  void print(const Course& before, const Course& after) {
    for (const Exercise& exercise : after.exercises) {
      const std::string file = exercise.file.string();
      const auto old_stub = git_.file(done_.from, file), new_stub = git_.file(done_.to, file);
      if (!old_stub && new_stub) {
        fmt::print("New exercise: {}  {}\n", context_.style.bold(label(exercise)), exercise.title);
      }
      if (old_stub && new_stub && *old_stub != *new_stub) print_stub(exercise);
      print_contract(exercise);
    }
    for (const Exercise& exercise : before.exercises) {
      const bool stays = std::ranges::find(after.exercises, exercise.name, &Exercise::name) !=
                         after.exercises.end();
      if (!stays && done_.has(exercise.file.string())) {
        fmt::print("{} is no exercise any more; your file {} stays.\n", exercise.name,
                   exercise.file.string());
      }
    }
    if (unedited_ > 0) {
      fmt::print("{} stub{} that you had not edited {} new.\n", unedited_,
                 unedited_ == 1 ? "" : "s", unedited_ == 1 ? "is" : "are");
    }
  }

 private:
  void print_stub(const Exercise& exercise) {
    if (!done_.has(exercise.file.string())) {
      ++unedited_;
      return;
    }
    fmt::print(
        "{}: its stub has changed, and your file stays as it is. {} gives the new stub, and "
        "keeps your file beside it.\n",
        context_.style.bold(exercise.name), context_.style.cyan("./learn reset " + exercise.name));
  }

  /// The contract of an exercise that the learner has begun, where it has changed, as a diff.
  void print_contract(const Exercise& exercise) {
    const bool begun = done_.has(exercise.file.string()) || progress_.at(exercise.name).passed();
    const std::string header =
        fmt::format("chapters/{}/{}.hpp", chapter_folder(exercise), exercise.name);
    if (!begun || git_.file(done_.from, header) == git_.file(done_.to, header)) return;
    const std::string diff =
        git_.try_output({"diff", context_.style.enabled() ? "--color=always" : "--color=never",
                         "--no-ext-diff", done_.from, done_.to, "--", header})
            .value_or("");
    fmt::print("{}: its contract {} has changed:\n{}\n", context_.style.bold(exercise.name), header,
               diff.substr(std::min(diff.find("@@"), diff.size())));
  }

  const Context& context_;
  const Git& git_;
  const UpdateJournal& done_;
  Progress progress_;
  int unedited_ = 0;
};

/// The course as it is now; an empty one where its list is newer than this program can read.
Course course_now(const Context& context) {
  try {
    return load_course(context.root);
  } catch (const UsageError&) {
    return {};
  }
}

void report(const Context& context, const Git& git, const UpdateJournal& done, const Course& before,
            const std::vector<std::string>& notes) {
  const std::string commits =
      git.try_output({"rev-list", "--count", done.from + ".." + done.to}).value_or("?");
  fmt::print("Updated: {} new commit{}.\n", trim(commits), trim(commits) == "1" ? "" : "s");
  if (!done.files.empty()) {
    fmt::print("Your {} edited file{} and your progress are as they were.\n", done.files.size(),
               done.files.size() == 1 ? "" : "s");
  }
  News(context, git, done).print(before, course_now(context));
  for (const std::string& note : notes) fmt::print("{}\n", note);
}

}  // namespace

int update_command(const Context& context) {
  const Git git(context.root);
  const FileLock lock(context.root / ".learn" / "update.lock");
  const Course before = course_now(context);
  auto unfinished = unfinished_update(context.root);
  try {
    if (unfinished) {
      fmt::print("An update was stopped before its end; finishing it.\n");
      std::fflush(stdout);
      const std::vector<std::string> notes = finish_update(git, *unfinished);
      report(context, git, *unfinished, before, notes);
      return exit_ok;
    }
    UpdateJournal plan = plan_update(git);
    if (plan.from == plan.to) {
      fmt::print("The course is up to date.\n");
      return exit_ok;
    }
    const std::vector<std::string> notes = do_update(git, plan);
    report(context, git, plan, before, notes);
    return exit_ok;
  } catch (const UsageError& error) {
    if (!read_file(context.root / ".learn" / "update" / "journal")) throw;
    throw UsageError(
        fmt::format("{}; your files are kept in .learn/update/files, and './learn update' goes on",
                    error.what()));
  }
}

}  // namespace tut::learn

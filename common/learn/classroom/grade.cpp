#include "learn/classroom/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "learn/classroom/grader.hpp"
#include "learn/classroom/hand_in_times.hpp"
#include "learn/classroom/journal.hpp"
#include "learn/classroom/outputs.hpp"
#include "learn/classroom/seed.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/machine.hpp"
#include "learn/core/sha256.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// A text to be tried for an exercise, whoever handed it in.
struct Task {
  std::size_t exercise = 0;  ///< in the assignment
  std::string text;
};

/// What makes results what they are, but for the text that is graded.
std::string key_of(const Context& context, const ExerciseRecipe& recipe, const std::string& seed,
                   const GradeOptions& options) {
  std::string facts =
      fmt::format("1 {} {} {} {} {}\n", seed, options.compile_seconds, options.run_seconds,
                  options.memory_gib, recipe.exercise->timeout_seconds);
  const auto add_file = [&](const fs::path& file) {
    facts += file.filename().string() + " " + sha256(read_file(file).value_or("")) + "\n";
  };
  for (const auto* program : {&recipe.plain, &recipe.checked, &recipe.counted}) {
    if (!*program) continue;
    for (const std::string& word : (*program)->compile) facts += word + " ";
    for (const std::string& word : (*program)->link) facts += word + " ";
    for (const std::string& input : (*program)->inputs) add_file(context.build_folder / input);
  }
  add_file(context.build_folder / "bin/cucc");
  add_file("/proc/self/exe");
  add_file(context.root / recipe.exercise->solution());
  for (const auto& [metric, most] : recipe.exercise->budget)
    facts += fmt::format("{} {}\n", metric, most);
  return sha256(facts);
}

/// Builds all that the programs are linked from, but for what was handed in.
void build_inputs(const Context& context, const std::vector<ExerciseRecipe>& recipes) {
  std::vector<std::string> targets = {"cucc"};
  for (const ExerciseRecipe& recipe : recipes) {
    for (const auto* program : {&recipe.plain, &recipe.checked, &recipe.counted}) {
      if (*program) {
        targets.insert(targets.end(), (*program)->inputs.begin(), (*program)->inputs.end());
      }
    }
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  const BuildTree tree = context.tree();
  StatusLine status;
  const BuildResult built =
      tree.build(targets, tree.is_built(targets) ? nullptr : status.build_bar("the tests", "once"));
  if (!built.ok) throw UsageError("the tests do not build:\n" + built.messages);
}

/// Does something for each of 0 ... count - 1, some at a time. Shows how far it is.
/// @throws what one of them threw first
void for_each(std::size_t count, int jobs, const char* what,
              const std::function<void(std::size_t)>& action) {
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0, running = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable changed;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        action(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
      const std::lock_guard lock(mutex);
      ++done;
      changed.notify_one();
    }
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_one();
  };
  StatusLine status;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::jthread> workers;
  running = std::min<std::size_t>(static_cast<std::size_t>(jobs), count);
  const std::size_t threads = running;
  for (std::size_t i = 0; i < threads; ++i) workers.emplace_back(work);
  std::unique_lock lock(mutex);
  while (running > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const int now = static_cast<int>(done), all = static_cast<int>(count);
    status.show(fmt::format("{}  {} {}/{}{}", what, bar(now, all, 20), now, all,
                            time_left(now, all, spent.count())));
    changed.wait(lock);
  }
  lock.unlock();
  status.clear();
  if (failure) std::rethrow_exception(failure);
}

class Grading {
 public:
  Grading(const Context& context, const GradeOptions& options)
      : context_(context),
        options_(options),
        course_(load_course(context.root)),
        assignment_(load_assignment(options.assignment, course_)) {
    for (const AssignedExercise& one : assignment_.exercises) {
      exercises_.push_back(&pick_exercise(course_, one.name));
    }
    if (!options.out.empty()) {
      std::error_code error;
      fs::create_directories(options.out / "journal", error);
      if (error) {
        throw UsageError(fmt::format("cannot make the folder '{}': {}",
                                     (options.out / "journal").string(), error.message()));
      }
      require_writable_folder(options.out);
      journal_.emplace(options.out / "journal");
    }
  }

  int run() {
    if (!options_.times.empty()) {
      const auto text = read_file(options_.times);
      if (!text) throw UsageError(fmt::format("cannot read '{}'", options_.times.string()));
      times_ = parse_times(*text, options_.times.string());
    }
    Intake intake = take_in(options_.submissions, exercises_);
    for (const std::string& note : intake.notes) fmt::print(stderr, "learn: {}\n", note);
    submissions_ = std::move(intake.students);
    require_solutions();
    const Isolation isolation(context_, options_.unsafe);
    if (!isolation.missing().empty()) fmt::print(stderr, "learn: {}\n", isolation.missing());
    for (const Exercise* exercise : exercises_) {
      recipes_.push_back(read_recipe(context_.tree(), context_.root, *exercise));
    }
    build_inputs(context_, recipes_);
    for (std::size_t i = 0; i < exercises_.size(); ++i) {
      const std::string seed = seed_of(assignment_.secret, exercises_[i]->name);
      keys_.push_back(key_of(context_, recipes_[i], seed, options_));
      graders_.push_back(std::make_unique<ExerciseGrader>(
          isolation, recipes_[i], seed,
          GradeLimits{options_.compile_seconds, options_.run_seconds,
                      static_cast<std::size_t>(options_.memory_gib * (1ULL << 30))}));
    }
    grade();
    report();
    return exit_ok;
  }

 private:
  /// A file is graded beside the solution. Before anything is built, so that nobody waits for it.
  void require_solutions() const {
    for (const Exercise* exercise : exercises_) {
      const fs::path solution = context_.root / exercise->solution();
      if (fs::exists(solution)) continue;
      throw UsageError(fmt::format("{} is not there: without the solution {} cannot be graded",
                                   exercise->solution().string(), exercise->name));
    }
  }

  int jobs() const {
    return options_.jobs > 0 ? options_.jobs : std::max(1, inspect_machine(context_.root).cores);
  }

  void grade() {
    std::vector<Task> tasks;
    std::vector<std::size_t> needed;
    for (const Submission& submission : submissions_) {
      for (std::size_t i = 0; i < exercises_.size(); ++i) {
        const HandedIn& file = submission.files.at(exercises_[i]->name);
        if (!file.problem.empty() || results_[i].contains(file.text)) continue;
        if (auto known = journal_ ? journal_->find(keys_[i], exercises_[i]->name, file.text)
                                  : std::nullopt) {
          results_[i][file.text] = std::move(*known);
          continue;
        }
        results_[i][file.text] = {};
        tasks.push_back({i, file.text});
        if (std::ranges::find(needed, i) == needed.end()) needed.push_back(i);
      }
    }
    if (tasks.empty()) return;
    for_each(needed.size(), jobs(), "trying the solutions",
             [&](std::size_t i) { graders_[needed[i]]->prepare(); });
    std::mutex mutex;
    for_each(tasks.size(), jobs(), "grading", [&](std::size_t i) {
      const Task& task = tasks[i];
      ExerciseResult result = graders_[task.exercise]->grade(task.text);
      if (journal_) {
        journal_->add(keys_[task.exercise], exercises_[task.exercise]->name, task.text, result);
      }
      const std::lock_guard lock(mutex);
      results_[task.exercise][task.text] = std::move(result);
    });
  }

  void report() {
    std::vector<StudentMark> marks;
    for (const Submission& submission : submissions_) {
      std::vector<ExerciseResult> own;
      for (std::size_t i = 0; i < exercises_.size(); ++i) {
        const HandedIn& file = submission.files.at(exercises_[i]->name);
        if (file.problem.empty()) {
          own.push_back(results_[i].at(file.text));
          continue;
        }
        ExerciseResult none;
        none.verdict = file.is_there ? "not usable" : kNotHandedIn;
        none.message = file.problem + "\n";
        none.values.there = true;
        none.safety.there = recipes_[i].checked.has_value();
        none.budget.there = recipes_[i].counted.has_value();
        own.push_back(std::move(none));
      }
      const auto time = times_.find(submission.student);
      marks.push_back(
          mark_student(assignment_, submission, own,
                       time == times_.end() ? std::nullopt : std::optional(time->second)));
      const bool has_work = std::ranges::any_of(
          submission.files, [](const auto& file) { return file.second.is_there; });
      if (!times_.empty() && time == times_.end() && has_work) {
        marks.back().notes.emplace_back("no time is known: counts as handed in in time");
      }
    }
    for (const auto& [student, time] : times_) {
      const bool known = std::ranges::any_of(
          submissions_, [&name = student](const Submission& one) { return one.student == name; });
      if (!known) {
        fmt::print(stderr, "learn: {} is in {}, and handed in nothing\n", student,
                   options_.times.string());
      }
    }
    if (!options_.out.empty()) write_outputs(options_.out, assignment_, marks);
    fmt::print("{}\n{}\n", marks_table(assignment_, marks),
               passed_table(count_passed(assignment_, marks)));
    for (const StudentMark& mark : marks) {
      for (const std::string& note : mark.notes) fmt::print("{}: {}\n", mark.student, note);
      for (const ExerciseMark& one : mark.exercises) {
        if (one.points < one.max) {
          const std::string why = why_unusable(one);
          fmt::print("{}: {}: {}{}{}\n", mark.student, one.exercise, one.verdict,
                     why.empty() ? "" : ": ", why);
        }
      }
    }
    if (!options_.out.empty()) {
      fmt::print("Marks are in {}, feedback for each student in {}\n",
                 (options_.out / "marks.csv").string(),
                 (options_.out / "students/NAME/feedback.txt").string());
    }
  }

  const Context& context_;
  const GradeOptions& options_;
  Course course_;
  Assignment assignment_;
  std::vector<const Exercise*> exercises_;
  std::optional<Journal> journal_;
  std::map<std::string, std::chrono::sys_seconds> times_;
  std::vector<Submission> submissions_;
  std::vector<ExerciseRecipe> recipes_;
  std::vector<std::string> keys_;
  std::vector<std::unique_ptr<ExerciseGrader>> graders_;
  std::map<std::size_t, std::map<std::string, ExerciseResult>> results_;
};

}  // namespace

int grade_command(const Context& context, const GradeOptions& options) {
  if (context.backend != "cpu") {
    throw UsageError(
        "grading looks for races and counts memory traffic, which the CPU backend does: "
        "./learn --backend cpu grade ...");
  }
  return Grading(context, options).run();
}

}  // namespace tut::learn

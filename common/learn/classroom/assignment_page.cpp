#include "learn/classroom/assignment_page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "learn/classroom/marks.hpp"

namespace tut::learn {
namespace {

std::string days_text(int days) {
  return days == 1 ? "the first day" : fmt::format("{} days", days);
}

std::string late_text(const LatePolicy& late) {
  if (!late.set) return "Work that is handed in later is marked as late, and counts in full.\n\n";
  const std::string grace =
      late.grace_minutes == 0
          ? ""
          : fmt::format("Work that arrives within {} minutes after that is in time. ",
                        late.grace_minutes);
  const std::string days =
      late.percent_per_day == 0
          ? ""
          : fmt::format("each day that has begun since then costs {:g} % of the points, and ",
                        late.percent_per_day);
  const std::string end =
      late.days == 0 ? "work that comes later counts 0"
                     : fmt::format("work that comes after {} counts 0", days_text(late.days));
  std::string rest = days + end;
  rest[0] = static_cast<char>(rest[0] - 'a' + 'A');
  return grace + rest + ".\n\n";
}

std::string due_text(const Assignment& assignment) {
  if (!assignment.due) return "";
  return fmt::format(
             "Due {:%Y-%m-%d %H:%M} UTC. ",
             fmt::gmtime(static_cast<std::time_t>(assignment.due->time_since_epoch().count()))) +
         late_text(assignment.late);
}

/// "values 6, safety 2, budget 2": what it is tested for depends on whether it has kernels and a
/// budget.
std::string shares_text(const AssignedExercise& assigned, const Exercise& exercise) {
  ExerciseResult result;
  result.values.there = true;
  result.safety.there = exercise.file.extension() == ".cu";
  result.budget.there = result.safety.there && !exercise.budget.empty();
  std::vector<std::string> parts;
  for (const PartMark& part : mark_exercise(assigned, result).parts) {
    parts.push_back(part.name + " " + points_text(part.max));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

constexpr const char* kWhatPartsAre =
    "*Values* are for results that are right on every shape, *safety* for a run in check mode "
    "without a finding: no race, no access outside of an array; *budget* for memory traffic within "
    "the exercise's limits. Safety and budget count only where the values are right.";

constexpr const char* kWhatToRun =
    "    ./learn tour          # sets the course up, and shows it\n"
    "    ./learn check NAME    # checks an exercise\n"
    "    ./learn submit        # packs your files, and says what is missing\n"
    "\n"
    "Hand in `submission.tar.gz`, which the last one makes.\n";

}  // namespace

std::string assignment_page(const Assignment& assignment, const Course& course) {
  std::string text = fmt::format("# {}\n\n{}", assignment.title, due_text(assignment));
  for (const AssignedExercise& assigned : assignment.exercises) {
    const Exercise& exercise = pick_exercise(course, assigned.name);
    text += fmt::format("- `{}`, {} points ({}): {}. Edit `{}`.\n", exercise.name,
                        points_text(assigned.points), shares_text(assigned, exercise),
                        exercise.title, exercise.place().string());
  }
  text += fmt::format("\n{}", kWhatPartsAre);
  if (!assignment.secret.empty()) {
    text += " Your work is graded on other data than that of the tests here, and on more shapes.";
  }
  return text + "\n\n" + kWhatToRun;
}

std::string with_word_of_assignment(std::string readme) {
  const std::size_t title = readme.starts_with("# ") ? 0 : readme.find("\n# ");
  if (title == std::string::npos) return readme;
  const std::size_t end = readme.find('\n', title + 1);
  readme.insert(
      end == std::string::npos ? readme.size() : end + 1,
      "\n**This copy comes with an assignment:** [ASSIGNMENT.md](ASSIGNMENT.md) says what is "
      "to be done, and until when.\n");
  return readme;
}

}  // namespace tut::learn

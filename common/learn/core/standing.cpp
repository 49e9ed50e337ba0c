#include "learn/core/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/stub_source.hpp"

namespace tut::learn {

int Standing::solved() const {
  return static_cast<int>(std::ranges::count_if(course.exercises, [&](const Exercise& exercise) {
    return progress.at(exercise.name).passed();
  }));
}

int Standing::solved_assigned() const {
  if (!assignment) return 0;
  return static_cast<int>(std::ranges::count_if(
      assignment->exercises,
      [&](const AssignedExercise& one) { return progress.at(one.name).passed(); }));
}

const Exercise* Standing::next() const {
  if (!worked_on.empty() && !progress.at(worked_on).passed())
    return &pick_exercise(course, worked_on);
  return next_after(worked_on);
}

const Exercise* Standing::next_after(const std::string& name) const {
  if (assignment) {
    const std::vector<AssignedExercise>& assigned = assignment->exercises;
    const auto is_open_one = [&](const AssignedExercise& e) {
      return !progress.at(e.name).passed();
    };
    const auto here = std::ranges::find(assigned, name, &AssignedExercise::name);
    auto next = here == assigned.end() ? here : std::find_if(here + 1, assigned.end(), is_open_one);
    if (next == assigned.end()) next = std::ranges::find_if(assigned, is_open_one);
    if (next != assigned.end()) return &pick_exercise(course, next->name);
  }
  const std::vector<Exercise>& all = course.exercises;
  const auto is_open = [&](const Exercise& e) { return !progress.at(e.name).passed(); };
  const auto here = std::ranges::find(all, name, &Exercise::name);
  auto next = all.end();
  if (here != all.end()) {
    const auto is_open_here = [&](const Exercise& e) {
      return e.chapter == here->chapter && is_open(e);
    };
    next = std::find_if(here + 1, all.end(), is_open_here);
    if (next == all.end()) next = std::ranges::find_if(all, is_open_here);
    if (next == all.end()) next = std::find_if(here + 1, all.end(), is_open);
  }
  if (next == all.end()) next = std::ranges::find_if(all, is_open);
  return next == all.end() ? nullptr : &*next;
}

const Exercise& Standing::pick(const std::string& name) const {
  if (!name.empty()) return pick_exercise(course, name);
  const Exercise* exercise = next();
  if (exercise == nullptr) {
    throw UsageError("every exercise is solved; name one to work on it again");
  }
  return *exercise;
}

namespace {

bool is_edited(const Context& context, const Exercise& exercise) {
  const auto text = read_file(context.root / exercise.file);
  const auto given = given_text(context.root, exercise);
  return text && given && *text != *given;
}

std::string last_edited(const Context& context, const Standing& standing) {
  namespace fs = std::filesystem;
  std::string name;
  fs::file_time_type latest = fs::file_time_type::min();
  for (const Exercise& exercise : standing.course.exercises) {
    if (!is_edited(context, exercise)) continue;
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(context.root / exercise.file, error);
    if (error || time < latest) continue;
    latest = time;
    name = exercise.name;
  }
  return name;
}

}  // namespace

Standing load_standing(const Context& context) {
  Standing standing{load_course(context.root), load_progress(context.root), {}, {}};
  const auto file = context.root / "assignment.toml";
  if (std::filesystem::exists(file)) {
    try {
      standing.assignment = load_assignment(file, standing.course);
    } catch (const UsageError& error) {
      fmt::print(stderr, "learn: {}\n", error.what());
    }
  }
  standing.worked_on = last_edited(context, standing);
  if (read_file(context.root / ".learn" / "update" / "journal")) {
    fmt::print(stderr,
               "learn: an update was stopped before its end, and your files may not be in "
               "their places; './learn update' finishes it\n");
  }
  for (const std::string& complaint : standing.progress.complaints) {
    fmt::print(stderr, "learn: .learn/progress {}\n", complaint);
  }
  return standing;
}

std::string label(const Exercise& exercise) {
  return fmt::format("{:02} {}", exercise.chapter, exercise.name);
}

std::string chapter_folder(const Exercise& exercise) {
  return exercise.file.parent_path().filename().string();
}

std::string next_steps(const Context& context, const Standing& standing, const Exercise& exercise) {
  const Style& style = context.style;
  std::string text;
  std::string lesson = "chapters/" + chapter_folder(exercise) + "/README.md";
  if (!exercise.course.empty() && std::filesystem::exists(exercise.course / lesson))
    lesson = (exercise.course / lesson).string();
  if (std::filesystem::exists(context.root / lesson)) text += fmt::format("  read   {}\n", lesson);
  text += fmt::format("  edit   {}\n", exercise.file.string());
  const std::string name = standing.next() == &exercise ? "" : " " + exercise.name;
  text += fmt::format("  check  {}\n", style.cyan("./learn check" + name));
  text += fmt::format("  stuck  {}\n", style.cyan("./learn hint" + name));
  return text;
}

}  // namespace tut::learn

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/standing.hpp"

namespace tut::learn {
namespace {

bool is_on_gpu(const Exercise& exercise, const Record& record) {
  return exercise.needs != "cpu" && record.passed_on.contains("cuda");
}

/// What the mark in front of an exercise does not say.
std::string state_of(const Exercise& exercise, const Record& record) {
  if (is_on_gpu(exercise, record)) return "on a GPU";
  if (record.passed()) return "";
  if (record.gave_up) return "solution seen";
  if (record.hints > 0) return fmt::format("{} of {} hints", record.hints, exercise.hints.size());
  return "";
}

nlohmann::json exercise_json(const Exercise& exercise, const Record& record) {
  return {{"name", exercise.name},          {"title", exercise.title},
          {"file", exercise.file.string()}, {"needs", exercise.needs},
          {"points", exercise.points},      {"hints", exercise.hints.size()},
          {"blank", exercise.blank},        {"hints_seen", record.hints},
          {"gave_up", record.gave_up},      {"passed_on", record.passed_on}};
}

/// ", 2 of them on a GPU": said once, since most lines would have it.
std::string on_gpu_text(const Standing& standing) {
  const auto on_gpu = std::ranges::count_if(standing.course.exercises, [&](const Exercise& e) {
    return is_on_gpu(e, standing.progress.at(e.name));
  });
  const bool any_for_gpu = std::ranges::any_of(standing.course.exercises, [&](const Exercise& e) {
    return e.needs != "cpu" && standing.progress.at(e.name).passed();
  });
  if (!any_for_gpu) return "";
  return on_gpu == 0 ? ", none of them on a GPU" : fmt::format(", {} of them on a GPU", on_gpu);
}

void print_json(const std::vector<Chapter>& chapters, const Standing& standing) {
  nlohmann::json document = {{"solved", standing.solved()}, {"chapters", nlohmann::json::array()}};
  const Exercise* next = standing.next();
  document["next"] = next == nullptr ? nlohmann::json() : nlohmann::json(next->name);
  for (const Chapter& chapter : chapters) {
    nlohmann::json exercises = nlohmann::json::array();
    for (const Exercise& exercise : standing.course.exercises) {
      if (exercise.chapter != chapter.number) continue;
      exercises.push_back(exercise_json(exercise, standing.progress.at(exercise.name)));
    }
    document["chapters"].push_back({{"number", chapter.number},
                                    {"name", chapter.name()},
                                    {"title", chapter.title},
                                    {"exercises", exercises}});
  }
  fmt::print("{}\n", document.dump(2));
}

void print_exercise(const Context& context, const Exercise& exercise, const Record& record,
                    int width) {
  const Style& style = context.style;
  const std::string state = state_of(exercise, record);
  const std::string line =
      fmt::format("{}  {}{}{}", exercise.title,
                  exercise.needs == "any" ? "" : fmt::format("[{}]  ", exercise.needs),
                  exercise.blank ? "[blank file: counts double]  " : "",
                  state.empty() ? "" : style.dim("(" + state + ")"));
  const std::string head =
      fmt::format("    {} {:{}}  ", record.passed() ? "[x]" : "[ ]", exercise.name, width);
  const int columns = columns_of(head);
  std::string text = wrap(std::string(trim(line)), terminal_width(), columns);
  text.replace(0, static_cast<std::size_t>(columns), head);
  if (record.passed()) text.replace(4, 3, style.green("[x]"));
  fmt::print("{}", text);
}

}  // namespace

int list_command(const Context& context, bool json) {
  const Standing standing = load_standing(context);
  const std::vector<Chapter> chapters = find_chapters(context.root);
  if (json) {
    print_json(chapters, standing);
    return exit_ok;
  }
  std::size_t width = 0;
  for (const Exercise& exercise : standing.course.exercises) {
    width = std::max(width, exercise.name.size());
  }
  for (const Chapter& chapter : chapters) {
    fmt::print("{:02}  {}\n", chapter.number, context.style.bold(chapter.title));
    for (const Exercise& exercise : standing.course.exercises) {
      if (exercise.chapter != chapter.number) continue;
      print_exercise(context, exercise, standing.progress.at(exercise.name),
                     static_cast<int>(width));
    }
  }
  fmt::print("\n{} of {} exercises solved{}.\n", standing.solved(),
             standing.course.exercises.size(), on_gpu_text(standing));
  return exit_ok;
}

}  // namespace tut::learn

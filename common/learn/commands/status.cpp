#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/review.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

/// A part's line for each part that the learner has begun.
void print_parts(const Context& context, const Standing& standing, int width) {
  std::string text;
  for (const PartReview& review : review_parts(context, standing)) {
    if (review.solved == 0) continue;
    text += wrap(
        fmt::format("Part {}, {}: {}.", review.part->name, review.part->title, review_text(review)),
        width, 0, 2);
  }
  fmt::print("{}", text);
}

nlohmann::json or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

nlohmann::json status_of_exercise(const Context& context, const Standing& standing,
                                  const Exercise& exercise) {
  const Record record = standing.progress.at(exercise.name);
  const Standard standard = standard_now(context, standing, exercise);
  const bool unchanged = standard == Standard::passed;
  return {{"name", exercise.name},
          {"chapter", exercise.chapter},
          {"title", exercise.title},
          {"file", exercise.file.string()},
          {"points", exercise.points},
          {"solved", record.passed()},
          {"passed_on", record.passed_on},
          {"file_state", standard_name(standard)},
          {"passed_since", unchanged ? or_null(record.passed_since) : nlohmann::json()},
          {"hints", exercise.hints.size()},
          {"hints_seen", record.hints},
          {"gave_up", record.gave_up}};
}

/// docs/progress.md says what is in it.
nlohmann::json status_json(const Context& context, const Standing& standing) {
  nlohmann::json document = {{"course", "From Loops to Tensor Cores"},
                             {"backend", context.backend},
                             {"solved", standing.solved()},
                             {"parts", nlohmann::json::array()},
                             {"exercises", nlohmann::json::array()}};
  for (const PartReview& review : review_parts(context, standing)) {
    document["parts"].push_back({{"name", review.part->name},
                                 {"title", review.part->title},
                                 {"chapters", {review.part->first, review.part->last}},
                                 {"exercises", review.exercises},
                                 {"solved", review.solved},
                                 {"edited", review.edited},
                                 {"passed_since", or_null(review.since)}});
  }
  int points = 0, possible = 0;
  for (const Exercise& exercise : standing.course.exercises) {
    document["exercises"].push_back(status_of_exercise(context, standing, exercise));
    possible += exercise.points;
    if (standing.progress.at(exercise.name).passed()) points += exercise.points;
  }
  document["points"] = points;
  document["points_possible"] = possible;
  const Exercise* next = standing.next();
  document["next"] = or_null(next == nullptr ? "" : next->name);
  return document;
}

}  // namespace

int status_command(const Context& context, bool json) {
  const Standing standing = load_standing(context);
  if (json) {
    fmt::print("{}\n", status_json(context, standing).dump(2));
    return exit_ok;
  }
  const Style& style = context.style;
  const int total = static_cast<int>(standing.course.exercises.size());
  const int solved = standing.solved();
  const int width = terminal_width();
  fmt::print("{}", wrap(fmt::format("{}: {} of {} exercises solved, working {}.",
                                    style.bold("From Loops to Tensor Cores"), solved, total,
                                    context.where()),
                        width));
  if (total > 0) fmt::print("{}\n", bar(solved, total, std::min(40, width - 2)));
  print_parts(context, standing, width);
  if (standing.assignment) {
    const Assignment& assignment = *standing.assignment;
    fmt::print("{}", wrap(fmt::format("{}: {} of {} exercises solved; {} packs them.",
                                      style.bold(assignment.title), standing.solved_assigned(),
                                      assignment.exercises.size(), style.cyan("./learn submit")),
                          width, 0, 2));
  }
  if (const Exercise* next = standing.next()) {
    const int hints = standing.progress.at(next->name).hints;
    const std::string seen = hints > 0 ? fmt::format("  (hints seen: {})", hints) : "";
    fmt::print("\n{}{}",
               wrap(fmt::format("Next: {}  {}{}", style.bold(label(*next)), next->title, seen),
                    width, 0, 2),
               next_steps(context, standing, *next));
  } else {
    fmt::print("\nYou have solved every exercise of this copy.\n");
  }
  fmt::print("\n{}",
             wrap(fmt::format("{} shows the course, {} runs a chapter's example, {} every command.",
                              style.cyan("./learn list"), style.cyan("./learn run 5"),
                              style.cyan("./learn --help")),
                  width));
  return exit_ok;
}

}  // namespace tut::learn

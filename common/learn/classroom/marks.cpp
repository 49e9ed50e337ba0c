#include "learn/classroom/marks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace tut::learn {
namespace {

using Json = nlohmann::ordered_json;

Json part_json(const PartResult& part) {
  return {{"there", part.there}, {"passed", part.passed}, {"message", part.message}};
}

PartResult part_from(const Json& json) {
  return {json.at("there").get<bool>(), json.at("passed").get<bool>(),
          json.at("message").get<std::string>()};
}

/// To a hundredth of a point, so that sums are what the shown numbers add up to.
double rounded(double points) { return std::round(points * 100) / 100; }

}  // namespace

std::string to_text(const ExerciseResult& result) {
  const Json json = {{"verdict", result.verdict},
                     {"message", result.message},
                     {"values", part_json(result.values)},
                     {"safety", part_json(result.safety)},
                     {"budget", part_json(result.budget)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<ExerciseResult> result_from_text(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    return ExerciseResult{json.at("verdict").get<std::string>(),
                          json.at("message").get<std::string>(), part_from(json.at("values")),
                          part_from(json.at("safety")), part_from(json.at("budget"))};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", rounded(points));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string why_unusable(const ExerciseMark& mark) {
  return mark.verdict == "not usable" ? mark.message.substr(0, mark.message.find('\n')) : "";
}

ExerciseMark mark_exercise(const AssignedExercise& assigned, const ExerciseResult& result) {
  ExerciseMark mark{assigned.name, 0, assigned.points, result.verdict, result.message, {}};
  // Where nothing was tested, nobody knows what there is: it all counts as values.
  const Share share = share_of(assigned.share, result.safety.there, result.budget.there);
  const bool right = result.values.there && result.values.passed;
  double left = assigned.points;
  const auto add = [&](const char* name, const PartResult& part, int percent, bool last) {
    PartMark one{name, 0, last ? rounded(left) : rounded(assigned.points * percent / 100), ""};
    left -= one.max;
    if (right && part.passed) {
      one.points = one.max;
    } else if (right || name == std::string_view("values") || !part.there) {
      one.message = part.message;
    } else if (result.message.empty()) {  // else nothing was tested, and that says why
      one.message = "It counts once the values are right.";
    }
    mark.points += one.points;
    mark.parts.push_back(std::move(one));
  };
  const bool has_safety = result.safety.there && share.safety > 0;
  const bool has_budget = result.budget.there && share.budget > 0;
  add("values", result.values, share.values, !has_safety && !has_budget);
  if (has_safety) add("safety", result.safety, share.safety, !has_budget);
  if (has_budget) add("budget", result.budget, share.budget, true);
  mark.points = rounded(mark.points);
  return mark;
}

StudentMark mark_student(const Assignment& assignment, const Submission& submission,
                         const std::vector<ExerciseResult>& results,
                         std::optional<std::chrono::sys_seconds> handed_in) {
  StudentMark mark;
  mark.student = submission.student;
  mark.notes = submission.notes;
  for (std::size_t i = 0; i < assignment.exercises.size(); ++i) {
    mark.exercises.push_back(mark_exercise(assignment.exercises[i], results.at(i)));
    mark.earned += mark.exercises.back().points;
    mark.max += mark.exercises.back().max;
  }
  const auto grace = std::chrono::minutes(assignment.late.grace_minutes);
  if (handed_in && assignment.due && *handed_in > *assignment.due + grace) {
    mark.kept = late_factor(assignment, *handed_in);
    const auto late =
        std::chrono::duration_cast<std::chrono::minutes>(*handed_in - *assignment.due);
    mark.lateness =
        fmt::format("handed in {} h {:02} min after the deadline: {} % of the points count",
                    late.count() / 60, late.count() % 60, points_text(100 * mark.kept));
  }
  mark.earned = rounded(mark.earned);
  mark.points = rounded(mark.earned * mark.kept);
  mark.max = rounded(mark.max);
  return mark;
}

}  // namespace tut::learn

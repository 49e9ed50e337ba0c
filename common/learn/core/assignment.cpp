#include "learn/core/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/toml_reader.hpp"

namespace tut::learn {
namespace {

constexpr const char* due_form = "a date and time with its offset, e.g. 2027-02-12T23:59:00+01:00";

std::optional<std::chrono::sys_seconds> read_due(const TableReader& reader) {
  using namespace std::chrono;
  const toml::node* node = reader.table().get("due");
  if (node == nullptr) return std::nullopt;
  const auto* value = node->as_date_time();
  if (value == nullptr) {
    reader.fail(*node,
                fmt::format("'due' has the wrong type; expected {}, without quotes", due_form));
  }
  const toml::date_time& due = value->get();
  if (!due.offset) {
    reader.fail(*node, fmt::format("'due' has no offset from UTC; expected {}", due_form));
  }
  const sys_days day = year(due.date.year) / due.date.month / due.date.day;
  return sys_seconds(day) + hours(due.time.hour) + minutes(due.time.minute) +
         seconds(due.time.second) - minutes(due.offset->minutes);
}

/// A number from 0 to `maximum`.
double read_number(const TableReader& reader, const char* key, double value, double maximum) {
  if (std::isfinite(value) && value >= 0 && value <= maximum) return value;
  reader.fail(*reader.table().get(key),
              maximum < 1e9
                  ? fmt::format("'{}' is {}; expected 0 to {}", key, value, maximum)
                  : fmt::format("'{}' is {}; expected a number that is not negative", key, value));
}

LatePolicy read_late(const TableReader& top) {
  const toml::node* node = top.table().get("late");
  if (node == nullptr) return {};
  if (node->as_table() == nullptr) top.fail(*node, "'late' must be written [late]");
  if (top.table().get("due") == nullptr) {
    top.fail(*node, fmt::format("[late] without 'due'; expected due = {}", due_form));
  }
  const TableReader reader(*node->as_table(), top.source());
  reader.allow_only({"grace_minutes", "percent_per_day", "days"});
  const auto whole = [&](const char* key, int value, double maximum) {
    return static_cast<int>(read_number(reader, key, value, maximum));
  };
  LatePolicy late;
  late.set = true;
  late.grace_minutes = whole(
      "grace_minutes", reader.optional<int>("grace_minutes", 0, "minutes, a whole number"), 527040);
  late.percent_per_day =
      read_number(reader, "percent_per_day",
                  reader.required<double>("percent_per_day", "a number from 0 to 100"), 100);
  late.days = whole("days", reader.required<int>("days", "days, a whole number"), 366);
  return late;
}

Share read_share(const TableReader& reader) {
  Share share;
  const toml::node* written = nullptr;
  const auto read = [&](const char* key, int& percents) {
    const toml::node* node = reader.table().get(key);
    if (node == nullptr) return;
    if (written == nullptr) written = node;
    percents = static_cast<int>(
        read_number(reader, key, reader.required<int>(key, "percents, a whole number"), 100));
  };
  read("values", share.values);
  read("safety", share.safety);
  read("budget", share.budget);
  const int sum = share.values + share.safety + share.budget;
  if (sum != 100) {
    reader.fail(*written, fmt::format("values {}, safety {} and budget {} are {} percent together; "
                                      "expected 100",
                                      share.values, share.safety, share.budget, sum));
  }
  return share;
}

AssignedExercise read_assigned(const TableReader& reader, const Course& course) {
  reader.allow_only({"name", "points", "values", "safety", "budget"});
  AssignedExercise assigned;
  assigned.name = reader.required<std::string>("name", "a string, e.g. \"matmul_padded\"");
  const auto found = std::ranges::find(course.exercises, assigned.name, &Exercise::name);
  if (found == course.exercises.end()) {
    std::vector<std::string> names;
    for (const Exercise& exercise : course.exercises) names.push_back(exercise.name);
    const auto near = nearest_name(assigned.name, names);
    reader.fail(*reader.table().get("name"),
                fmt::format("no exercise '{}'; {}", assigned.name,
                            near ? fmt::format("did you mean {}?", *near)
                                 : "expected a name that './learn list' shows"));
  }
  assigned.points = read_number(
      reader, "points", reader.optional<double>("points", found->points, "a number"), HUGE_VAL);
  assigned.share = read_share(reader);
  return assigned;
}

Assignment read_assignment(const toml::table& document, const std::string& source,
                           const Course& course) {
  const TableReader reader(document, source);
  reader.allow_only({"title", "due", "secret", "late", "exercise"});
  Assignment assignment;
  assignment.title = reader.required<std::string>("title", "a string, e.g. \"Homework 1\"");
  if (trim(assignment.title).empty() || assignment.title.find('\n') != std::string::npos) {
    reader.fail(*document.get("title"), "'title' is empty or longer than a line; expected a line");
  }
  assignment.secret = reader.optional<std::string>("secret", "", "a string");
  assignment.due = read_due(reader);
  assignment.late = read_late(reader);
  for_each_table(document, "exercise", source, [&](const TableReader& entry) {
    AssignedExercise assigned = read_assigned(entry, course);
    if (std::ranges::find(assignment.exercises, assigned.name, &AssignedExercise::name) !=
        assignment.exercises.end()) {
      entry.fail(*entry.table().get("name"),
                 fmt::format("'{}' is assigned a second time; expected each exercise once",
                             assigned.name));
    }
    assignment.exercises.push_back(std::move(assigned));
  });
  if (assignment.exercises.empty()) {
    reader.fail(document, "no exercise; expected [[exercise]] with a name, once at least");
  }
  return assignment;
}

}  // namespace

Share share_of(Share share, bool has_safety, bool has_budget) {
  if (!has_safety) share.values += std::exchange(share.safety, 0);
  if (!has_budget) share.values += std::exchange(share.budget, 0);
  return share;
}

Assignment parse_assignment(std::string_view toml, const std::string& source,
                            const Course& course) {
  return read_document(toml, source, [&](const toml::table& document) {
    return read_assignment(document, source, course);
  });
}

Assignment load_assignment(const std::filesystem::path& file, const Course& course) {
  const auto text = read_file(file);
  if (!text) {
    throw UsageError(fmt::format("cannot read {}; expected an assignment file", file.string()));
  }
  return parse_assignment(*text, file.string(), course);
}

double late_factor(const Assignment& assignment, std::chrono::sys_seconds handed_in) {
  if (!assignment.due || !assignment.late.set) return 1;
  using namespace std::chrono;
  const seconds late = handed_in - *assignment.due - minutes(assignment.late.grace_minutes);
  if (late <= seconds(0)) return 1;
  const auto days = ceil<std::chrono::days>(late).count();
  if (days > assignment.late.days) return 0;
  return std::max(0.0, 1 - static_cast<double>(days) * assignment.late.percent_per_day / 100);
}

std::vector<std::string> assigned_chapters(const std::filesystem::path& root) {
  std::vector<std::string> chapters;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root / "exercises/given", error)) {
    chapters.push_back(entry.path().filename().string().substr(0, 2));
  }
  std::ranges::sort(chapters);  // each has one folder
  return chapters;
}

}  // namespace tut::learn

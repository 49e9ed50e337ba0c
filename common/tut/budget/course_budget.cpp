#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "tut/budget/budget.hpp"

namespace tut {
namespace {

struct Metric {
  std::string_view name;
  double Budget::*limit;
};

constexpr Metric kMetrics[] = {{"line_bytes", &Budget::line_bytes},
                               {"line_store_bytes", &Budget::line_store_bytes},
                               {"line_share", &Budget::line_share},
                               {"bank_conflicts", &Budget::bank_conflicts},
                               {"load_bytes", &Budget::load_bytes},
                               {"store_bytes", &Budget::store_bytes},
                               {"stores", &Budget::stores},
                               {"total_bytes", &Budget::total_bytes},
                               {"threads", &Budget::threads},
                               {"busiest_thread", &Budget::busiest_thread},
                               {"accesses", &Budget::accesses},
                               {"tensor_products", &Budget::tensor_products},
                               {"async_copies", &Budget::async_copies},
                               {"bytes_ahead", &Budget::bytes_ahead},
                               {"barriers", &Budget::barriers},
                               {"scattered_stores", &Budget::scattered_stores},
                               {"scattered_loads", &Budget::scattered_loads},
                               {"idle_blocks", &Budget::idle_blocks}};

/// "line_bytes, line_share, ... or idle_blocks".
std::string metric_names() {
  std::string names;
  for (const Metric& metric : kMetrics) {
    const bool last = &metric == std::end(kMetrics) - 1;
    names += names.empty() ? "" : last ? " or " : ", ";
    names += metric.name;
  }
  return names;
}

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error(std::string(TUT_COURSE_FILE) + ": " + message);
}

toml::table read_course(const char* file) {
  try {
    return toml::parse_file(file);
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(std::string(file) + ": " + std::string(error.description()));
  }
}

/// Null if the manifest has no such exercise.
const toml::table* find_exercise(const toml::table& course, const std::string& name) {
  const toml::array* exercises = course["exercise"].as_array();
  if (exercises != nullptr) {
    for (const toml::node& node : *exercises) {
      const toml::table* exercise = node.as_table();
      if (exercise != nullptr && (*exercise)["name"].value<std::string>() == name) return exercise;
    }
  }
  return nullptr;
}

/// The course's manifest, or where an instructor's own course has the exercise, that one's.
toml::table manifest_with(const std::string& exercise) {
  toml::table course = read_course(TUT_COURSE_FILE);
  if (find_exercise(course, exercise) != nullptr) return course;
#ifdef TUT_OWN_COURSE_FILE
  toml::table own = read_course(TUT_OWN_COURSE_FILE);
  if (find_exercise(own, exercise) != nullptr) return own;
#endif
  fail("no exercise " + exercise);
}

}  // namespace

Budget exercise_budget(const std::string& exercise) {
  const toml::table course = manifest_with(exercise);
  Budget budget;
  const toml::table* limits = (*find_exercise(course, exercise))["budget"].as_table();
  if (limits == nullptr) return budget;
  for (const auto& [key, node] : *limits) {
    const std::string metric(key.str());
    const auto limit = node.value<double>();
    if (!limit) fail("the budget of " + exercise + ": " + metric + " is no number");
    const auto* const known = std::ranges::find(kMetrics, metric, &Metric::name);
    if (known == std::end(kMetrics)) {
      fail("the budget of " + exercise + " names " + metric + "; expected " + metric_names());
    }
    budget.*known->limit = *limit;
  }
  return budget;
}

}  // namespace tut

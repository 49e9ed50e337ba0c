#include <toml++/toml.h>

#include <stdexcept>

#include "tut/budget.hpp"

namespace tut {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error(std::string(TUT_COURSE_FILE) + ": " + message);
}

toml::table read_course() {
  try {
    return toml::parse_file(TUT_COURSE_FILE);
  } catch (const toml::parse_error& error) {
    fail(std::string(error.description()));
  }
}

const toml::table& find_exercise(const toml::table& course, const std::string& name) {
  const toml::array* exercises = course["exercise"].as_array();
  if (exercises != nullptr) {
    for (const toml::node& node : *exercises) {
      const toml::table* exercise = node.as_table();
      if (exercise != nullptr && (*exercise)["name"].value<std::string>() == name) return *exercise;
    }
  }
  fail("no exercise " + name);
}

}  // namespace

Budget exercise_budget(const std::string& exercise) {
  const toml::table course = read_course();
  Budget budget;
  const toml::table* limits = find_exercise(course, exercise)["budget"].as_table();
  if (limits == nullptr) return budget;
  for (const auto& [key, node] : *limits) {
    const std::string metric(key.str());
    const auto limit = node.value<double>();
    if (!limit) fail("the budget of " + exercise + ": " + metric + " is no number");
    if (metric == "line_bytes") {
      budget.line_bytes = *limit;
    } else if (metric == "line_share") {
      budget.line_share = *limit;
    } else if (metric == "bank_conflicts") {
      budget.bank_conflicts = *limit;
    } else if (metric == "load_bytes") {
      budget.load_bytes = *limit;
    } else if (metric == "total_bytes") {
      budget.total_bytes = *limit;
    } else {
      fail("the budget of " + exercise + " names " + metric +
           "; expected line_bytes, bank_conflicts, load_bytes or total_bytes");
    }
  }
  return budget;
}

}  // namespace tut

#include "learn/core/standing.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tut::learn;

namespace {

Standing standing_with(const std::vector<std::string>& solved, const std::string& worked_on) {
  Standing standing;
  for (const char* name : {"a", "b", "c", "d"}) {
    standing.course.exercises.emplace_back();
    standing.course.exercises.back().name = name;
  }
  for (const std::string& name : solved) standing.progress.records[name].passed_on = {"cpu"};
  standing.worked_on = worked_on;
  return standing;
}

std::string next_after(const Standing& standing, const std::string& name) {
  const Exercise* next = standing.next_after(name);
  return next == nullptr ? "none" : next->name;
}

std::string next(const Standing& standing) {
  return standing.next() == nullptr ? "none" : standing.next()->name;
}

}  // namespace

TEST_CASE("after an exercise comes the next unsolved one in course order, at the end the first") {
  const Standing standing = standing_with({"b", "c"}, "");
  CHECK(next_after(standing, "a") == "d");
  CHECK(next_after(standing, "b") == "d");
  CHECK(next_after(standing, "d") == "a");
  CHECK(next_after(standing, "") == "a");
  CHECK(next_after(standing_with({"a", "b", "c", "d"}, ""), "b") == "none");
}

TEST_CASE("after a solved chapter come those behind it, and then the first one that is open") {
  Standing standing = standing_with({"c"}, "");
  for (std::size_t i = 0; i < 4; ++i) {
    standing.course.exercises[i].chapter = i < 2 ? 1 : static_cast<int>(i);
  }
  CHECK(next_after(standing, "a") == "b");
  CHECK(next_after(standing, "b") == "a");  // d is of a later chapter
  CHECK(next_after(standing, "c") == "d");
  standing.progress.records["d"].passed_on = {"cpu"};
  CHECK(next_after(standing, "c") == "a");
  CHECK(next_after(standing, "d") == "a");
}

TEST_CASE("an open exercise of the same chapter comes before those of earlier chapters") {
  Standing standing = standing_with({"d"}, "d");
  for (std::size_t i = 0; i < 4; ++i) standing.course.exercises[i].chapter = i == 0 ? 1 : 2;
  CHECK(next_after(standing, "d") == "b");
  CHECK(next(standing) == "b");
  standing.progress.records["b"].passed_on = {"cpu"};
  CHECK(next_after(standing, "b") == "c");
  CHECK(next_after(standing, "d") == "c");
  standing.progress.records["c"].passed_on = {"cpu"};
  CHECK(next_after(standing, "c") == "a");
}

TEST_CASE("next is what is worked on, or comes after it where that is solved") {
  CHECK(next(standing_with({}, "")) == "a");
  CHECK(next(standing_with({}, "c")) == "c");
  CHECK(next(standing_with({"c"}, "c")) == "d");
  CHECK(next(standing_with({"c", "d"}, "d")) == "a");
  CHECK(next(standing_with({"a", "b", "c", "d"}, "d")) == "none");
}

TEST_CASE("what is assigned comes first, in the order of the assignment") {
  Standing standing = standing_with({"d"}, "");
  standing.assignment.emplace();
  for (const char* name : {"d", "c", "b"}) {
    standing.assignment->exercises.emplace_back();
    standing.assignment->exercises.back().name = name;
  }
  CHECK(standing.solved_assigned() == 1);
  CHECK(next(standing) == "c");
  CHECK(next_after(standing, "c") == "b");
  CHECK(next_after(standing, "b") == "c");
  CHECK(next_after(standing, "a") == "c");  // is not assigned
  standing.worked_on = "a";
  CHECK(next(standing) == "a");
  standing.worked_on = "";
  standing.progress.records["b"].passed_on = {"cpu"};
  standing.progress.records["c"].passed_on = {"cpu"};
  CHECK(standing.solved_assigned() == 3);
  CHECK(next(standing) == "a");
}

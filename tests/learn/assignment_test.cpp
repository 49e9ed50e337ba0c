#include "learn/core/assignment.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "scratch_folder.hpp"

using namespace tut::learn;
using namespace std::chrono;

namespace {

const std::string homework = R"(title = "Homework 1: tiles"
due = 2027-02-12T23:59:00+01:00
secret = "any words"
[late]
grace_minutes = 15
percent_per_day = 10
days = 3
[[exercise]]
name = "matmul_padded"
points = 4
values = 50
safety = 30
budget = 20
[[exercise]]
name = "transpose_tiled"
)";

Course course_of_two() {
  Course course;
  for (const char* name : {"matmul_padded", "transpose_tiled"}) {
    Exercise exercise;
    exercise.name = name;
    exercise.points = 10;
    course.exercises.push_back(exercise);
  }
  return course;
}

Assignment parsed(const std::string& text) {
  return parse_assignment(text, "hw1.toml", course_of_two());
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

/// 2027-02-12 23:59 in Berlin.
const sys_seconds due = sys_days(2027y / February / 12) + 22h + 59min;

}  // namespace

TEST_CASE("an assignment is read whole") {
  const Assignment read = parsed(homework);
  CHECK(read.title == "Homework 1: tiles");
  CHECK(read.secret == "any words");
  REQUIRE(read.due);
  CHECK(*read.due == due);
  CHECK(read.late.set);
  CHECK(read.late.grace_minutes == 15);
  CHECK(read.late.percent_per_day == 10);
  CHECK(read.late.days == 3);
  REQUIRE(read.exercises.size() == 2);
  CHECK(read.exercises[0].name == "matmul_padded");
  CHECK(read.exercises[0].points == 4);
  CHECK(read.exercises[0].share.values == 50);
  CHECK(read.exercises[0].share.safety == 30);
  CHECK(read.exercises[0].share.budget == 20);
  CHECK(read.exercises[1].points == 10);  // the course's
  CHECK(read.exercises[1].share.values == 60);
  CHECK(read.exercises[1].share.safety == 20);
  CHECK(read.exercises[1].share.budget == 20);
}

TEST_CASE("what is optional in an assignment may be left out") {
  const Assignment read = parsed("title = \"A\"\n[[exercise]]\nname = \"matmul_padded\"\n");
  CHECK(read.secret.empty());
  CHECK(!read.due);
  CHECK(!read.late.set);
  CHECK(late_factor(read, due) == 1);
  const Assignment half = parsed(changed(homework, "points = 4", "points = 2.5"));
  CHECK(half.exercises[0].points == 2.5);
  const Assignment utc = parsed(changed(homework, "+01:00", "Z"));
  CHECK(*utc.due == due + 1h);
  CHECK(parsed(changed(homework, "grace_minutes = 15", "")).late.grace_minutes == 0);
}

TEST_CASE("a wrong assignment is one line with file and line number") {
  const auto wrong = [](const std::string& from, const std::string& to, const char* message) {
    CAPTURE(to);
    try {
      parsed(changed(homework, from, to));
      FAIL("accepted");
    } catch (const UsageError& error) {
      const std::string said = error.what();
      CAPTURE(said);
      CHECK(said.find(message) != std::string::npos);
      CHECK(said.starts_with("hw1.toml:"));
      CHECK(said.find('\n') == std::string::npos);
    }
  };
  wrong("title", "titel", "hw1.toml:1: unknown field 'titel'; did you mean title?");
  wrong("title = \"Homework 1: tiles\"", "", "'title' is missing; expected a string");
  wrong("\"Homework 1: tiles\"", "\" \"", "hw1.toml:1: 'title' is empty");
  wrong("\"Homework 1: tiles\"", "1", "hw1.toml:1: 'title' has the wrong type");
  wrong("grace_minutes", "grace", "hw1.toml:5: unknown field 'grace'; did you mean grace_minutes?");
  wrong("points", "point", "hw1.toml:10: unknown field 'point'; did you mean points?");
  wrong("matmul_padded", "matmul_paded",
        "hw1.toml:9: no exercise 'matmul_paded'; did you mean matmul_padded?");
  wrong("matmul_padded", "zzz", "hw1.toml:9: no exercise 'zzz'; expected a name");
  wrong("transpose_tiled", "matmul_padded",
        "hw1.toml:15: 'matmul_padded' is assigned a second time; expected each exercise once");
  wrong("points = 4", "points = -4", "hw1.toml:10: 'points' is -4; expected a number that is not");
  wrong("points = 4", "points = inf", "hw1.toml:10: 'points' is inf");
  wrong("points = 4", "points = nan", "hw1.toml:10: 'points' is nan");
  wrong("points = 4", "points = \"4\"", "hw1.toml:10: 'points' has the wrong type");
  wrong("values = 50", "values = 60",
        "hw1.toml:11: values 60, safety 30 and budget 20 are 110 percent together; expected 100");
  wrong("safety = 30\nbudget = 20", "", "hw1.toml:11: values 50, safety 20 and budget 20 are 90");
  wrong("values = 50\nsafety = 30", "values = 110\nsafety = -30",
        "hw1.toml:11: 'values' is 110; expected 0 to 100");
  wrong("values = 50", "values = 50.5", "hw1.toml:11: 'values' has the wrong type");
  wrong("percent_per_day = 10", "percent_per_day = 101", "hw1.toml:6: 'percent_per_day' is 101");
  wrong("percent_per_day = 10", "", "'percent_per_day' is missing; expected a number from 0");
  wrong("days = 3", "days = -1", "hw1.toml:7: 'days' is -1; expected 0 to");
  wrong("grace_minutes = 15", "grace_minutes = -1", "hw1.toml:5: 'grace_minutes' is -1");
  wrong("due = 2027-02-12T23:59:00+01:00", "", "[late] without 'due'");
  wrong("2027-02-12T23:59:00+01:00", "\"2027-02-12T23:59:00+01:00\"",
        "hw1.toml:2: 'due' has the wrong type; expected a date and time with its offset");
  wrong("2027-02-12T23:59:00+01:00", "2027-02-12", "hw1.toml:2: 'due' has the wrong type");
  wrong("2027-02-12T23:59:00+01:00", "2027-02-12T23:59:00", "hw1.toml:2: 'due' has no offset");
  wrong("2027-02-12", "2027-02-30", "hw1.toml:2:");
  wrong("23:59:00", "24:59:00", "hw1.toml:2:");
  wrong("[late]", "[[late]]", "'late' must be written [late]");
  wrong("[[exercise]]\nname = \"matmul_padded\"", "[exercise]\nname = \"matmul_padded\"",
        "hw1.toml:14:");
  wrong("title = ", "title == ", "hw1.toml:1:");
  wrong(homework.substr(homework.find("[[")), "", "no exercise; expected [[exercise]]");
}

TEST_CASE("late work loses percents for each day that has begun") {
  const Assignment read = parsed(homework);
  CHECK(late_factor(read, due - 24h) == 1);
  CHECK(late_factor(read, due) == 1);
  CHECK(late_factor(read, due + 15min) == 1);
  CHECK(late_factor(read, due + 15min + 1s) == doctest::Approx(0.9));
  CHECK(late_factor(read, due + 15min + 24h) == doctest::Approx(0.9));
  CHECK(late_factor(read, due + 15min + 24h + 1s) == doctest::Approx(0.8));
  CHECK(late_factor(read, due + 15min + 72h) == doctest::Approx(0.7));
  CHECK(late_factor(read, due + 15min + 72h + 1s) == 0);
  CHECK(late_factor(parsed(changed(homework, "_day = 10", "_day = 60")), due + 71h) == 0);
}

TEST_CASE("what an exercise lacks goes to its values") {
  const Share all = share_of({}, true, true);
  CHECK(all.values == 60);
  CHECK(all.safety == 20);
  CHECK(all.budget == 20);
  CHECK(share_of({}, true, false).values == 80);
  CHECK(share_of({}, true, false).budget == 0);
  CHECK(share_of({}, false, true).values == 80);
  CHECK(share_of({}, false, true).safety == 0);
  CHECK(share_of({50, 30, 20}, false, false).values == 100);
}

TEST_CASE("an assignment is read from its file") {
  const ScratchFolder folder;
  const auto file = folder.path() / "assignment.toml";
  CHECK_THROWS_WITH_AS(load_assignment(file, course_of_two()),
                       doctest::Contains("assignment.toml; expected an assignment file"),
                       UsageError);
  write_file_atomically(file, homework);
  CHECK(load_assignment(file, course_of_two()).exercises.size() == 2);
}

TEST_CASE("a copy that came with an assignment knows the chapters of it") {
  const ScratchFolder scratch;
  CHECK(assigned_chapters(scratch.path()).empty());
  for (const char* chapter : {"08_reductions", "05_tiling"}) {
    std::filesystem::create_directories(scratch.path() / "exercises" / chapter);
    CHECK(assigned_chapters(scratch.path()).empty());
  }
  for (const char* chapter : {"08_reductions", "05_tiling"}) {
    std::filesystem::create_directories(scratch.path() / "exercises/given" / chapter);
  }
  CHECK(assigned_chapters(scratch.path()) == std::vector<std::string>{"05", "08"});
}

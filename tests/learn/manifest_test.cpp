#include "learn/core/manifest.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "scratch_folder.hpp"

using namespace tut::learn;
namespace fs = std::filesystem;

namespace {

const std::string padded = R"(
[[exercise]]
chapter = 5
name = "matmul_padded"
title = "Pad the tile"
file = "exercises/05_shared_memory_tiling/matmul_padded.cu"
points = 10
hints = ["first", "second"]
[exercise.budget]
"shared bank conflicts" = 0
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("a manifest entry is read whole") {
  const Course course = parse_course(padded, "course.toml");
  REQUIRE(course.exercises.size() == 1);
  const Exercise& exercise = course.exercises[0];
  CHECK(exercise.chapter == 5);
  CHECK(exercise.needs == "any");
  CHECK(exercise.points == 10);
  CHECK(exercise.hints.size() == 2);
  CHECK(exercise.budget.at("shared bank conflicts") == 0);
  CHECK(exercise.timeout_seconds == 60);
  CHECK(!exercise.watched);
  const Course watched =
      parse_course(replaced(padded, "points = 10", "points = 10\nwatched = true"), "course.toml");
  CHECK(watched.exercises[0].watched);
  CHECK(!exercise.blank);
  const Course blank =
      parse_course(replaced(padded, "points = 10", "points = 10\nblank = true"), "course.toml");
  CHECK(blank.exercises[0].blank);
  CHECK(blank.exercises[0].points == 20);
  CHECK(exercise.target() == "ch05_matmul_padded_exercise");
  CHECK(exercise.solution() == "solutions/05_shared_memory_tiling/matmul_padded.cu");
  CHECK(exercise.place() == exercise.file);
  CHECK(exercise.given() == "exercises/given/05_shared_memory_tiling/matmul_padded.cu");
  Exercise own = exercise;  // of an instructor's own course
  own.course = "/my course";
  own.file = own.course / exercise.file;
  CHECK(own.place() == exercise.file);
  CHECK(own.solution() == own.course / exercise.solution());
  CHECK(own.given() == own.course / exercise.given());
}

TEST_CASE("parts of the course are read, and named by number") {
  const std::string parts =
      "[[part]]\nname = \"I\"\ntitle = \"The CPU\"\nchapters = [1, 2]\n"
      "[[part]]\nname = \"II\"\ntitle = \"CUDA\"\nchapters = [3, 8]\n";
  const Course course = parse_course(parts + padded, "course.toml");
  REQUIRE(course.parts.size() == 2);
  CHECK(course.parts[1].label() == "part II, CUDA");
  CHECK(course.parts[1].has(course.exercises[0]));
  CHECK(!course.parts[0].has(course.exercises[0]));
  for (const char* word : {"II", "ii", "2", "part II", "Part 2"}) {
    CAPTURE(word);
    CHECK(&pick_part(course, word) == &course.parts[1]);
  }
  CHECK_THROWS_WITH_AS(pick_part(course, "III"), "no part 'III'; expected I, II", UsageError);
  CHECK_THROWS_WITH_AS(pick_part({}, "I"), "no part 'I'; this course has no parts", UsageError);
  const auto wrong = [&](const std::string& from, const std::string& to, const char* message) {
    CAPTURE(to);
    CHECK_THROWS_WITH_AS(parse_course(replaced(parts, from, to), "course.toml"),
                         doctest::Contains(message), UsageError);
  };
  wrong("[3, 8]", "[2, 8]", "course.toml:8: 'chapters' is [2, 8]; expected its first and last");
  wrong("[3, 8]", "[8, 3]", "course.toml:8:");
  wrong("[3, 8]", "[3]", "'chapters' needs its first and last chapter");
  wrong("[3, 8]", "3", "'chapters' needs its first and last chapter");
  wrong("\"II\"", "\"I\"", "a second part named 'I'");
  wrong("title = \"CUDA\"", "", "'title' is missing");
}

TEST_CASE("a wrong manifest is one line with file and line number") {
  const auto wrong = [](const std::string& from, const std::string& to, const char* message) {
    CAPTURE(to);
    CHECK_THROWS_WITH_AS(parse_course(replaced(padded, from, to), "course.toml"),
                         doctest::Contains(message), UsageError);
  };
  wrong("points = 10", "pionts = 10",
        "course.toml:7: unknown field 'pionts'; did you mean points?");
  wrong("points = 10", "", "course.toml:2: 'points' is missing; expected a whole number");
  wrong("points = 10", "points = \"ten\"", "course.toml:7: 'points' has the wrong type");
  wrong("points = 10", "points = 10\nwatched = \"yes\"",
        "'watched' has the wrong type; expected true or false");
  wrong("points = 10", "points = -1", "'points' is not negative");
  wrong("chapter = 5", "chapter = 05", "course.toml:3:");
  wrong("chapter = 5", "chapter = 6", "expected exercises/06_CHAPTER/matmul_padded.cu");
  wrong("\"matmul_padded\"", "\"Matmul\"", "'name' is lower case");
  wrong("[\"first\", \"second\"]", "[\"only one\"]", "'hints' needs two or three strings");
  wrong("points = 10", "points = 10\nneeds = \"hopper\"", "needs = \"hopper\"; expected \"any\"");
  wrong("points = 10", "points = 10\nneeds = \"sm_9\"", "needs = \"sm_9\"");
  wrong("points = 10", "points = 10\nneeds = \"gpus_\"", "needs = \"gpus_\"");
  wrong("= 0", "= \"none\"", "course.toml:10: 'shared bank conflicts' has the wrong type");
  wrong("[exercise.budget]", "[exercise.budgets]", "unknown field 'budgets'; did you mean budget?");
  CHECK_THROWS_WITH_AS(parse_course(padded + padded, "course.toml"),
                       doctest::Contains("a second exercise named 'matmul_padded'"), UsageError);
}

TEST_CASE("an exercise is found by any of its names, and a misspelling is answered") {
  const Course course = parse_course(padded, "course.toml");
  for (const char* name : {"matmul_padded", "05/matmul_padded", "ch05_matmul_padded_exercise",
                           "exercises/05_shared_memory_tiling/matmul_padded.cu",
                           "/home/me/course/exercises/05_shared_memory_tiling/matmul_padded.cu",
                           "matmul_padded.cu", "05.matmul_padded"}) {
    CAPTURE(name);
    CHECK(pick_exercise(course, name).name == "matmul_padded");
  }
  CHECK_THROWS_WITH_AS(pick_exercise(course, "matmul_paded"),
                       "no exercise 'matmul_paded'; did you mean matmul_padded?", UsageError);
  CHECK_THROWS_WITH_AS(pick_exercise(course, "zzz"), "no exercise 'zzz'; './learn list' shows them",
                       UsageError);
}

TEST_CASE("a path is the exercise's only if the file is") {
  const Course course = parse_course(padded, "course.toml");
  const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "exercises" / "05_shared_memory_tiling";
  fs::create_directories(folder);
  std::ofstream(folder / "matmul_padded.cu") << "\n";
  std::ofstream(scratch.path() / "matmul_padded.cu") << "\n";
  CHECK(find_exercise(course, (folder / "matmul_padded.cu").string()) != nullptr);
  CHECK(find_exercise(course, (scratch.path() / "matmul_padded.cu").string()) == nullptr);
  const fs::path before = fs::current_path();
  fs::current_path(folder.parent_path());
  CHECK(find_exercise(course, "05_shared_memory_tiling/matmul_padded.cu") != nullptr);
  CHECK(find_exercise(course, "./05_shared_memory_tiling/matmul_padded.cu") != nullptr);
  fs::current_path(folder);
  CHECK(find_exercise(course, "matmul_padded.cu") != nullptr);
  fs::current_path(scratch.path());
  CHECK(find_exercise(course, "matmul_padded.cu") == nullptr);  // a file of the learner's own
  CHECK(find_exercise(course, "matmul_padded") != nullptr);
  fs::current_path(before);
}

TEST_CASE("a chapter in place of an exercise is answered with its exercises") {
  const Course course = parse_course(padded, "course.toml");
  for (const std::string word :
       {"5", "05", "ch05", "05_shared_memory_tiling", "shared_memory_tiling",
        "chapters/05_shared_memory_tiling/", "exercises/05_shared_memory_tiling"}) {
    CHECK_THROWS_WITH_AS(
        pick_exercise(course, word),
        ("'" + word + "' is a chapter; name one of its exercises: matmul_padded").c_str(),
        UsageError);
  }
  CHECK_THROWS_WITH_AS(pick_exercise(course, "6"), "no exercise '6'; './learn list' shows them",
                       UsageError);
}

TEST_CASE("a chapter is found by number, folder and name") {
  const std::vector<Chapter> chapters = {{4, "04_naive_cuda_matmul", "Naive"},
                                         {5, "05_shared_memory_tiling", "Tiles"}};
  for (const char* name : {"5", "05", "ch5", "ch05", "05_shared_memory_tiling",
                           "shared_memory_tiling", "05_shared_memory_tiling/"}) {
    CAPTURE(name);
    CHECK(pick_chapter(chapters, name).number == 5);
  }
  CHECK_THROWS_WITH_AS(pick_chapter(chapters, "shared_memory"),
                       "no chapter 'shared_memory'; did you mean 05_shared_memory_tiling?",
                       UsageError);
  CHECK_THROWS_WITH_AS(pick_chapter(chapters, "42"), "no chapter '42'; './learn list' shows them",
                       UsageError);
}

TEST_CASE("the course's own manifest is sound and its files are there") {
  const std::filesystem::path root = TUT_SOURCE_DIR;
  const Course course = load_course(root);
  CHECK_FALSE(course.exercises.empty());
  for (const Exercise& exercise : course.exercises) {
    CAPTURE(exercise.name);
    CHECK(std::filesystem::exists(root / exercise.file));
    CHECK(std::filesystem::exists(root / exercise.solution()));
    CHECK_NOTHROW(pick_chapter(find_chapters(root), std::to_string(exercise.chapter)));
  }
}

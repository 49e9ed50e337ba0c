#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// One `[[exercise]]` of exercises/course.toml, whose head documents the fields.
struct Exercise {
  int chapter = 0;
  std::string name;
  std::string title;
  /// The learner's file, relative to the root of the checkout; absolute in an instructor's course.
  std::filesystem::path file;
  std::filesystem::path course;  ///< the folder of that course; empty: the checkout
  std::string needs = "any";     ///< any, cpu, sm_NN, sm_NNa or gpus_N
  int points = 0;                ///< what a grader gives for it: a blank file's are doubled here
  std::vector<std::string> hints;
  std::map<std::string, double> budget;  ///< metric -> maximum
  int timeout_seconds = 60;
  bool watched =
      false;           ///< a right answer is not enough: passes only where the CPU backend watches
  bool blank = false;  ///< the learner starts from an empty function; its points count double

  /// ch05_matmul_padded_exercise
  std::string target(std::string_view version = "exercise") const;
  /// Its file from the root of its own course on: exercises/...
  std::filesystem::path place() const;
  std::filesystem::path solution() const;  ///< solutions/... for exercises/...
  /// exercises/given/... for exercises/...: the stub, where a copy comes without the solution.
  std::filesystem::path given() const;
  /// What to say where the file is missing: that it is, and what brings it back.
  std::string missing_text() const;
};

/// One `[[part]]`: chapters that belong together.
struct Part {
  std::string name;   ///< I, II, ...
  std::string title;  ///< CUDA
  int first = 0;      ///< its chapters, both included
  int last = 0;

  bool has(const Exercise& exercise) const {
    return first <= exercise.chapter && exercise.chapter <= last;
  }
  std::string label() const { return "part " + name + ", " + title; }
};

/// The exercises in course order, and what chapters need where that is not "any".
struct Course {
  std::vector<Exercise> exercises;
  std::map<int, std::string> chapter_needs;
  std::vector<Part> parts;
};

/// Reads the text of a manifest.
/// @param source named in errors
/// @throws UsageError `SOURCE:LINE: what is wrong, what was expected`
Course parse_course(std::string_view toml, const std::string& source);

/// Reads ROOT/exercises/course.toml, and that of an instructor's own course (own_course_folder),
/// whose exercises come behind the course's of the same chapter.
/// @throws UsageError as parse_course does, and if the own course has an exercise of the same name
Course load_course(const std::filesystem::path& root);

/// The part that `word` names: II, ii, 2 or "part II".
/// @throws UsageError that names the parts there are
const Part& pick_part(const Course& course, std::string_view word);

/// The exercise that `word` names: matmul_padded, 05/matmul_padded, ch05_matmul_padded_exercise
/// or the path of its file, from wherever learn is called; null if there is none. Another file that
/// is called like an exercise's is none.
const Exercise* find_exercise(const Course& course, std::string_view word);

/// The same, where there must be one.
/// @throws UsageError that names the nearest exercise, or a chapter's if `word` is a chapter.
const Exercise& pick_exercise(const Course& course, std::string_view word);

}  // namespace tut::learn

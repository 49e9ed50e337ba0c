/// \file
/// What an exercise's tests found, and what that is worth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/classroom/submissions.hpp"
#include "learn/core/assignment.hpp"

namespace tut::learn {

/// The verdict of who handed in nothing for an exercise.
constexpr const char* kNotHandedIn = "not handed in";

/// What came of one of the three things that an exercise is tested for.
struct PartResult {
  bool there = false;  ///< the exercise has it
  bool passed = false;
  std::string message;  ///< what a learner would be told; empty if it passed

  bool operator==(const PartResult&) const = default;
};

/// What came of one file for one exercise. Says nothing of whose it is.
struct ExerciseResult {
  std::string verdict;  ///< a few words: "passed", "does not compile", ...
  std::string message;  ///< why nothing was tested, for whoever handed it in; else empty
  PartResult values, safety, budget;

  bool operator==(const ExerciseResult&) const = default;
};

/// As JSON text, and back; nothing where the text is none of ours.
std::string to_text(const ExerciseResult& result);
std::optional<ExerciseResult> result_from_text(std::string_view text);

struct PartMark {
  std::string name;  ///< values, safety or budget
  double points = 0, max = 0;
  std::string message;  ///< why points are missing
};

struct ExerciseMark {
  std::string exercise;
  double points = 0, max = 0;
  std::string verdict;
  std::string message;
  std::vector<PartMark> parts;  ///< those that the exercise has
};

/// The first line of why what was handed in could not be used; "" if it could.
std::string why_unusable(const ExerciseMark& mark);

struct StudentMark {
  std::string student;
  double earned = 0;           ///< points, before anything is taken off for lateness
  double points = 0, max = 0;  ///< points: what late work has lost is taken off
  double kept = 1;             ///< the share that late work keeps
  std::string lateness;  ///< how late; empty: in time or in the time of grace, or nobody knows
  std::vector<ExerciseMark> exercises;
  std::vector<std::string> notes;
};

/// Points with two decimals at most and no more zeros than needed: 4, 2.5, 0.33.
std::string points_text(double points);

/// The marks of one exercise. Safety and budget count where the values are right: work that does
/// nothing is safe.
ExerciseMark mark_exercise(const AssignedExercise& assigned, const ExerciseResult& result);

/// The marks of one student.
/// @param results of the assignment's exercises, in its order
/// @param handed_in when, if that is known
StudentMark mark_student(const Assignment& assignment, const Submission& submission,
                         const std::vector<ExerciseResult>& results,
                         std::optional<std::chrono::sys_seconds> handed_in);

}  // namespace tut::learn

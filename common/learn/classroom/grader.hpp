/// \file
/// Tries one file for one exercise: compiles it in the sandbox by the build's own commands, looks
/// at what it is made of, and runs the exercise's tests.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "learn/classroom/marks.hpp"
#include "learn/classroom/recipe.hpp"
#include "learn/classroom/rules.hpp"
#include "learn/classroom/sandbox.hpp"

namespace tut::learn {

struct GradeLimits {
  double compile_seconds = 120;
  double run_seconds = 3600;  ///< of a test program, or what the course says if that is less
  std::size_t memory_bytes = std::size_t{4} << 30;
};

class ExerciseGrader {
 public:
  /// @param recipe of the exercise's programs, whose inputs are built
  /// @param seed of the tests; empty: their own
  ExerciseGrader(const Isolation& isolation, ExerciseRecipe recipe, std::string seed,
                 const GradeLimits& limits);

  /// Tries the course's own solution, which says what is allowed.
  /// @throws UsageError unless it passes everything: then this machine cannot grade the exercise
  void prepare();

  /// Tries a student's text. Any number at once, after prepare().
  ExerciseResult grade(const std::string& text) const;

 private:
  /// What one submission's builds are made of.
  struct Build {
    std::map<std::string, ObjectFacts> objects;            ///< plain.o, watched.o
    std::map<std::string, std::set<std::string>> exports;  ///< of each program, to its libraries
  };

  ExerciseResult try_text(const std::string& text, Build& made, const Build* reference) const;
  /// Compiles what is not compiled yet, and links; "" or what went wrong or breaks the rules, with
  /// `verdict` in a few words.
  std::string build(const Sandbox& box, const std::string& text, const ProgramRecipe& recipe,
                    const std::string& program, Build& made, const Build* reference,
                    std::string& verdict) const;
  std::string compile(const Sandbox& box, const ProgramRecipe& recipe, const std::string& object,
                      Build& made, std::string& verdict) const;
  SandboxRun building(SandboxView view) const;
  /// Why a step of a build failed, as its messages or limits say.
  std::string said(const Outcome& outcome, const SandboxLimits& limits, const char* what,
                   std::string& verdict) const;
  /// A program's words with the files of an own course where students have them: in the course.
  std::string with_students_paths(std::string text) const;
  /// What is wrong with an object that has just been made, a line for each.
  std::vector<std::string> object_faults(const Sandbox& box, const std::string& text,
                                         const std::string& object, const Build& made,
                                         const Build& reference) const;
  std::string broken_rules(const std::vector<std::string>& lines) const;
  bool has_host_assembly(const Sandbox& box) const;
  PartResult run_part(const Sandbox& box, const std::string& program, const char* argument,
                      std::string& verdict) const;

  const Isolation& isolation_;
  ExerciseRecipe recipe_;
  std::string seed_;
  GradeLimits limits_;
  Build reference_;
  std::vector<std::string> elsewhere_;     ///< what the tests' own objects define
  std::set<std::string> names_elsewhere_;  ///< all that the programs' other parts name
};

}  // namespace tut::learn

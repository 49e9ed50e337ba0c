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

/// The number that an exercise's tests draw their data from, which nobody knows who has not the
/// secret: the first 63 bits of HMAC-SHA256(secret, exercise), in decimal. Empty without a secret.
std::string seed_of(const std::string& secret, const std::string& exercise);

/// HMAC (RFC 2104) with SHA-256, as 64 lower-case hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view message);

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
  /// Compiles and links; "" or what went wrong, with `verdict` in a few words.
  std::string build(const Sandbox& box, const ProgramRecipe& recipe, const std::string& program,
                    Build& made, std::string& verdict) const;
  std::string rule_breaks(const Sandbox& box, const std::string& text, const Build& made,
                          const Build& reference) const;
  bool has_host_assembly(const Sandbox& box) const;
  PartResult run_part(const Sandbox& box, const std::string& program, const char* argument,
                      std::string& verdict) const;

  const Isolation& isolation_;
  ExerciseRecipe recipe_;
  std::string seed_;
  GradeLimits limits_;
  Build reference_;
  std::vector<std::string> elsewhere_;  ///< what the tests' own objects define
};

}  // namespace tut::learn

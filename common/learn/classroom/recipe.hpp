/// \file
/// How the build makes an exercise's test programs, as commands that can be carried out elsewhere
/// for another file: the compilation of the learner's object, and the program's link.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/build_tree.hpp"
#include "learn/core/manifest.hpp"

namespace tut::learn {

/// How one test program of an exercise is made, from the build folder.
struct ProgramRecipe {
  std::vector<std::string> compile, link;
  std::string object;               ///< of the learner's file, as both commands name it
  std::string program;              ///< as `link` names it
  std::vector<std::string> inputs;  ///< files of the build folder that `link` names, but for object
  bool watched = false;             ///< the object tells of every access
};

struct ExerciseRecipe {
  const Exercise* exercise = nullptr;
  std::optional<ProgramRecipe> plain, checked, counted;
};

/// The words of a command as a shell takes them apart: blanks, quotes and backslashes; no more.
std::vector<std::string> shell_words(std::string_view command);

/// Reads what `ninja -t commands TARGET` prints.
/// @param source the learner's file, absolute
/// @throws UsageError where it does not say how the file is compiled and the program linked
ProgramRecipe parse_recipe(std::string_view commands, const std::string& source);

/// The recipes of an exercise's programs.
/// @throws UsageError when the build has no such programs
ExerciseRecipe read_recipe(const BuildTree& tree, const std::filesystem::path& root,
                           const Exercise& exercise);

/// A command with words in place of others.
std::vector<std::string> redirected(std::vector<std::string> command,
                                    const std::vector<std::pair<std::string, std::string>>& words);

}  // namespace tut::learn

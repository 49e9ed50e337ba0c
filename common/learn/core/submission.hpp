/// \file
/// A learner's file must be code of its own. Code that it takes from elsewhere in the course,
/// through the linker or the preprocessor, and names that would replace the test's own are reported
/// before anything runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learn/core/build_tree.hpp"
#include "learn/core/manifest.hpp"

namespace tut::learn {

/// A symbol of an object file, as `nm` lists it.
struct Symbol {
  char kind = '?';             ///< nm's letter: U undefined, T code, W weak, ...
  std::string name;            ///< without its arguments: tut::ch05::matmul_tiled
  bool is_c_function = false;  ///< one that has no arguments in its name
};

/// Reads what `nm --demangle --extern-only` prints of one file.
std::vector<Symbol> parse_symbols(std::string_view nm_output);

/// The symbols that object files define or need; none without a file.
/// @throws UsageError when nm is not on PATH, or cannot read a file.
std::vector<Symbol> symbols_of(const std::vector<std::string>& files);

/// What is wrong with a learner's object file, a line for each.
/// @param chapter of the exercise, whose namespace the learner's names may be in
/// @param solution the source of the solution: what it calls, an exercise may call
/// @param elsewhere names that other files of the program define
std::vector<std::string> foreign_symbols(const std::vector<Symbol>& symbols, int chapter,
                                         std::string_view solution,
                                         const std::vector<std::string>& elsewhere);

/// A text with the names of the course that an answer to the exercise may call: the solution, or
/// where a copy comes without it the stub and the names in exercises/given/CHAPTER/NAME.calls.
std::string callable_text(const std::filesystem::path& root, const Exercise& exercise);

/// What is wrong with the files that it was compiled from, a line for each.
/// @param files absolute paths, or relative to `root`
std::vector<std::string> foreign_files(const std::vector<std::string>& files,
                                       const std::filesystem::path& root,
                                       const std::filesystem::path& own);

/// The same for the exercise as this program has it; empty if all of it is its own.
/// @param program the name of a target that is built
std::string foreign_parts(const BuildTree& tree, const std::filesystem::path& root,
                          const Exercise& exercise, const std::string& program);

}  // namespace tut::learn

/// \file
/// What a file that is graded may be made of. `core/submission.hpp` keeps a learner from fooling
/// the check by accident; this is for a file whose author may want to. So it says what is allowed,
/// not what is forbidden: the headers of the exercise and of the standard library, and calls of
/// what the solution calls, of CUDA's runtime and of the harmless part of the standard library.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/submission.hpp"

namespace tut::learn {

/// What an object file is made of and was made from.
struct ObjectFacts {
  std::vector<Symbol> symbols;      ///< of `nm --demangle --extern-only`
  std::set<std::string> raw_names;  ///< as the linker knows them, of those that are defined
  std::set<std::string> raw_data;   ///< of these, variables and constants
  int initialisers = 0;             ///< entries of .init_array and the like
  int compilers_initialisers = 0;   ///< of these, functions that the compiler made
  std::vector<std::string> files;   ///< it includes, in the order of its dependency file
};

/// Reads an object and its dependency file.
/// @throws UsageError where nm or readelf is missing or fails
ObjectFacts facts_of(const std::filesystem::path& object,
                     const std::filesystem::path& dependencies);

/// All names that a linker sees in an object or an archive, defined or not.
/// @throws UsageError where nm is missing or fails
std::set<std::string> raw_names_of(const std::filesystem::path& file);

/// The paths in a make rule: "x.o: a.cu b.hpp \".
std::vector<std::string> parse_dependencies(std::string_view rule);

/// Entries of the arrays of functions that run before or after main, of `readelf -SW`.
int count_initialisers(std::string_view sections);

/// What is wrong with the text of a source, a line for each. asm is not among it: has_assembly.
std::vector<std::string> wrong_words(std::string_view source);

/// Whether a text has asm outside its comments.
bool mentions_assembly(std::string_view source);

/// Whether asm is left in the lines of `source` of a preprocessed text, in which the CPU backend
/// has replaced that of kernels.
bool has_assembly(std::string_view preprocessed, std::string_view source);

/// Whether code may call this function, or use this object, that is defined elsewhere.
/// @param reference names that the solution's object needs
/// @param host the exercise is plain C++, where work may be shared among threads
bool is_allowed_call(std::string_view name, const std::set<std::string>& reference,
                     bool host = false);

/// What is wrong with the calls of an object, a line for each.
std::vector<std::string> forbidden_calls(const ObjectFacts& facts, const ObjectFacts& reference,
                                         bool host = false);

/// What is wrong with what it defines, beyond foreign_symbols.
/// @param elsewhere names that other parts of its programs define or need: no variable may have
///   one of them
std::vector<std::string> forbidden_definitions(const ObjectFacts& facts,
                                               const std::set<std::string>& elsewhere = {});

/// What is wrong with the files that it includes, a line for each.
/// @param root the course's; `own` is relative to it
std::vector<std::string> forbidden_files(const ObjectFacts& facts, const ObjectFacts& reference,
                                         const std::filesystem::path& root,
                                         const std::filesystem::path& own);

}  // namespace tut::learn

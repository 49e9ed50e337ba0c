#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tut::learn {

/// One exercise file beside what its solution makes of it.
struct Stub {
  enum class State { current, stale, missing, orphan };

  std::filesystem::path file;  // exercises/CHAPTER/NAME, relative to the root
  State state;
  std::string text;  // what it should hold
};

/// Every file under `root`/solutions projected and compared with its twin under `root`/exercises,
/// and every exercise without a solution, in the order of their names.
/// \param only  names of exercises; the others are not looked at. Empty: all
/// Throws StubError (projection.hpp) or std::runtime_error if a file cannot be read.
std::vector<Stub> find_stubs(const std::filesystem::path& root,
                             const std::vector<std::string>& only = {});

/// Writes the missing ones, and the stale ones in which nobody has written: those that the solution
/// makes which git has in HEAD or staged. With `force` all stale ones are overwritten.
/// Returns those that it left as they are.
/// Throws std::runtime_error if a file cannot be written.
std::vector<Stub> write_stubs(const std::filesystem::path& root, const std::vector<Stub>& stubs,
                              bool force);

/// What is wrong with a stub, one line; "" for a current one.
std::string complaint(const Stub& stub);

}  // namespace tut::learn

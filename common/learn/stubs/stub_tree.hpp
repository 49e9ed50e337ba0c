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
/// Throws StubError (projection.hpp) or std::runtime_error if a file cannot be read.
std::vector<Stub> find_stubs(const std::filesystem::path& root);

/// Writes the stale and the missing ones. Throws std::runtime_error if a file cannot be written.
void write_stubs(const std::filesystem::path& root, const std::vector<Stub>& stubs);

/// What is wrong with a stub, one line; "" for a current one.
std::string complaint(const Stub& stub);

}  // namespace tut::learn

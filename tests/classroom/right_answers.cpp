/// \file
/// right_answers SOURCE BUILD: whether grading's rules let the course's right answers through, the
/// solutions and those of another shape (tests/right), as their tests have compiled them. Wrong
/// versions are in the same objects; a call that only they make is listed below.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "learn/classroom/rules.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/manifest.hpp"

namespace {

using namespace tut::learn;
namespace fs = std::filesystem;

struct WrongOnly {
  const char *exercise, *call, *version;
};

/// What wrong versions call and no right answer needs.
constexpr std::array<WrongOnly, 1> kWrongOnly = {
    {{"average_ms", "std::chrono::_V2::steady_clock::now", "host_clock"}}};

std::vector<fs::path> objects_of(const fs::path& build, const Exercise& exercise,
                                 const std::string& kernel) {
  std::vector<fs::path> objects;
  const fs::path folder = build / "chapters" / exercise.file.parent_path().filename() /
                          "CMakeFiles" / (exercise.target(kernel) + "_kernel.dir");
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == ".o") objects.push_back(entry.path());
  }
  std::ranges::sort(objects);
  return objects;
}

/// Facts of all of them as of one.
ObjectFacts joined_facts(const std::vector<fs::path>& objects) {
  ObjectFacts all;
  for (const fs::path& object : objects) {
    ObjectFacts facts = facts_of(object, object.string() + ".d");
    all.symbols.insert(all.symbols.end(), facts.symbols.begin(), facts.symbols.end());
    all.raw_names.merge(facts.raw_names);
    all.raw_data.merge(facts.raw_data);
    all.initialisers += facts.initialisers;
    all.compilers_initialisers += facts.compilers_initialisers;
    all.files.insert(all.files.end(), facts.files.begin(), facts.files.end());
  }
  return all;
}

/// What the rules say of the objects of one way to compile, a line for each.
std::vector<std::string> faults_of(const fs::path& source, const fs::path& build,
                                   const Exercise& exercise, const std::string& mode) {
  const std::vector<fs::path> versions = objects_of(build, exercise, "versions" + mode);
  if (versions.empty()) return {};
  const ObjectFacts reference = joined_facts(objects_of(build, exercise, "solution" + mode));
  if (reference.symbols.empty()) {
    return {fmt::format("{}{} is not built; expected all that a maintainer builds",
                        exercise.target("solution"), mode)};
  }
  ObjectFacts facts = joined_facts(versions);
  // What tells versions apart has names of its own, and lies in the build folder.
  std::erase_if(facts.symbols, [](const Symbol& s) { return s.kind != 'U' && s.kind != 'w'; });
  std::erase_if(facts.files, [&](const std::string& file) {
    return fs::path(file).lexically_normal().string().starts_with(build.string());
  });
  const std::string solution = read_file(source / exercise.solution()).value_or("");
  std::vector<std::string> lines = foreign_symbols(facts.symbols, exercise.chapter, solution, {});
  for (const auto& more : {forbidden_calls(facts, reference, exercise.needs == "cpu"),
                           forbidden_definitions(facts), forbidden_definitions(reference),
                           forbidden_files(facts, reference, source, exercise.file)}) {
    lines.insert(lines.end(), more.begin(), more.end());
  }
  std::erase_if(lines, [&](const std::string& line) {
    return std::ranges::any_of(kWrongOnly, [&](const WrongOnly& known) {
      return exercise.name == known.exercise && line.find(known.call) != std::string::npos;
    });
  });
  return lines;
}

int run(const fs::path& source, const fs::path& build) {
  int faults = 0;
  std::size_t looked_at = 0;
  for (const Exercise& exercise : load_course(source).exercises) {
    for (const char* mode : {"", "_watched"}) {
      looked_at += objects_of(build, exercise, std::string("versions") + mode).size();
      for (const std::string& line : faults_of(source, build, exercise, mode)) {
        fmt::print("{}{}: {}\n", exercise.name, mode, line);
        ++faults;
      }
    }
  }
  fmt::print("{} objects, {} faults\n", looked_at, faults);
  return faults == 0 && looked_at > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3) return run(argv[1], fs::path(argv[2]).lexically_normal());
    fmt::print(stderr, "right_answers SOURCE BUILD\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "right_answers: {}\n", error.what());
  }
  return 2;
}

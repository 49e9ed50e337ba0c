#include "learn/classroom/own_exercises.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/git.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

constexpr const char* kManifest = "exercises/course.toml";

toml::table parsed(const std::string& text, const std::string& source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", source, error.source().begin.line, error.description()));
  }
}

toml::table own_manifest(const Exercise& exercise) {
  const std::string file = (exercise.course / kManifest).string();
  return parsed(read_file(file).value_or(""), file);
}

/// Copies the table of `own` whose `key` is `value` to the array `name` of `manifest`, before the
/// first one of a later chapter.
template <class Value>
void copy_table(const char* name, const char* key, const Value& value, const char* order,
                const toml::table& own, toml::table& manifest) {
  const toml::array* from = own[name].as_array();
  if (from == nullptr) return;
  if (manifest[name].as_array() == nullptr) manifest.insert(name, toml::array());
  toml::array& to = *manifest[name].as_array();
  for (const toml::node& node : *from) {
    const toml::table* table = node.as_table();
    if (table == nullptr || (*table)[key].template value<Value>() != value) continue;
    const auto number = (*table)[order].template value<int>();
    auto place = to.cbegin();
    while (place != to.cend() && (*place->as_table())[order].template value<int>() <= number) {
      ++place;
    }
    to.insert(place, *table);
  }
}

/// The files that belong to an exercise, by their places in its course.
std::vector<fs::path> files_of(const Exercise& exercise) {
  const fs::path chapter = exercise.place().parent_path().filename();
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry :
       fs::recursive_directory_iterator(exercise.course / "chapters" / chapter, error)) {
    if (entry.is_regular_file()) found.push_back(entry.path().lexically_relative(exercise.course));
  }
  for (const auto& entry : fs::directory_iterator(exercise.course / "tests" / chapter, error)) {
    const bool shared = entry.path().extension() == ".hpp";
    if (!shared && entry.path().filename() != exercise.name + "_test.cpp") continue;
    found.push_back(entry.path().lexically_relative(exercise.course));
  }
  std::ranges::sort(found);
  return found;
}

/// Git's list of some files of an own course, as it prints them for `arguments`.
std::vector<std::string> listed(const Git& git, std::vector<std::string> arguments,
                                const std::vector<fs::path>& places) {
  arguments.emplace_back("--");
  for (const fs::path& place : places) arguments.push_back(place.string());
  return git.list(std::move(arguments), "git does not list " + git.root().string());
}

struct OwnFiles {
  std::vector<fs::path> places;
  bool has_git = false;
};

/// Of the files of an exercise what may be handed out: where there is git, what is committed.
/// @throws UsageError where something is not committed that git does not ignore
OwnFiles committed_files_of(const Exercise& exercise) {
  OwnFiles own{files_of(exercise), false};
  const std::optional<Git> git = Git::around(exercise.course);
  if (!git) return own;
  std::vector<fs::path> needed = own.places;
  needed.emplace_back(kManifest);
  needed.push_back(exercise.solution().lexically_relative(exercise.course));
  const std::vector<std::string> tracked = listed(*git, {"ls-files", "-z"}, needed);
  std::vector<std::string> changed =
      listed(*git, {"ls-files", "-z", "--others", "--exclude-standard"}, needed);
  if (tracked.empty() && changed.empty()) return own;  // the folder is one that git ignores
  own.has_git = true;
  const bool has_commit = git->try_output({"rev-parse", "--verify", "HEAD"}).has_value();
  const std::vector<std::string> edited =
      has_commit ? listed(*git, {"diff", "--name-only", "-z", "--relative", "HEAD"}, needed)
                 : tracked;
  changed.insert(changed.end(), edited.begin(), edited.end());
  if (!changed.empty()) {
    throw UsageError(fmt::format("not committed in {}: {}; commit it, and bundle then",
                                 exercise.course.string(), fmt::join(changed, ", ")));
  }
  std::erase_if(own.places, [&](const fs::path& place) {
    return std::ranges::find(tracked, place.string()) == tracked.end();
  });
  return own;
}

}  // namespace

std::string with_own_entries(const std::string& manifest,
                             const std::vector<const Exercise*>& exercises) {
  toml::table course = parsed(manifest, kManifest);
  for (const Exercise* exercise : exercises) {
    const toml::table own = own_manifest(*exercise);
    copy_table("exercise", "name", exercise->name, "chapter", own, course);
    const toml::array* chapters = course["chapter"].as_array();
    const bool known =
        chapters != nullptr && std::ranges::any_of(*chapters, [&](const toml::node& node) {
          return (*node.as_table())["number"].value<int>() == exercise->chapter;
        });
    if (!known) copy_table("chapter", "number", exercise->chapter, "number", own, course);
  }
  std::ostringstream text;
  text << course << "\n";
  return text.str();
}

std::vector<std::string> add_own_exercises(const std::vector<const Exercise*>& assigned,
                                           std::vector<PackedFile>& files) {
  std::vector<const Exercise*> own;
  std::ranges::copy_if(assigned, std::back_inserter(own),
                       [](const Exercise* exercise) { return !exercise->course.empty(); });
  const auto find = [&](const std::string& name) {
    return std::ranges::find(files, name, &PackedFile::name);
  };
  std::vector<std::string> without_git;
  for (const Exercise* exercise : own) {
    const OwnFiles own_files = committed_files_of(*exercise);
    for (const fs::path& place : own_files.places) {
      if (!own_files.has_git) without_git.push_back((exercise->course / place).string());
      const auto content = read_file(exercise->course / place);
      if (!content) {
        throw UsageError(fmt::format("cannot read {}", (exercise->course / place).string()));
      }
      if (const auto known = find(place.string()); known == files.end()) {
        files.push_back({place.string(), *content, false});
      } else if (known->content != *content && place.filename() != "README.md") {
        throw UsageError(fmt::format("the course has a file {}, too; expected another name in {}",
                                     place.string(), exercise->course.string()));
      }
    }
    const fs::path chapter = exercise->place().parent_path().filename();
    const std::string build = ("chapters" / chapter / "CMakeLists.txt").string();
    if (find(build) == files.end()) {
      files.push_back({build, fmt::format("tut_add_chapter({})\n", chapter.string()), false});
    }
  }
  if (own.empty()) return {};
  if (const auto manifest = find(kManifest); manifest != files.end()) {
    manifest->content = with_own_entries(manifest->content, own);
  }
  std::ranges::sort(without_git);
  without_git.erase(std::unique(without_git.begin(), without_git.end()), without_git.end());
  return without_git;
}

}  // namespace tut::learn

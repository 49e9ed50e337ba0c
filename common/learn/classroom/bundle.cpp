#include "learn/classroom/bundle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "learn/classroom/assignment_page.hpp"
#include "learn/classroom/own_exercises.hpp"
#include "learn/core/cpp_source.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/git.hpp"
#include "learn/core/stub_source.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// A file that git tracks.
struct TrackedFile {
  std::string path;
  bool executable = false;
};

std::vector<TrackedFile> tracked_files(const Git& git) {
  std::vector<TrackedFile> files;
  // "100755 HASH STAGE\tPATH"
  for (const std::string& entry : git.list({"ls-files", "-s", "-z"}, "git lists no files")) {
    const std::size_t tab = entry.find('\t');
    if (tab == std::string::npos) continue;
    if (!entry.starts_with("100")) {
      throw UsageError(fmt::format("{} is no regular file; expected none but such in a bundle",
                                   entry.substr(tab + 1)));
    }
    files.push_back({entry.substr(tab + 1), entry.starts_with("100755")});
  }
  return files;
}

/// Students get what is committed. Exercises are no matter: they come as stubs.
void require_committed(const Git& git) {
  std::vector<std::string> changed;
  for (const std::string& entry :
       git.list({"status", "--porcelain", "-z", "--no-renames", "--untracked-files=no"},
                "git does not say what has changed")) {
    if (entry.size() <= 3) continue;
    const std::string path = entry.substr(3);
    if (!path.starts_with("exercises/") || path == "exercises/course.toml") changed.push_back(path);
  }
  if (changed.empty()) return;
  const std::size_t count = changed.size();
  if (count > 3) changed.resize(3);
  throw UsageError(fmt::format("not committed: {}{}; commit it, or 'git stash' it, and bundle then",
                               fmt::join(changed, ", "),
                               count > 3 ? fmt::format(" and {} more", count - 3) : ""));
}

Assignment assignment_of(const BundleOptions& options, const Course& course, std::string& text) {
  if (!options.assignment.empty()) {
    const auto read = read_file(options.assignment);
    Assignment assignment = load_assignment(options.assignment, course);
    text = public_assignment(read.value_or(""), options.assignment);
    return assignment;
  }
  text = "title = \"Exercises\"\n";
  for (const std::string& name : options.exercises) {
    text += fmt::format("[[exercise]]\nname = \"{}\"\n", pick_exercise(course, name).name);
  }
  return parse_assignment(text, "--exercises", course);
}

/// The texts of the course's headers.
std::vector<std::string> headers_of(const std::vector<PackedFile>& files) {
  std::vector<std::string> headers;
  for (const PackedFile& file : files) {
    const bool course = file.name.starts_with("chapters/") || file.name.starts_with("common/tut/");
    if (course && file.name.ends_with(".hpp")) headers.push_back(file.content);
  }
  return headers;
}

std::string require_text(const fs::path& root, const std::string& path) {
  auto text = read_file(root / path);
  if (!text) throw UsageError(fmt::format("cannot read {}; 'git checkout' brings it back", path));
  return std::move(*text);
}

/// The files that students get, without a folder around them.
/// @param without_git gets the files of own courses that are in no git checkout
std::vector<PackedFile> files_for_students(const Context& context, const Course& course,
                                           const std::vector<const Exercise*>& assigned,
                                           const std::vector<TrackedFile>& tracked,
                                           const std::string& assignment_file,
                                           std::vector<std::string>& without_git) {
  std::map<std::string, const Exercise*> exercises;
  for (const Exercise& exercise : course.exercises) exercises[exercise.file.string()] = &exercise;
  std::error_code error;
  std::vector<PackedFile> files;
  for (const TrackedFile& file : tracked) {
    if (!is_for_students(file.path, assigned)) continue;
    if (fs::equivalent(context.root / file.path, assignment_file, error)) continue;
    const auto exercise = exercises.find(file.path);
    std::string text = exercise == exercises.end() ? require_text(context.root, file.path)
                                                   : stub_text(context.root, *exercise->second);
    if (file.path == "README.md") text = with_word_of_assignment(std::move(text));
    files.push_back({file.path, std::move(text), file.executable});
  }
  without_git = add_own_exercises(assigned, files);
  const std::vector<std::string> headers = headers_of(files);
  for (const Exercise* exercise : assigned) {
    const std::string stub = stub_text(context.root, *exercise);
    const auto solution = read_file(context.root / exercise->solution());
    if (!solution) {
      throw UsageError(
          fmt::format("cannot read {}; expected the solution, which says what an answer "
                      "may call",
                      exercise->solution().string()));
    }
    fs::path calls = exercise->given();
    if (!exercise->course.empty()) {
      calls = calls.lexically_relative(exercise->course);
      files.push_back({exercise->place().string(), stub, false});
    }
    files.push_back({calls.string(), stub, false});
    files.push_back({calls.replace_extension(".calls").string(),
                     called_names(*solution, stub, headers), false});
  }
  return files;
}

/// @throws UsageError where a file has the secret in it
void require_secret_kept(const std::string& secret, const std::vector<PackedFile>& files) {
  if (secret.empty()) return;
  for (const PackedFile& file : files) {
    if (file.content.find(secret) == std::string::npos) continue;
    throw UsageError(fmt::format(
        "the assignment's secret stands in {}, which students would get; expected another secret, "
        "or a course without it",
        file.name));
  }
}

/// The names that are called in a text: words before "(" or "<".
std::set<std::string> calls_in(const std::string& source) {
  const std::string text = without_comments(source).shape;
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > begin && end < text.size() && (text[end] == '(' || text[end] == '<') &&
        !is_digit(text[begin])) {
      names.insert(text.substr(begin, end - begin));
    }
    begin = std::max(end, begin + 1);
  }
  constexpr auto kKeywords = std::to_array<const char*>(
      {"if", "for", "while", "switch", "return", "sizeof", "alignas", "alignof", "decltype",
       "static_cast", "reinterpret_cast", "const_cast", "template", "static_assert", "catch"});
  for (const char* keyword : kKeywords) names.erase(keyword);
  return names;
}

}  // namespace

bool is_for_students(const std::string& path, const std::vector<const Exercise*>& assigned) {
  constexpr auto kInstructors = std::to_array<std::string_view>(
      {"tests/wrong/", "tests/right/", "tests/mutants/", "exercises/given/", ".ci/", ".github/"});
  if (std::ranges::any_of(kInstructors,
                          [&](std::string_view folder) { return path.starts_with(folder); })) {
    return false;
  }
  if (path == "assignment.toml" || path == "ASSIGNMENT.md") return false;
  return std::ranges::none_of(
      assigned, [&](const Exercise* exercise) { return path == exercise->solution().string(); });
}

std::string public_assignment(const std::string& text, const std::string& source) {
  try {
    toml::table table = toml::parse(text, source);
    table.erase("secret");
    std::ostringstream out;
    out << table << "\n";
    return out.str();
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", source, error.source().begin.line, error.description()));
  }
}

std::string called_names(const std::string& solution, const std::string& stub,
                         const std::vector<std::string>& headers) {
  std::set<std::string> declared;
  for (const std::string& header : headers) declared.merge(calls_in(header));
  const std::set<std::string> in_stub = calls_in(stub);
  std::string text;
  for (const std::string& name : calls_in(solution)) {
    if (declared.contains(name) && !in_stub.contains(name)) text += name + "\n";
  }
  return text;
}

int bundle_command(const Context& context, const BundleOptions& options) {
  if (options.assignment.empty() == options.exercises.empty()) {
    throw UsageError("bundle wants either --assignment FILE.toml or --exercises NAME,NAME");
  }
  require_archive_name(options.out);
  const Course course = load_course(context.root);
  std::string text;
  const Assignment assignment = assignment_of(options, course, text);
  const Git git(context.root);
  require_committed(git);
  std::vector<const Exercise*> assigned;
  for (const AssignedExercise& exercise : assignment.exercises) {
    assigned.push_back(&pick_exercise(course, exercise.name));
  }
  std::vector<std::string> without_git;
  std::vector<PackedFile> files = files_for_students(context, course, assigned, tracked_files(git),
                                                     options.assignment, without_git);
  files.push_back({"assignment.toml", text, false});
  files.push_back({"ASSIGNMENT.md", assignment_page(assignment, course), false});
  require_secret_kept(assignment.secret, files);

  std::string folder = fs::path(options.out).filename().string();
  folder = folder.substr(0, folder.find('.'));
  for (PackedFile& file : files) file.name = folder + "/" + file.name;
  const std::string before = write_archive(options.out, pack(files, options.out));
  fmt::print("{}{}: {}, {} exercise{}, {} files in {}/.\n", options.out,
             before.empty() ? "" : " (" + before + ")", assignment.title, assigned.size(),
             assigned.size() == 1 ? "" : "s", files.size(), folder);
  if (!without_git.empty()) {
    fmt::print("Taken as they are, since they are in no git checkout:\n  {}\n",
               fmt::join(without_git, "\n  "));
  }
  fmt::print(
      "It has no solutions of {}, no versions that try tests, and no secret. The solutions of "
      "other "
      "exercises are in it.\n",
      assigned.size() == 1 ? "it" : "them");
  return exit_ok;
}

}  // namespace tut::learn

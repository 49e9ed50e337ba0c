#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/own_file.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// The value of the last `--kernels` among a program's arguments; empty without one.
std::string_view kernels_asked_for(const std::vector<std::string>& arguments) {
  constexpr std::string_view flag = "--kernels";
  std::string_view value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == flag && i + 1 < arguments.size()) value = arguments[++i];
    if (argument.starts_with("--kernels=")) value = argument.substr(flag.size() + 1);
  }
  return value;
}

/// The program that shows a chapter: with the learner's own kernels where that is asked for and
/// the chapter has such a program, else its trainer where it has one, else its demo.
std::string chapter_target(const BuildTree& tree, const Chapter& chapter,
                           const std::vector<std::string>& arguments) {
  std::string mine = fmt::format("ch{:02}_mine", chapter.number);
  if (kernels_asked_for(arguments) == "mine" && tree.has_target(mine)) return mine;
  const std::string trainer = fmt::format("ch{:02}_train", chapter.number);
  return tree.has_target(trainer) ? trainer : fmt::format("ch{:02}_demo", chapter.number);
}

/// Of a build that failed: the exercises whose files an error names, each with what is wrong.
std::string failed_exercises(const Context& context, const std::string& messages) {
  std::string text;
  for (const Exercise& exercise : load_course(context.root).exercises) {
    const std::string file = exercise.file.string();
    const std::vector<std::string> lines = split_lines(messages);
    const bool named = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(file) != std::string::npos && line.find("error") != std::string::npos;
    });
    if (!named) continue;
    text += fs::exists(context.root / exercise.file)
                ? fmt::format("\n{}: does not compile", exercise.name)
                : "\n" + exercise.missing_text();
  }
  return text;
}

fs::path build_chapter(const Context& context, const RunOptions& options) {
  const std::vector<Chapter> chapters = find_chapters(context.root);
  const Chapter& chapter = pick_chapter(chapters, options.what);
  const std::string name = "chapter " + chapter.folder;
  const BuildTree tree = context.tree();
  const std::string target = chapter_target(tree, chapter, options.arguments);
  StatusLine status;
  const BuildResult result = tree.build({target}, status.build_bar(name));
  if (result.ok) return tree.program(target);
  if (result.unknown_target) {
    throw UsageError(fmt::format("{} has no program to run here (no target {})", name, target));
  }
  throw UsageError(fmt::format("{} does not build:\n{}{}", name, result.messages,
                               failed_exercises(context, result.messages)));
}

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs a program in the terminal and returns its exit code.
int run_program(const fs::path& program, const std::vector<std::string>& arguments,
                const Environment& environment = {}) {
  Command command{{program.string()}, {}, environment};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_attached(command);
  if (outcome.signal != 0) {
    fmt::print(stderr, "learn: {} ended by signal {}\n", program.filename().string(),
               outcome.signal);
  }
  return shell_exit_code(outcome);
}

/// Why `what` cannot be counted, where it is no .cu file of the learner's own; else empty.
std::string not_to_be_counted(const Context& context, const std::string& what) {
  const Course course = load_course(context.root);
  const Exercise* exercise = find_exercise(course, what);
  if (fs::path(what).extension() == ".cu" && exercise == nullptr) return "";
  if (exercise == nullptr)
    return fmt::format("count needs a FILE.cu of your own; '{}' is none", what);
  const BuildTree tree(context.root, context.build_folder_of("cpu"));
  const std::string target = exercise->target() + "_counted";
  const std::string reason =
      fmt::format("count needs a FILE.cu of your own; '{}' is an exercise", exercise->name);
  if (!tree.has_target(target)) return reason + ", and nothing of it is counted";
  return fmt::format(
      "{0}. './learn --backend cpu check {1}' builds a program that counts it; then "
      "'SIMT_ANNOTATE=1 {2} --test-case=budget' shows its counts",
      reason, exercise->name, tree.program(target).lexically_proximate(context.root).string());
}

}  // namespace

int run_command(const Context& context, const RunOptions& options) {
  const fs::path program = fs::path(options.what).extension() == ".cu"
                               ? build_own_file(context, options.what)
                               : build_chapter(context, options);
  return run_program(program, options.arguments);
}

int check_file_command(const Context& context, const RunOptions& options) {
  const fs::path program = build_own_file(context, options.what, OwnFileMode::check);
  const int status = run_program(program, options.arguments);
  if (status == exit_ok) fmt::print("{}: nothing found in this run\n", options.what);
  return status;
}

int count_command(const Context& context, const RunOptions& options) {
  const std::string reason = not_to_be_counted(context, options.what);
  if (!reason.empty()) throw UsageError(reason);
  return run_program(build_own_file(context, options.what, OwnFileMode::count), options.arguments,
                     {{"SIMT_ANNOTATE", "1"}});
}

}  // namespace tut::learn

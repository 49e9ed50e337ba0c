#include <fmt/format.h>

#include <filesystem>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/own_file.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// The program that shows a chapter: its trainer where it has one, else its demo.
std::string chapter_target(const BuildTree& tree, const Chapter& chapter) {
  const std::string trainer = fmt::format("ch{:02}_train", chapter.number);
  return tree.has_target(trainer) ? trainer : fmt::format("ch{:02}_demo", chapter.number);
}

std::string bench_target(const BuildTree&, const Chapter& chapter) {
  return fmt::format("ch{:02}_bench", chapter.number);
}

using TargetOf = std::string (*)(const BuildTree&, const Chapter&);

fs::path build_chapter(const Context& context, const std::string& word, TargetOf target) {
  const std::vector<Chapter> chapters = find_chapters(context.root);
  const Chapter& chapter = pick_chapter(chapters, word);
  const std::string name = "chapter " + chapter.folder;
  StatusLine status;
  return context.tree().require_program(target(context.tree(), chapter), name,
                                        status.build_bar(name));
}

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs a program in the terminal; its exit code is ours.
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
  std::error_code error;
  const bool own_file =
      fs::path(what).extension() == ".cu" &&
      (exercise == nullptr || !fs::equivalent(what, context.root / exercise->file, error));
  if (own_file) return "";
  if (exercise == nullptr) return fmt::format("count wants a FILE.cu of your own, not '{}'", what);
  const BuildTree tree(context.root, context.build_folder_of("cpu"));
  const std::string target = exercise->target() + "_counted";
  const std::string reason =
      fmt::format("count wants a FILE.cu of your own; '{}' is an exercise", exercise->name);
  if (!tree.has_target(target)) return reason + ", and nothing of it is counted";
  return fmt::format(
      "{0}. './learn --backend cpu check {1}' builds what counts it; then "
      "'SIMT_ANNOTATE=1 {2} --test-case=budget' shows its counts",
      reason, exercise->name, tree.program(target).lexically_proximate(context.root).string());
}

}  // namespace

int run_command(const Context& context, const RunOptions& options) {
  const fs::path program = fs::path(options.what).extension() == ".cu"
                               ? build_own_file(context, options.what)
                               : build_chapter(context, options.what, chapter_target);
  return run_program(program, options.arguments);
}

int bench_command(const Context& context, const RunOptions& options) {
  return run_program(build_chapter(context, options.what, bench_target), options.arguments);
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

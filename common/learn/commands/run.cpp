#include <fmt/format.h>

#include <filesystem>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
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
  return run_program(build_own_file(context, options.what, OwnFileMode::count), options.arguments,
                     {{"SIMT_ANNOTATE", "1"}});
}

}  // namespace tut::learn

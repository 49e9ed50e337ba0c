#include <fmt/format.h>

#include <filesystem>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/cuda_compiler.hpp"
#include "learn/core/error.hpp"
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

/// Runs a program in the terminal; its exit code is ours.
int run_program(const fs::path& program, const std::vector<std::string>& arguments) {
  Command command{{program.string()}, {}, {}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_attached(command);
  if (outcome.signal != 0) {
    fmt::print(stderr, "learn: {} ended by signal {}\n", program.filename().string(),
               outcome.signal);
  }
  return shell_exit_code(outcome);
}

fs::path build_file(const Context& context, const fs::path& file) {
  if (!fs::is_regular_file(file)) {
    throw UsageError(fmt::format("cannot read {}: no such file", file.string()));
  }
  const fs::path folder = context.build_folder / "run";
  fs::create_directories(folder);
  const auto path_hash = std::hash<std::string>()(fs::absolute(file).lexically_normal().string());
  fs::path program =
      folder / fmt::format("{}-{:08x}", file.stem().string(), path_hash & 0xffffffffu);
  Command compile{cuda_compiler(context), {}, {}};
  for (const std::string& argument :
       {std::string("-O2"), std::string("-std=c++20"), "-I" + (context.root / "common").string(),
        "-I" + (context.root / "chapters").string(), std::string("-o"), program.string(),
        file.string()}) {
    compile.argv.push_back(argument);
  }
  const Outcome outcome = run_attached(compile);
  if (!outcome.ok()) throw UsageError(fmt::format("{} does not compile", file.string()));
  return program;
}

}  // namespace

int run_command(const Context& context, const RunOptions& options) {
  const fs::path program = fs::path(options.what).extension() == ".cu"
                               ? build_file(context, options.what)
                               : build_chapter(context, options.what, chapter_target);
  return run_program(program, options.arguments);
}

int bench_command(const Context& context, const RunOptions& options) {
  return run_program(build_chapter(context, options.what, bench_target), options.arguments);
}

}  // namespace tut::learn

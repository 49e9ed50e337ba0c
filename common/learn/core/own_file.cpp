#include "learn/core/own_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "learn/core/cpp_source.hpp"
#include "learn/core/cuda_compiler.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/gpu.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// What a mode adds to the compiler's command line and to the program's name.
struct ModeWords {
  std::vector<std::string> flags;
  const char* suffix;
};

ModeWords words_of(OwnFileMode mode) {
  switch (mode) {
    case OwnFileMode::run:
      return {{}, ""};
    case OwnFileMode::check:
      return {{"--check"}, "-check"};
    case OwnFileMode::count:
      return {{"--count"}, "-count"};
    case OwnFileMode::debug:
      return {{"-G", "-g"}, "-debug"};
    case OwnFileMode::debug_check:
      return {{"-G", "-g", "--check"}, "-debug-check"};
  }
  return {};
}

Command compiler_for(const Context& context, OwnFileMode mode) {
  const bool either = mode == OwnFileMode::run || mode == OwnFileMode::debug;
  Command command{either ? cuda_compiler(context) : build_cucc(context), {}, {}};
  for (const std::string& flag : words_of(mode).flags) command.argv.push_back(flag);
  return command;
}

/// One program for each file and mode, whatever folder learn is called from.
fs::path program_path(const Context& context, const fs::path& file, OwnFileMode mode) {
  const auto path_hash = std::hash<std::string>()(fs::absolute(file).lexically_normal().string());
  return context.build_folder / "run" /
         fmt::format("{}-{:08x}{}", file.stem().string(), path_hash & 0xffffffffu,
                     words_of(mode).suffix);
}

/// Whether a main stands in the file itself: the word before a parenthesis, outside of comments and
/// quotes.
bool shows_main(const fs::path& file) {
  constexpr std::string_view name = "main";
  const std::string shape = without_comments(read_file(file).value_or("")).shape;
  for (std::size_t at = 0; (at = find_word(shape, name, at)) != std::string::npos; ++at) {
    if (trim(std::string_view(shape).substr(at + name.size())).starts_with('(')) return true;
  }
  return false;
}

std::string no_main(const Context& context, const fs::path& file) {
  const Course course = load_course(context.root);
  const Exercise* exercise = find_exercise(course, file.string());
  return fmt::format("{} has no main function: {}", file.string(),
                     exercise != nullptr
                         ? fmt::format("'./learn check {}' tests it", exercise->name)
                         : "there is no program to run");
}

/// Compiles in the terminal. Of a file without a main the linker's words are not what helps: there
/// the output is kept until it is known to be about something else.
void compile_file(const Context& context, const fs::path& file, const Command& compile) {
  Outcome outcome;
  if (shows_main(file)) {
    outcome = run_attached(compile);
  } else {
    Command in_english = compile;
    in_english.environment.emplace_back("LC_ALL", "C.UTF-8");
    outcome = run_captured(in_english);
    const auto says = [&](const char* words) {
      return outcome.output.find(words) != std::string::npos;
    };
    // GNU's linkers, and the others.
    const bool is_it = says("undefined reference to `main'") || says("undefined symbol: main");
    if (!outcome.ok() && is_it) throw UsageError(no_main(context, file));
    fmt::print(stderr, "{}", outcome.output);
  }
  if (!outcome.ok()) throw UsageError(fmt::format("{} does not compile", file.string()));
}

}  // namespace

std::vector<std::string> course_flags(const Context& context) {
  return {"-std=c++20", "-I" + (context.root / "common").string(),
          "-I" + (context.root / "chapters").string()};
}

std::vector<std::string> nvcc_command(const Context& context, const fs::path& nvcc) {
  std::vector<std::string> command = {nvcc.string(), "-arch=" + gpu_architecture(),
                                      "-DTUT_BACKEND_CUDA", "--expt-relaxed-constexpr",
                                      "--extended-lambda"};
  for (const std::string& flag : course_flags(context)) command.push_back(flag);
  return command;
}

void require_source(const fs::path& file) {
  if (fs::is_directory(file)) {
    throw UsageError(fmt::format("{} is a folder; expected a .cu file", file.string()));
  }
  if (!fs::is_regular_file(file)) {
    throw UsageError(fmt::format("cannot read {}: no such file", file.string()));
  }
}

fs::path build_own_file(const Context& context, const fs::path& file, OwnFileMode mode) {
  require_source(file);
  fs::path program = program_path(context, file, mode);
  require_writable_folder(context.build_folder);
  fs::create_directories(program.parent_path());
  require_writable_folder(program.parent_path());
  Command compile = compiler_for(context, mode);
  for (const std::string& flag : course_flags(context)) compile.argv.push_back(flag);
  for (const std::string& argument :
       {std::string("-O2"), std::string("-o"), program.string(), file.string()}) {
    compile.argv.push_back(argument);
  }
  compile_file(context, file, compile);
  return program;
}

}  // namespace tut::learn

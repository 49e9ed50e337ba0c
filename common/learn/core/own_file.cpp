#include "learn/core/own_file.hpp"

#include <fmt/format.h>

#include "learn/core/cuda_compiler.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

Command compiler_for(const Context& context, OwnFileMode mode) {
  if (mode == OwnFileMode::run) return {cuda_compiler(context), {}, {}};
  Command command{build_cucc(context), {}, {}};
  command.argv.emplace_back(mode == OwnFileMode::check ? "--check" : "--count");
  return command;
}

/// One program for each file and mode, whatever folder learn is called from.
fs::path program_path(const Context& context, const fs::path& file, OwnFileMode mode) {
  const auto path_hash = std::hash<std::string>()(fs::absolute(file).lexically_normal().string());
  const char* suffix = mode == OwnFileMode::run     ? ""
                       : mode == OwnFileMode::check ? "-check"
                                                    : "-count";
  return context.build_folder / "run" /
         fmt::format("{}-{:08x}{}", file.stem().string(), path_hash & 0xffffffffu, suffix);
}

}  // namespace

fs::path build_own_file(const Context& context, const fs::path& file, OwnFileMode mode) {
  if (fs::is_directory(file)) {
    throw UsageError(fmt::format("{} is a folder; expected a .cu file", file.string()));
  }
  if (!fs::is_regular_file(file)) {
    throw UsageError(fmt::format("cannot read {}: no such file", file.string()));
  }
  fs::path program = program_path(context, file, mode);
  require_writable_folder(context.build_folder);
  fs::create_directories(program.parent_path());
  require_writable_folder(program.parent_path());
  Command compile = compiler_for(context, mode);
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

}  // namespace tut::learn

#include <fmt/format.h>

#include <filesystem>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/stub_source.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
int reset_command(const Context& context, const std::string& name) {
  const Course course = load_course(context.root);
  const Exercise& exercise = pick_exercise(course, name);
  const fs::path file = context.root / exercise.file;
  const std::string stub = stub_text(context.root, exercise);
  const auto current = read_file(file);
  if (current == stub) {
    fmt::print("{} is unchanged; nothing to do.\n", exercise.file.string());
  } else {
    if (current) {
      fmt::print("Your file is kept as {}.\n",
                 (exercise.file.parent_path() / keep_aside(file).filename()).string());
    }
    write_file_atomically(file, stub);
    fmt::print("{} is as the course provides it again.\n", exercise.file.string());
  }
  update_progress(context.root, [&](Progress& progress) {
    Record& record = progress.records[exercise.name];
    record = {.hints = record.hints, .gave_up = record.gave_up};
  });
  return exit_ok;
}

}  // namespace tut::learn

#include <fmt/format.h>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

int status_command(const Context& context) {
  const Standing standing = load_standing(context);
  const Style& style = context.style;
  const int total = static_cast<int>(standing.course.exercises.size());
  const int solved = standing.solved();
  fmt::print("{}: {} of {} exercises solved, working {}.\n",
             style.bold("From Loops to Tensor Cores"), solved, total, context.where());
  if (total > 0) fmt::print("{}\n", bar(solved, total, 40));
  if (const Exercise* next = standing.next()) {
    const int hints = standing.progress.at(next->name).hints;
    fmt::print("\nNext: {}  {}{}\n{}", style.bold(label(*next)), next->title,
               hints > 0 ? fmt::format("  (hints seen: {})", hints) : "",
               next_steps(context, standing, *next));
  } else {
    fmt::print("\nYou have solved every exercise of this copy.\n");
  }
  fmt::print("\n{} shows the course, {} runs a chapter's example, {} every command.\n",
             style.cyan("./learn list"), style.cyan("./learn run 5"), style.cyan("./learn --help"));
  return exit_ok;
}

}  // namespace tut::learn

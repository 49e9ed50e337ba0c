#include <fmt/format.h>

#include <algorithm>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {

int status_command(const Context& context) {
  const Standing standing = load_standing(context);
  const Style& style = context.style;
  const int total = static_cast<int>(standing.course.exercises.size());
  const int solved = standing.solved();
  const int width = terminal_width();
  fmt::print("{}", wrap(fmt::format("{}: {} of {} exercises solved, working {}.",
                                    style.bold("From Loops to Tensor Cores"), solved, total,
                                    context.where()),
                        width));
  if (total > 0) fmt::print("{}\n", bar(solved, total, std::min(40, width - 2)));
  if (const Exercise* next = standing.next()) {
    const int hints = standing.progress.at(next->name).hints;
    const std::string seen = hints > 0 ? fmt::format("  (hints seen: {})", hints) : "";
    fmt::print("\n{}{}",
               wrap(fmt::format("Next: {}  {}{}", style.bold(label(*next)), next->title, seen),
                    width, 0, 2),
               next_steps(context, standing, *next));
  } else {
    fmt::print("\nYou have solved every exercise of this copy.\n");
  }
  fmt::print("\n{}",
             wrap(fmt::format("{} shows the course, {} runs a chapter's example, {} every command.",
                              style.cyan("./learn list"), style.cyan("./learn run 5"),
                              style.cyan("./learn --help")),
                  width));
  return exit_ok;
}

}  // namespace tut::learn

#include <fmt/format.h>

#include <algorithm>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/stub_source.hpp"

namespace tut::learn {

int hint_command(const Context& context, const std::string& name) {
  const Standing standing = load_standing(context);
  const Exercise& exercise = standing.pick(name);
  const int total = static_cast<int>(exercise.hints.size());
  const int seen = std::min(standing.progress.at(exercise.name).hints, total);
  const int first = seen == total ? 1 : seen + 1;
  const int last = seen == total ? total : seen + 1;
  fmt::print("{}  {}\n", context.style.bold(label(exercise)), exercise.title);
  for (int number = first; number <= last; ++number) {
    fmt::print("\n{}\n{}", context.style.yellow(fmt::format("Hint {} of {}", number, total)),
               wrap(exercise.hints[static_cast<std::size_t>(number - 1)],
                    std::min(terminal_width(), 92), 2));
  }
  if (last == total && !has_solution(context.root, exercise)) {
    fmt::print("\nThis was the last hint.\n");
  } else if (last == total) {
    fmt::print("\nThis was the last hint. {} shows the solution.\n",
               context.style.cyan(fmt::format("./learn solution {} --give-up", exercise.name)));
  }
  if (seen < total) {
    update_progress(context.root,
                    [&](Progress& progress) { progress.records[exercise.name].hints = last; });
  }
  return exit_ok;
}

}  // namespace tut::learn

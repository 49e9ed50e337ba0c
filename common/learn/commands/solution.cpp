#include <fmt/format.h>

#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/kernel_diff.hpp"
#include "learn/core/standing.hpp"
#include "learn/core/stub_source.hpp"
#include "learn/stubs/projection.hpp"

namespace tut::learn {

int solution_command(const Context& context, const SolutionOptions& options) {
  const Standing standing = load_standing(context);
  const Exercise& exercise = pick_exercise(standing.course, options.exercise);
  if (!has_solution(context.root, exercise)) {
    throw UsageError(fmt::format(
        "this copy has no solution of {}: it comes with an assignment; whoever set it has them",
        exercise.name));
  }
  const bool passed = standing.progress.at(exercise.name).passed();
  if (!passed && !options.give_up) {
    fmt::print(stderr,
               "learn: the solution of {0} opens once its check passes; "
               "'./learn solution {0} --give-up' shows it now\n",
               exercise.name);
    return exit_check_failed;
  }
  const auto text = read_file(context.root / exercise.solution());
  if (!text) throw UsageError(fmt::format("cannot read {}", exercise.solution().string()));
  if (!passed) {
    update_progress(context.root,
                    [&](Progress& progress) { progress.records[exercise.name].gave_up = true; });
  }
  if (options.diff) {
    const auto own = read_file(context.root / exercise.file);
    if (!own) throw UsageError(fmt::format("cannot read {}", exercise.file.string()));
    fmt::print("- {}\n+ {}\n\n{}", exercise.file.string(), exercise.solution().string(),
               line_diff(kernel_code(*own), kernel_code(readable_solution(*text))));
    return exit_ok;
  }
  fmt::print("// {}\n{}", exercise.solution().string(), readable_solution(*text));
  return exit_ok;
}

}  // namespace tut::learn

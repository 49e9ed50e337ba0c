#include "learn/tour/tour.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

std::vector<TourStop> tour_stops() {
  return {
      {"The ladder: one product, a step or more in each chapter",
       "ch05_ladder",
       {},
       "Each step is a chapter; you write the kernels yourself."},
      {"The network those kernels become",
       "ch16_demo",
       {"--data", "drawn"},
       "Every kernel in it is one of the course's own."},
  };
}

int run_tour(const Context& context, const std::vector<TourStop>& stops) {
  int shown = 0;
  for (const TourStop& stop : stops) {
    if (!context.tree().has_target(stop.target)) {
      fmt::print("{}: not in this copy yet ({}).\n", stop.title, stop.target);
      continue;
    }
    StatusLine status;
    Command command{{context.tree()
                         .require_program(stop.target, stop.target, status.build_bar(stop.target))
                         .string()},
                    context.root,
                    {}};
    status.clear();
    command.argv.insert(command.argv.end(), stop.arguments.begin(), stop.arguments.end());
    fmt::print("{}\n\n", context.style.bold(stop.title));
    std::fflush(stdout);
    const Outcome outcome = run_attached(command);
    if (!outcome.ok()) return shell_exit_code(outcome);
    fmt::print("\n{}\n\n", stop.moral);
    ++shown;
  }
  if (shown == 0) throw UsageError("the tour has nothing to show in this copy yet");
  fmt::print(
      "Next:\n"
      "  chapters/01_naive_matmul/README.md  the first lesson\n"
      "  ./learn                             where you stand, and the next exercise\n"
      "  ./learn check                       checks it\n"
      "  ./learn doctor                      what this machine can run\n");
  return exit_ok;
}

}  // namespace tut::learn

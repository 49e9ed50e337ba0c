#include "learn/tour/tour.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

std::vector<TourStop> tour_stops() {
  return {
      {"The first steps: one product, on this machine's processor",
       "ch02_ladder",
       {},
       "Part I is these five steps. Part II takes the product to a GPU, from chapter 04 on."},
      {"Where the course leads: a network that learns to read digits",
       "ch16_train",
       {},
       "Every kernel in it is one of the course's own, and you will know each line of them."},
  };
}

int run_tour(const Context& context, const std::vector<TourStop>& stops) {
  int shown = 0;
  for (const TourStop& stop : stops) {
    // The launcher shows a stop before there is a command line.
    const char* before = std::getenv("LEARN_TOUR_SHOWN");
    if (before != nullptr && stop.target == before) {
      fmt::print("{}\n\n", stop.moral);
      ++shown;
      continue;
    }
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
      "  ./learn                             your progress, and the next exercise\n"
      "  ./learn check                       checks it\n"
      "  ./learn doctor                      what this machine can run\n");
  return exit_ok;
}

}  // namespace tut::learn

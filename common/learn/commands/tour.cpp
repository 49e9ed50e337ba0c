#include "learn/tour/tour.hpp"

#include "learn/commands/commands.hpp"

namespace tut::learn {

int tour_command(const Context& context) { return run_tour(context, tour_stops()); }

}  // namespace tut::learn

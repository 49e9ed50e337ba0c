/// \file
/// What the results say of a row, so that any program can group rows into ladders: the label of a
/// row that was timed holds it as text, a row that was counted has it among its own fields.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "tut/bench/bench_step.hpp"

namespace tut {

inline nlohmann::ordered_json step_json(const BenchStep& step, std::size_t order) {
  nlohmann::ordered_json json = {{"ladder", step.ladder},    {"size", step.size},
                                 {"step", step.name},        {"order", order},
                                 {"rival", step.rival},      {"flops", step.cost.flops},
                                 {"bytes", step.cost.bytes}, {"arithmetic", step.cost.arithmetic}};
  if (step.cost.traffic.bytes > 0) {
    json["traffic"] = step.cost.traffic.bytes;
    json["traffic_from"] = step.cost.traffic.from;
  }
  return json;
}

}  // namespace tut

/// \file
/// What count mode says when the program ends.
#pragma once

#include <string>
#include <vector>

#include "profile.hpp"

namespace simt::inspect {

/// A counter as Nsight Compute calls it.
struct Metric {
  std::string name;
  double value;
};

/// The totals of a kernel in Nsight Compute's terms, without those of memory it does not use.
std::vector<Metric> metrics_of(const TrafficCounts& total);

/// A table by source line for every kernel.
std::string table_text(const Profile& profile, const Instructions& instructions);

/// The same for programs.
std::string json_text(const Profile& profile, const Instructions& instructions);

/// The source of every kernel, its lines' figures in the margin.
std::string annotated_text(const Profile& profile, const Instructions& instructions);

/// Does nothing: who calls it is linked with the report at the program's end and with what the
/// program may ask for.
void keep_reporting();

}  // namespace simt::inspect

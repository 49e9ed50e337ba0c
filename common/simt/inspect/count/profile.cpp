#include "profile.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace simt::inspect {
namespace {

/// The learner's line that an instruction stands on, or from which the function was called that it
/// is in.
SourceLine line_of(const Instruction& instruction, const Instructions& instructions) {
  SourceLine line = source_line(instruction.site);
  for (CallPath path = instruction.path; !line.known() && path != 0;
       path = instructions.call(path).from) {
    line = source_line(instructions.call(path).caller);
  }
  return line;
}

/// All that may be asked for, at once: each question by itself takes the time of a process.
void prepare_lines(const KernelProfile& kernel, const Instructions& instructions) {
  std::vector<std::uintptr_t> sites;
  for (std::size_t id = 1; id < kernel.instructions.size(); ++id) {
    if (kernel.instructions[id].requests == 0) continue;
    const Instruction& instruction = instructions[static_cast<InstructionId>(id)];
    sites.push_back(instruction.site);
    for (CallPath path = instruction.path; path != 0; path = instructions.call(path).from) {
      sites.push_back(instructions.call(path).caller);
    }
  }
  look_up_source_lines(sites);
}

}  // namespace

bool KernelProfile::same_shape(const KernelProfile& other) const {
  return name == other.name && source == other.source && grid == other.grid &&
         block == other.block && dynamic_shared == other.dynamic_shared;
}

void KernelProfile::add(const KernelProfile& other) {
  launches += other.launches;
  barriers += other.barriers;
  meetings += other.meetings;
  cut |= other.cut;
  instructions.resize(std::max(instructions.size(), other.instructions.size()));
  for (std::size_t id = 0; id < other.instructions.size(); ++id) {
    instructions[id] += other.instructions[id];
  }
}

void Profile::add(const KernelProfile& launch) {
  const auto same = std::find_if(kernels_.begin(), kernels_.end(), [&](const KernelProfile& known) {
    return known.same_shape(launch);
  });
  if (same == kernels_.end()) {
    kernels_.push_back(launch);
  } else {
    same->add(launch);
  }
}

std::vector<LineCounts> lines_of(const KernelProfile& kernel, const Instructions& instructions) {
  prepare_lines(kernel, instructions);
  std::map<std::tuple<bool, std::string, int>, TrafficCounts> lines;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Counts& counts = kernel.instructions[id];
    if (counts.requests == 0) continue;
    const Instruction& instruction = instructions[static_cast<InstructionId>(id)];
    const SourceLine line = id == 0 ? SourceLine{} : line_of(instruction, instructions);
    const std::tuple key(!is_file(line.file, kernel.source.file), line.file, line.line);
    of(lines[key], instruction.traffic) += counts;
  }
  std::vector<LineCounts> result;
  for (const auto& [key, counts] : lines) {
    const auto& [elsewhere, file, line] = key;
    result.push_back({{file, line}, !elsewhere, counts});
  }
  return result;
}

TrafficCounts total_of(const std::vector<LineCounts>& lines) {
  TrafficCounts total;
  for (const LineCounts& line : lines) {
    for (std::size_t i = 0; i < kTrafficKinds; ++i) total[i] += line.counts[i];
  }
  return total;
}

}  // namespace simt::inspect

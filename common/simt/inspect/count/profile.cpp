#include "profile.hpp"

#include <algorithm>
#include <iterator>
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

/// The innermost line of the kernel's file on the way to an instruction, or line_of.
SourceLine line_in_kernel_file(const Instruction& instruction, const Instructions& instructions,
                               const std::string& file) {
  SourceLine line = line_in_file(instruction.site, file);
  for (CallPath path = instruction.path; !line.known() && path != 0;
       path = instructions.call(path).from) {
    line = line_in_file(instructions.call(path).caller, file);
  }
  return line.known() ? line : line_of(instruction, instructions);
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

const NamedArray* KernelProfile::array_at(std::uintptr_t offset) const {
  const auto after = shared.upper_bound(offset);
  if (after == shared.begin()) return nullptr;
  const NamedArray& array = std::prev(after)->second;
  return offset < array.base + array.size ? &array : nullptr;
}

bool KernelProfile::same_shape(const KernelProfile& other) const {
  return name == other.name && source == other.source && grid == other.grid &&
         block == other.block && dynamic_shared == other.dynamic_shared;
}

void KernelProfile::add(const KernelProfile& other) {
  launches += other.launches;
  meetings += other.meetings;
  cut |= other.cut;
  work += other.work;
  shared.insert(other.shared.begin(), other.shared.end());
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

std::vector<LineCounts> lines_of(const KernelProfile& kernel, const Instructions& instructions,
                                 Attribution attribution) {
  prepare_lines(kernel, instructions);
  std::map<std::tuple<bool, std::string, int>, TrafficCounts> lines;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Counts& counts = kernel.instructions[id];
    if (counts.requests == 0) continue;
    const Instruction& instruction = instructions[static_cast<InstructionId>(id)];
    const SourceLine line = id == 0 ? SourceLine{}
                            : attribution == Attribution::kernel_file
                                ? line_in_kernel_file(instruction, instructions, kernel.source.file)
                                : line_of(instruction, instructions);
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

#include "instructions.hpp"

#include <algorithm>
#include <utility>

#include "source_lines.hpp"

namespace simt::inspect {

// Number 0 is none; what is counted as kOther is counted there.
Instructions::Instructions() : all_(1), calls_(1), depths_(1) {}

std::size_t Instructions::Hash::operator()(const Instruction& instruction) const {
  std::size_t hash = instruction.site * 0x9E3779B97F4A7C15U;
  hash ^= (std::size_t{instruction.path} << 16) ^
          (static_cast<std::size_t>(instruction.traffic) << 8) ^ instruction.size;
  return hash ^ hash >> 29 ^ (instruction.atomic_read ? 0x80 : 0);
}

InstructionId Instructions::find(const Instruction& instruction) {
  const auto found = ids_.find(instruction);
  if (found != ids_.end()) return found->second;
  if (all_.size() == kOther) return kOther;
  const auto id = static_cast<InstructionId>(all_.size());
  all_.push_back(instruction);
  ids_.emplace(instruction, id);
  return id;
}

CallPath Instructions::enter(CallPath path, std::uintptr_t caller) {
  if (depths_[path] == kDeepest) return path;
  const std::uint64_t key = (std::uint64_t{path} << 48) ^ (std::uint64_t{path} >> 16) ^ caller;
  const auto [found, is_new] = paths_.try_emplace(key, static_cast<CallPath>(calls_.size()));
  if (is_new) {
    calls_.push_back({path, caller});
    depths_.push_back(depths_[path] + 1);
  }
  return found->second;
}

/// The calls that lead to the instruction, the outermost first, and the instruction itself.
std::vector<std::uintptr_t> Instructions::order_key(const Instruction& instruction) const {
  std::vector<std::uintptr_t> key = {instruction.size, instruction.site};
  for (CallPath path = instruction.path; path != 0; path = calls_[path].from) {
    key.push_back(calls_[path].caller);
  }
  std::reverse(key.begin(), key.end());
  return key;
}

void Instructions::find_origins() {
  std::vector<std::uintptr_t> sites;
  for (std::size_t id = origins_.size(); id < all_.size(); ++id) {
    const bool load = all_[id].traffic == Traffic::global_load;
    if (all_[id].is_step() || load) sites.push_back(all_[id].site);
  }
  look_up_source_lines(sites);
  for (std::size_t id = origins_.size(); id < all_.size(); ++id) {
    const Instruction& instruction = all_[id];
    const bool step = id != 0 && instruction.is_step();
    origins_.push_back(!step ? kNoStep : is_program_code(instruction.site) ? kProgram : kForeign);
    const bool load = id != 0 && !step && instruction.traffic == Traffic::global_load;
    const SourceLine line = load ? source_line(instruction.site) : SourceLine();
    load_lines_.push_back(
        line.known()
            ? line_numbers_.try_emplace(line.text(), line_numbers_.size() + 1).first->second
            : 0);
  }
}

const std::vector<std::uint32_t>& Instructions::ranks() {
  if (ranks_.size() == all_.size()) return ranks_;
  find_origins();
  std::vector<std::pair<std::vector<std::uintptr_t>, InstructionId>> keys;
  keys.reserve(all_.size());
  for (std::size_t id = 0; id < all_.size(); ++id) {
    keys.emplace_back(order_key(all_[id]), static_cast<InstructionId>(id));
  }
  std::sort(keys.begin(), keys.end());
  ranks_.resize(all_.size());
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    ranks_[keys[rank].second] = static_cast<std::uint32_t>(rank);
  }
  return ranks_;
}

}  // namespace simt::inspect

/// \file
/// The memory instructions of a program, as count mode tells them apart, and their order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "counts.hpp"

namespace simt::inspect {

/// Small numbers for instructions, in the order in which they were met.
using InstructionId = std::uint16_t;

/// The way to a function: which call, within which function that was called how. 0 is the kernel.
using CallPath = std::uint32_t;

/// A load, a store, or the beginning of a basic block: that one has no size.
/// As nvcc inlines functions, an instruction of a function that is called twice is two.
struct Instruction {
  CallPath path = 0;
  std::uintptr_t site = 0;
  Traffic traffic = Traffic::global_load;
  std::uint8_t size = 0;
  bool atomic_read = false;  ///< perhaps the first half of an update

  bool is_step() const { return size == 0; }

  bool operator==(const Instruction&) const = default;
};

class Instructions {
 public:
  /// An instruction that stands for all that came when the numbers had run out.
  static constexpr InstructionId kOther = 0xFFFF;

  Instructions();

  InstructionId id_of(const Instruction& instruction) {
    Known& known = recent_[slot_of(instruction)];
    if (!(known.instruction == instruction)) known = {instruction, find(instruction)};
    return known.id;
  }

  const Instruction& operator[](InstructionId id) const { return all_[id == kOther ? 0 : id]; }

  /// Is it a basic block of the CPU backend or of C++'s library? Which way lanes go there says
  /// nothing of a GPU.
  /// False until ranks() has been asked.
  bool is_skipped(InstructionId id) const {
    return id < origins_.size() && origins_[id] == kForeign;
  }

  /// Are both basic blocks of one of the program's functions, the second behind the first?
  bool is_forward(InstructionId first, InstructionId second) const {
    if (first >= origins_.size() || second >= origins_.size()) return false;
    return origins_[first] == kProgram && origins_[second] == kProgram &&
           all_[first].path == all_[second].path && all_[first].site < all_[second].site;
  }

  /// One more than the largest number in use, but for kOther.
  std::size_t size() const { return all_.size(); }

  /// The path that leads on from `path` by the call that returns to `caller`.
  CallPath enter(CallPath path, std::uintptr_t caller);

  /// The call that a path ends in, and the path that it came from.
  struct Call {
    CallPath from = 0;
    std::uintptr_t caller = 0;
  };
  const Call& call(CallPath path) const { return calls_[path]; }

  /// For each instruction its place in the order of the program: that of machine code in which
  /// every call is inlined.
  const std::vector<std::uint32_t>& ranks();

  /// A number for the source line of a load from global memory; 0 if it is not known.
  /// Of those that have ranks.
  std::uint32_t line_of_load(InstructionId id) const {
    return id < load_lines_.size() ? load_lines_[id] : 0;
  }

 private:
  struct Known {
    Instruction instruction;
    InstructionId id = 0;
  };
  struct Hash {
    std::size_t operator()(const Instruction& instruction) const;
  };
  static constexpr std::size_t kRecent = 4096;
  static constexpr std::size_t kDeepest = 32;  // of calls; recursion beyond is not told apart

  static std::size_t slot_of(const Instruction& instruction) {
    return (instruction.site ^ instruction.site >> 12 ^ instruction.path * 0x9E5 ^
            instruction.size * 0x51) %
           kRecent;
  }
  InstructionId find(const Instruction& instruction);
  void find_origins();
  std::vector<std::uintptr_t> order_key(const Instruction& instruction) const;

  std::vector<Instruction> all_;
  std::unordered_map<Instruction, InstructionId, Hash> ids_;
  std::array<Known, kRecent> recent_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> depths_;
  std::unordered_map<std::uint64_t, CallPath> paths_;
  std::vector<std::uint32_t> ranks_;
  enum Origin : std::uint8_t { kNoStep, kProgram, kForeign };
  std::vector<Origin> origins_;  // of those that have ranks
  std::vector<std::uint32_t> load_lines_;
  std::map<std::string, std::uint32_t> line_numbers_;
};

}  // namespace simt::inspect

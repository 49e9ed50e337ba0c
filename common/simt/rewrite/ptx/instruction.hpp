/// \file
/// Inline PTX, taken apart: instructions with their operands.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace simt::rewrite::ptx {

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// `@!p ld.global.u32 a, [b + 4];`; a lone brace has the brace as its opcode, and `label:` has ":"
/// with the label as its operand.
struct Instruction {
  std::string guard;               ///< "p" or "!p"; empty without one
  std::string opcode;              ///< as written
  std::vector<std::string> parts;  ///< of the opcode, between its dots
  std::vector<std::string> operands;
  bool has_labels = false;  ///< somewhere in its asm statement
  /// Where the label of a branch stands; a branch to what is no label of its statement is not
  /// known.
  enum class Target { none, ahead, back } target = Target::none;

  bool is_label() const { return opcode == ":"; }

  bool has(std::string_view part) const;
};

/// Splits the text of an asm statement, whose `\n` and the like are characters already.
std::vector<Instruction> parse(std::string_view text);

/// What an instruction becomes.
struct Translation {
  std::string text;  ///< a C++ statement; empty if there is none for it
  std::string why;   ///< there is none, and what there is instead; may be empty
};

/// Operand `%0` is the variable `simt_0`, register `r` is `simt_r`.
Translation translate(const Instruction& instruction);
/// What stands before that statement: `if (simt_p) ` for a guard, or nothing.
std::string condition_of(const Instruction& instruction);

// The same without their guards.

/// Of `mma`, `ldmatrix` and `stmatrix`.
Translation translate_matrices(const Instruction& instruction);
/// Of `wgmma`.
Translation translate_warpgroup(const Instruction& instruction);
/// The numbers of the operands that are registers of A, of a product of `wgmma`.
std::vector<std::size_t> factors_of(const Instruction& product);
/// Of `mbarrier`, `cp.async.mbarrier`, `cp.async.bulk`, `cp.reduce.async.bulk`, `st.async` and
/// `red.async`.
Translation translate_transfer(const Instruction& instruction);
/// Whether it is one of the last.
bool is_transfer(const Instruction& instruction);

/// The C++ label of one in PTX.
inline std::string label_name(const std::string& label) { return "simt_label_" + label; }

}  // namespace simt::rewrite::ptx

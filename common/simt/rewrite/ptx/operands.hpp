/// \file
/// The operands of an instruction of PTX, as C++ expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.hpp"

namespace simt::rewrite::ptx {

using Words = std::vector<std::string>;

/// What simt/ptx.hpp declares is in here.
inline constexpr std::string_view kSpace = "::simt::ptx::";

std::string joined(const Words& words, std::string_view separator);

/// `{a, b}` without its braces, or one operand alone.
Words list(const std::string& text);

/// Whether `words`, which stand between spaces, have this one.
bool is_word_of(std::string_view words, const std::string& word);

/// ` m16n8k8 m16n8k16 ` as "m16n8k8 and m16n8k16".
std::string spoken(std::string_view words);

/// The number behind `letter` in a shape such as m16n8k8.
int extent(const std::string& shape, char letter);

class Operands {
 public:
  explicit Operands(const Instruction& instruction) : in_(instruction) {}

  /// Have all that were asked for had a form in C++?
  bool known() const { return known_; }

  bool count(std::size_t wanted) const { return in_.operands.size() == wanted; }
  std::string value(std::size_t i) { return operand(in_.operands[i]); }
  Words values(std::size_t first);
  std::string operand(const std::string& text);

  /// The statement that gives operand number `target` a value.
  std::string put(std::size_t target, const std::string& text) {
    return assign(in_.operands[target], text);
  }
  std::string assign(const std::string& target, const std::string& text);

  /// The declaration of an array of registers, `simt__NAME`, with their values. PTX has no name
  /// that begins so: each letter comes after `simt_` there.
  std::string array(const std::string& name, const std::string& word, const Words& registers);
  /// The statements that give registers the elements of such an array.
  std::string results(const std::string& name, const Words& registers);
  /// `f16` as the Element of simt/ptx/mma.hpp.
  static std::string element(const std::string& type) {
    return std::string(kSpace) + "Element::" + type;
  }

  /// The pointer that an address in shared memory, or a generic one, stands for: `[a + 4]`.
  std::string shared(const std::string& text);
  std::string generic(const std::string& text);

 protected:
  std::string refuse() {
    known_ = false;
    return "0";
  }

  const Instruction& in_;

 private:
  std::string inside(const std::string& text);

  bool known_ = true;
};

}  // namespace simt::rewrite::ptx

#include <algorithm>

#include "ptx/instruction.hpp"

namespace simt::rewrite::ptx {
namespace {

/// Operands in braces or brackets may follow without a space.
bool ends_opcode(char c) { return is_space(c) || c == '{' || c == '['; }

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size()) + 1;
    } else {
      result += text[i];
      continue;
    }
    result += ' ';
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if (text[i] == '}' || text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

Instruction parse_one(std::string_view text) {
  Instruction instruction;
  std::string rest = trimmed(text);
  if (rest.front() == '@') {
    const std::size_t end = std::find_if(rest.begin(), rest.end(), is_space) - rest.begin();
    instruction.guard = rest.substr(1, end - 1);
    rest = trimmed(std::string_view(rest).substr(end));
  }
  const std::size_t end = std::find_if(rest.begin(), rest.end(), ends_opcode) - rest.begin();
  instruction.opcode = rest.substr(0, end);
  instruction.parts = split(instruction.opcode, '.');
  const std::string operands = trimmed(std::string_view(rest).substr(end));
  if (!operands.empty()) instruction.operands = split(operands, ',');
  return instruction;
}

/// Whether `text` is what may stand before the colon of a label.
bool is_label_name(const std::string& text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

/// Tells all that there are labels, and branches where theirs stand.
void mark_labels(std::vector<Instruction>& instructions) {
  std::vector<std::string> labels;
  for (const Instruction& instruction : instructions) {
    if (instruction.is_label()) labels.push_back(instruction.operands.front());
  }
  if (labels.empty()) return;
  std::size_t passed = 0;  // labels
  for (Instruction& instruction : instructions) {
    instruction.has_labels = true;
    if (instruction.is_label()) {
      ++passed;
    } else if (instruction.operands.size() == 1) {
      const auto found = std::find(labels.begin(), labels.end(), instruction.operands.front());
      if (found == labels.end()) continue;
      const bool is_before = static_cast<std::size_t>(found - labels.begin()) < passed;
      instruction.target = is_before ? Instruction::Target::back : Instruction::Target::ahead;
    }
  }
}

}  // namespace

bool Instruction::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::vector<Instruction> parse(std::string_view text) {
  std::vector<Instruction> instructions;
  const std::string clean = without_comments(text);
  std::string current;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    const bool fresh = trimmed(current).empty();
    if (fresh && (c == '{' || c == '}')) {
      instructions.push_back({{}, std::string(1, c), {}, {}});
    } else if (c == ':' && clean.compare(i, 2, "::") != 0 && is_label_name(trimmed(current))) {
      instructions.push_back({{}, ":", {":"}, {trimmed(current)}});
      current.clear();
    } else if (c == ';') {
      if (!fresh) instructions.push_back(parse_one(current));
      current.clear();
    } else {
      current += c;
    }
  }
  if (!trimmed(current).empty()) instructions.push_back(parse_one(current));
  mark_labels(instructions);
  return instructions;
}

}  // namespace simt::rewrite::ptx

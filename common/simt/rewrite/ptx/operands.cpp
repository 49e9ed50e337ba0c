#include "ptx/operands.hpp"

#include <algorithm>
#include <cctype>

#include "ptx/special_registers.hpp"

namespace simt::rewrite::ptx {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_number(const std::string& text) {
  const std::size_t start = text.front() == '-' ? 1 : 0;
  return start < text.size() && is_digit(text[start]) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(),
                     is_alphanumeric);
}

bool is_name(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '_' || c == '$'; });
}

}  // namespace

std::string joined(const Words& words, std::string_view separator) {
  std::string all;
  for (const std::string& word : words) {
    if (!all.empty()) all += separator;
    all += word;
  }
  return all;
}

bool is_word_of(std::string_view words, const std::string& word) {
  return words.find(' ' + word + ' ') != std::string_view::npos;
}

std::string spoken(std::string_view words) {
  std::string text;
  for (std::size_t begin = 1; begin < words.size();) {
    const std::size_t end = words.find(' ', begin);
    const bool last = end + 1 == words.size();
    if (!text.empty()) text += last ? " and " : ", ";
    text += words.substr(begin, end - begin);
    begin = end + 1;
  }
  return text;
}

int extent(const std::string& shape, char letter) {
  const std::size_t at = shape.find(letter);
  int number = 0;
  for (std::size_t i = at; i != std::string::npos && ++i < shape.size() && is_digit(shape[i]);) {
    number = 10 * number + (shape[i] - '0');
  }
  return number;
}

Words list(const std::string& text) {
  if (text.front() != '{') return {text};
  Words all;
  std::string current;
  for (const char c : text.substr(1)) {
    if (c == ',' || c == '}') {
      all.push_back(current);
      current.clear();
    } else if (!is_space(c)) {
      current += c;
    }
  }
  return all;
}

Words Operands::values(std::size_t first) {
  Words all;
  for (std::size_t i = first; i < in_.operands.size(); ++i) all.push_back(value(i));
  return all;
}

std::string Operands::assign(const std::string& target, const std::string& text) {
  if (target == "_") return "static_cast<void>(" + text + ");";
  return std::string(kSpace) + "put(" + operand(target) + ", " + text + ");";
}

std::string Operands::array(const std::string& name, const std::string& word,
                            const Words& registers) {
  Words all;
  for (const std::string& text : registers) {
    all.push_back(std::string(kSpace) + "as<" + word + ">(" + operand(text) + ')');
  }
  return word + " simt__" + name + "[] = {" + joined(all, ", ") + "}; ";
}

std::string Operands::results(const std::string& name, const Words& registers) {
  std::string text;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    text += ' ' + assign(registers[i], "simt__" + name + '[' + std::to_string(i) + ']');
  }
  return text;
}

std::string Operands::shared(const std::string& text) {
  return "::__cvta_shared_to_generic(" + inside(text) + ')';
}

std::string Operands::generic(const std::string& text) {
  return std::string(kSpace) + "generic(" + inside(text) + ')';
}

/// `[a + 4]` without its brackets.
std::string Operands::inside(const std::string& text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return refuse();
  std::string clean;
  for (const char c : text.substr(1, text.size() - 2)) {
    if (!is_space(c)) clean += c;
  }
  const std::size_t sign = clean.find_first_of("+-", 1);
  if (sign == std::string::npos) return operand(clean);
  std::string rest = clean.substr(sign + 1);
  const bool negative = clean[sign] == '-' || rest.front() == '-';
  if (rest.front() == '-') rest.erase(0, 1);
  return '(' + operand(clean.substr(0, sign)) + (negative ? " - " : " + ") + operand(rest) + ')';
}

std::string Operands::operand(const std::string& text) {
  if (text.empty()) return refuse();
  if (text.front() == '%') {
    const std::string name = text.substr(std::min(text.find_first_not_of('%'), text.size()));
    if (name.empty()) return refuse();
    if (is_digit(name.front())) return "simt_" + name;
    const auto found = kSpecialRegisters.find(name);
    if (found != kSpecialRegisters.end()) return std::string(found->second);
    return is_name(name) ? "simt_" + name : refuse();
  }
  if (text == "WARP_SZ") return "32";
  if (text.starts_with("0f") || text.starts_with("0F")) {
    return std::string(kSpace) + "as<" + std::string(kSpace) + "f32>(0x" + text.substr(2) + "u)";
  }
  if (text.starts_with("0d") || text.starts_with("0D")) {
    return std::string(kSpace) + "as<" + std::string(kSpace) + "f64>(0x" + text.substr(2) + "ull)";
  }
  if (is_number(text)) return text;
  return is_name(text) ? "simt_" + text : refuse();
}

}  // namespace simt::rewrite::ptx

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "learn/classroom/name_lists.hpp"
#include "learn/classroom/rules.hpp"
#include "learn/core/cpp_source.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Backslashes at line ends join lines before anything else is done.
std::string with_lines_joined(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\\') {
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != '\n' && is_space(source[end])) ++end;
      if (end < source.size() && source[end] == '\n') {
        i = end;
        continue;
      }
    }
    text += source[i];
  }
  return text;
}

constexpr std::string_view kLineDirective = "#line";

/// The tokens of a text that matter here, as a compiler takes it apart: identifiers, "##" in either
/// spelling, and "#line" for what says that the lines after it are another file's. Comments, quotes
/// and numbers (1'000) are passed over, and so is _Pragma("unroll").
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<std::string> tokens() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void step() {
    const char c = text_[at_];
    if (rest().starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (rest().starts_with("/*")) {
      at_ = end_of_comment(at_);
    } else if (c == '"' || c == '\'') {
      pass_quoted(c);
    } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      pass_number();
    } else if (is_word(c)) {
      std::size_t end = at_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      const std::string_view word = text_.substr(at_, end - at_);
      at_ = end;
      if (word != "_Pragma" || !unrolls()) tokens_.emplace_back(word);
    } else if (rest().starts_with("##") || rest().starts_with("%:%:")) {
      tokens_.emplace_back("##");
      at_ += c == '#' ? 2 : 4;
    } else if (c == '#' || rest().starts_with("%:")) {
      at_ += c == '#' ? 1 : 2;
      if (says_line()) tokens_.emplace_back(kLineDirective);
    } else {
      ++at_;
    }
  }

  std::size_t end_of_comment(std::size_t begin) const {
    const std::size_t end = text_.find("*/", begin + 2);
    return end == std::string_view::npos ? text_.size() : end + 2;
  }

  /// Where, from `at` on, neither blank nor comment is.
  std::size_t next_in_line(std::size_t at) const {
    while (at < text_.size()) {
      if (text_.substr(at).starts_with("/*")) {
        at = end_of_comment(at);
      } else if (is_space(text_[at]) && text_[at] != '\n') {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  /// Whether behind # comes "line", or a number, as the preprocessor itself writes it.
  bool says_line() const {
    const std::string_view next = text_.substr(next_in_line(at_)).substr(0, 5);
    return !next.empty() && (is_digit(next[0]) || find_word(next, "line") == 0);
  }

  /// Whether behind _Pragma comes ("unroll...": what else it may say looks like plain text.
  bool unrolls() const {
    const std::size_t open = next_in_line(at_);
    if (open >= text_.size() || text_[open] != '(') return false;
    const std::string_view pragma = text_.substr(next_in_line(open + 1));
    return pragma.starts_with("\"unroll") || pragma.starts_with("\"nounroll");
  }

  /// A quote that its line does not close ends with the line, as in text that is left out by #if.
  void pass_quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }

  void pass_number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char before = at_ == 0 ? ' ' : text_[at_ - 1];
      const bool exponent = (c == '+' || c == '-') && std::strchr("eEpP", before) != nullptr;
      const bool separator = c == '\'' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]);
      if (!is_word(c) && c != '.' && !exponent && !separator) return;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> tokens_;
};

std::vector<std::string> tokens_of(std::string_view text) { return Lexer(text).tokens(); }

constexpr auto kAssembly = std::to_array<std::string_view>({"asm", "__asm", "__asm__"});

}  // namespace

std::vector<std::string> wrong_words(std::string_view source) {
  // What tells a build of the tests from another, what reaches around the language, and what is
  // the CPU backend's own.
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"__SIMT", "__simt", "simt", "__SANITIZE", "__sanitizer", "__tsan", "__ubsan", "__asan",
       "__cxa", "_Unwind", "TUT_", "_GLOBAL__", "__builtin_return", "__builtin_frame",
       "__builtin_extract", "_ZN", "_ZS"});
  constexpr auto kWords = std::to_array<std::string_view>({"constructor",
                                                           "_Pragma",
                                                           "syscall",
                                                           "__constructor__",
                                                           "destructor",
                                                           "__destructor__",
                                                           "init_priority",
                                                           "__init_priority__",
                                                           "section",
                                                           "__section__",
                                                           "ifunc",
                                                           "__ifunc__",
                                                           "__has_feature",
                                                           "no_sanitize",
                                                           "__no_sanitize__",
                                                           "no_sanitize_thread",
                                                           "__no_sanitize_thread__",
                                                           "no_sanitize_coverage",
                                                           "__no_sanitize_coverage__",
                                                           "no_instrument_function",
                                                           "__no_instrument_function__",
                                                           "__libc_start_main",
                                                           "__environ",
                                                           "environ",
                                                           "push_options",
                                                           "optimize",
                                                           "__optimize__"});
  std::vector<std::string> lines;
  const std::string joined = with_lines_joined(source);
  if (joined.find("R\"") != std::string::npos) {
    lines.emplace_back("it has a raw string (R\"...\"); expected ordinary ones");
  }
  std::set<std::string> seen;
  for (const std::string& word : tokens_of(joined)) {
    if (word == kLineDirective && seen.insert(word).second) {
      lines.emplace_back(
          "it has a #line, which no solution needs; expected lines under their own name");
    }
    if (word == "##" && seen.insert(word).second) {
      lines.emplace_back("it joins words by ##; expected them written out");
    }
    // "section" and the like are attributes only where they are in double parentheses or brackets,
    // but no source of the course needs a variable of that name.
    if ((is_one_of(word, kWords) || starts_with_one(word, kStarts)) && seen.insert(word).second) {
      lines.push_back(
          fmt::format("it says {}, which no solution needs; expected plain CUDA C++", word));
    }
  }
  return lines;
}

bool mentions_assembly(std::string_view source) {
  // Not only where it stands in plain sight: what looks like a comment or a string may be none.
  for (const std::string_view word : kAssembly) {
    if (find_word(with_lines_joined(source), word) != std::string_view::npos) return true;
  }
  return false;
}

bool has_assembly(std::string_view preprocessed, std::string_view source) {
  const auto plain = [](std::string_view name) {
    return std::filesystem::path(name).lexically_normal();
  };
  const std::filesystem::path own_file = plain(source);
  bool own = false;
  std::string lines;
  for (const std::string& line : split_lines(preprocessed)) {
    if (line.starts_with("# ") && line.size() > 2 && is_digit(line[2])) {
      const std::size_t begin = line.find('"'), end = line.rfind('"');
      own = begin != std::string::npos && end > begin &&
            plain(std::string_view(line).substr(begin + 1, end - begin - 1)) == own_file;
    } else if (own) {
      lines += line + "\n";
    }
  }
  const std::vector<std::string> words = tokens_of(lines);
  return std::ranges::any_of(words, [](const std::string& w) { return is_one_of(w, kAssembly); });
}

}  // namespace tut::learn

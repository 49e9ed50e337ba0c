#include "learn/classroom/source_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "learn/core/cpp_source.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

class SourceLexer {
 public:
  explicit SourceLexer(std::string_view text) : text_(text) {}

  std::vector<SourceToken> tokens() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void step() {
    const char c = text_[at_];
    if (rest().starts_with("//")) {
      pass_to(std::min(text_.find('\n', at_), text_.size()));
    } else if (rest().starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      pass_to(end == std::string_view::npos ? text_.size() : end + 2);
    } else if (c == '"' || c == '\'') {
      add(SourceTokenKind::quoted, end_of_quoted(c));
    } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      add(SourceTokenKind::number, end_of_number());
    } else if (is_word(c)) {
      std::size_t end = at_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      add(SourceTokenKind::word, end);
    } else if (rest().starts_with("##") || rest().starts_with("%:%:")) {
      add(SourceTokenKind::sign, at_ + (c == '#' ? 2 : 4));
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      pass_to(at_ + 1);
    } else {
      add(SourceTokenKind::sign, at_ + 1);
    }
  }

  void pass_to(std::size_t end) {
    line_ += static_cast<int>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
    at_ = end;
  }

  void add(SourceTokenKind kind, std::size_t end) {
    tokens_.push_back({kind, text_.substr(at_, end - at_), line_});
    pass_to(end);
  }

  /// A quote that its line does not close ends with the line, as in text that is left out by #if.
  std::size_t end_of_quoted(char quote) const {
    std::size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != '\n'; ++end) {
      if (text_[end] == '\\') {
        ++end;
      } else if (text_[end] == quote) {
        return end + 1;
      }
    }
    return std::min(end, text_.size());
  }

  std::size_t end_of_number() const {
    constexpr std::string_view kExponents = "eEpP";
    std::size_t end = at_;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      const bool exponent = (c == '+' || c == '-') && end > at_ &&
                            kExponents.find(text_[end - 1]) != std::string_view::npos;
      const bool separator = c == '\'' && end + 1 < text_.size() && is_word(text_[end + 1]);
      if (!is_word(c) && c != '.' && !exponent && !separator) break;
    }
    return end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::vector<SourceToken> source_tokens(std::string_view source) {
  return SourceLexer(source).tokens();
}

}  // namespace tut::learn

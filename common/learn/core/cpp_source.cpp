#include "learn/core/cpp_source.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "learn/core/text.hpp"

namespace tut::learn {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return at;
    }
  }
  return text.npos;
}

CppSource without_comments(std::string_view source) {
  CppSource code;
  const auto add = [&code](char c, bool quoted) {
    code.text += c;
    code.shape += quoted && c != '\n' ? ' ' : c;
  };
  char quote = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string_view rest = source.substr(i);
    const bool was_quoted = quote != 0;
    if (was_quoted) {
      if (source[i] == '\\' && rest.size() > 1) {
        add(source[i++], true);
      } else if (source[i] == quote) {
        quote = 0;
      }
    } else if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size());
      if (i >= source.size()) break;
    } else if (rest.starts_with("/*")) {
      i += std::min(rest.find("*/", 2), rest.size() - 1) + 1;
      add(' ', false);
      continue;
    } else if (source[i] == '"' ||
               (source[i] == '\'' && (code.text.empty() || !is_digit(code.text.back())))) {
      quote = source[i];
    }
    add(source[i], was_quoted || quote != 0);
  }
  return code;
}

}  // namespace tut::learn

#include <array>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "frontend/token.hpp"

namespace simt::rewrite {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Punctuation of more than one character, longest first. `>>`, `>=` and the like are left apart:
/// a `>` may close template arguments.
constexpr std::array<std::string_view, 29> kPunctuation = {
    "<<<", "<<=", "<=>", "...", "->*", "::", "->", "<<", "<=", "==", "!=", "&&", "||", "++", "--",
    "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", ".*", "##", "<%", "%>", "<:", ":>"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) {
    list_.text = text;
    list_.tokens.reserve(text.size() / 5 + 16);
  }

  TokenList run() {
    const std::string_view text = list_.text;
    add_origin("\"\"", "", false);
    while (at_ < text.size()) {
      const char c = text[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        line_start_ = true;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '#' && line_start_) {
        directive();
      } else {
        line_start_ = false;
        token(c);
      }
    }
    pair_brackets();
    return std::move(list_);
  }

 private:
  void token(char c) {
    const std::string_view text = list_.text;
    const char next = at_ + 1 < text.size() ? text[at_ + 1] : '\0';
    if (starts_identifier(c)) {
      identifier();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(next)) != 0)) {
      number();
    } else if (c == '"' || c == '\'') {
      quoted(at_, c);
    } else {
      punctuation();
    }
  }

  void identifier() {
    const std::string_view text = list_.text;
    const std::size_t begin = at_;
    std::size_t end = begin + 1;
    while (end < text.size() && continues_identifier(text[end])) ++end;
    const char next = end < text.size() ? text[end] : '\0';
    if (next == '"' || next == '\'') {
      const std::string_view prefix = text.substr(begin, end - begin);
      const bool raw = next == '"' && prefix.back() == 'R';
      const std::string_view encoding = raw ? prefix.substr(0, prefix.size() - 1) : prefix;
      if (encoding == "u8" || encoding == "u" || encoding == "U" || encoding == "L" ||
          (encoding.empty() && raw)) {
        at_ = end;
        if (raw) {
          raw_string(begin);
        } else {
          quoted(begin, next);
        }
        return;
      }
    }
    push(TokenKind::identifier, begin, end);
    const std::string_view word = text.substr(begin, end - begin);
    // A library for the device is no less CUDA source for standing in a system directory: its
    // functions may ask which thread runs them, wait for others, and have the names of CUDA's own.
    if (word == "__global__" || word == "__shared__" || word == "__device__") holds_device_code();
  }

  void holds_device_code() {
    const std::string& name = list_.origins[origin_].quoted_name;
    for (Origin& origin : list_.origins) {
      if (origin.quoted_name == name) origin.system = false;
    }
    system_files_[name] = false;
  }

  void number() {
    const std::string_view text = list_.text;
    std::size_t end = at_ + 1;
    while (end < text.size()) {
      const char c = text[end];
      const char before = text[end - 1];
      const bool exponent = (c == '+' || c == '-') &&
                            (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator =
          c == '\'' && end + 1 < text.size() && continues_identifier(text[end + 1]);
      if (!continues_identifier(c) && c != '.' && !exponent && !separator) break;
      if (exponent && is_hexadecimal(at_) && (before == 'e' || before == 'E')) break;
      ++end;
    }
    push(TokenKind::number, at_, end);
  }

  bool is_hexadecimal(std::size_t begin) const {
    return list_.text[begin] == '0' &&
           (list_.text[begin + 1] == 'x' || list_.text[begin + 1] == 'X');
  }

  /// A string or character literal whose opening quote is at at_; `begin` is where its prefix is.
  void quoted(std::size_t begin, char quote) {
    const std::string_view text = list_.text;
    std::size_t end = at_ + 1;
    while (end < text.size() && text[end] != quote && text[end] != '\n') {
      end += text[end] == '\\' ? 2 : 1;
    }
    if (end < text.size() && text[end] == quote) ++end;
    end = literal_suffix(std::min(end, text.size()));
    push(quote == '"' ? TokenKind::string : TokenKind::character, begin, end);
  }

  void raw_string(std::size_t begin) {
    const std::string_view text = list_.text;
    const std::size_t open = text.find('(', at_);
    if (open == std::string_view::npos) {
      push(TokenKind::string, begin, at_ + 1);
      return;
    }
    const std::string close = ")" + std::string(text.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t found = text.find(close, open);
    const std::size_t end =
        found == std::string_view::npos ? text.size() : literal_suffix(found + close.size());
    const std::uint32_t first_line = line_;
    for (std::size_t i = begin; i < end; ++i) line_ += text[i] == '\n' ? 1 : 0;
    push(TokenKind::string, begin, end);
    list_.tokens.back().line = first_line;
  }

  std::size_t literal_suffix(std::size_t end) const {
    const std::string_view text = list_.text;
    if (end >= text.size() || !starts_identifier(text[end])) return end;
    while (end < text.size() && continues_identifier(text[end])) ++end;
    return end;
  }

  void punctuation() {
    const std::string_view rest = list_.text.substr(at_, 4);
    for (const std::string_view candidate : kPunctuation) {
      if (!rest.starts_with(candidate)) continue;
      // `operator<<<T>(...)` is `operator<<` with template arguments.
      if (candidate == "<<<" && follows_operator_keyword()) continue;
      // In `T<::U>` there is no `<:`.
      if (candidate == "<:" && rest.size() > 2 && rest[2] == ':' &&
          (rest.size() < 4 || (rest[3] != ':' && rest[3] != '>'))) {
        continue;
      }
      push(candidate == "<<<" ? TokenKind::launch : TokenKind::punctuation, at_,
           at_ + candidate.size());
      join_launch();
      return;
    }
    push(TokenKind::punctuation, at_, at_ + 1);
    join_launch();
  }

  bool follows_operator_keyword() const {
    return !list_.tokens.empty() && list_.view(list_.size() - 1) == "operator";
  }

  /// The preprocessor may part `<<` and `<` where a macro's argument begins.
  void join_launch() {
    const Index size = list_.size();
    if (size < 2 || list_.view(size - 1) != "<" || list_.view(size - 2) != "<<") return;
    if (size >= 3 && list_.view(size - 3) == "operator") return;
    list_.tokens[size - 2].end = list_.tokens[size - 1].end;
    list_.tokens[size - 2].kind = TokenKind::launch;
    list_.tokens.pop_back();
  }

  /// A line that begins with `#`: a line marker or another directive.
  void directive() {
    const std::string_view text = list_.text;
    const std::size_t begin = at_;
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::size_t i = begin + 1;
    while (i < end && text[i] == ' ') ++i;
    if (i < end && std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      line_marker(text.substr(i, end - i));
      at_ = end;
    } else {
      push(TokenKind::directive, begin, end);
    }
  }

  /// `12 "file.cu" 1 3 4`: the next line is line 12 of file.cu; 1 enters it, 3 is a system header.
  void line_marker(std::string_view marker) {
    std::uint32_t line = 0;
    std::size_t i = 0;
    for (; i < marker.size() && marker[i] >= '0' && marker[i] <= '9'; ++i) {
      line = line * 10 + static_cast<std::uint32_t>(marker[i] - '0');
    }
    const std::size_t open = marker.find('"', i);
    const std::size_t close = marker.rfind('"');
    line_ = line - 1;
    if (open == std::string_view::npos || close <= open) return;
    const std::string_view name = marker.substr(open, close - open + 1);
    const std::string_view flags = marker.substr(close + 1);
    const bool enters = flags.find('1') != std::string_view::npos;
    const bool system = flags.find('3') != std::string_view::npos;
    add_origin(name, system ? (flags.find('4') != std::string_view::npos ? "3 4" : "3") : "",
               enters && system);
  }

  void add_origin(std::string_view quoted, std::string_view flags, bool enters_system) {
    const std::pair<std::string, std::string> key{quoted, flags};
    auto found = origin_ids_.find(key);
    if (found == origin_ids_.end()) {
      const auto known = system_files_.find(key.first);
      const bool system = known != system_files_.end() ? known->second : enters_system;
      found = origin_ids_.emplace(key, static_cast<std::uint16_t>(list_.origins.size())).first;
      list_.origins.push_back({key.first, unquoted(quoted), key.second, system});
    }
    if (enters_system) system_files_.emplace(key.first, true);
    origin_ = found->second;
  }

  static std::string unquoted(std::string_view quoted) {
    std::string name;
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
      if (quoted[i] == '\\' && i + 2 < quoted.size()) ++i;
      name += quoted[i];
    }
    return name;
  }

  void push(TokenKind kind, std::size_t begin, std::size_t end) {
    list_.tokens.push_back(
        {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), line_, origin_, kind});
    at_ = end;
  }

  void pair_brackets() {
    list_.match.assign(list_.tokens.size(), kNone);
    std::vector<Index> open;
    for (Index i = 0; i < list_.size(); ++i) {
      const Token& token = list_.tokens[i];
      if (token.kind != TokenKind::punctuation || token.end - token.begin != 1) continue;
      const char c = list_.text[token.begin];
      if (c == '(' || c == '[' || c == '{') {
        open.push_back(i);
      } else if (c == ')' || c == ']' || c == '}') {
        close_bracket(open, i, c == ')' ? '(' : c == ']' ? '[' : '{');
      }
    }
  }

  /// Pairs a closing bracket with its partner. In a source with a bracket too few, the innermost
  /// partner of the same kind is taken, and what was left open inside stays unpaired.
  void close_bracket(std::vector<Index>& open, Index close, char partner) {
    std::size_t depth = open.size();
    while (depth > 0 && list_.text[list_.tokens[open[depth - 1]].begin] != partner) --depth;
    if (depth == 0) return;
    const Index i = open[depth - 1];
    open.resize(depth - 1);
    list_.match[i] = close;
    list_.match[close] = i;
  }

  TokenList list_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint16_t origin_ = 0;
  bool line_start_ = true;
  std::map<std::pair<std::string, std::string>, std::uint16_t> origin_ids_;
  std::map<std::string, bool> system_files_;
};

}  // namespace

TokenList lex(std::string_view text) { return Lexer(text).run(); }

std::string_view TokenList::view(Index first, Index last) const {
  if (first >= last) return {};
  return text.substr(tokens[first].begin, tokens[last - 1].end - tokens[first].begin);
}

std::string TokenList::place(Index i) const {
  if (tokens.empty()) return "<empty>";
  const Token& token = tokens[i < size() ? i : size() - 1];
  return origins[token.origin].name + ":" + std::to_string(token.line);
}

Index skip_template_arguments(const TokenList& list, Index open) {
  // In `a = x < n, b = y > z` no arguments stand between the two: these have no `=`, as parameters
  // of templates may.
  const bool parameters = open > 0 && (list.is(open - 1, "template") || list.is(open - 1, "]"));
  int depth = 0;
  for (Index i = open; i < list.size(); ++i) {
    const std::string_view word = list.view(i);
    if (word == "<") {
      ++depth;
    } else if (word == ">") {
      if (--depth == 0) return i + 1;
    } else if (word == "(" || word == "[" || word == "{") {
      if (list.match[i] == kNone) return kNone;
      i = list.match[i];
    } else if (word == ";" || word == ")" || word == "]" || word == "}" ||
               (word == "=" && !parameters && !list.is(i - 1, ">"))) {
      return kNone;
    }
  }
  return kNone;
}

Index past_group(const TokenList& list, Index i) {
  if (list.match[i] != kNone && list.match[i] > i) return list.match[i] + 1;
  if (list.is(i, "<") && i > 0 && list.is_identifier(i - 1)) {
    const Index behind = skip_template_arguments(list, i);
    if (behind != kNone) return behind;
  }
  return i + 1;
}

Index find_template_open(const TokenList& list, Index close) {
  int depth = 0;
  for (Index i = close + 1; i-- > 0;) {
    const std::string_view word = list.view(i);
    if (word == ">") {
      ++depth;
    } else if (word == "<") {
      if (--depth == 0) return i;
    } else if (word == ")" || word == "]" || word == "}") {
      if (list.match[i] == kNone) return kNone;
      i = list.match[i];
    } else if (word == ";" || word == "(" || word == "[" || word == "{") {
      return kNone;
    }
  }
  return kNone;
}

}  // namespace simt::rewrite

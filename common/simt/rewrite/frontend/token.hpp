/// \file
/// Tokens of a preprocessed C++ source: what the rewriter's passes read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simt::rewrite {

/// Position of a token in TokenList::tokens.
using Index = std::uint32_t;
inline constexpr Index kNone = UINT32_MAX;

/// Does a table of words hold this one?
template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

enum class TokenKind : std::uint8_t {
  identifier,
  number,
  string,
  character,
  punctuation,
  launch,     ///< `<<<`, also where the preprocessor parted it
  directive,  ///< a whole line such as `#pragma unroll 4`, without its newline
};

/// One token: bytes [begin, end) of the text. `>` is always a token of its own, so that template
/// argument lists and `>>>` can be told apart by context.
struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t line;    ///< in the file that `origin` names
  std::uint16_t origin;  ///< index into TokenList::origins
  TokenKind kind;
};

/// A file as the line markers name it, with the marker's flags.
struct Origin {
  std::string quoted_name;  ///< as in the marker, quotes included
  std::string name;
  std::string flags;  ///< "", "3" or "3 4"
  bool system;        ///< the file was entered as a system header
};

/// A lexed translation unit. Line markers are not tokens; they set line and origin of what follows.
struct TokenList {
  std::string_view text;
  std::vector<Token> tokens;
  std::vector<Index> match;  ///< partner of each ( ) [ ] { }; kNone for other tokens
  std::vector<Origin> origins;

  Index size() const { return static_cast<Index>(tokens.size()); }
  const Token& operator[](Index i) const { return tokens[i]; }
  /// The text of a token; empty behind the last.
  std::string_view view(Index i) const {
    if (i >= size()) return {};
    return text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
  }
  /// The text of tokens [first, last), with what stands between them.
  std::string_view view(Index first, Index last) const;
  bool is(Index i, std::string_view word) const { return view(i) == word; }
  bool is_identifier(Index i) const {
    return i < size() && tokens[i].kind == TokenKind::identifier;
  }
  bool is_system(Index i) const { return origins[tokens[i].origin].system; }
  /// Are tokens i and i + 1 written without a space between them?
  bool adjacent(Index i) const { return i + 1 < size() && tokens[i].end == tokens[i + 1].begin; }
  /// FILE:LINE of a token, for messages.
  std::string place(Index i) const;
};

/// Splits a preprocessed text into tokens and pairs its brackets. The text must outlive the result.
TokenList lex(std::string_view text);

/// The index after the `>` that closes the `<` at i, or kNone if the `<` is a comparison.
Index skip_template_arguments(const TokenList& list, Index open);

/// The token behind the one at i, or behind the brackets or template arguments that it opens.
Index past_group(const TokenList& list, Index i);

/// The index of the `<` that the `>` at `close` closes, or kNone.
Index find_template_open(const TokenList& list, Index close);

}  // namespace simt::rewrite

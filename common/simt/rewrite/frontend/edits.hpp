/// \file
/// Changes to a token list, collected by independent passes and applied at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/token.hpp"

namespace simt::rewrite {

/// New text, or a range of tokens of the source. A range keeps its place in the learner's file, and
/// the edits that lie within it are applied to it.
struct Piece {
  std::string text;
  Index first = kNone;  ///< tokens [first, last); kNone, or none at all: `text` is meant
  Index last = kNone;
};

inline Piece new_text(std::string text) { return {std::move(text), kNone, kNone}; }
/// New text in the line of a token, whatever lines stand before it.
inline Piece new_text_at(Index token, std::string text) { return {std::move(text), token, token}; }
inline Piece source(Index first, Index last) { return {{}, first, last}; }

using Pieces = std::vector<Piece>;

/// The edits of one translation unit. Insertions at one place appear in the order they were made:
/// those after a token, those before the next, then what replaces the next.
class Edits {
 public:
  explicit Edits(const TokenList& list) : list_(&list) {}

  /// Tokens [first, last) give way to the pieces.
  void replace(Index first, Index last, Pieces pieces);
  void replace(Index token, std::string text) {
    replace(token, token + 1, {new_text(std::move(text))});
  }
  void erase(Index first, Index last) { replace(first, last, {}); }
  void insert_before(Index token, Pieces pieces);
  void insert_before(Index token, std::string text) {
    insert_before(token, {new_text(std::move(text))});
  }
  void insert_after(Index token, Pieces pieces);
  void insert_after(Index token, std::string text) {
    insert_after(token, {new_text(std::move(text))});
  }

  /// The whole text with all edits. Wherever an edit moves what follows it on a line, a line marker
  /// and spaces put it back in its line and column, so that the compiler's messages are exact.
  std::string apply();

 private:
  enum class Kind { after_previous, before, replacement };
  struct Edit {
    Index first;
    Index last;  ///< == first for an insertion
    Kind kind;
    int order;
    Pieces pieces;
  };
  class Writer;

  void add(Index first, Index last, Kind kind, Pieces pieces);

  const TokenList* list_;
  std::vector<Edit> edits_;
};

}  // namespace simt::rewrite

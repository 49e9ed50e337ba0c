/// \file
/// A declaration of variables taken apart: `const float *a, b[3] = {1}` and the like.
#pragma once

#include <vector>

#include "frontend/edits.hpp"
#include "frontend/token.hpp"

namespace simt::rewrite {

struct Declarator {
  Index first = kNone;  ///< `*` or the name
  Index name = kNone;
  Index last = kNone;         ///< one past the declarator, without an initialiser
  Index initializer = kNone;  ///< `=`, `{` or `(`; kNone without one
};

struct Declaration {
  Index first = kNone;  ///< specifiers: tokens [first, last)
  Index last = kNone;
  std::vector<Declarator> declarators;
};

/// Where the statement that holds token i begins.
Index statement_begin(const TokenList& list, Index i);

/// Takes apart the declaration in tokens [first, semicolon).
Declaration split_declaration(const TokenList& list, Index first, Index semicolon);

/// The specifiers as source pieces, without the words that belong to CUDA or to storage; without
/// alignment too, where only a type can stand.
Pieces type_pieces(const TokenList& list, const Declaration& declaration, bool with_alignment);

}  // namespace simt::rewrite

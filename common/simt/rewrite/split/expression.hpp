/// \file
/// Expressions of a kernel's body as trees. Only what is understood completely gets one: a proof
/// may not rest on a guess.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/token.hpp"

namespace simt::rewrite::split {

enum class NodeKind {
  literal,
  name,         ///< perhaps qualified, perhaps with template arguments; `token` is its last word
  builtin,      ///< `threadIdx.x` and the like; `token` is the variable
  prefix,       ///< `token` is the operator
  postfix,      ///< `x++`
  binary,       ///< `token` is the operator's first character
  assign,       ///< `=`, `+=`, ...
  conditional,  ///< `a ? b : c`
  comma,
  paren,
  subscript,    ///< children: what is indexed, and the indices
  member,       ///< `a.b`, `token` is b
  arrow,        ///< `a->b`
  call,         ///< children: what is called, and the arguments
  cast,         ///< a type in tokens [type_first, type_last), and one child
  construct,    ///< `T{a, b}`: the type, and the elements
  braces,       ///< `{a, b}` without a type
  lambda,       ///< `token` is its `{`; no children
  unevaluated,  ///< sizeof, alignof and noexcept
};

struct Node {
  NodeKind kind = NodeKind::literal;
  Index first = kNone;  ///< tokens [first, last)
  Index last = kNone;
  Index token = kNone;
  Index type_first = kNone;
  Index type_last = kNone;
  std::vector<Node> children = {};
};

/// What is known of a name. Behind a value's no `<` begins template arguments, and `(name)` is no
/// cast; a constant may stand among template arguments, and a variable may not.
enum class NameKind { unknown, constant, variable };

/// The kind of the identifier at a token.
using KindOfName = std::function<NameKind(Index)>;

/// Does `holds` hold for all children of a node from this one on?
template <class Condition>
bool all_children(const Node& node, std::size_t from, const Condition& holds) {
  return std::all_of(node.children.begin() + static_cast<std::ptrdiff_t>(from), node.children.end(),
                     holds);
}

/// The expression in tokens [first, last), or nothing where it is of no known form.
std::optional<Node> parse_expression(const TokenList& list, Index first, Index last,
                                     const KindOfName& kind_of_name);

/// The text of a binary or assignment operator at i: `>`, `>>`, `>=` and `>>=` are several tokens.
std::string_view operator_at(const TokenList& list, Index i);

/// Is this a word of the built-in arithmetic types?
bool is_type_keyword(std::string_view word);

/// Do tokens [first, last) consist of such words only, with `const` at most?
bool is_keyword_type(const TokenList& list, Index first, Index last);

}  // namespace simt::rewrite::split

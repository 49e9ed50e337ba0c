// What the result of a function depends on: its arguments alone, or memory as well.
#include "split/declarations.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {

bool Declarations::is_pure(std::string_view function) const {
  if (variables_.contains(function) || find_class(function) != nullptr) return false;
  const auto found = pure_.find(function);
  if (found != pure_.end()) return found->second;
  return is_library_function(function, true);
}

bool Declarations::reads_no_memory(std::string_view function) const {
  if (variables_.contains(function) || find_class(function) != nullptr) return false;
  const auto found = of_values_.find(function);
  return found != of_values_.end() && found->second;
}

/// `{ return EXPRESSION; }` of parts of its parameters and of constants.
bool Declarations::depends_on_values(const Function& function) const {
  Index first = function.body_open + 1;
  if (function.name.starts_with("operator") || function.scope.in_class) return false;
  while (list_.is(first, "using")) {
    first = find_top_level(list_, first, function.body_close, {";"}) + 1;
  }
  Names known;
  for (const Parameter& parameter : parameters(function)) {
    const Index name = parameter.last - 1;
    if (!list_.is_identifier(name)) return false;
    known.emplace(list_.view(name));
  }
  const auto body = returned_at(function, first, known);
  return body && value_node(*body, known);
}

/// What the function returns by its one statement from `first` on; nothing if it has others.
std::optional<Node> Declarations::returned_at(const Function& function, Index first,
                                              const Names& known) const {
  if (!list_.is(first, "return") ||
      find_top_level(list_, first, function.body_close, {";"}) != function.body_close - 1) {
    return std::nullopt;
  }
  return parse_expression(list_, first + 1, function.body_close - 1, [&](Index i) {
    return known.contains(list_.view(i)) ? NameKind::variable : NameKind::unknown;
  });
}

bool Declarations::calls_pure(const Node& call) const {
  const Node& callee = call.children[0];
  return callee.kind == NodeKind::name && callee.token + 1 == callee.last &&
         is_pure(list_.view(callee.token));
}

bool Declarations::value_node(const Node& node, const Names& known) const {
  const auto children = [&](std::size_t from) {
    return all_children(node, from, [&](const Node& child) { return value_node(child, known); });
  };
  switch (node.kind) {
    case NodeKind::literal:
    case NodeKind::unevaluated:
      return true;
    case NodeKind::name: {
      const std::string_view word = list_.view(node.token);
      // What is neither a parameter nor a variable of the device is a constant.
      return (node.last == node.first + 1 && known.contains(word)) ||
             !device_variables_.contains(word);
    }
    case NodeKind::member:
      return node.children[0].kind == NodeKind::name && children(0);
    case NodeKind::prefix:
      return any_of(list_.view(node.token), {"+", "-", "!", "~"}) && children(0);
    case NodeKind::binary:
    case NodeKind::paren:
    case NodeKind::conditional:
    case NodeKind::cast:
      return children(0);
    case NodeKind::call:
      return calls_pure(node) && children(1);
    default:
      return false;
  }
}

/// Is it a number's type: the language's words, the standard's names for some of them, auto, or one
/// of `types`, which are deduced from numbers?
bool Declarations::number_type(Index first, Index last, const Names& types) const {
  bool any = false;
  for (Index i = first; i < last; ++i) {
    const std::string_view word = list_.view(i);
    if (any_of(word, {"const", "std", "::", "__device__", "__host__", "constexpr", "inline",
                      "static", "__forceinline__", "[", "]", "nodiscard"})) {
      continue;
    }
    const bool standard =
        any_of(word, {"size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
                      "uint16_t", "uint32_t", "uint64_t", "auto"});
    if (!is_type_keyword(word) && !types.contains(word) && (!standard || is_alias(word))) {
      return false;
    }
    any = true;
  }
  return any;
}

/// `{ return EXPRESSION; }` of its parameters, which are numbers.
bool Declarations::has_pure_body(const Function& function) const {
  if (!function.has_body() || function.name.starts_with("operator")) return false;
  Names types, known;
  for (Index i = function.first; i < function.declaration; ++i) {
    if (!list_.is_identifier(i)) continue;
    (any_of(list_.view(i - 1), {"class", "typename"}) ? types : known).emplace(list_.view(i));
  }
  if (!number_type(function.declaration, function.name_token, types)) return false;
  for (const Parameter& parameter : parameters(function)) {
    const Index name = parameter.last - 1;
    if (!list_.is_identifier(name) || !number_type(parameter.first, name, types)) return false;
    known.emplace(list_.view(name));
  }
  const auto body = returned_at(function, function.body_open + 1, known);
  return body && pure_node(*body, known);
}

bool Declarations::pure_node(const Node& node, const Names& known) const {
  const auto children = [&](std::size_t from) {
    return all_children(node, from, [&](const Node& child) { return pure_node(child, known); });
  };
  switch (node.kind) {
    case NodeKind::literal:
      return true;
    case NodeKind::name:
      return node.last == node.first + 1 && known.contains(list_.view(node.token));
    case NodeKind::prefix:
      return any_of(list_.view(node.token), {"+", "-", "!", "~"}) && children(0);
    case NodeKind::binary:
    case NodeKind::paren:
    case NodeKind::conditional:
      return children(0);
    case NodeKind::cast:
    case NodeKind::construct:
      return is_keyword_type(list_, node.type_first, node.type_last) && children(0);
    case NodeKind::call:
      return calls_pure(node) && children(1);
    default:
      return false;
  }
}

}  // namespace simt::rewrite::split

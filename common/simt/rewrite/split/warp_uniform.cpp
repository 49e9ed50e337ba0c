#include "split/warp_uniform.hpp"

#include <algorithm>

#include "split/words.hpp"

namespace simt::rewrite::split {

bool WarpUniform::holds(Index first, Index last) const {
  if (context_.asks_thread(first, last)) return false;
  const auto node =
      parse_expression(list_, first, last, [&](Index i) { return variables_.kind_of_name(i); });
  return node && known(*node);
}

bool WarpUniform::known(const Node& n) const {
  if (variables_.is_uniform(n.first, n.last)) return true;
  const auto children = [&](std::size_t from) {
    return all_children(n, from, [&](const Node& child) { return known(child); });
  };
  switch (n.kind) {
    case NodeKind::builtin:
      return !list_.is(n.token, "threadIdx") || !list_.is(n.token + 2, "x");
    case NodeKind::name: {
      const Variable* variable = variables_.find(n.token);
      return variable != nullptr && n.last == n.first + 1 && known_variable(*variable);
    }
    case NodeKind::member:
      return n.children[0].kind == NodeKind::name && known(n.children[0]);
    case NodeKind::prefix:
      return any_of(list_.view(n.token), {"+", "-", "!", "~"}) && children(0);
    case NodeKind::binary:
      return is_warp_number(n) || children(0);
    case NodeKind::conditional:
    case NodeKind::paren:
      return children(0);
    case NodeKind::cast:
      return is_keyword_type(list_, n.type_first, n.type_last) && children(0);
    case NodeKind::call: {
      const Node& callee = n.children[0];
      if (callee.kind != NodeKind::name || variables_.find(callee.token) != nullptr) return false;
      const std::string_view word = list_.view(callee.token);
      const bool depends_on_arguments =
          context_.declarations->is_pure(word) || context_.declarations->reads_no_memory(word);
      return !variables_.is_local_name(word) && depends_on_arguments && children(1);
    }
    default:
      return false;
  }
}

/// A variable that never changes; what its value is made of has the same value in all lanes.
bool WarpUniform::known_variable(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  if (variable.is_reference || d.is_array()) return false;
  if (variable.carrier != Carrier::strided && variable.is_modified()) return false;
  if (variable.is_parameter) {
    if (context_.is_function) context_.uniform_parameters->insert(variable.number);
    return true;
  }
  if (variables_.class_of(variable) != nullptr || !list_.is(d.init_first, "=")) return false;
  return holds(d.init_first + 1, d.init_last);
}

/// `threadIdx.x / 32`, `threadIdx.x >> 5`
bool WarpUniform::is_warp_number(const Node& n) const {
  const std::string_view op = operator_at(list_, n.token);
  const Node& right = n.children[1];
  if (right.last != right.first + 1 || !is_thread_x(n.children[0])) return false;
  const std::string_view word = list_.view(right.first);
  return op == "/" ? any_of(word, {"32", "32u", "32U", "warpSize"})
                   : op == ">>" && any_of(word, {"5", "5u", "5U"});
}

bool WarpUniform::is_thread_x(const Node& n) const {
  if (n.kind == NodeKind::paren) return is_thread_x(n.children[0]);
  if (n.kind == NodeKind::cast) {
    for (Index i = n.type_first; i < n.type_last; ++i) {
      if (!any_of(list_.view(i), {"int", "unsigned", "long"})) return false;
    }
    return is_thread_x(n.children[0]);
  }
  return n.kind == NodeKind::builtin && list_.is(n.token, "threadIdx") &&
         list_.is(n.token + 2, "x");
}

}  // namespace simt::rewrite::split

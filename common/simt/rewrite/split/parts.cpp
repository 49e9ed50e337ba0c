#include "split/parts.hpp"

#include <algorithm>

namespace simt::rewrite::split {

bool VariableParts::is_number(const Node& n) const {
  switch (n.kind) {
    case NodeKind::literal:
    case NodeKind::builtin:
    case NodeKind::unevaluated:
      return true;
    case NodeKind::name: {
      const Variable* variable = variables_.find(n.token);
      return variable != nullptr && !is_array(*variable) && of_numbers(*variable);
    }
    case NodeKind::subscript: {
      const Variable* variable = path(n);
      return variable != nullptr && subscripts(n) == dimensions(*variable) && of_numbers(*variable);
    }
    case NodeKind::assign:
      return is_number(n.children[0]);
    case NodeKind::paren:
    case NodeKind::binary:
    case NodeKind::conditional:
      return std::all_of(n.children.begin(), n.children.end(),
                         [&](const Node& c) { return is_number(c); });
    case NodeKind::cast:
      return is_keyword_type(list_, n.type_first, n.type_last);
    default:
      return false;
  }
}

const Variable* VariableParts::path(const Node& n) const {
  switch (n.kind) {
    case NodeKind::name:
      return n.first == n.token ? variables_.find(n.token) : nullptr;
    case NodeKind::paren:
      return path(n.children[0]);
    case NodeKind::member: {
      const Variable* variable = path(n.children[0]);
      return variable;
    }
    case NodeKind::subscript: {
      const Variable* variable = path(n.children[0]);
      return variable == nullptr || is_pointer(n.children[0], *variable) ? nullptr : variable;
    }
    default:
      return nullptr;
  }
}

bool VariableParts::may_be_part(const Node& n) const {
  switch (n.kind) {
    case NodeKind::paren:
      return may_be_part(n.children[0]);
    case NodeKind::prefix:
      return list_.is(n.token, "++") || list_.is(n.token, "--");
    case NodeKind::assign:
      return true;
    case NodeKind::conditional:
    case NodeKind::comma:
    case NodeKind::braces:
      return std::any_of(n.children.begin(), n.children.end(),
                         [&](const Node& c) { return may_be_part(c); });
    default:
      return path(n) != nullptr;
  }
}

bool VariableParts::is_pointer(const Node& n, const Variable& variable) const {
  const Node* inner = &n;
  while (inner->kind == NodeKind::paren) inner = &inner->children[0];
  if (inner->kind == NodeKind::member) {
    const ClassFacts* facts = variables_.class_of(variable);
    return facts != nullptr && facts->pointers.contains(list_.view(inner->token)) &&
           inner->children[0].kind == NodeKind::name;
  }
  int subscripts = 0;
  while (inner->kind == NodeKind::subscript) {
    ++subscripts;
    inner = &inner->children[0];
  }
  if (inner->kind != NodeKind::name) return false;
  return stars(variable) > 0 && subscripts == dimensions(variable);
}

bool VariableParts::of_numbers(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  return stars(variable) == 0 && is_keyword_type(list_, d.type_first, d.type_last);
}

int VariableParts::stars(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  int count = variable.is_parameter && d.is_array() ? 1 : 0;
  for (Index i = d.pointer_first; i < d.name; ++i) count += list_.is(i, "*") ? 1 : 0;
  return count;
}

int VariableParts::dimensions(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  if (variable.is_parameter) return 0;
  int count = 0;
  for (Index i = d.dims_first; i < d.dims_last; i = list_.match[i] + 1) ++count;
  return count;
}

int subscripts(const Node& n) {
  return n.kind == NodeKind::subscript ? 1 + subscripts(n.children[0]) : 0;
}

}  // namespace simt::rewrite::split

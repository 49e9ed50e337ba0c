// Where a kernel declares its variables.
#include "variables.hpp"
#include "words.hpp"

namespace simt::rewrite::split {
namespace {

/// Is the declared object itself const? In `const float* p` it is not.
bool declared_const(const TokenList& list, const Declarator& d) {
  const Index last = d.pointer_first == d.name ? d.type_last : d.name;
  const Index first = d.pointer_first == d.name ? d.type_first : d.name - 1;
  for (Index i = first; i < last; ++i) {
    if (list.is(i, "const")) return true;
    if (list.is(i, "<")) {  // view<const float> is not const
      const Index end = skip_template_arguments(list, i);
      if (end != kNone) i = end - 1;
    }
  }
  return false;
}

}  // namespace

void Variables::add_parameters(const Statement& body) {
  Index first = context_.params_open + 1;
  while (first < context_.params_close) {
    Index last = first;
    while (last < context_.params_close && !list_.is(last, ",")) {
      if (list_.is(last, "<")) {
        const Index after = skip_template_arguments(list_, last);
        last = after == kNone ? last + 1 : after;
      } else {
        last = list_.match[last] != kNone && list_.match[last] > last ? list_.match[last] + 1
                                                                      : last + 1;
      }
    }
    declare(first, last, body.last, false);
    first = last + 1;
  }
  for (Variable& variable : variables_) variable.is_parameter = true;
}

void Variables::collect(const Statement& block, bool barrier_level) {
  for (const Statement& child : block.children) {
    collect_statement(child, block.last, barrier_level);
  }
}

void Variables::collect_statement(const Statement& statement, Index scope_last,
                                  bool barrier_level) {
  if (!barrier_level) return;
  switch (statement.kind) {
    case StatementKind::declaration:
      declare(statement.first, statement.last - 1, scope_last, false);
      return;
    case StatementKind::shared:
    case StatementKind::fixed:
      for (const Index name : declared_names(list_, statement)) {
        local_names_.push_back({list_.view(name), name});
        if (statement.kind == StatementKind::shared) shared_names_.push_back(list_.view(name));
      }
      return;
    case StatementKind::expression:
      block_level_.push_back({statement.first, statement.last - 1});
      return;
    case StatementKind::block:
      collect(statement, statement.has_barrier);
      return;
    default:
      break;
  }
  if (!statement.has_barrier) return;
  if (statement.kind == StatementKind::for_statement) {
    const ForHeader header = for_header(list_, statement);
    if (header.first_semicolon != kNone) {
      declare(statement.open + 1, header.first_semicolon, statement.last, true);
      if (statement.strided) {
        variables_.back().carrier = Carrier::strided;
        strided_loops_.push_back({statement.first, statement.last});
      }
      block_level_.push_back({statement.open + 1, header.first_semicolon});
      block_level_.push_back({header.second_semicolon + 1, statement.close});
    }
  }
  for (const Statement& child : statement.children) {
    collect_statement(child, child.last, true);
  }
}

void Variables::declare(Index first, Index last, Index scope_last, bool in_for_header) {
  for (const Declarator& declarator : parse_declarators(list_, first, last)) {
    Variable variable;
    variable.name = list_.view(declarator.name);
    variable.declarator = declarator;
    variable.in_for_header = in_for_header;
    variable.is_const = declared_const(list_, declarator);
    for (Index i = declarator.pointer_first; i < declarator.name; ++i) {
      variable.is_reference = variable.is_reference || any_of(list_.view(i), {"&", "&&"});
    }
    variable.scope_first = declarator.name;
    variable.scope_last = scope_last;
    variables_.push_back(variable);
  }
}

}  // namespace simt::rewrite::split

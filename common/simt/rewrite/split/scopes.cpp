// Where a kernel declares its variables.
#include "split/variables.hpp"
#include "split/words.hpp"

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
  std::size_t number = 0;
  for (const auto& [first, last] : parameter_ranges(list_, context_.params_open)) {
    const std::size_t before = variables_.size();
    add_variables(parse_parameter(list_, first, last), body.last, false);
    const bool reference = number < context_.references.size() && context_.references[number];
    const std::size_t own_number = number++;
    if (variables_.size() == before) continue;
    Variable& variable = variables_.back();
    variable.number = own_number;
    variable.is_parameter = true;
    // What a function gets by reference to const it may get as a copy here.
    if (context_.is_function) variable.is_reference = reference;
  }
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
  if (!statement.has_barrier || statement.collective || statement.leaves) return;
  if (statement.masked) strided_loops_.push_back({statement.first, statement.last});
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
    if (child.kind == StatementKind::block) {
      collect(child, true);
    } else {
      collect_statement(child, child.last, true);
    }
  }
}

void Variables::declare(Index first, Index last, Index scope_last, bool in_for_header) {
  add_variables(parse_declarators(list_, first, last), scope_last, in_for_header);
}

void Variables::add_variables(const std::vector<Declarator>& declarators, Index scope_last,
                              bool in_for_header) {
  for (const Declarator& declarator : declarators) {
    Variable variable;
    variable.name = variable.spelled = list_.view(declarator.name);
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

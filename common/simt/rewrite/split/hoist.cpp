#include "hoist.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace simt::rewrite::split {
namespace {

/// Is it `if (G) return;`?
bool is_return_guard(const Statement& s) {
  if (s.kind != StatementKind::if_statement || s.children.size() != 1) return false;
  const Statement* then = &s.children[0];
  if (then->kind == StatementKind::block && then->children.size() == 1) then = &then->children[0];
  return then->kind == StatementKind::return_statement && then->last == then->first + 2;
}

bool is_declaration(const Statement& s) {
  return s.kind == StatementKind::declaration || s.kind == StatementKind::fixed ||
         s.kind == StatementKind::shared;
}

using Names = std::set<std::string_view>;

/// The names of parameters and of variables declared in a list of statements.
Names run_time_names(const TokenList& list, const KernelContext& context, const Statement& body) {
  Names names{"blockDim", "gridDim", "blockIdx", "threadIdx"};
  for (Index i = context.params_open + 1; i < context.params_close; ++i) {
    if (list.is_identifier(i)) names.insert(list.view(i));
  }
  for (const Statement& s : body.children) {
    if (s.kind != StatementKind::declaration) continue;
    for (const Declarator& d : parse_declarators(list, s.first, s.last - 1)) {
      names.insert(list.view(d.name));
    }
  }
  return names;
}

bool is_long_loop(const TokenList& list, const Names& names, const Statement& s) {
  const ForHeader header = for_header(list, s);
  if (header.first_semicolon == kNone) return false;
  for (Index i = header.first_semicolon + 1; i < header.second_semicolon; ++i) {
    const bool member = list.is(i - 1, ".") || list.is(i - 1, "->") || list.is(i - 1, "::");
    if (!member && names.contains(list.view(i))) return true;
  }
  return false;
}

bool mark(const TokenList& list, const Names& names, std::vector<Statement>& statements) {
  bool any = false;
  for (Statement& s : statements) {
    const bool loop = s.kind == StatementKind::for_statement && is_long_loop(list, names, s);
    if (!loop && !s.has_barrier) continue;
    if (s.kind != StatementKind::barrier) any = mark(list, names, s.children) || any;
    if (loop && !s.has_barrier) {
      s.has_barrier = true;
      for (Statement& child : s.children) {
        if (child.kind == StatementKind::block) child.has_barrier = true;
      }
      any = true;
    }
  }
  return any;
}

}  // namespace

std::vector<Guard> take_guards(const TokenList&, Statement& body) {
  std::vector<Guard> guards;
  std::size_t at = 0;
  while (at < body.children.size()) {
    Statement& s = body.children[at];
    if (is_declaration(s)) {
      ++at;
    } else if (is_return_guard(s)) {
      guards.push_back({s.open + 1, s.close, true});
      body.children.erase(body.children.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (s.kind == StatementKind::if_statement && s.children.size() == 1 &&
               at + 1 == body.children.size()) {
      guards.push_back({s.open + 1, s.close, false});
      Statement then = std::move(s.children[0]);
      body.children.pop_back();
      if (then.kind == StatementKind::block) {
        std::move(then.children.begin(), then.children.end(), std::back_inserter(body.children));
      } else {
        body.children.push_back(std::move(then));
      }
    } else {
      break;
    }
  }
  return guards;
}

bool mark_long_loops(const TokenList& list, const KernelContext& context, Statement& body) {
  const Names names = run_time_names(list, context, body);
  const bool any = mark(list, names, body.children);
  body.has_barrier = body.has_barrier || any;
  return any;
}

}  // namespace simt::rewrite::split

#include "split/hoist.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace simt::rewrite::split {
namespace {

/// Is it `if (G) return;`?
bool is_return_guard(const Statement& s) {
  const Statement* then = lone_branch(s);
  return then != nullptr && then->kind == StatementKind::return_statement &&
         then->last == then->first + 2;
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

bool mentions(const TokenList& list, const Names& names, Index first, Index last) {
  for (Index i = first; i < last; ++i) {
    const bool member = list.is(i - 1, ".") || list.is(i - 1, "->") || list.is(i - 1, "::");
    if (!member && names.contains(list.view(i))) return true;
  }
  return false;
}

/// Adds the names of variables whose initialisers tell threads apart.
void add_thread_names(const TokenList& list, const Statement& s, Names& names) {
  if (s.kind == StatementKind::declaration) {
    for (const Declarator& d : parse_declarators(list, s.first, s.last - 1)) {
      if (mentions(list, names, d.init_first, d.init_last)) names.insert(list.view(d.name));
    }
  }
  for (const Statement& child : s.children) add_thread_names(list, child, names);
}

/// Does a statement leave the loop that it is the body of, or the kernel?
bool jumps(const TokenList& list, const Statement& s) {
  for (Index i = s.first; i < s.last; ++i) {
    if (list.is(i, "return") || list.is(i, "break") || list.is(i, "continue")) return true;
  }
  return false;
}

/// What the marking goes by.
struct LoopNames {
  Names run_time;  ///< values that are not constants
  Names thread;    ///< values that differ between threads
  Names strided;   ///< variables of strided loops around
};

bool mark(const TokenList& list, const LoopNames& names, std::vector<Statement>& statements) {
  bool any = false;
  for (Statement& s : statements) {
    bool loop = s.kind == StatementKind::for_statement && is_long_loop(list, names.run_time, s);
    if (s.kind == StatementKind::for_statement && !s.has_barrier) {
      const StridedHeader header = strided_header(list, s);
      const Declarator& d = header.variable;
      if (header.valid && mentions(list, names.thread, d.init_first, d.init_last)) {
        s.strided = loop = !jumps(list, s.children[0]) &&
                           !mentions(list, names.strided, d.init_first, d.init_last);
      }
    }
    if (!loop && !s.has_barrier) continue;
    LoopNames inner = names;
    if (s.strided) inner.strided.insert(list.view(strided_header(list, s).variable.name));
    if (s.kind != StatementKind::barrier) any = mark(list, inner, s.children) || any;
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
    // What stands behind a guard is for those who pass it: n / w behind `if (w == 0) return;`.
    if (s.kind == StatementKind::declaration && !guards.empty()) break;
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

void mark_leaving(Statement& body) {
  bool meets = false;
  for (std::size_t i = body.children.size(); i-- > 0;) {
    Statement& s = body.children[i];
    if (meets && !s.has_barrier && is_return_guard(s)) s.leaves = s.has_barrier = true;
    meets = meets || s.has_barrier;
  }
}

void lift_conditions(const TokenList& list, const CollectiveNames& names, Statement& body) {
  const auto is_constant = [&](Index name) {
    for (Index i = body.first + 2; i < body.last && i < name; ++i) {
      if (list.is(i, list.view(name)) && list.is(i - 2, "const") && list.is(i - 1, "bool")) {
        return true;
      }
    }
    return false;
  };
  const std::function<void(Statement&)> visit = [&](Statement& s) {
    for (Statement& child : s.children) visit(child);
    if (s.kind != StatementKind::for_statement || s.has_barrier ||
        !names.names_any(list, s.first, s.last) ||
        names.names_any_with_barrier(list, s.first, s.last)) {
      return;
    }
    const ForHeader header = for_header(list, s);
    if (header.first_semicolon == kNone) return;
    const Index name = header.second_semicolon - 1;
    if (name < header.first_semicolon + 3 || !list.is(name - 1, "&&") || !is_constant(name) ||
        find_top_level(list, header.first_semicolon + 1, name, {"||", "?", "=", ","}) != name) {
      return;
    }
    Statement loop = s;
    loop.condition_last = name - 1;
    s = Statement{StatementKind::if_statement, loop.first, loop.last, name - 1, name + 1};
    s.lifted = true;
    s.children.push_back(std::move(loop));
  };
  for (Statement& child : body.children) visit(child);
}

void nest_behind_returns(Statement& body) {
  std::vector<Statement>& all = body.children;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Statement& s = all[i];
    if (s.kind != StatementKind::if_statement) continue;
    Statement& then = s.children[0];
    const Statement* last = &then;
    if (then.kind == StatementKind::block && !then.children.empty()) last = &then.children.back();
    if (last->kind != StatementKind::return_statement || s.children.size() > 1) continue;
    if (i + 1 == all.size()) return;
    Statement rest{StatementKind::block, all[i + 1].first, body.last - 1};
    std::move(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
              std::back_inserter(rest.children));
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    for (const Statement& child : rest.children) rest.has_barrier |= child.has_barrier;
    rest.block_barrier = rest.has_barrier;
    nest_behind_returns(then);
    nest_behind_returns(rest);
    s.last = rest.last;
    s.has_barrier |= rest.has_barrier;
    s.block_barrier = s.has_barrier;
    s.returns = true;
    s.children.push_back(std::move(rest));
    return;
  }
}

void mark_loops_of_warps(const TokenList& list, Statement& body) {
  Names threads{"threadIdx"};
  add_thread_names(list, body, threads);
  const std::function<void(Statement&, const Names&)> visit = [&](Statement& s,
                                                                  const Names& strided) {
    if (!s.has_barrier || s.collective) return;
    Names inner = strided;
    if (s.kind == StatementKind::for_statement && !s.block_barrier) {
      const StridedHeader header = strided_header(list, s);
      const Declarator& d = header.variable;
      s.strided = header.valid && mentions(list, threads, d.init_first, d.init_last) &&
                  !jumps(list, s.children[0]) &&
                  !mentions(list, strided, d.init_first, d.init_last);
      if (s.strided) inner.insert(list.view(d.name));
    }
    for (Statement& child : s.children) visit(child, inner);
  };
  for (Statement& child : body.children) visit(child, {});
}

bool mark_long_loops(const TokenList& list, const KernelContext& context, Statement& body) {
  LoopNames names{run_time_names(list, context, body), {"threadIdx"}, {}};
  add_thread_names(list, body, names.thread);
  const bool any = mark(list, names, body.children);
  body.has_barrier = body.has_barrier || any;
  return any;
}

}  // namespace simt::rewrite::split

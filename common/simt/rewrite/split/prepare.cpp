#include "split/prepare.hpp"

#include <algorithm>

#include "split/checks.hpp"

namespace simt::rewrite::split {

Statement prepared_body(const TokenList& list, const KernelContext& context, bool hoist,
                        std::vector<Guard>& guards) {
  Statement body = parse_statements(list, context.body_open);
  const bool meets = context.collectives != nullptr;
  if (context.is_function) nest_behind_returns(body);
  if (meets) {
    lift_conditions(list, *context.collectives, body);
    mark_collectives(list, *context.collectives, body);
  }
  if (hoist) {
    require(!body.has_barrier || !meets || body.block_barrier, body.first,
            "calls in which threads meet");
    if (!body.has_barrier) guards = take_guards(list, body);
    require(mark_long_loops(list, context, body), body.first,
            "no loop that is the same for all threads");
  } else if (meets) {
    // Threads that have ended count as arrived at all barriers.
    if (!context.is_function) mark_leaving(body);
    mark_loops_of_warps(list, body);
  }
  return body;
}

Index first_return(const Statement& s) {
  if (s.kind == StatementKind::return_statement) return s.first;
  Index first = kNone;
  for (const Statement& child : s.children) first = std::min(first, first_return(child));
  return first;
}

}  // namespace simt::rewrite::split

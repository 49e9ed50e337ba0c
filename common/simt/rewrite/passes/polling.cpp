#include "passes/polling.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "frontend/analysis.hpp"
#include "passes/passes.hpp"
#include "passes/shared_reads.hpp"

namespace simt::rewrite {
namespace {

class Finder {
 public:
  explicit Finder(const Source& source) : source_(source), list_(*source.list), reads_(source) {}

  std::vector<PollingLoop> run() {
    for (const Function& function : source_.functions) {
      if (!function.is_device_code()) continue;
      if (is_recursive(function)) {
        loops_.push_back({PollingLoop::Kind::body, function.body_open, function.body_open + 1});
      }
      find({function.body_open, function.body_close});
    }
    for (const Index i : reads_.device_lambdas()) {
      const Index open = lambda_body(list_, i);
      if (!is_in_device_code(i)) find({open, list_.match[open]});
    }
    return std::move(loops_);
  }

 private:
  void find(Range code) {
    for (Index i = code.first; i < code.last; ++i) {
      if (list_.is(i, "goto")) jump(code.first, i);
      loop(i);
    }
  }

  /// There it has been looked at with the function around it.
  bool is_in_device_code(Index i) const {
    return std::any_of(source_.functions.begin(), source_.functions.end(), [&](const Function& f) {
      return f.is_device_code() && f.body_open < i && i < f.body_close;
    });
  }

  /// A function that asks again by calling itself. A constexpr one cannot wait.
  bool is_recursive(const Function& function) const {
    if (function.specifiers.is_constexpr || !reads_.by(function.name)) return false;
    for (Index i = function.body_open; i < function.body_close; ++i) {
      if (list_.is(i, function.name) && (list_.is(i + 1, "(") || list_.is(i + 1, "<"))) return true;
    }
    return false;
  }

  /// A jump back to a label of the same function.
  void jump(Index begin, Index i) {
    for (Index k = i; k-- > begin;) {
      const bool label = list_.view(k) == list_.view(i + 1) && list_.is(k + 1, ":") &&
                         !list_.is(k - 1, "goto") && !list_.is(k - 1, "?");
      if (!label) continue;
      if (reads_.in({k, i})) loops_.push_back({PollingLoop::Kind::jump, i, i + 3});
      return;
    }
  }

  void loop(Index i) {
    if (list_.is(i, "do")) {
      do_while(i);
      return;
    }
    const bool is_for = list_.is(i, "for");
    const Index open = i + 1;
    if ((!is_for && !list_.is(i, "while")) || !list_.is(open, "(") || list_.match[open] == kNone) {
      return;
    }
    Range condition{open + 1, list_.match[open]};
    const Index body = condition.last + 1;
    Range step{condition.last, condition.last};
    if (is_for) {
      condition.first = find_top_level(list_, condition.first, condition.last, {";"}) + 1;
      if (condition.first > condition.last) return;  // range-based
      step.first = find_top_level(list_, condition.first, condition.last, {";"}) + 1;
      condition.last = step.first - 1;
    }
    if (is_condition_of_do(body, i)) return;
    const Range statement{body, statement_end(body)};
    const bool idle = is_empty(body) && !modifies(condition) && !modifies(step);
    if (idle || may_wait(condition, step, statement)) add(condition);
  }

  void do_while(Index i) {
    const Range body{i + 1, statement_end(i + 1)};
    if (!list_.is(body.last, "while") || !list_.is(body.last + 1, "(")) return;
    const Index close = list_.match[body.last + 1];
    if (close == kNone) return;
    const Range condition{body.last + 2, close};
    const bool idle = is_empty(body.first) && !modifies(condition);
    if (idle || may_wait(condition, {close, close}, body)) add(condition);
  }

  void add(Range condition) {
    // `while (T x = ...)` declares.
    const bool declares =
        condition.last > condition.first + 1 && list_.is_identifier(condition.first) &&
        (list_.is_identifier(condition.first + 1) || list_.is(condition.first + 1, "*"));
    if (declares) {
      const Index equals = find_top_level(list_, condition.first, condition.last, {"="});
      if (equals < condition.last) {
        loops_.push_back({PollingLoop::Kind::declaration, equals + 1, condition.last});
        return;
      }
    }
    loops_.push_back({PollingLoop::Kind::condition, condition.first, condition.last});
  }

  /// May another thread decide when it ends? Not if it counts, or retries a compare-and-swap.
  bool may_wait(Range condition, Range step, Range body) const {
    if (!reads_.in(condition) && !reads_.in(step) && !reads_.in(body)) return false;
    return !counts(condition, step, body) && !retries(condition, body);
  }

  /// Does a variable of the condition count in every round, and nothing else change it?
  bool counts(Range condition, Range step, Range body) const {
    if (reads_.in(condition) || reads_.in(step)) return false;
    for (Index i = condition.first; i < condition.last; ++i) {
      if (list_.is(i, "||")) return false;
    }
    for (Index i = condition.first; i < condition.last; ++i) {
      const std::string_view name = list_.view(i);
      const bool simple =
          list_.is_identifier(i) && !list_.is(i + 1, "(") && !list_.is(i + 1, "[") &&
          !list_.is(i + 1, ".") && !list_.is(i + 1, "->") && !list_.is(i - 1, ".") &&
          !list_.is(i - 1, "->") && !list_.is(i - 1, "*") && !reads_.is_volatile(name);
      if (!simple) continue;
      int certain = changes(condition, name, false) + changes(step, name, false);
      const bool stays = certain == 0;
      if (stays && !mentions(body, "continue")) certain = changes(body, name, true);
      if (certain > 0 && changes(body, name, false) == (stays ? certain : 0) &&
          !is_assigned(body, name)) {
        return true;
      }
    }
    return false;
  }

  /// How often `name` is counted up or down; with `certain`, only by statements of the body itself.
  int changes(Range range, std::string_view name, bool certain) const {
    static constexpr auto operators =
        std::to_array<std::string_view>({"++", "--", "+=", "-=", "*=", "/=", "<<=", ">>="});
    int found = 0;
    const bool braces = list_.is(range.first, "{");
    for (Index i = braces ? range.first + 1 : range.first; i < range.last; ++i) {
      if (certain && list_.is(i, "{") && list_.match[i] != kNone) {
        i = list_.match[i];
        continue;
      }
      if (list_.view(i) != name) continue;
      const bool before = list_.is(i - 1, "++") || list_.is(i - 1, "--");
      // `>>=` may come as `>`, `>` and `=`.
      const bool shifts = list_.is(i + 1, ">") && list_.is(i + 2, ">") && list_.is(i + 3, "=");
      if (!before && !contains(operators, list_.view(i + 1)) && !shifts) continue;
      const Index begin = before ? i - 2 : i - 1;
      const bool statement = list_.is(begin, ";") || list_.is(begin, "{") || list_.is(begin, "}");
      if (!certain || (braces && statement)) ++found;
    }
    return found;
  }

  /// Is it given another value, or its address to somebody?
  bool is_assigned(Range range, std::string_view name) const {
    for (Index i = range.first; i < range.last; ++i) {
      if (list_.view(i) != name) continue;
      const bool value = list_.is(i + 1, "=") || list_.is(i + 1, "%=") || list_.is(i + 1, "&=") ||
                         list_.is(i + 1, "|=") || list_.is(i + 1, "^=");
      if (value || list_.is(i - 1, "&")) return true;
    }
    return false;
  }

  bool mentions(Range range, std::string_view word) const {
    for (Index i = range.first; i < range.last; ++i) {
      if (list_.is(i, word)) return true;
    }
    return false;
  }

  /// `do { a = b; b = atomicCAS(p, a, f(a)); } while (a != b);` fails only where another thread has
  /// succeeded: each can finish it alone.
  bool retries(Range condition, Range body) const {
    const Index i = condition.first;
    const bool compares = condition.last == i + 3 && list_.is_identifier(i) &&
                          list_.is(i + 1, "!=") && list_.is_identifier(i + 2);
    if (!compares) return false;
    Index call = kNone;
    for (Index k = body.first; k < body.last; ++k) {
      if (!list_.is_identifier(k) || !list_.view(k).starts_with("atomic")) continue;
      if (call != kNone) return false;
      call = k;
    }
    if (call == kNone || !list_.is(call, "atomicCAS") || !list_.is(call - 1, "=")) return false;
    const std::array<std::string_view, 2> sides{list_.view(i), list_.view(i + 2)};
    if (!contains(sides, list_.view(call - 2))) return false;
    const Index close = list_.match[call + 1];
    const Index second = find_top_level(list_, call + 2, close, {","}) + 1;
    const Index third = find_top_level(list_, second, close, {","});
    if (second > close) return false;
    bool expected = false;
    for (Index k = second; k < third; ++k) expected = expected || contains(sides, list_.view(k));
    return expected && !mentions(body, "volatile");
  }

  /// The `while` of `do {...} while (...);` is followed by a semicolon and preceded by a body.
  bool is_condition_of_do(Index after, Index i) const {
    if (!list_.is(after, ";") || i == 0 || !list_.is(i, "while")) return false;
    if (list_.is(i - 1, "}")) {
      const Index open = list_.match[i - 1];
      return open != kNone && open > 0 && list_.is(open - 1, "do");
    }
    for (Index k = i - 1; k > 0; --k) {
      if (list_.is(k, "do")) return true;
      if (k < i - 1 && (list_.is(k, ";") || list_.is(k, "{") || list_.is(k, "}"))) return false;
    }
    return false;
  }

  bool is_empty(Index body) const {
    return list_.is(body, ";") || (list_.is(body, "{") && list_.match[body] == body + 1) ||
           (list_.is(body, "{") && list_.is(body + 1, ";") && list_.is(body + 2, "}"));
  }

  bool modifies(Range range) const {
    for (Index i = range.first; i < range.last; ++i) {
      const std::string_view word = list_.view(i);
      const bool compound =
          word.size() == 2 && word[1] == '=' && word != "==" && word != "!=" && word != "<=";
      if (word == "++" || word == "--" || compound) return true;
      if (word == "=" && !list_.is(i - 1, ">")) return true;
    }
    return false;
  }

  /// One past the statement at i.
  Index statement_end(Index i) const {
    if (list_.is(i, "{")) return list_.match[i] == kNone ? i + 1 : list_.match[i] + 1;
    return std::min(find_top_level(list_, i, list_.size(), {";"}) + 1, list_.size());
  }

  const Source& source_;
  const TokenList& list_;
  SharedReads reads_;
  std::vector<PollingLoop> loops_;
};

}  // namespace

std::vector<PollingLoop> find_polling_loops(const Source& source) { return Finder(source).run(); }

void rewrite_polling_loops(const Context& context) {
  Edits& edits = context.edits;
  for (const PollingLoop& loop : context.analysis.polling_loops()) {
    if (loop.kind == PollingLoop::Kind::body) {
      edits.insert_after(loop.first, " ::simt::yield();");
    } else if (loop.kind == PollingLoop::Kind::jump) {
      edits.insert_before(loop.first, "{ ::simt::yield(); ");
      edits.insert_after(loop.last - 1, " }");
    } else if (loop.first == loop.last) {
      edits.insert_before(loop.first, "(::simt::yield(), true)");
    } else if (loop.kind == PollingLoop::Kind::declaration) {
      edits.insert_before(loop.first, "(::simt::yield(), ");
      edits.insert_after(loop.last - 1, ")");
    } else {
      edits.insert_before(loop.first, "(");
      edits.insert_after(loop.last - 1, ") && (::simt::yield(), true)");
    }
  }
}

}  // namespace simt::rewrite

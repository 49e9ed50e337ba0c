#include "polling.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "passes.hpp"

namespace simt::rewrite {
namespace {

class Finder {
 public:
  explicit Finder(const Source& source) : source_(source), list_(*source.list) {}

  std::vector<PollingLoop> run() {
    find_volatile_names();
    for (const Function& function : source_.functions) {
      const bool device = function.specifiers.global || function.device_only();
      if (!device || !function.has_body()) continue;
      for (Index i = function.body_open; i < function.body_close; ++i) loop(i);
    }
    return std::move(loops_);
  }

 private:
  /// Variables and parameters declared volatile, or as pointers to volatile.
  void find_volatile_names() {
    for (Index i = 0; i < list_.size(); ++i) {
      if (!list_.is(i, "volatile") || list_.is_system(i) || list_.is(i + 1, "(")) continue;
      const Index stop = find_top_level(list_, i, list_.size(), {";", ",", ")", "=", "[", "("});
      if (stop > i + 1 && list_.is_identifier(stop - 1)) {
        volatile_names_.emplace(list_.view(stop - 1));
      }
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
    Index first = open + 1;
    Index last = list_.match[open];
    const Index body = last + 1;
    if (is_for) {
      first = find_top_level(list_, first, last, {";"}) + 1;
      if (first > last) return;  // range-based
      last = find_top_level(list_, first, last, {";"});
    }
    if (is_condition_of_do(body, i)) return;
    // `while (T x = ...)` declares.
    if (list_.is_identifier(first) && list_.is_identifier(first + 1)) return;
    const bool idle = is_empty(body) && !modifies(first, list_.match[open]);
    const bool endless = first == last || list_.is(first, "true") || list_.is(first, "1") ||
                         (first + 1 == last) || (first + 2 == last && list_.is(first, "!"));
    if (idle || reads_shared_state(first, last, true) ||
        (endless && !is_for && reads_shared_state(body, statement_end(body), false)) ||
        (first == last && reads_shared_state(body, statement_end(body), false))) {
      loops_.push_back({first, last});
    }
  }

  void do_while(Index i) {
    const Index end = statement_end(i + 1);
    if (!list_.is(end, "while") || !list_.is(end + 1, "(") || list_.match[end + 1] == kNone) return;
    const Index first = end + 2;
    const Index last = list_.match[end + 1];
    const bool idle = is_empty(i + 1) && !modifies(first, last);
    if (idle || reads_shared_state(first, last, true) || reads_shared_state(i + 1, end, false)) {
      loops_.push_back({first, last});
    }
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

  bool modifies(Index first, Index last) const {
    for (Index i = first; i < last; ++i) {
      const std::string_view word = list_.view(i);
      const bool compound =
          word.size() == 2 && word[1] == '=' && word != "==" && word != "!=" && word != "<=";
      if (word == "++" || word == "--" || compound) return true;
      if (word == "=" && !list_.is(i - 1, ">")) return true;
    }
    return false;
  }

  /// Is another thread's write what is waited for? `atomics`: a read-modify-write counts too.
  bool reads_shared_state(Index first, Index last, bool atomics) const {
    for (Index i = first; i < last; ++i) {
      if (!list_.is_identifier(i)) continue;
      const std::string_view word = list_.view(i);
      const bool member = list_.is(i - 1, ".") || list_.is(i - 1, "->");
      if (word == "volatile" || volatile_names_.count(word) != 0 || word == "__nanosleep" ||
          word == "ld_acquire" || (word == "load" && member) ||
          (atomics && word.starts_with("atomic"))) {
        return true;
      }
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
  std::set<std::string, std::less<>> volatile_names_;
  std::vector<PollingLoop> loops_;
};

}  // namespace

std::vector<PollingLoop> find_polling_loops(const Source& source) { return Finder(source).run(); }

void rewrite_polling_loops(const Context& context) {
  for (const PollingLoop& loop : context.analysis.polling_loops()) {
    if (loop.first == loop.last) {
      context.edits.insert_before(loop.first, "(::simt::yield(), true)");
    } else {
      context.edits.insert_before(loop.first, "(");
      context.edits.insert_after(loop.last - 1, ") && (::simt::yield(), true)");
    }
  }
}

}  // namespace simt::rewrite

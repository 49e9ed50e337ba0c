#include <algorithm>
#include <string>

#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

class Launches {
 public:
  explicit Launches(const Context& context) : context_(context), list_(context.list) {}

  void run() {
    for (Index i = 0; i < list_.size(); ++i) {
      if (list_[i].kind == TokenKind::launch) {
        if (!list_.is_system(i)) launch(i);
      } else if (list_.is_identifier(i) && !list_.is_system(i) &&
                 context_.source.kernels.count(list_.view(i)) != 0) {
        kernel_pointer(i);
      }
    }
  }

 private:
  void launch(Index open) {
    const Index close = configuration_end(open);
    const Index callee = callee_begin(open);
    if (close == kNone || callee == kNone) {
      context_.error(open,
                     "this kernel launch cannot be read: expected kernel<<<grid, block>>>(...)");
      return;
    }
    const Index arguments = close + 3;
    context_.edits.insert_before(
        callee, {new_text("(::simt::configure("), source(open + 1, close), new_text("), ")});
    context_.edits.erase(open, arguments);
    context_.edits.insert_after(list_.match[arguments], ")");
  }

  /// The first of the three `>` that close the configuration: the last three before a `(`.
  Index configuration_end(Index open) const {
    for (Index i = open + 1; i < list_.size(); ++i) {
      const std::string_view word = list_.view(i);
      if (word == "(" || word == "[" || word == "{") {
        if (list_.match[i] == kNone) return kNone;
        i = list_.match[i];
      } else if (word == ";" || word == ")" || word == "]" || word == "}") {
        return kNone;
      } else if (word == ">" && list_.is(i + 1, ">") && list_.is(i + 2, ">") &&
                 list_.is(i + 3, "(") && list_.match[i + 3] != kNone) {
        return i;
      }
    }
    return kNone;
  }

  /// The first token of the expression that ends before `end`: `ns::k<T>`, `(*p)`, `table[i].f`.
  Index callee_begin(Index end) const {
    Index i = end;
    while (i > 0) {
      i = primary_begin(i);
      if (i == kNone || i == 0) return i;
      const std::string_view before = list_.view(i - 1);
      if (before == "template" && i > 1) --i;
      const std::string_view link = list_.view(i - 1);
      if (link == "." || link == "->") {
        --i;
      } else if (link == "::") {
        --i;
        const bool qualified = i > 0 && (list_.is(i - 1, ">") || names_scope(i - 1));
        if (!qualified) return i;
      } else {
        return i;
      }
    }
    return i;
  }

  bool opens_launch(Index i) const {
    return i < list_.size() && list_[i].kind == TokenKind::launch;
  }

  bool names_scope(Index i) const { return list_.is_identifier(i) && !is_keyword(i); }

  bool is_keyword(Index i) const {
    const std::string_view word = list_.view(i);
    return word == "return" || word == "else" || word == "do" || word == "case" || word == "if" ||
           word == "while" || word == "for" || word == "switch" || word == "co_return";
  }

  /// One operand with its calls, subscripts and template arguments, without what qualifies it.
  Index primary_begin(Index end) const {
    Index i = end;
    while (i > 0) {
      const std::string_view word = list_.view(i - 1);
      if (word == ")" || word == "]") {
        const Index open = list_.match[i - 1];
        if (open == kNone) return kNone;
        i = open;
        if (i == 0) return i;
        const bool operand = list_.is(i - 1, ")") || list_.is(i - 1, "]") || list_.is(i - 1, ">") ||
                             (list_.is_identifier(i - 1) && !is_keyword(i - 1));
        if (!operand || closes_condition(i - 1)) return i;
      } else if (word == ">") {
        const Index open = find_template_open(list_, i - 1);
        if (open == kNone || open == 0 || !list_.is_identifier(open - 1)) return kNone;
        return open - 1;
      } else if (list_.is_identifier(i - 1) && !is_keyword(i - 1)) {
        return i - 1;
      } else {
        return kNone;
      }
    }
    return kNone;
  }

  /// Is the `)` at i the end of `if (...)` and the like?
  bool closes_condition(Index i) const {
    if (!list_.is(i, ")") || list_.match[i] == kNone || list_.match[i] == 0) return false;
    Index before = list_.match[i] - 1;
    if (list_.is(before, "constexpr") && before > 0) --before;
    return list_.is_identifier(before) && is_keyword(before);
  }

  /// `(void*)k`, `(const void*)k<T>`, `reinterpret_cast<void*>(&k)`: the runtime must be able to
  /// find the kernel behind the pointer. What has a kernel's name and is none stays as it is.
  void kernel_pointer(Index name) {
    Index first = name;
    while (first >= 2 && list_.is(first - 1, "::")) {
      first -= list_.is_identifier(first - 2) ? 2 : 1;
    }
    Index last = name + 1;
    if (list_.is(last, "<")) {
      last = skip_template_arguments(list_, last);
      if (last == kNone) return;
    }
    Index operand = first;
    if (operand > 0 && list_.is(operand - 1, "&")) --operand;
    if (operand == 0 || list_.is(last, "(") || opens_launch(last)) return;
    const Index cast_end = void_cast_begin(operand, last);
    if (cast_end == kNone) {
      if (is_assigned(operand, last)) {
        context_.edits.insert_before(operand, "::simt::known_kernel(");
        context_.edits.insert_after(last - 1, ")");
      }
      return;
    }
    const bool function_style = list_.is(operand - 1, "(");
    const Index end = function_style ? last + 1 : last;
    context_.edits.replace(
        cast_end, end,
        {new_text("((void*)::simt::kernel_ref("), source(operand, last), new_text("))")});
  }

  /// `auto p = k<int>;` in a function: the pointer may become an untyped one later.
  bool is_assigned(Index first, Index last) const {
    if (!list_.is(first - 1, "=") || !list_.is(last, ";")) return false;
    const Function* const around = enclosing_function(context_.source, first);
    if (around == nullptr || around->is_device_code()) return false;
    std::string_view name;
    for (Index i = first; i < last && !list_.is(i, "<"); ++i) {
      if (list_.is_identifier(i)) name = list_.view(i);
    }
    const bool given_arguments = list_.is(last - 1, ">");
    for (const Function& function : context_.source.functions) {
      // A template without arguments, or one of several: the target's type decides which.
      if (function.name == name && function.is_template != given_arguments) return false;
    }
    for (Index i = first; i-- > 0 && !list_.is(i, ";") && !list_.is(i, "{") && !list_.is(i, "}");) {
      if (list_.is(i, "constexpr") || list_.is(i, "template")) return false;
    }
    return count_overloads(name) <= 1;
  }

  /// Definitions of a kernel's name, or declarations if there are none.
  std::ptrdiff_t count_overloads(std::string_view name) const {
    return std::count_if(context_.source.functions.begin(), context_.source.functions.end(),
                         [&](const Function& function) {
                           return function.name == name && function.has_body() &&
                                  !list_.is(function.params_open - 1, ">");
                         });
  }

  /// The first token of a cast to a pointer to void of the operand [first, last), or kNone.
  Index void_cast_begin(Index first, Index last) const {
    if (list_.is(first - 1, ")")) {
      const Index open = list_.match[first - 1];
      return open != kNone && is_void_pointer(open + 1, first - 1) ? open : kNone;
    }
    if (!list_.is(first - 1, "(") || !list_.is(last, ")") || first < 4) return kNone;
    if (!list_.is(first - 2, ">")) return kNone;
    const Index open = find_template_open(list_, first - 2);
    if (open == kNone || open == 0 || !is_void_pointer(open + 1, first - 2)) return kNone;
    const bool cast = list_.is(open - 1, "reinterpret_cast") || list_.is(open - 1, "static_cast");
    return cast ? open - 1 : kNone;
  }

  bool is_void_pointer(Index first, Index last) const {
    bool is_void = false;
    bool pointer = false;
    for (Index i = first; i < last; ++i) {
      const std::string_view word = list_.view(i);
      if (word == "void") {
        is_void = true;
      } else if (word == "*") {
        pointer = !pointer;
      } else if (word != "const") {
        return false;
      }
    }
    return is_void && pointer;
  }

  const Context& context_;
  const TokenList& list_;
};

}  // namespace

void rewrite_launches(const Context& context) { Launches(context).run(); }

}  // namespace simt::rewrite

#include "split/linear.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace simt::rewrite::split {
namespace {

class LinearForms {
 public:
  LinearForms(const TokenList& list, const Variables& variables, Index first_return)
      : list_(list),
        variables_(variables),
        first_return_(first_return),
        linear_(variables.all().size(), false) {}

  std::vector<bool> find() {
    for (const Variable& variable : variables_.all()) {  // in order of declaration
      linear_[number(variable)] = is_linear(variable);
    }
    return linear_;
  }

 private:
  std::size_t number(const Variable& variable) const {
    return static_cast<std::size_t>(&variable - variables_.all().data());
  }

  bool is_integer(const Variable& variable) const {
    static constexpr std::array<std::string_view, 14> words{
        "const",  "auto",    "int",     "unsigned", "long",     "std",  "::",
        "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t", "uint", "ptrdiff_t"};
    const Declarator& d = variable.declarator;
    if (d.pointer_first != d.name) return false;
    for (Index i = d.type_first; i < d.type_last; ++i) {
      if (std::find(words.begin(), words.end(), list_.view(i)) == words.end()) return false;
    }
    return true;
  }

  bool is_linear(const Variable& variable) const {
    const Declarator& d = variable.declarator;
    const bool known = (variable.pure && variable.carrier != Carrier::per_thread) ||
                       variable.carrier == Carrier::strided;
    const bool for_all = d.name < first_return_ && !variables_.in_strided_loop(d.name);
    if (!for_all && !is_unsigned(d)) return false;
    if (!known || !is_integer(variable) || !list_.is(d.init_first, "=")) return false;
    int terms = 0;
    for (Index i = d.init_first + 1; i < d.init_last; ++i) {
      const Index end = end_of_term(i);
      if (end != kNone) {
        if (!stands_alone(d, i, end)) return false;
        ++terms;
        i = end - 1;
      } else if (!is_constant(i)) {
        return false;
      }
    }
    return terms == 1;
  }

  /// Is it made of built-in variables and numbers, so that no thread's value is undefined?
  bool is_unsigned(const Declarator& d) const {
    for (Index i = d.init_first + 1; i < d.init_last; ++i) {
      if (list_.is_identifier(i) && variables_.find(i) != nullptr) return false;
    }
    return true;
  }

  /// The end of `threadIdx.x` or of a linear variable at i, else kNone.
  Index end_of_term(Index i) const {
    if (list_.is(i, "threadIdx") && list_.is(i + 1, ".") && list_.is(i + 2, "x")) return i + 3;
    const Variable* variable = variables_.find(i);
    return variable != nullptr && linear_[number(*variable)] ? i + 1 : kNone;
  }

  /// Is tokens [i, end) a summand of its own, not subtracted?
  bool stands_alone(const Declarator& d, Index i, Index end) const {
    const bool before = i == d.init_first + 1 || list_.is(i - 1, "+");
    const bool after = end == d.init_last || list_.is(end, "+") || list_.is(end, "-");
    return before && after && depth(d.init_first + 1, i) == 0;
  }

  int depth(Index first, Index last) const {
    int level = 0;
    for (Index i = first; i < last; ++i) {
      if (list_.is(i, "(") || list_.is(i, "{")) ++level;
      if (list_.is(i, ")") || list_.is(i, "}")) --level;
    }
    return level;
  }

  /// Can the token at i stand in an expression that is the same in a whole row?
  bool is_constant(Index i) const {
    const std::string_view word = list_.view(i);
    static constexpr std::array<std::string_view, 9> marks{"+", "-", "*", "(", ")",
                                                           "{", "}", ".", "::"};
    if (std::find(marks.begin(), marks.end(), word) != marks.end()) return true;
    if (list_.tokens[i].kind == TokenKind::number) {
      return word.find_first_of(".eEpPlL") == std::string_view::npos || word.starts_with("0x");
    }
    if (!list_.is_identifier(i) || list_.is(i + 1, "(")) return false;
    if (list_.is(i - 1, ".") || list_.is(i - 1, "::")) return true;
    if (word == "threadIdx") return list_.is(i + 1, ".") && !list_.is(i + 2, "x");
    const Variable* variable = variables_.find(i);
    if (variable == nullptr || variable->carrier == Carrier::uniform) return true;
    const Declarator& d = variable->declarator;
    if (!variable->pure || variable->carrier == Carrier::per_thread || d.init_last > i) {
      return false;
    }
    for (Index k = d.init_first + 1; k < d.init_last; ++k) {
      if (!is_constant(k)) return false;
    }
    return true;
  }

  const TokenList& list_;
  const Variables& variables_;
  Index first_return_;
  std::vector<bool> linear_;
};

}  // namespace

std::vector<bool> find_linear(const TokenList& list, const Variables& variables,
                              Index first_return) {
  return LinearForms(list, variables, first_return).find();
}

}  // namespace simt::rewrite::split

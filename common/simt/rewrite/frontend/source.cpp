#include "frontend/source.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "frontend/declarators.hpp"

namespace simt::rewrite {
namespace {

constexpr std::array<std::string_view, 17> kTakeArguments = {
    "__launch_bounds__", "__attribute__",    "__attribute", "alignas",        "__align__",
    "decltype",          "noexcept",         "explicit",    "throw",          "typeof",
    "__typeof__",        "__cluster_dims__", "__maxnreg__", "__block_size__", "asm",
    "__asm__",           "__builtin_align__"};

/// Which declarations without a parameter list are those of functions: `F f;` after
/// `typedef int F();`, `decltype(g) f;`, or what is defined as one further down.
class DeclaredFunctions {
 public:
  explicit DeclaredFunctions(const Source& source) : list_(*source.list) {
    for (Index i = 0; i < list_.size(); ++i) {
      if (list_.is(i, "using") || list_.is(i, "typedef")) note_alias(i);
    }
    for (const Function& function : source.functions) {
      names_.insert(function.name);
      if (function.has_body()) defined_.insert(function.scope.path + function.name);
    }
  }

  bool contains(const Variable& variable) const {
    const Declaration declaration =
        split_declaration(list_, variable.declaration, variable.semicolon);
    const std::vector<Declarator>& all = declaration.declarators;
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const Declarator& d) {
      if (d.initializer != kNone || d.first != d.name) return false;
      return defined_.contains(variable.scope.path + std::string(list_.view(d.name))) ||
             is_function_type(variable.declaration, declaration.last);
    });
  }

 private:
  /// `using F = int(float);` or `typedef int F(float);`: no pointer, and nothing that takes an
  /// argument for another reason, such as `decltype(x)`.
  void note_alias(Index i) {
    const Index end = find_top_level(list_, i, list_.size(), {";"});
    if (list_.is(i, "using")) {
      const Index open = list_.is(i + 2, "=") && list_.is(end - 1, ")") ? list_.match[end - 1] : i;
      if (open > i + 3 && begins_parameters(open)) aliases_.insert(list_.view(i + 1));
      return;
    }
    const Index open = find_top_level(list_, i, end, {"("});
    const bool named = open > i + 2 && open < end && list_.is_identifier(open - 1);
    const bool last = named && list_.match[open] != kNone && list_.match[open] + 1 == end;
    if (last && begins_parameters(open)) aliases_.insert(list_.view(open - 1));
  }

  bool begins_parameters(Index open) const {
    return !list_.is(open - 1, ")") && !takes_argument(list_.view(open - 1));
  }

  bool is_function_type(Index first, Index last) const {
    for (Index i = first; i < last; ++i) {
      const Index behind = list_.is(i, "<") ? skip_template_arguments(list_, i) : kNone;
      if (behind != kNone) i = behind;
      if (aliases_.contains(list_.view(i))) return true;
      if (list_.is(i, "decltype") && names_.contains(list_.view(i + 2)) && list_.is(i + 3, ")")) {
        return true;
      }
    }
    return false;
  }

  const TokenList& list_;
  std::set<std::string_view> aliases_;
  std::set<std::string, std::less<>> names_, defined_;
};

/// Gives items the new numbers of their variables; what has none is no variable.
void renumber(std::vector<Item>& items, const std::vector<std::size_t>& numbers) {
  for (Item& item : items) {
    renumber(item.children, numbers);
    if (item.kind != ItemKind::variable) continue;
    item.number = numbers[item.number];
    if (item.number == kNone) item.kind = ItemKind::other;
  }
}

}  // namespace

bool takes_argument(std::string_view word) { return contains(kTakeArguments, word); }

Index find_top_level(const TokenList& list, Index first, Index last,
                     std::initializer_list<std::string_view> words) {
  for (Index i = first; i < last; ++i) {
    const std::string_view word = list.view(i);
    if (std::find(words.begin(), words.end(), word) != words.end()) return i;
    const bool opens = word == "(" || word == "[" || word == "{";
    if (opens && list.match[i] != kNone) i = list.match[i];
  }
  return last;
}

void part_declared_functions(Source& source) {
  const DeclaredFunctions functions(source);
  std::vector<Variable> variables;
  std::vector<std::size_t> numbers;
  for (Variable& variable : source.variables) {
    const bool function = functions.contains(variable);
    numbers.push_back(function ? kNone : variables.size());
    if (!function) {
      variables.push_back(std::move(variable));
      continue;
    }
    const Declaration declaration =
        split_declaration(*source.list, variable.declaration, variable.semicolon);
    for (const Declarator& d : declaration.declarators) {
      source.declared.emplace(source.list->view(d.name));
    }
  }
  source.variables = std::move(variables);
  renumber(source.items, numbers);
}

}  // namespace simt::rewrite

#include <algorithm>
#include <array>
#include <utility>

#include "frontend/source.hpp"

namespace simt::rewrite {
namespace {

/// Words that stand before a parenthesis and name no function.
constexpr std::array<std::string_view, 22> kNotFunctionNames = {
    "static_assert", "_Static_assert", "if",    "while",  "for",     "switch",  "return", "sizeof",
    "alignof",       "catch",          "void",  "int",    "float",   "double",  "char",   "bool",
    "unsigned",      "long",           "short", "signed", "wchar_t", "_Alignas"};

class Parser {
 public:
  explicit Parser(const TokenList& list) : list_(list) { source_.list = &list; }

  Source run() {
    source_.group_namespaces = {"cooperative_groups"};
    scope(0, list_.size(), {}, source_.items);
    part_declared_functions(source_);
    for (const Function& function : source_.functions) {
      if (function.specifiers.global) source_.kernels.insert(function.name);
    }
    return std::move(source_);
  }

 private:
  std::string_view view(Index i) const { return list_.view(i); }
  bool is(Index i, std::string_view word) const { return list_.is(i, word); }

  /// One past the bracket that closes the one at i.
  Index past(Index i) const { return list_.match[i] == kNone ? i + 1 : list_.match[i] + 1; }

  void scope(Index first, Index last, const Scope& scope, std::vector<Item>& items) {
    Index i = first;
    while (i < last) {
      if (list_.is_system(i)) {
        i = is(i, "{") ? past(i) : i + 1;
      } else {
        i = item(i, last, scope, items);
      }
    }
  }

  Index item(Index i, Index last, const Scope& scope, std::vector<Item>& items) {
    const std::string_view word = view(i);
    if (list_[i].kind == TokenKind::directive || word == ";" || word == "}") return i + 1;
    if ((word == "public" || word == "private" || word == "protected") && is(i + 1, ":")) {
      return i + 2;
    }
    if (word == "namespace" || (word == "inline" && is(i + 1, "namespace"))) {
      return name_space(i, last, scope, items);
    }
    if (word == "extern" && i + 2 < last && list_[i + 1].kind == TokenKind::string &&
        is(i + 2, "{") && list_.match[i + 2] != kNone) {
      return braces(i, i + 2, scope, items);
    }
    const bool defines = word == "using" && is(i + 2, "=") &&
                         (is(i + 3, "struct") || is(i + 3, "class") || is(i + 3, "union"));
    if (defines) return declaration(i + 3, last, scope, items);  // using A = struct {...};
    if (word == "using" || word == "static_assert") {
      const Index semicolon = find_top_level(list_, i, last, {";"});
      add_item(items, ItemKind::other, 0, i, std::min(semicolon + 1, last));
      return semicolon + 1;
    }
    return declaration(i, last, scope, items);
  }

  Index name_space(Index i, Index last, const Scope& outer, std::vector<Item>& items) {
    const Index stop = find_top_level(list_, i, last, {"{", "=", ";"});
    if (is(stop, "=")) {
      const Index semicolon = find_top_level(list_, stop, last, {";"});
      for (Index k = stop; k < semicolon; ++k) {
        if (source_.group_namespaces.count(view(k)) != 0) {
          source_.group_namespaces.emplace(view(stop - 1));
        }
      }
      add_item(items, ItemKind::other, 0, i, std::min(semicolon + 1, last));
      return semicolon + 1;
    }
    if (!is(stop, "{") || list_.match[stop] == kNone) return stop + 1;
    Scope inner = outer;
    inner.unnamed = inner.unnamed || is(stop - 1, "namespace");
    for (Index k = i; k < stop; ++k) {
      const std::string_view word = view(k);
      if (list_.is_identifier(k) && word != "inline" && word != "namespace") {
        inner.path += std::string(word) + "::";
      }
    }
    return braces(i, stop, inner, items);
  }

  /// A namespace or a linkage block.
  Index braces(Index first, Index open, const Scope& inner, std::vector<Item>& items) {
    const Index close = list_.match[open];
    add_item(items, ItemKind::scope, 0, first, close + 1);
    items.back().body_open = open;
    std::vector<Item> children;
    scope(open + 1, close, inner, children);
    items.back().children = std::move(children);
    return close + 1;
  }

  static void add_item(std::vector<Item>& items, ItemKind kind, std::size_t number, Index first,
                       Index last) {
    items.push_back({kind, number, first, last, kNone, {}});
  }

  /// What is known of a declaration while its tokens go by.
  struct State {
    Scope scope;
    Specifiers specifiers;
    bool is_template = false;
    bool is_instantiation = false;
    bool names_operator = false;
    Index first = kNone;
    Index declaration = kNone;
    Index name = kNone;
    Index open = kNone;  ///< of the parameters
    Item class_item;
  };

  Index declaration(Index first, Index last, const Scope& scope, std::vector<Item>& items) {
    State state;
    state.scope = scope;
    state.first = first;
    Index i = template_headers(first, last, state);
    state.declaration = i;
    while (i < last) {
      const std::string_view word = view(i);
      if (word == ";") return finish(state, i, kNone, items);
      if (word == "}") return i;
      if (word == "{" && state.open != kNone && list_.match[i] != kNone) {
        return finish(state, list_.match[i], i, items);
      }
      i = next(state, i, last);
    }
    return i;
  }

  /// Takes in the token at i and returns the next one to look at.
  Index next(State& state, Index i, Index last) {
    const std::string_view word = view(i);
    if (word == "[" || word == "{") return past(i);
    if (word == "(") return parenthesis(state, i);
    if (word == "=") return find_top_level(list_, i, last, {";"});
    if (word == ":" && state.open != kNone) return initialisers(i + 1, last);
    if (word == "requires" && state.open != kNone) return requires_clause(i, last);
    if (word == "<" && i > state.declaration && list_.is_identifier(i - 1)) {
      const Index end = skip_template_arguments(list_, i);
      return end == kNone ? i + 1 : end;
    }
    if (!list_.is_identifier(i)) return i + 1;
    if (takes_argument(word) && is(i + 1, "(")) return past(i + 1);
    if (word == "operator" && state.open == kNone) return operator_name(state, i, last);
    if (word == "class" || word == "struct" || word == "union" || word == "enum") {
      return class_head(state, i, last);
    }
    if (state.open == kNone) note_specifier(state.specifiers, word);
    return i + 1;
  }

  static void note_specifier(Specifiers& specifiers, std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, bool Specifiers::*>, 15> words = {{
        {"__global__", &Specifiers::global},
        {"__device__", &Specifiers::device},
        {"__host__", &Specifiers::host},
        {"__constant__", &Specifiers::constant},
        {"__managed__", &Specifiers::managed},
        {"__shared__", &Specifiers::shared},
        {"static", &Specifiers::is_static},
        {"extern", &Specifiers::is_extern},
        {"inline", &Specifiers::is_inline},
        {"__inline__", &Specifiers::is_inline},
        {"__forceinline__", &Specifiers::is_inline},
        {"constexpr", &Specifiers::is_constexpr},
        {"consteval", &Specifiers::is_constexpr},
        {"friend", &Specifiers::is_friend},
        {"typedef", &Specifiers::is_typedef},
    }};
    for (const auto& [name, member] : words) {
      if (name == word) specifiers.*member = true;
    }
  }

  Index template_headers(Index i, Index last, State& state) {
    while (is(i, "template")) {
      if (!is(i + 1, "<")) {
        state.is_instantiation = true;
        return i + 1;
      }
      const Index end = skip_template_arguments(list_, i + 1);
      if (end == kNone) return i + 1;
      state.is_template = state.is_template || end != i + 3;
      i = is(end, "requires") ? requires_clause(end, last) : end;
    }
    return i;
  }

  Index requires_clause(Index i, Index last) {
    do {
      ++i;
      while (is(i, "!")) ++i;
      if (is(i, "requires")) {
        ++i;
        if (is(i, "(")) i = past(i);
        if (is(i, "{")) i = past(i);
      } else if (is(i, "(")) {
        i = past(i);
      } else {
        i = concept_name(i, last);
      }
    } while (i < last && (is(i, "&&") || is(i, "||")));
    return i;
  }

  Index concept_name(Index i, Index last) {
    while (i < last && (list_.is_identifier(i) || is(i, "::"))) {
      const bool name = list_.is_identifier(i);
      ++i;
      if (name && is(i, "<")) {
        const Index end = skip_template_arguments(list_, i);
        if (end == kNone) return i;
        i = end;
      }
      if (name && !is(i, "::")) break;
    }
    return i;
  }

  /// The parameters of a function, or any other parenthesis.
  Index parenthesis(State& state, Index i) {
    const Index end = past(i);
    if (state.open != kNone || i == state.declaration || list_.match[i] == kNone) return end;
    if (state.specifiers.is_typedef) return end;
    if (begins_pointer(i + 1)) return function_of_pointer(state, i, end);
    if (is(end, "(") && end == i + 3 && list_.is_identifier(i + 1) && list_.match[end] != kNone) {
      state.name = i + 1;  // `int (name)(...)`: so written, no macro replaces it
      state.open = end;
      return past(end);
    }
    Index name = i - 1;
    while (is(name, "]") && list_.match[name] != kNone && name > state.declaration) {
      name = list_.match[name] - 1;  // attributes
    }
    if (is(name, ">")) {
      const Index open = find_template_open(list_, name);
      if (open == kNone || open == 0) return end;
      name = open - 1;
    }
    if (name < state.declaration || !list_.is_identifier(name) ||
        contains(kNotFunctionNames, view(name))) {
      return end;
    }
    state.name = name;
    state.open = i;
    return end;
  }

  /// One past the name of a class with its `::`, as in `A::B<int>::`, or i.
  Index behind_scope(Index i) const {
    Index behind = is(i, "::") ? i + 1 : i;
    for (Index k = behind; list_.is_identifier(k);) {
      k = is(k + 1, "<") ? skip_template_arguments(list_, k + 1) : k + 1;
      if (!is(k, "::")) break;
      behind = ++k;
    }
    return behind;
  }

  /// `*`, `&` or `S::*`?
  bool begins_pointer(Index i) const {
    return is(i, "*") || is(i, "&") || is(i, "&&") || is(behind_scope(i), "*");
  }

  /// `int (&f(...))[3]`, `int (S::*f(...))()` and `void (*(*f(...))(int))(int)` are functions,
  /// `void (*f)(int)` is a variable.
  Index function_of_pointer(State& state, Index i, Index end) {
    Index k = i + 1;
    while (true) {
      if (begins_pointer(k)) {
        k = behind_scope(k) + 1;
      } else if ((is(k, "(") && begins_pointer(k + 1)) || is(k, "const") || is(k, "volatile")) {
        ++k;
      } else {
        break;
      }
    }
    k = behind_scope(k);
    if (!list_.is_identifier(k) || !is(k + 1, "(") || list_.match[k + 1] == kNone) return end;
    state.name = k;
    state.open = k + 1;
    return end;
  }

  Index operator_name(State& state, Index i, Index last) {
    Index k = i + 1;
    if ((is(k, "(") && is(k + 1, ")")) || (is(k, "[") && is(k + 1, "]"))) k += 2;
    while (k < last && !is(k, "(") && !is(k, ";")) ++k;
    if (!is(k, "(") || list_.match[k] == kNone) return k;
    state.name = i;
    state.names_operator = true;
    state.open = k;
    return past(k);
  }

  /// `: a(1), b{2}` up to the body.
  Index initialisers(Index i, Index last) {
    while (i < last) {
      while (i < last && !is(i, "(") && !is(i, "{") && !is(i, ";")) {
        const Index end = is(i, "<") ? skip_template_arguments(list_, i) : kNone;
        i = end == kNone ? i + 1 : end;
      }
      if (i >= last || is(i, ";")) return i;
      i = past(i);
      if (is(i, "...")) ++i;
      if (!is(i, ",")) return i;
      ++i;
    }
    return i;
  }

  /// A class definition, or an elaborated name such as `struct S s;`.
  Index class_head(State& state, Index i, Index last) {
    Index k = i + 1;
    Index name = kNone;
    while (k < last && !is(k, "{") && !is(k, ":")) {
      if (list_.is_identifier(k) && takes_argument(view(k)) && is(k + 1, "(")) {
        k = past(k + 1);
      } else if (is(k, "[")) {
        k = past(k);
      } else if (is(k, "<") && name != kNone) {
        const Index end = skip_template_arguments(list_, k);
        if (end == kNone) return i + 1;
        k = end;
      } else if (list_.is_identifier(k) || is(k, "::")) {
        const bool qualifies = is(k, "::") || is(k, "class") || is(k, "final");
        if (!qualifies && name != kNone && !is(k - 1, "::")) return i + 1;
        if (!qualifies) name = k;
        ++k;
      } else {
        return i + 1;
      }
    }
    if (is(k, ":")) k = find_top_level(list_, k, last, {"{", ";"});
    if (!is(k, "{") || list_.match[k] == kNone) return i + 1;
    if (!is(i, "enum")) class_body(state, k, name);
    return list_.match[k] + 1;
  }

  void class_body(State& state, Index open, Index name) {
    Scope inner = state.scope;
    inner.path += (name == kNone ? std::string() : std::string(view(name))) + "::";
    inner.in_class = true;
    inner.in_template = inner.in_template || state.is_template;
    state.class_item.body_open = open;
    scope(open + 1, list_.match[open], inner, state.class_item.children);
  }

  /// Records the declaration that ends with the semicolon or brace at `end`.
  Index finish(State& state, Index end, Index body, std::vector<Item>& items) {
    const Specifiers& words = state.specifiers;
    if (state.open != kNone) {
      add_item(items, ItemKind::function, source_.functions.size(), state.first, end + 1);
      add_function(state, end, body);
    } else if (state.class_item.body_open != kNone) {
      state.class_item.kind = ItemKind::scope;
      state.class_item.first = state.first;
      state.class_item.last = end + 1;
      items.push_back(std::move(state.class_item));
    } else {
      add_item(items, ItemKind::other, 0, state.first, end + 1);
    }
    const bool on_device = words.device || words.constant || words.managed || words.shared;
    if (state.open == kNone && on_device && !words.is_typedef) {
      Variable variable;
      variable.scope = state.scope;
      variable.specifiers = words;
      variable.is_template = state.is_template;
      variable.first = state.first;
      variable.declaration = state.declaration;
      variable.semicolon = end;
      if (items.back().kind == ItemKind::other) {
        items.back().kind = ItemKind::variable;
        items.back().number = source_.variables.size();
      }
      source_.variables.push_back(variable);
    }
    return end + 1;
  }

  void add_function(const State& state, Index end, Index body) {
    Function function;
    function.name = state.names_operator ? std::string(list_.view(state.name, state.open))
                                         : std::string(view(state.name));
    function.scope = state.scope;
    function.specifiers = state.specifiers;
    function.is_template = state.is_template;
    function.is_qualified = state.name > state.declaration && is(state.name - 1, "::");
    function.is_instantiation = state.is_instantiation;
    function.first = state.first;
    function.declaration = state.declaration;
    function.name_token = state.name;
    function.params_open = state.open;
    function.params_close = list_.match[state.open];
    function.body_open = body;
    function.body_close = body == kNone ? kNone : end;
    source_.functions.push_back(std::move(function));
  }

  const TokenList& list_;
  Source source_;
};

}  // namespace

Source parse(const TokenList& list) { return Parser(list).run(); }

}  // namespace simt::rewrite

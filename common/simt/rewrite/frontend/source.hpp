/// \file
/// The structure of a translation unit as far as the rewriter needs it: functions, variables and
/// kernels, found by brackets and keywords; expressions are not parsed.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/token.hpp"

namespace simt::rewrite {

/// What the words before a declarator say.
struct Specifiers {
  bool global = false;
  bool device = false;
  bool host = false;
  bool constant = false;
  bool managed = false;
  bool shared = false;
  bool is_static = false;
  bool is_extern = false;
  bool is_inline = false;
  bool is_constexpr = false;
  bool is_friend = false;
  bool is_typedef = false;
};

/// Where a declaration stands.
struct Scope {
  std::string path;  ///< "a::B::", namespaces and classes
  bool in_class = false;
  bool in_template = false;  ///< in a class template
  bool unnamed = false;      ///< in a namespace without a name
};

/// A function definition, or a declaration if body_open is kNone. Indices are tokens.
struct Function {
  std::string name;  ///< without scope; "operator()" and the like included
  Scope scope;
  Specifiers specifiers;
  bool is_template = false;
  bool is_qualified = false;      ///< declared as A::f
  bool is_instantiation = false;  ///< `template void f<int>(int);`
  Index first = kNone;            ///< of the whole declaration, template header included
  Index declaration = kNone;      ///< the first token after the template headers
  Index name_token = kNone;       ///< of the name; of `operator` for operators
  Index params_open = kNone;
  Index params_close = kNone;
  Index body_open = kNone;  ///< `{`; a constructor's initialisers stand before it
  Index body_close = kNone;

  bool has_body() const { return body_open != kNone; }
  bool device_only() const { return specifiers.device && !specifiers.host; }
  /// A body that only the device runs.
  bool is_device_code() const { return has_body() && (specifiers.global || device_only()); }
};

/// A declaration of variables outside functions, from `first` to its semicolon.
struct Variable {
  Scope scope;
  Specifiers specifiers;
  bool is_template = false;
  Index first = kNone;
  Index declaration = kNone;
  Index semicolon = kNone;
};

enum class ItemKind { function, variable, scope, other };

/// A declaration at namespace or class scope, in source order: what the merge pass compares. The
/// declarations inside a namespace or class are its children.
struct Item {
  ItemKind kind = ItemKind::other;
  std::size_t number = 0;  ///< into Source::functions or Source::variables
  Index first = kNone;
  Index last = kNone;       ///< one past its end
  Index body_open = kNone;  ///< of a scope: its `{`
  std::vector<Item> children;
};

struct Source {
  const TokenList* list = nullptr;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<Item> items;
  std::set<std::string, std::less<>> kernels;           ///< names
  std::set<std::string, std::less<>> declared;          ///< functions without a parameter list
  std::set<std::string, std::less<>> group_namespaces;  ///< cooperative_groups and its aliases
};

/// Finds the structure of everything that is not in a system header.
Source parse(const TokenList& list);

/// Takes declarations of functions without a parameter list, as `F f;`, out of the variables.
void part_declared_functions(Source& source);

/// The first of `words` outside all brackets in tokens [first, last), or `last`.
Index find_top_level(const TokenList& list, Index first, Index last,
                     std::initializer_list<std::string_view> words);

/// Is this word an attribute or operator that takes a parenthesised argument inside a declaration?
bool takes_argument(std::string_view word);

}  // namespace simt::rewrite

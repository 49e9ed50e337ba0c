#include <string>

#include "frontend/declarators.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

const char* kind_of(const Specifiers& words) {
  if (words.managed) return "managed";
  return words.constant ? "constant" : "device";
}

/// Where a storage class can be put in a declaration: at its CUDA word, or behind alignas(...) that
/// comes after it, which g++ takes only before all others.
Index storage_place(const TokenList& list, Index first, Index last) {
  for (Index i = first; i < last; ++i) {
    if (!list.is(i, "__device__") && !list.is(i, "__constant__") && !list.is(i, "__managed__")) {
      continue;
    }
    Index behind = i + 1;
    while (list.is(behind, "alignas") && list.is(behind + 1, "(") &&
           list.match[behind + 1] != kNone) {
      behind = list.match[behind + 1] + 1;
    }
    return behind == i + 1 ? i : behind;
  }
  return first;
}

void register_variable(const Context& context, const Variable& variable,
                       const NameSet& declared_extern) {
  const Specifiers& words = variable.specifiers;
  if (words.is_extern || words.shared || variable.scope.in_class || variable.is_template) return;
  const Declaration declaration =
      split_declaration(context.list, variable.declaration, variable.semicolon);
  std::string registrars;
  bool internal = !words.is_static && !words.is_inline && !context.options.separate_compilation;
  for (const Declarator& declarator : declaration.declarators) {
    const std::string name(context.list.view(declarator.name));
    registrars += " static ::simt::SymbolRegistrar simt_symbol_" + name + "(__builtin_addressof(" +
                  name + "), sizeof(" + name + "), \"" + name +
                  "\", ::simt::SymbolKind::" + kind_of(words) + ");";
    if (declared_extern.count(name) != 0) internal = false;
  }
  if (registrars.empty()) return;
  if (internal) {
    const Index word = storage_place(context.list, variable.declaration, variable.semicolon);
    context.edits.insert_before(word, "static ");
  }
  context.edits.insert_after(variable.semicolon, registrars);
}

/// Without separate compilation a __device__ function belongs to its source file alone, as its
/// device code does with nvcc: two files may define the same one.
void make_internal(const Context& context, const Function& function) {
  const Index word = storage_place(context.list, function.declaration, function.name_token);
  context.edits.insert_before(word, "static __attribute__((unused)) ");
}

bool can_be_internal(const TokenList& list, const Function& function) {
  const Specifiers& words = function.specifiers;
  return function.device_only() && !words.global && !function.scope.in_class &&
         !list.is(function.first, "template") && !function.is_qualified && !words.is_static &&
         !words.is_inline && !words.is_constexpr && !words.is_friend && !words.is_extern;
}

}  // namespace

void rewrite_device_variables(const Context& context) {
  NameSet declared_extern;
  for (const Variable& variable : context.source.variables) {
    if (!variable.specifiers.is_extern) continue;
    const Declaration declaration =
        split_declaration(context.list, variable.declaration, variable.semicolon);
    for (const Declarator& declarator : declaration.declarators) {
      declared_extern.emplace(context.list.view(declarator.name));
    }
  }
  for (const Variable& variable : context.source.variables) {
    register_variable(context, variable, declared_extern);
  }
  if (context.options.separate_compilation) return;

  NameSet defined;
  NameSet external(context.source.declared.begin(), context.source.declared.end());
  for (const Function& function : context.source.functions) {
    if (!function.specifiers.device || function.scope.in_class) {
      if (function.specifiers.is_friend) external.insert(function.name);
      continue;
    }
    if (function.has_body()) defined.insert(function.name);
    if (function.specifiers.is_extern) external.insert(function.name);
  }
  for (Index i = 0; i < context.list.size(); ++i) {
    if (!context.list.is(i, "friend") || context.list.is_system(i)) continue;
    const Index end = find_top_level(context.list, i, context.list.size(), {";", "{"});
    external.emplace(context.list.view(end - 1));  // `friend F f;`, where F is a function's type
  }
  for (const Function& function : context.source.functions) {
    if (can_be_internal(context.list, function) && defined.count(function.name) != 0 &&
        external.count(function.name) == 0) {
      make_internal(context, function);
    }
  }
}

}  // namespace simt::rewrite

#include "passes/inlining.hpp"

#include <set>
#include <string_view>
#include <vector>

#include "passes/passes.hpp"

namespace simt::rewrite {

Calls::Calls(const Source& source) : list_(*source.list) {
  for (const Function& function : source.functions) {
    if (!function.has_body()) continue;
    NameSet& names = calls_[function.name];
    for (Index i = function.params_open; i < function.body_close; ++i) {
      if (list_.is_identifier(i)) names.emplace(list_.view(i));
    }
  }
}

/// Can the body of a function of that name come to call one of that name?
bool Calls::is_recursive(std::string_view name) const {
  NameSet seen, open = {std::string(name)};
  while (!open.empty()) {
    const auto node = calls_.find(*open.begin());
    open.erase(open.begin());
    if (node == calls_.end()) continue;
    for (const std::string& called : node->second) {
      if (called == name) return true;
      if (calls_.count(called) != 0 && seen.insert(called).second) open.insert(called);
    }
  }
  return false;
}

bool Calls::can_be_inlined(const Function& function) const {
  for (Index i = function.body_open; i < function.body_close; ++i) {
    const std::string_view word = list_.view(i);
    if (word == "alloca" || word == "goto" || word.find("va_start") != std::string_view::npos) {
      return false;
    }
  }
  return !is_recursive(function.name);
}

namespace {

/// Is it defined wherever it is used, so that `inline` takes no definition from anybody?
bool is_defined_where_used(const TokenList& list, const Function& function) {
  const bool specialised = list.is(function.first, "template") &&
                           list.is(function.first + 1, "<") && list.is(function.first + 2, ">");
  const Specifiers& words = function.specifiers;
  return words.is_static || words.is_inline || function.scope.unnamed || function.scope.in_class ||
         (function.is_template && !specialised);
}

/// Does it get an array by reference?
bool takes_array(const TokenList& list, const Function& function) {
  for (Index i = function.params_open + 1; i + 4 < function.params_close; ++i) {
    if (list.is(i, "(") && list.is(i + 1, "&") && list.is(i + 3, ")") && list.is(i + 4, "[")) {
      return true;
    }
  }
  return false;
}

}  // namespace

void inline_products(const Context& context, const std::vector<Index>& loops) {
  if (loops.empty()) return;
  const TokenList& list = context.list;
  const Calls calls(context.source);
  std::set<const Function*> seen;
  for (const Index loop : loops) {
    const Function* const function = enclosing_function(context.source, loop);
    if (function == nullptr || !seen.insert(function).second) continue;
    const Specifiers& words = function->specifiers;
    if (words.global || words.is_friend || function->is_instantiation) continue;
    if (!takes_array(list, *function) || !is_defined_where_used(list, *function)) continue;
    bool decided = false;  // by the source
    for (Index i = function->declaration; i < function->name_token; ++i) {
      const std::string_view word = list.view(i);
      decided = decided || word == "__forceinline__" || word == "always_inline" ||
                word == "__noinline__" || word == "noinline";
    }
    if (decided || !calls.can_be_inlined(*function)) continue;
    const bool says_inline = words.is_inline || function->scope.in_class;
    context.edits.insert_before(
        function->declaration,
        says_inline ? "__attribute__((always_inline)) " : "inline __attribute__((always_inline)) ");
  }
}

}  // namespace simt::rewrite

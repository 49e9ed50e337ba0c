// What g++ leaves out where it tells of loads and stores: the value of a class that a call writes
// straight to the left side of an assignment, and one that a call reads straight from memory as an
// argument. With these changes both are copies of their own. And whether a program uses the old
// value that an atomic operation returns, or the error that a call of CUDA's does.
#include <algorithm>
#include <array>
#include <string>

#include "passes/inlining.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

/// The end of the expression that begins at `i`: a `;`, a `,` or a bracket that closes around it.
Index expression_end(const TokenList& list, Index i, Index last) {
  while (i < last) {
    const std::string_view word = list.view(i);
    if (word == ";" || word == "," || word == ")" || word == "]" || word == "}") return i;
    i = past_group(list, i);
  }
  return last;
}

bool ends_head_of_statement(const TokenList& list, Index close) {
  const Index before = list.match[close] - 1;
  return list.is(before, "if") || list.is(before, "for") || list.is(before, "while") ||
         list.is(before, "switch") || list.is(before, "constexpr");
}

/// The first token of what stands left of the `=` at i.
Index left_side(const TokenList& list, Index first, Index i) {
  static constexpr std::array<std::string_view, 9> stops = {"(", "[", "{",    "}", ";",
                                                            ":", "=", "else", "do"};
  while (i > first) {
    const Index k = i - 1;
    if (std::find(stops.begin(), stops.end(), list.view(k)) != stops.end()) break;
    if (list.is(k, ",") && list.is(i, "&")) break;  // declares one more reference
    if (list.is(k, ")") || list.is(k, "]")) {
      if (list.match[k] == kNone || ends_head_of_statement(list, k)) break;
      i = list.match[k];
    } else {
      i = k;
    }
  }
  return i;
}

/// Does an assignment begin at `first`, whose `=` is at i? What declares a variable does not.
bool is_assignment(const TokenList& list, Index first, Index i) {
  static constexpr std::array<std::string_view, 6> starts = {
      "*", "(", "this", "reinterpret_cast", "static_cast", "const_cast"};
  if (first >= i || list.is(i - 1, "operator")) return false;
  if (std::find(starts.begin(), starts.end(), list.view(first)) != starts.end()) return true;
  if (!list.is_identifier(first) || takes_argument(list.view(first))) return false;
  if (list.is(first, "decltype") || list.is(first, "__typeof__")) return false;
  Index name = first;
  while (list.is(name + 1, "::") && list.is_identifier(name + 2)) name += 2;
  const std::string_view next = list.view(name + 1);
  return name + 1 == i || next == "[" || next == "." || next == "->" || next == "(";
}

/// Makes tokens [first, last) a value of their own. One word is a number or a name, and braces have
/// no type.
void wrap(const Context& context, Index first, Index last) {
  if (last < first + 2 || context.list.is(first, "{")) return;
  context.edits.insert_before(first, "::simt::watched_value(");
  context.edits.insert_after(last - 1, ")");
}

/// The same, of `a ? b : c` for b and c: as a whole it may be a place in memory, of which nothing
/// is loaded before it is chosen.
void wrap_branches(const Context& context, Index first, Index last) {
  const TokenList& list = context.list;
  for (Index i = first; i < last;) {
    const bool chooses = list.is(i, "?");
    if (chooses || list.is(i, ":")) {
      if (!chooses) wrap(context, first, i);
      first = ++i;
    } else {
      i = past_group(list, i);
    }
  }
  wrap(context, first, last);
}

void rewrite_assignments(const Context& context, const Function& function) {
  const TokenList& list = context.list;
  for (Index i = function.body_open + 1; i < function.body_close; ++i) {
    if (!list.is(i, "=") || list.is(i - 1, ">")) continue;  // `>=` is two tokens
    if (list.is(i + 1, "...")) continue;                    // a fold
    if (!is_assignment(list, left_side(list, function.body_open + 1, i), i)) continue;
    wrap_branches(context, i + 1, expression_end(list, i + 1, function.body_close));
  }
}

bool is_scalar_word(std::string_view word) {
  static constexpr std::array<std::string_view, 22> words = {
      "int",      "unsigned", "float",     "double",   "bool",     "char",
      "short",    "long",     "signed",    "void",     "size_t",   "int8_t",
      "uint8_t",  "int16_t",  "uint16_t",  "int32_t",  "uint32_t", "int64_t",
      "uint64_t", "intptr_t", "uintptr_t", "ptrdiff_t"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Has the function a parameter that may be a class, by value?
bool takes_value(const TokenList& list, const Function& function) {
  for (Index i = function.params_open + 1; i < function.params_close;) {
    const Index end = expression_end(list, i, function.params_close);
    bool value = end > i;
    for (Index k = i; k < end; ++k) {
      const std::string_view word = list.view(k);
      if (word == "=") break;
      if (word == "<") {  // what a class is made of says nothing of it
        k = std::min(skip_template_arguments(list, k), end) - 1;
        continue;
      }
      value = value && word != "*" && word != "&" && word != "&&" && !is_scalar_word(word);
    }
    if (value) return true;
    i = end + 1;
  }
  return false;
}

/// g++ gives the copy of an argument no line when it inlines the call. It then counts as part of
/// what stands before: an empty instruction with the call's own line.
void mark_line(const Context& context, Index name) {
  const TokenList& list = context.list;
  const Index open = name + 1;
  if (!list.is(open, "(") || list.match[open] == kNone) return;
  Index first = name;
  while (first >= 2 && list.is(first - 1, "::") && list.is_identifier(first - 2)) first -= 2;
  static constexpr std::array<std::string_view, 7> places = {"(", ",", "=", "return",
                                                             ";", "{", "}"};
  if (std::find(places.begin(), places.end(), list.view(first - 1)) == places.end()) return;
  context.edits.insert_before(first, "(__extension__({ __asm__ volatile(\"\"); }), ");
  context.edits.insert_after(list.match[open], ")");
}

/// Does a statement begin at i?
bool starts_statement(const TokenList& list, Index i) {
  const Index before = i - 1;
  return list.is(before, ";") || list.is(before, "{") || list.is(before, "}") ||
         list.is(before, "else") || list.is(before, "do") ||
         list[before].kind == TokenKind::directive ||
         (list.is(before, ")") && list.match[before] != kNone &&
          ends_head_of_statement(list, before));
}

/// Is the call at `first`, whose brackets close at `close`, a statement of its own?
bool is_statement(const TokenList& list, Index first, Index close) {
  // The last statement of `({ ... })` is its value.
  const bool is_value = list.is(close + 2, "}") && list.is(close + 3, ")");
  return list.is(close + 1, ";") && starts_statement(list, first) && !is_value;
}

/// Where the name of a function begins, whose last word is at i.
Index name_begin(const TokenList& list, Index i) { return list.is(i - 1, "::") ? i - 1 : i; }

/// `atomicAdd`, `atomicAdd_block` and their kin.
bool is_atomic_function(std::string_view name) {
  static constexpr std::array<std::string_view, 11> operations = {
      "Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"};
  constexpr std::string_view prefix = "atomic";
  if (name.substr(0, prefix.size()) != prefix) return false;
  name.remove_prefix(prefix.size());
  const std::size_t scope = name.find('_');
  if (scope != std::string_view::npos) {
    if (name.substr(scope) != "_block" && name.substr(scope) != "_system") return false;
    name = name.substr(0, scope);
  }
  return std::find(operations.begin(), operations.end(), name) != operations.end();
}

/// Who throws away the old value of an atomic operation learns nothing by it.
void rewrite_unused_values(const Context& context, const Function& function) {
  const TokenList& list = context.list;
  for (Index i = function.body_open + 1; i < function.body_close; ++i) {
    if (!list.is(i + 1, "(") || list.match[i + 1] == kNone) continue;
    if (!is_atomic_function(list.view(i))) continue;
    Index first = name_begin(list, i);
    if (list.is(first - 1, ")") && list.is(first - 2, "void") && list.is(first - 3, "(")) {
      first -= 3;
    }
    if (!is_statement(list, first, list.match[i + 1])) continue;
    context.edits.insert_before(i + 2, "::simt::watch_unused(");
    context.edits.insert_after(expression_end(list, i + 2, function.body_close) - 1, ")");
  }
}

/// A function that gives back an error, and is not asked for one.
bool is_api_call(std::string_view name) {
  constexpr std::string_view prefix = "cuda";
  return name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix &&
         name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z' && name != "cudaGetLastError" &&
         name != "cudaPeekAtLastError";
}

/// A call whose error is thrown away; `(void)` before it says that this is meant.
void rewrite_ignored_errors(const Context& context, const Function& function) {
  const TokenList& list = context.list;
  for (Index i = function.body_open + 1; i < function.body_close; ++i) {
    if (!list.is(i + 1, "(") || list.match[i + 1] == kNone || !is_api_call(list.view(i))) continue;
    const Index close = list.match[i + 1];
    if (!is_statement(list, name_begin(list, i), close)) continue;
    const std::string name(list.view(i));
    context.edits.insert_after(close, ", ::simt::watch_ignored(\"" + name + "\")");
  }
}

}  // namespace

void rewrite_watched_values(const Context& context) {
  const Calls calls(context.source);
  NameSet inlined;
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    if (!function.has_body()) continue;
    if (!words.global && !words.device) {
      rewrite_ignored_errors(context, function);
      continue;
    }
    rewrite_assignments(context, function);
    rewrite_unused_values(context, function);
    if (words.global || words.is_friend || function.is_instantiation) continue;
    if (takes_value(context.list, function) && calls.can_be_inlined(function)) {
      context.edits.insert_before(function.declaration, "__attribute__((always_inline)) ");
      inlined.insert(function.name);
    }
  }
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    const bool runs_only = (words.global || words.device) && !words.is_constexpr;
    if (!function.has_body() || !runs_only) continue;
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (context.list.is_identifier(i) && inlined.count(context.list.view(i)) != 0) {
        mark_line(context, i);
      }
    }
  }
}

}  // namespace simt::rewrite

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

constexpr std::array<std::string_view, 12> kDropped = {
    "__global__",         "__device__",  "__host__",          "__shared__",
    "__constant__",       "__managed__", "__grid_constant__", "__device_builtin__",
    "__cudart_builtin__", "__nv_pure__", "__tile_static__",   "__device_builtin_texture_type__"};

constexpr std::array<std::string_view, 4> kDroppedWithArgument = {
    "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__"};

/// Does a word of the declaration around token i say `inline` already?
bool says_inline(const TokenList& list, Index i) {
  const auto ends = [&](Index k) {
    const std::string_view word = list.view(k);
    return word == ";" || word == "{" || word == "}" || word == "(" || word == ")";
  };
  for (Index k = i; k-- > 0 && !ends(k);) {
    if (list.is(k, "inline") || list.is(k, "__inline__") || list.is(k, "__forceinline__")) {
      return true;
    }
  }
  for (Index k = i + 1; k < list.size() && !ends(k); ++k) {
    if (list.is(k, "inline") || list.is(k, "__inline__")) return true;
  }
  return false;
}

/// Do only attribute words stand between token i and a lambda's `]`?
bool belongs_to_lambda(const TokenList& list, Index i) {
  Index k = i;
  while (k > 0 && (list.is(k - 1, "__device__") || list.is(k - 1, "__host__"))) --k;
  return k > 0 && list.is(k - 1, "]");
}

/// nvcc's promise to the optimiser, for which g++ has another form.
void rewrite_assumption(const Context& context, Index i) {
  if (!context.list.is(i + 1, "(") || context.list.match[i + 1] == kNone) return;
  context.edits.replace(i, "(static_cast<bool>");
  context.edits.insert_after(context.list.match[i + 1], " ? void() : __builtin_unreachable())");
}

void rewrite_word(const Context& context, Index i) {
  const TokenList& list = context.list;
  const std::string_view word = list.view(i);
  if (word == "__assume" || (word == "__builtin_assume" && !context.options.clang)) {
    rewrite_assumption(context, i);
  } else if (contains(kDropped, word)) {
    context.edits.erase(i, i + 1);
  } else if (contains(kDroppedWithArgument, word) && list.is(i + 1, "(") &&
             list.match[i + 1] != kNone) {
    context.edits.erase(i, list.match[i + 1] + 1);
  } else if (word == "__forceinline__") {
    const bool lambda = belongs_to_lambda(list, i);
    context.edits.replace(i, lambda                 ? ""
                             : says_inline(list, i) ? "__attribute__((always_inline))"
                                                    : "inline __attribute__((always_inline))");
  } else if (word == "__noinline__") {
    context.edits.replace(i, belongs_to_lambda(list, i) ? "" : "__attribute__((noinline))");
  } else if ((word == "__align__" || word == "__builtin_align__") && list.is(i + 1, "(") &&
             list.match[i + 1] != kNone) {
    context.edits.replace(i, "__attribute__((aligned");
    context.edits.insert_after(list.match[i + 1], "))");
  }
}

/// What `#pragma unroll 4` or `#pragma unroll (4)` becomes; empty: nothing. `#pragma unroll` alone
/// asks for all rounds, since a GPU has no addresses for registers. The host's compiler decides by
/// itself: it makes vectors of loops, and of a nest that is unrolled whole only poor ones.
std::string unroll_pragma(std::string_view argument) {
  std::string count;
  for (const char c : argument) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      count += c;
    } else if (c != '(' && c != ')' && c != ' ' && c != '\t' && c != '\r') {
      return {};  // an expression: the compiler decides
    }
  }
  if (count.empty() || count.size() > 4) return {};
  return "\n#pragma GCC unroll " + (count == "0" ? std::string("1") : count) + '\n';
}

bool begins_loop(const TokenList& list, Index i) {
  return list.is(i, "for") || list.is(i, "while") || list.is(i, "do");
}

void rewrite_pragma(const Context& context, Index i) {
  std::string_view line = context.list.view(i);
  line.remove_prefix(1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  if (!line.starts_with("pragma")) return;
  line.remove_prefix(6);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  if (line.starts_with("unroll")) {
    const std::string pragma = unroll_pragma(line.substr(6));
    context.edits.replace(i, begins_loop(context.list, i + 1) ? pragma : "");
  } else if (line.starts_with("nounroll")) {
    context.edits.replace(i, begins_loop(context.list, i + 1) ? "\n#pragma GCC unroll 1\n" : "");
  } else if (line.starts_with("nv_") || line.starts_with("hd_warning_disable") ||
             line.starts_with("diag_") || line.starts_with("push_macro_nv")) {
    context.edits.replace(i, "");
  }
}

}  // namespace

void rewrite_attributes(const Context& context) {
  const TokenList& list = context.list;
  for (Index i = 0; i < list.size(); ++i) {
    const Token& token = list[i];
    if (token.kind == TokenKind::directive) {
      if (!list.is_system(i)) rewrite_pragma(context, i);
      continue;
    }
    if (token.kind != TokenKind::identifier || list.text[token.begin] != '_') continue;
    const std::string_view word = list.view(i);
    if (word == "__attribute__" || word == "__attribute") {
      // The C++ library writes __attribute__((__noinline__)), which is not CUDA's word.
      if (list.is(i + 1, "(") && list.match[i + 1] != kNone) i = list.match[i + 1];
      continue;
    }
    if (word.starts_with("__")) rewrite_word(context, i);
  }
}

}  // namespace simt::rewrite

// Variables of threads that are declared without a value. What a watched kernel reads of one before
// anything is assigned to it is then no accident: the program that watches chooses it.
#include <array>
#include <string>

#include "frontend/declarators.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

/// With these a statement does not declare a variable of a thread, or one that may be filled.
constexpr std::array<std::string_view, 24> kOtherStatements = {
    "return",    "goto",   "delete",   "new",    "throw",      "case",  "default",   "else",
    "do",        "using",  "typedef",  "extern", "static",     "const", "constexpr", "volatile",
    "constinit", "friend", "co_yield", "asm",    "__shared__", "break", "continue",  "__asm__"};

/// The token behind attributes and alignments at i.
Index past_attributes(const TokenList& list, Index i) {
  while (true) {
    if (list.is(i, "[") && list.is(i + 1, "[") && list.match[i] != kNone) {
      i = list.match[i] + 1;
    } else if (list.is_identifier(i) && takes_argument(list.view(i)) && list.is(i + 1, "(") &&
               list.match[i + 1] != kNone) {
      i = list.match[i + 1] + 1;
    } else {
      return i;
    }
  }
}

/// Is the word at i the name of a first variable, behind its type?
bool is_declared(const TokenList& list, Index i) {
  while (list.is(i, "*")) ++i;
  return list.is_identifier(i) &&
         (list.is(i + 1, ";") || list.is(i + 1, ",") || list.is(i + 1, "["));
}

/// Do tokens [first, semicolon) declare variables, the first of them without a value? A type of one
/// word or more stands before its name.
bool declares(const TokenList& list, Index first, Index semicolon) {
  Index i = past_attributes(list, first);
  while (i < semicolon && list.is_identifier(i) && !contains(kOtherStatements, list.view(i))) {
    ++i;
    if (list.is(i, "<")) i = skip_template_arguments(list, i);
    if (i == kNone) return false;
    if (list.is(i, "::")) {
      ++i;
    } else if (is_declared(list, i)) {
      return true;
    }
  }
  return false;
}

class UnsetVariables {
 public:
  explicit UnsetVariables(const Context& context) : context_(context), list_(context.list) {}

  void fill(const Function& function) {
    Index first = function.body_open + 1;
    for (Index i = first; i < function.body_close; ++i) {
      if (opens_class(i)) {
        first = i = list_.match[i];
      } else if (list_.is(i, "(") && list_.match[i] != kNone && !holds_lambda(i)) {
        i = list_.match[i];  // what the head of a loop declares has a value
      } else if (list_.is(i, ";")) {
        if (declares(list_, first, i)) fill_variables(first, i);
        first = i + 1;
      } else if (list_.is(i, "{") || list_.is(i, "}") || ends_label(first, i) ||
                 list_[i].kind == TokenKind::directive) {
        first = i + 1;
      }
    }
  }

 private:
  /// Is the token at i the `:` of `case 1:` or of a label that begins at `first`?
  bool ends_label(Index first, Index i) const {
    const bool is_label = list_.is(first, "case") || first + 1 == i;
    return is_label && list_.is(i, ":") && !list_.is(i + 1, ":");
  }

  /// Does the `{` at i open the members of a class?
  bool opens_class(Index i) const {
    if (!list_.is(i, "{") || list_.match[i] == kNone) return false;
    for (Index k = i; k-- > 0;) {
      const std::string_view word = list_.view(k);
      if (word == ")" && list_.match[k] != kNone) {  // of an alignment
        k = list_.match[k];
        continue;
      }
      if (word == "struct" || word == "class" || word == "union" || word == "enum") return true;
      if (!list_.is_identifier(k) && word != ":" && word != "," && word != "<" && word != ">") {
        return false;
      }
    }
    return false;
  }

  bool holds_lambda(Index open) const {
    for (Index k = open; k < list_.match[open]; ++k) {
      if (list_.is(k, "[") && begins_lambda(list_, k)) return true;
    }
    return false;
  }

  void fill_variables(Index first, Index semicolon) {
    first = past_attributes(list_, first);
    for (const Declarator& one : split_declaration(list_, first, semicolon).declarators) {
      if (one.initializer != kNone || !list_.is_identifier(one.name)) continue;
      const std::string name(list_.view(one.name));
      const std::string site = "simt_unset_" + std::to_string(++sites_);
      context_.edits.insert_after(
          semicolon, " static ::simt::UnsetVariable " + site + "{\"" + name +
                         "\", __builtin_FILE(), __builtin_LINE()}; ::simt::fill_unset(" + name +
                         ", " + site + ");");
    }
  }

  const Context& context_;
  const TokenList& list_;
  int sites_ = 0;
};

}  // namespace

void rewrite_unset_variables(const Context& context) {
  UnsetVariables variables(context);
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    const bool runs_only = (words.global || words.device) && !words.is_constexpr;
    if (function.has_body() && runs_only) variables.fill(function);
  }
}

}  // namespace simt::rewrite

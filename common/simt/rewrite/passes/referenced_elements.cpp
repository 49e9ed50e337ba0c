// `fill(parts[i])`: g++ tells of a subscript past the end where an element is read or written, not
// where its address is taken, since that may be the array's end. A reference needs an element. So
// what becomes one, or has a member function called, is written as a member of an element, which
// there must be.
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

/// Tokens [first, last).
struct Span {
  Index first, last;
};

/// The parts between the brackets at `open` that commas separate.
std::vector<Span> parts_of(const TokenList& list, Index open) {
  std::vector<Span> parts;
  const Index close = list.match[open];
  Index first = open + 1;
  for (Index i = first; i < close; i = past_group(list, i)) {
    if (!list.is(i, ",")) continue;
    parts.push_back({first, i});
    first = i + 1;
  }
  if (first < close) parts.push_back({first, close});
  return parts;
}

/// Is a parameter like `T& x`, `T&&... x` or `const T (&row)[N]`?
bool is_reference(const TokenList& list, const Span& parameter) {
  for (Index i = parameter.first; i < parameter.last && !list.is(i, "="); i = past_group(list, i)) {
    if (list.is(i, "&") || list.is(i, "&&")) return true;
    if (list.is(i, "(")) return list.is(i + 1, "&");
  }
  return false;
}

/// The names, members and subscripts at i: one past their end. `*rows[i]` begins otherwise.
Index postfix_end(const TokenList& list, Index i) {
  while (list.is_identifier(i)) {
    for (++i; list.is(i, "[") && list.match[i] != kNone;) i = list.match[i] + 1;
    const bool joins = list.is(i, ".") || list.is(i, "->") || list.is(i, "::");
    if (!joins || !list.is_identifier(i + 1)) break;
    const Index next = i + 2;
    if (list.is(next, "(") || list.is(next, "<")) break;  // a call
    ++i;
  }
  return i;
}

/// Writes the last subscripts of an expression so that they are held to the extents.
void hold(const Context& context, const Span& expression) {
  const TokenList& list = context.list;
  Index base = expression.last;
  std::string opened;
  while (list.is(base - 1, "]")) {
    context.edits.insert_after(base - 1, opened.empty() ? ".value" : ".value)");
    opened += "::simt::elements(";
    base = list.match[base - 1];
  }
  context.edits.insert_before(expression.first, opened);
  context.edits.insert_after(base - 1, ")");
}

/// Which parameters of a function are references in all of its overloads.
class Parameters {
 public:
  explicit Parameters(const Context& context) {
    for (const Function& function : context.source.functions) {
      std::vector<Span> parts = parts_of(context.list, function.params_open);
      const auto [entry, is_new] = references_.try_emplace(function.name, parts.size(), true);
      std::vector<bool>& references = entry->second;
      // Constant expressions stay as they are.
      const bool all = !function.specifiers.is_constexpr;
      if (references.size() < parts.size()) references.resize(parts.size(), is_new);
      for (std::size_t i = 0; i < references.size(); ++i) {
        const bool here = i >= parts.size() || is_reference(context.list, parts[i]);
        references[i] = references[i] && all && here;
      }
    }
  }

  bool is_reference_of(std::string_view function, std::size_t parameter) const {
    const auto found = references_.find(std::string(function));
    return found != references_.end() && parameter < found->second.size() &&
           found->second[parameter];
  }

 private:
  // Headers of the system are not read; these are the functions that take fragments of
  // nvcuda::wmma.
  std::unordered_map<std::string, std::vector<bool>> references_ = {
      {"mma_sync", {true, true, true, true}},
      {"fill_fragment", {true}},
      {"load_matrix_sync", {true}},
      {"store_matrix_sync", {false, true}}};
};

/// The name of the function that is called with the arguments in the brackets at `open`, or kNone.
Index called_name(const TokenList& list, Index open) {
  if (list.is_identifier(open - 1)) return open - 1;
  const Index arguments = list.is(open - 1, ">") ? find_template_open(list, open - 1) : kNone;
  return arguments != kNone && list.is_identifier(arguments - 1) ? arguments - 1 : kNone;
}

/// Is what begins behind the `=` at i the value of `T& x` or `T (&row)[4]`?
bool begins_reference(const TokenList& list, Index i) {
  if (list.is_identifier(i - 1)) {
    const bool type = list.is_identifier(i - 3) || list.is(i - 3, ">");
    return type && (list.is(i - 2, "&") || list.is(i - 2, "&&"));
  }
  if (!list.is(i - 1, "]") || list.match[i - 1] == kNone) return false;
  const Index close = list.match[i - 1] - 1;
  const Index open = list.is(close, ")") ? list.match[close] : kNone;
  return open != kNone && list.is(open + 1, "&") && open + 3 == close;
}

class Bodies {
 public:
  explicit Bodies(const Context& context)
      : context_(context), list_(context.list), parameters_(context) {}

  void hold_in(const Function& function) {
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (list_.is(i, "static_assert") || list_.is(i, "constexpr")) {
        while (!list_.is(i, ";") && !list_.is(i, "{")) ++i;
      } else if (list_.is(i, "=") && begins_reference(list_, i)) {
        hold_all_of(i + 1, list_.is(postfix_end(list_, i + 1), ",") ? "," : ";");
      } else if (list_.is(i, "(") && list_.match[i] != kNone) {
        hold_arguments(i);
      } else if (list_.is_identifier(i) && begins(i)) {
        hold_object(i);
      }
    }
  }

 private:
  /// Does an expression begin with the name at i?
  bool begins(Index i) const {
    return !list_.is(i - 1, ".") && !list_.is(i - 1, "->") && !list_.is(i - 1, "::");
  }

  /// Holds the subscripts of the expression at i if `end` comes behind it.
  void hold_all_of(Index i, std::string_view end) {
    const Index last = postfix_end(list_, i);
    if (list_.is(last, end) && list_.is(last - 1, "]")) hold(context_, {i, last});
  }

  void hold_arguments(Index open) {
    const Index name = called_name(list_, open);
    if (name == kNone) return;
    const std::vector<Span> arguments = parts_of(list_, open);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Span argument = arguments[k];
      const bool whole = postfix_end(list_, argument.first) == argument.last;
      if (!whole || !list_.is(argument.last - 1, "]")) continue;
      if (parameters_.is_reference_of(list_.view(name), k)) hold(context_, argument);
    }
  }

  /// `fragments[i].load()`: a member function gets the address of its object.
  void hold_object(Index i) {
    const Index last = postfix_end(list_, i);
    if (list_.is(last - 1, "]") && list_.is(last, ".")) hold(context_, {i, last});
  }

  const Context& context_;
  const TokenList& list_;
  Parameters parameters_;
};

}  // namespace

void rewrite_referenced_elements(const Context& context) {
  Bodies bodies(context);
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    const bool runs_only = (words.global || words.device) && !words.is_constexpr;
    if (function.has_body() && runs_only) bodies.hold_in(function);
  }
}

}  // namespace simt::rewrite

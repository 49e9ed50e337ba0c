// Where the address of a variable could be kept over a barrier.
#include <algorithm>

#include "split/variables.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {

/// Numbers, vectors of numbers, views of such: nothing that holds an address of a variable. At most
/// one `*`, as a parameter's own.
bool Variables::is_plain_type(Index first, Index last) const {
  int stars = 0;
  for (Index i = first; i < last; ++i) {
    if (list_.is(i, "*")) ++stars;
    if (list_.is(i, "&") || list_.is(i, "&&") || list_.is(i, "...")) return false;
    if (!list_.is_identifier(i)) continue;
    const std::string_view word = list_.view(i);
    if (word == "auto" || word == "decltype" || context_.declarations->is_alias(word)) return false;
    const ClassFacts* facts = context_.declarations->find_class(word);
    if (is_local_name(word) || (facts != nullptr && !facts->plain)) return false;
    const bool pointed_at = find_top_level(list_, i, last, {"*"}) < last;
    if (pointed_at && facts != nullptr && facts->holds_address) return false;
  }
  return stars <= 1;
}

/// Is the alias at i the whole name of a type, so that the compiler can be asked about it?
bool Variables::is_alias_alone(Index i) const {
  return context_.declarations->is_alias(list_.view(i)) &&
         !any_of(list_.view(i - 1), {"::", ".", "->", "<", ","}) &&
         !any_of(list_.view(i + 1), {"::", "<", "*", ">"});
}

std::vector<Index> Variables::aliases_in_shared(const Statement& s) const {
  std::vector<Index> result;
  for (Index i = s.first; i < s.last && !any_of(list_.view(i), {";", "[", "="}); ++i) {
    if (list_.is(i, "(") && list_.match[i] != kNone) i = list_.match[i];
    if (list_.is_identifier(i) && is_alias_alone(i)) result.push_back(i);
  }
  return result;
}

bool Variables::memory_holds_addresses(const Statement& body) const {
  const Declarations& declared = *context_.declarations;
  if (!declared.plain_variables() || declared.shows_addresses()) return true;
  for (const Variable& variable : variables_) {
    if (!variable.is_parameter) break;
    const Declarator& d = variable.declarator;
    if (!is_plain_type(d.type_first, d.name)) return true;
  }
  // Parameters of no known form have no entry.
  Index commas = context_.params_close == context_.params_open + 1 ? 0 : 1, parameters = 0;
  for (Index i = context_.params_open + 1; i < context_.params_close; ++i) {
    if (list_.is(i, "<")) {
      const Index end = skip_template_arguments(list_, i);
      if (end != kNone) i = end - 1;
    } else if (list_.match[i] != kNone && list_.match[i] > i) {
      i = list_.match[i];
    } else if (list_.is(i, ",")) {
      ++commas;
    }
  }
  for (const Variable& variable : variables_) parameters += variable.is_parameter ? 1 : 0;
  if (commas != parameters) return true;
  for (Index i = body.first; i < body.last; ++i) {
    if (list_.is(i, "*") && list_.is(i + 1, "*")) return true;  // T**, or a product that looks so
    if (!list_.is(i, "__shared__")) continue;
    for (Index k = i; k < body.last && !list_.is(k, ";"); ++k) {
      const ClassFacts* facts = context_.declarations->find_class(list_.view(k));
      if (list_.is(k, "*") && list_.match[k] == kNone && !list_.is(k - 1, "]")) {
        // `float* p` and not `float a[N * N]`.
        Index depth = k;
        while (depth > i && !list_.is(depth, "[")) --depth;
        if (depth == i) return true;
      }
      if (facts != nullptr) return true;
      if (context_.declarations->is_alias(list_.view(k)) && !is_alias_alone(k)) return true;
    }
  }
  return false;
}

bool Variables::is_template_type(std::string_view word) const {
  for (Index i = context_.first; i < context_.declaration; ++i) {
    if (list_.is(i, word) && any_of(list_.view(i - 1), {"class", "typename"})) return true;
  }
  return false;
}

/// What is_plain_type() could not see: types of no class of the source's, and arguments of
/// templates.
void Variables::add_memory_type(Index first, Index last, std::vector<MemoryType>& result) const {
  Index star = find_top_level(list_, first, last, {"*"});
  if (is_keyword_type(list_, first, star)) return;
  last = std::min(last, star + 1);  // what stands behind it is the pointer's own
  bool of_class = false;
  for (Index i = first; i < last; ++i) {
    of_class = of_class || context_.declarations->find_class(list_.view(i)) != nullptr;
    if (!list_.is(i, "<")) continue;
    const Index end = skip_template_arguments(list_, i);
    if (end == kNone) return;
    for (Index from = i + 1; from + 1 < end;) {
      Index to = from;
      while (to + 1 < end && !list_.is(to, ",")) {
        const bool opens = list_.match[to] != kNone && list_.match[to] > to;
        const Index behind = list_.is(to, "<") ? skip_template_arguments(list_, to) : kNone;
        to = behind != kNone ? behind : opens ? list_.match[to] + 1 : to + 1;
      }
      const bool known = to == from + 1 && !list_.is_identifier(from);
      if (!known) result.push_back({from, to, false});
      from = to + 1;
    }
    i = end - 1;
  }
  if (!of_class) result.push_back({first, last, true});
}

std::vector<MemoryType> Variables::memory_types(const Statement& body) const {
  std::vector<MemoryType> result;
  for (const Variable& variable : variables_) {
    const Declarator& d = variable.declarator;
    if (variable.is_parameter) add_memory_type(d.type_first, d.name, result);
  }
  // Of shared memory, the types that only the compiler knows.
  for (Index i = body.first; i < body.last; ++i) {
    if (!list_.is(i, "__shared__")) continue;
    for (; i < body.last && !any_of(list_.view(i), {";", "[", "="}); ++i) {
      if (is_template_type(list_.view(i))) result.push_back({i, i + 1, false});
    }
  }
  return result;
}

bool Variables::holds_address(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  return d.pointer_first != d.name || !is_keyword_type(list_, d.type_first, d.type_last);
}

}  // namespace simt::rewrite::split

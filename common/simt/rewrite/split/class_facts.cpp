#include "split/class_facts.hpp"

#include <algorithm>

#include "frontend/analysis.hpp"
#include "split/expression.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

bool is_class_word(std::string_view word) { return any_of(word, {"struct", "class", "union"}); }

}  // namespace

Classes::Classes(const Source& source) : list_(*source.list) {
  for (Index i = 0; i < list_.size(); ++i) {
    if (!list_.is_identifier(i) || list_.is_system(i)) continue;
    if (is_class_word(list_.view(i)) && !list_.is(i - 1, "enum")) add_class(i);
    if (list_.is(i, "using") && list_.is_identifier(i + 1) && list_.is(i + 2, "=")) {
      aliases_.emplace(list_.view(i + 1));
    }
    if (list_.is(i, "typedef")) {
      const Index end = find_top_level(list_, i, list_.size(), {";"});
      for (Index k = i; k < end; ++k) {
        if (list_.is_identifier(k)) aliases_.emplace(list_.view(k));
      }
    }
  }
}

const ClassFacts* Classes::find(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

void Classes::add_class(Index keyword) {
  Index name = keyword + 1;
  while (takes_argument(list_.view(name)) && list_.is(name + 1, "(")) {
    name = list_.match[name + 1] + 1;
  }
  if (list_.is(name, "[") && list_.match[name] != kNone) name = list_.match[name] + 1;
  if (!list_.is_identifier(name)) return;
  Index open = name + 1;
  if (list_.is(open, "<")) return;  // a specialisation: of another kind than what has the name
  if (list_.is(open, "final")) ++open;
  const Index bases = open;
  while (list_.is(bases, ":") && open < list_.size() && !list_.is(open, "{") &&
         !list_.is(open, ";")) {
    open = past_group(list_, open);
  }
  if (!list_.is(open, "{") || list_.match[open] == kNone) return;
  ClassFacts& facts = classes_[std::string(list_.view(name))];
  for (Index i = bases; i < open; ++i) add_base(facts, i);
  const Index close = list_.match[open];
  for (Index i = open + 1; i < close;) {
    if (any_of(list_.view(i), {"public", "private", "protected"}) && list_.is(i + 1, ":")) {
      i += 2;
      continue;
    }
    Index end = i;
    while (end < close && !list_.is(end, ";")) {
      const bool body = list_.is(end, "{") && !list_.is(end - 1, "=");
      end = past_group(list_, end);
      const bool goes_on = list_.is(end, ";") || list_.is(end, ",") || list_.is(end, "{");
      if (body && !goes_on) break;
    }
    add_member(facts, list_.view(name), i, std::min(end, close));
    i = list_.is(end, ";") ? end + 1 : end;
  }
}

/// Takes over what is known of the class that token i of a list of bases names.
void Classes::add_base(ClassFacts& facts, Index i) {
  if (any_of(list_.view(i), {":", ",", "public", "private", "protected"})) return;
  if (list_.is(i, "::") || list_.is(i + 1, "::")) return;
  const ClassFacts* const base = find(list_.view(i));
  const bool known = base != nullptr && base != &facts;
  facts.plain = facts.plain && known && base->plain;
  facts.unchanging = facts.unchanging && known && base->unchanging;
  facts.holds_address = facts.holds_address || !known || base->holds_address;
  facts.has_alias = facts.has_alias || !known || base->has_alias;
  if (!known) return;
  const auto pointers = base->pointers;
  facts.pointers.insert(pointers.begin(), pointers.end());
}

/// A member's declaration, function or variable, in tokens [first, last).
void Classes::add_member(ClassFacts& facts, std::string_view name, Index first, Index last) {
  bool is_static = false, constant = false;
  Index parenthesis = kNone;
  for (Index i = first; i < last && parenthesis == kNone;) {
    const std::string_view word = list_.view(i);
    if (is_class_word(word) || any_of(word, {"enum", "mutable", "virtual", "~"})) {
      facts.plain = facts.unchanging = false;
      facts.holds_address = true;
      return;
    }
    if (any_of(word, {"using", "typedef", "static_assert", "friend"})) return;
    is_static = is_static || word == "static" || word == "friend";
    if (word == "=" || word == "[") break;
    if (word == "(") {
      parenthesis = i;
    } else if (word == "operator") {
      i += list_.is(i + 1, "(") ? 3 : 1;
      continue;
    }
    if ((word == "requires" || takes_argument(word)) && list_.is(i + 1, "(")) ++i;
    if (parenthesis == kNone) i = past_group(list_, i);
  }
  if (parenthesis != kNone) {                     // a function
    if (list_.is(parenthesis - 1, name)) return;  // a constructor
    for (Index i = list_.match[parenthesis] + 1; i < last && !list_.is(i, "{"); ++i) {
      constant = constant || list_.is(i, "const");
    }
    if (!constant && !is_static) facts.unchanging = false;
    return;
  }
  if (is_static) {
    for (Index i = first; i < last; ++i)
      constant = constant || any_of(list_.view(i), {"const", "constexpr"});
    if (!constant) facts.plain = facts.unchanging = false;
    return;
  }
  facts.holds_address = facts.holds_address || holds_address(first, last);
  int stars = 0;
  bool of_class = false;
  for (Index i = first; i < last; i = past_group(list_, i)) {
    const std::string_view word = list_.view(i);
    if (word == "*") {
      ++stars;
      if (of_class) facts.plain = facts.unchanging = false;
    } else if (word == ",") {
      stars = 0;
    } else if (any_of(word, {"&", "&&"})) {
      facts.plain = facts.unchanging = false;
    } else if (word == "=" || word == "{") {
      while (i + 1 < last && !list_.is(i + 1, ",")) i = past_group(list_, i + 1) - 1;
    } else if (list_.is_identifier(i)) {
      facts.has_alias = facts.has_alias || is_alias(word);
      if (const ClassFacts* const member = find(word)) {
        facts.has_alias = facts.has_alias || member->has_alias;
        of_class = true;
        facts.plain = facts.plain && member->plain && member != &facts;
        facts.unchanging = facts.unchanging && member->unchanging && member != &facts;
        const auto pointers = member->pointers;
        facts.pointers.insert(pointers.begin(), pointers.end());
      }
      const Index next = i + 1;
      const bool names = next >= last || any_of(list_.view(next), {",", "[", "=", "{"});
      if (names && stars > 0) facts.pointers.emplace(word);
    }
    if (stars > 1) facts.plain = false;
  }
}

/// May a member declared so hold an address? Not if its type is made of numbers' names alone.
bool Classes::holds_address(Index first, Index last) const {
  last = find_top_level(list_, first, last, {"=", "{"});
  for (Index i = first; i < last; i = past_group(list_, i)) {
    const std::string_view word = list_.view(i);
    if (any_of(word, {"*", "&", "&&", "<"})) return true;
    const bool names = i + 1 >= last || any_of(list_.view(i + 1), {",", "[", ":"});
    if (!list_.is_identifier(i) || names || is_type_keyword(word)) continue;
    const ClassFacts* const facts = find(word);
    const bool known = any_of(word, {"const", "std", "alignas", "float2", "float3", "float4",
                                     "int2", "int3", "int4", "uint2", "uint3", "uint4", "dim3",
                                     "half", "__half", "__nv_bfloat16"}) ||
                       (word.ends_with("_t") && list_.is(i - 1, "::"));
    if (!known && (facts == nullptr || facts->holds_address)) return true;
  }
  return false;
}

}  // namespace simt::rewrite::split

#include "passes/host_functions.hpp"

#include <algorithm>
#include <array>

namespace simt::rewrite {
namespace {

constexpr auto kNoStatement =
    std::to_array<std::string_view>({"static", "extern", "__shared__", "typedef", "using"});

bool is_member(const TokenList& list, Index i) {
  return list.is(i - 1, ".") || list.is(i - 1, "->");
}

/// Is this one of the parts of `a::B::`?
bool has_part(std::string_view path, std::string_view part) {
  while (!path.empty()) {
    const std::size_t end = path.find("::");
    if (path.substr(0, end) == part) return true;
    path.remove_prefix(end + 2);
  }
  return false;
}

std::string_view last_part(std::string_view path) {
  if (path.empty()) return {};
  path.remove_suffix(2);
  const std::size_t before = path.rfind("::");
  return before == std::string_view::npos ? path : path.substr(before + 2);
}

bool says_device(const Specifiers& words) {
  return words.device || words.global || words.is_constexpr || words.is_friend;
}

/// `= default`, `= delete` and `= 0` behind the parameters.
bool has_no_body(const TokenList& list, const Function& function) {
  const Index end =
      find_top_level(list, function.params_close + 1, list.size(), {"{", ";", ":", "="});
  return list.is(end, "=");
}

bool is_destructor(const TokenList& list, const Function& function) {
  return function.name_token > 0 && list.is(function.name_token - 1, "~");
}

}  // namespace

bool is_declared_at(const TokenList& list, Index i) {
  const std::string_view before = list.view(i - 1);
  if (list.is_identifier(i - 1)) return !contains(kBeforeExpression, before);
  if (before == "...") return true;
  if (before == "[") {  // of a structured binding?
    return list.is(i - 2, "auto") || list.is(i - 2, "&") || list.is(i - 2, "&&");
  }
  const bool ends = list.is(i + 1, "=") || list.is(i + 1, ";") || list.is(i + 1, ",") ||
                    list.is(i + 1, ")") || list.is(i + 1, "[") || list.is(i + 1, "{") ||
                    list.is(i + 1, ":") || list.is(i + 1, "]");
  return ends &&
         (before == "*" || before == "&" || before == "&&" || before == ">" || before == ",");
}

bool declares(const TokenList& list, Index first, Index last, std::string_view name) {
  for (Index i = first + 1; i < last; ++i) {
    if (list.is(i, name) && !is_member(list, i) && is_declared_at(list, i)) return true;
  }
  return false;
}

HostFunctions::HostFunctions(const Source& source) : source_(source), list_(*source.list) {
  for (const Function& function : source.functions) {
    if (!is_destructor(list_, function)) functions_[function.name].push_back(&function);
  }
  note_classes();
}

void HostFunctions::note_classes() {
  for (Index i = 1; i < list_.size(); ++i) {
    if (!list_.is_identifier(i)) continue;
    const std::string_view before = list_.view(i - 1);
    if (before != "struct" && before != "class" && before != "union") {
      note_other_meanings(i);
    } else if (list_.is(i + 1, "{") || list_.is(i + 1, ":") || list_.is(i + 1, "final")) {
      ++classes_[std::string(list_.view(i))];
    } else if (!list_.is(i + 1, ";") && !list_.is_identifier(i + 1)) {
      other_meanings_.emplace(list_.view(i));
    }
  }
}

void HostFunctions::note_other_meanings(Index i) {
  const std::string_view before = list_.view(i - 1);
  if (before == "typename" || before == "concept" || before == "enum" ||
      (before == "using" && !list_.is(i, "namespace")) ||
      (before == "namespace" && list_.is(i + 1, "="))) {
    other_meanings_.emplace(list_.view(i));
  }
  if (list_.is(i, "typedef") || list_.is(i, "using")) {
    const Index end = find_top_level(list_, i, list_.size(), {";"});
    if (list_.is(i, "typedef")) other_meanings_.emplace(list_.view(end - 1));
    if (list_.is(end - 2, "::")) imported_.emplace(list_.view(end - 1));
  }
}

bool HostFunctions::is_class(std::string_view name) const {
  const auto found = classes_.find(name);
  return found != classes_.end() && found->second == 1 && other_meanings_.count(name) == 0;
}

bool HostFunctions::is_method(std::string_view class_name, std::string_view name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end() || !is_class(class_name) || imported_.count(name) != 0)
    return false;
  bool is_host = false;
  for (const Function* one : found->second) {
    if (!one->scope.in_class || !has_part(one->scope.path, class_name)) {
      if (one->is_qualified && says_device(one->specifiers)) return false;
      continue;
    }
    if (says_device(one->specifiers) || one->is_template || one->scope.in_template ||
        has_no_body(list_, *one)) {
      return false;
    }
    is_host = is_host || last_part(one->scope.path) == class_name;
  }
  return is_host;
}

bool HostFunctions::is_free(std::string_view space, std::string_view name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end() || other_meanings_.count(space) != 0 ||
      imported_.count(name) != 0) {
    return false;
  }
  bool is_host = false;
  for (const Function* one : found->second) {
    if (one->scope.in_class) continue;
    const bool guide = one->name_token == one->declaration;  // for template arguments
    if (guide || says_device(one->specifiers) || has_no_body(list_, *one)) return false;
    is_host = is_host || (!one->is_qualified && last_part(one->scope.path) == space);
  }
  return is_host;
}

bool HostFunctions::is_called(const Function& within, Index i) const {
  if (!list_.is(i + 1, "(") && !list_.is(i + 1, "<")) return false;
  if (list_.is(i - 1, "::")) return is_qualified_call(i);
  if (!list_.is(i + 1, "(")) return false;
  if (is_member(list_, i)) return is_member_call(within, i);
  const std::string_view name = list_.view(i);
  return is_method(class_of(within), name) &&
         !declares(list_, within.params_open, within.body_close, name);
}

bool HostFunctions::is_qualified_call(Index i) const {
  const std::string_view name = list_.view(i);
  const bool global = !list_.is_identifier(i - 2) && !list_.is(i - 2, ">");
  const std::string_view scope = global ? std::string_view() : list_.view(i - 2);
  if (scope == "std" || scope == ">" || scope == name) return false;
  return is_free(scope, name) || (!global && list_.is(i + 1, "(") && is_method(scope, name));
}

bool HostFunctions::is_member_call(const Function& within, Index i) const {
  const std::string_view name = list_.view(i);
  const bool arrow = list_.is(i - 1, "->");
  Index object = i - 2;
  if (arrow && list_.is(object, "this")) return is_method(class_of(within), name);
  const bool made = list_.is(object, "}") || list_.is(object, ")");
  const bool indexed = list_.is(object, "]");
  if (made || indexed) {
    if (list_.match[object] == kNone) return false;
    object = list_.match[object] - 1;
  }
  if (!list_.is_identifier(object) || is_member(list_, object)) return false;
  if (made) return !arrow && is_method(list_.view(object), name);
  if (list_.is(object - 1, "::")) return false;
  const Type type = type_of(within, list_.view(object));
  const int levels = type.stars + (type.array ? 1 : 0);
  return levels == (arrow || indexed ? 1 : 0) && !(arrow && indexed) && is_method(type.name, name);
}

std::string_view HostFunctions::class_of(const Function& within) const {
  if (within.scope.in_class) return last_part(within.scope.path);
  return within.is_qualified ? list_.view(within.name_token - 2) : std::string_view();
}

/// Of all variables of that name; no name if they differ, or if one might be anything.
HostFunctions::Type HostFunctions::type_of(const Function& within, std::string_view name) const {
  Type type;
  for (Index i = within.params_open + 1; i < within.body_close; ++i) {
    if (!list_.is(i, name) || is_member(list_, i) || !is_declared_at(list_, i)) continue;
    const bool argument = list_.is(i - 1, ",") && (list_.is(i + 1, ",") || list_.is(i + 1, ")"));
    if (argument) continue;
    const Type found = type_at(i);
    if (!type.name.empty() && !(type == found)) return {};
    type = found;
    if (type.name.empty()) return {};
  }
  return type;
}

HostFunctions::Type HostFunctions::type_at(Index i) const {
  static constexpr auto kBetween = std::to_array<std::string_view>(
      {"*", "&", "&&", "const", "volatile", "__restrict__", "__restrict", "__grid_constant__"});
  Type type;
  type.array = list_.is(i + 1, "[");
  Index k = i - 1;
  for (; contains(kBetween, list_.view(k)); --k) {
    if (list_.is(k, "*")) ++type.stars;
  }
  if (list_.is_identifier(k)) type.name = list_.view(k);
  return type;
}

bool HostFunctions::is_variable(const Function& within, std::string_view name) const {
  for (Index i = within.params_open + 1; i < within.body_close; ++i) {
    const bool declared = list_.is(i, name) && !is_member(list_, i) && is_declared_at(list_, i);
    if (declared && !type_at(i).name.empty()) return true;
  }
  return false;
}

bool HostFunctions::is_constructed(const Function& within, Index i) const {
  const std::string_view name = list_.view(i);
  if (is_member(list_, i) || !is_method(name, name) || is_variable(within, name)) return false;
  if (list_.is(i + 1, "{") || list_.is(i + 1, "(")) return takes_no_copy(within, i + 1, false);
  if (!list_.is_identifier(i + 1) || !is_statement(within, i)) return false;
  if (list_.is(i + 2, ";")) return true;
  if (list_.is(i + 2, "[")) return list_.is(list_.match[i + 2] + 1, ";");
  return (list_.is(i + 2, "{") || list_.is(i + 2, "(")) && takes_no_copy(within, i + 2, true);
}

/// Does token i belong to the type of a variable that is made there, in no class of its own?
bool HostFunctions::is_statement(const Function& within, Index i) const {
  const auto names_class = [&](Index from, Index to) {
    return find_top_level(list_, from, to, {"struct", "class", "union"}) != to;
  };
  const auto begins = [&](Index k) {
    return list_.is(k, ";") || list_.is(k, "{") || list_.is(k, "}") || list_.is(k, ")");
  };
  Index first = i;
  while (!begins(first - 1)) {
    if (contains(kNoStatement, list_.view(--first)) || list_.is(first, "(") ||
        list_.is(first, ",") || list_.is(first, "<")) {
      return false;
    }
  }
  for (Index k = first - 1; k > within.body_open; --k) {
    if (list_.is(k, "{") && list_.match[k] > i) {
      Index head = k;
      while (!begins(head - 1)) --head;
      return !names_class(head, k);
    }
  }
  return true;
}

/// Arguments of which no constructor for copies takes as many; or a number.
bool HostFunctions::takes_no_copy(const Function& within, Index open, bool names_variable) const {
  const Index close = list_.match[open];
  if (close == kNone) return false;
  const bool parenthesis = list_.is(open, "(");
  if (close == open + 1) return !(parenthesis && names_variable);  // that declares a function
  const bool number = list_[open + 1].kind == TokenKind::number;
  const bool value = number || list_.is(open + 2, ".") ||
                     declares(list_, within.params_open, within.body_close, list_.view(open + 1));
  if (parenthesis && names_variable && !value) return false;
  if (number && close == open + 2) return true;
  return find_top_level(list_, open + 1, close, {"<"}) == close &&
         find_top_level(list_, open + 1, close, {","}) != close;
}

}  // namespace simt::rewrite

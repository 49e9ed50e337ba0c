#include "passes/sides.hpp"

#include <algorithm>
#include <array>

#include "frontend/declarators.hpp"

namespace simt::rewrite {
namespace {

constexpr auto kNoVariable = std::to_array<std::string_view>(
    {"using", "typedef",   "template", "static_assert", "class",  "struct",  "enum",
     "union", "namespace", "concept",  "friend",        "public", "private", "protected",
     "asm",   "__asm__",   "requires", "export",        ";",      "[",       "#"});

class Marker {
 public:
  explicit Marker(const Context& context) : context_(context), list_(context.list) {}

  bool run() {
    sides_ = code_sides(context_.source);
    for (const Function& function : context_.source.functions) mark(function);
    variables(context_.source.items, false);
    for (const Variable& variable : context_.source.variables) initialised_by_constant(variable);
    for (Index i = 1; i < list_.size(); ++i) {
      if (list_.is_system(i)) continue;
      if (list_.is(i, "static") && sides_[i] == Side::device) local_static(i);
      if (list_.is(i, "[") && begins_lambda(list_, i)) lambda(i);
      if (list_.is(i, "[") && sides_[i] != Side::host) extent(i);
    }
    return needed_ || is_mentioned();
  }

 private:
  void insert(Index i, const std::string& kind) const {
    context_.edits.insert_before(i, "__attribute__((deprecated(\"simt:" + kind + "\"))) ");
  }

  /// Where an attribute of GNU's may stand at the head of a declaration.
  Index head(Index i) const {
    for (;;) {
      if (list_.is(i, "[") && list_.is(i + 1, "[") && list_.match[i] != kNone) {
        i = list_.match[i] + 1;
      } else if (list_.is(i, "extern") && list_[i + 1].kind == TokenKind::string) {
        i += 2;
      } else {
        return i;
      }
    }
  }

  void mark(const Function& function) {
    const Specifiers& words = function.specifiers;
    const Index first = function.declaration;
    const bool guide = function.name_token == first && !function.scope.in_class;
    if (first == kNone || list_.is_system(function.name_token) || words.global ||
        words.is_constexpr || function.is_qualified || function.is_instantiation || guide ||
        (words.is_friend && !function.has_body()) || list_.is(first, "requires") ||
        list_.is(first, "consteval") || is_without_body(function) || (words.device && words.host) ||
        differs_elsewhere(function)) {
      return;
    }
    insert(head(first), words.device ? "device" : "host");
    const bool by_class = function.scope.in_class && is_implicit(function);
    const std::string name = by_class ? class_of(function) : function.name;
    (words.device ? of_device_ : of_host_).insert(name);
    // An operator has no name where it is used, and its class may have none in a template.
    if (words.device || !is_operator(function)) return;
    of_host_.insert("template");
    for (Index i = function.params_open; !function.scope.in_class && i < function.params_close;
         ++i) {
      if (list_.is_identifier(i)) of_host_.insert(std::string(list_.view(i)));
    }
  }

  /// `= default` and `= delete`.
  bool is_without_body(const Function& function) const {
    const Index end =
        find_top_level(list_, function.params_close + 1, list_.size(), {"{", ";", ":", "="});
    return list_.is(end, "=") && !list_.is(end + 1, "0");
  }

  /// Is it declared for the other side as well, or as constexpr?
  bool differs_elsewhere(const Function& function) const {
    for (const Function& other : context_.source.functions) {
      const Specifiers& words = other.specifiers;
      if (other.name != function.name || other.is_qualified ||
          list_.is(other.name_token - 1, "~") != list_.is(function.name_token - 1, "~")) {
        continue;
      }
      const bool same = words.device == function.specifiers.device && !words.is_constexpr &&
                        words.host == function.specifiers.host;
      if (!same && parameters(other) == parameters(function)) return true;
    }
    return false;
  }

  std::string_view parameters(const Function& function) const {
    return list_.view(function.params_open, function.params_close);
  }

  bool is_operator(const Function& function) const { return function.name.starts_with("operator"); }

  /// Constructors, destructors and operators are used without being named.
  bool is_implicit(const Function& function) const {
    return is_operator(function) || list_.is(function.name_token - 1, "~") ||
           class_of(function) == function.name;
  }

  static std::string class_of(const Function& function) {
    std::string_view path = function.scope.path;
    if (path.size() < 2) return {};
    path.remove_suffix(2);
    const std::size_t before = path.rfind("::");
    return std::string(before == std::string_view::npos ? path : path.substr(before + 2));
  }

  /// Variables of the host that are more than one constant number.
  void variables(const std::vector<Item>& items, bool in_class) {
    for (const Item& item : items) {
      if (list_.is_system(item.first)) continue;
      if (item.kind == ItemKind::scope) {
        bool space = list_.is(item.first, "extern");
        for (Index i = item.first; i < item.body_open; ++i) space |= list_.is(i, "namespace");
        variables(item.children, !space);
      } else if (item.kind == ItemKind::other && is_variable(item, in_class)) {
        for (const Declarator& one :
             split_declaration(list_, item.first, item.last - 1).declarators) {
          if (one.name != kNone) of_host_.insert(std::string(list_.view(one.name)));
        }
        insert(head(item.first), "variable");
      }
    }
  }

  bool is_variable(const Item& item, bool in_class) const {
    if (!list_.is(item.last - 1, ";") || contains(kNoVariable, list_.view(item.first)) ||
        list_[item.first].kind == TokenKind::directive || !list_.is_identifier(item.first)) {
      return false;
    }
    const Index end = find_top_level(list_, item.first, item.last, {"(", "=", "{", ";", "["});
    if (list_.is(end, "(") || !list_.is_identifier(end - 1) || end - item.first < 2) return false;
    bool constant = false;
    bool is_static = false;
    for (Index i = item.first; i < end; ++i) {
      if (list_.is(i, "operator") || list_.is(i, "::") || list_.is(i, "__shared__")) return false;
      constant = constant || list_.is(i, "const") || list_.is(i, "constexpr");
      is_static = is_static || list_.is(i, "static");
    }
    return (!constant || list_.is(end, "[")) && (!in_class || is_static);
  }

  void initialised_by_constant(const Variable& variable) {
    const Specifiers& words = variable.specifiers;
    if (words.is_extern || words.shared || words.is_constexpr || variable.is_template ||
        variable.scope.in_class || list_.is_system(variable.first)) {
      return;
    }
    for (Index i = variable.declaration; i < variable.semicolon; ++i) {
      if (list_.is(i, "constexpr") || list_.is(i, "constinit")) return;
    }
    const Declaration declaration =
        split_declaration(list_, variable.declaration, variable.semicolon);
    if (!is_initialised(declaration, declaration.first)) return;
    context_.edits.insert_before(head(variable.declaration), "constinit ");
    needed_ = true;
  }

  /// Has the declaration a value of its own? The words of its type begin at `first`.
  bool is_initialised(const Declaration& declaration, Index first) const {
    for (const Declarator& one : declaration.declarators) {
      if (one.initializer != kNone) return true;
    }
    for (Index i = first; i < declaration.last; ++i) {
      if (has_constructor(list_.view(i))) return true;
    }
    return false;
  }

  /// A class whose constructor the source writes out.
  bool has_constructor(std::string_view name) const {
    const auto& functions = context_.source.functions;
    return std::any_of(functions.begin(), functions.end(), [&](const Function& one) {
      return one.name == name && one.scope.in_class && class_of(one) == name &&
             !list_.is(one.name_token - 1, "~") && !is_without_body(one);
    });
  }

  void local_static(Index i) {
    const Index end = find_top_level(list_, i, list_.size(), {";"});
    for (Index k = statement_begin(list_, i); k < end; ++k) {
      if (list_.is(k, "constexpr") || list_.is(k, "__shared__") || list_.is(k, "constinit") ||
          list_.is(k, "__device__")) {
        return;
      }
    }
    const Declaration declaration = split_declaration(list_, i, end);
    if (!is_initialised(declaration, i)) return;
    if (list_.is(i - 1, "const")) --i;
    context_.edits.insert_before(i, "constinit ");
    needed_ = true;
  }

  void lambda(Index i) {
    const Index open = lambda_body(list_, i);
    if (sides_[i] != Side::host) return;
    Index place = open;
    bool device = false;
    for (Index k = list_.match[i]; k < open && place == open; ++k) {
      if (list_.is(k, "constexpr") || list_.is(k, "__host__")) return;
      device = device || list_.is(k, "__device__");
      if (list_.is(k, "->")) place = k;
    }
    insert(place, device ? "device" : "lambda");
    needed_ = needed_ || device;
    // A kernel that runs what it is given is a template.
    if (!device) of_host_.insert("template");
  }

  /// `T a[n]`, n a variable or a member: the compiler knows whether it is a constant.
  void extent(Index i) {
    if (!list_.is_identifier(i - 1) || list_.match[i] == kNone) return;
    if (!list_.is_identifier(i - 2) && !list_.is(i - 2, ">") && !list_.is(i - 2, "*")) return;
    for (Index k = i + 1; k < list_.match[i]; ++k) {
      if (list_.is_identifier(k)) needed_ = true;
    }
  }

  bool is_mentioned() const {
    for (Index i = 0; i < list_.size(); ++i) {
      if (!list_.is_identifier(i) || list_.is_system(i)) continue;
      if (sides_[i] != Side::host && of_host_.count(list_.view(i)) != 0) return true;
      if (sides_[i] != Side::device && of_device_.count(list_.view(i)) != 0 &&
          enclosing_function(context_.source, i) != nullptr) {
        return true;
      }
    }
    if (of_host_.count("template") == 0) return false;
    for (const Function& function : context_.source.functions) {
      const bool generic = function.is_template || function.scope.in_template;
      if (generic && function.is_device_code() && !list_.is_system(function.name_token)) {
        return true;
      }
    }
    return false;
  }

  const Context& context_;
  const TokenList& list_;
  std::vector<Side> sides_;
  NameSet of_host_;
  NameSet of_device_;
  bool needed_ = false;
};

}  // namespace

std::vector<Side> code_sides(const Source& source) {
  const TokenList& list = *source.list;
  std::vector<Side> sides(list.size() + 1, Side::host);
  const auto fill = [&](Index first, Index last, Side side) {
    std::fill(sides.begin() + first, sides.begin() + last, side);
  };
  for (const Function& function : source.functions) {
    if (!function.has_body()) continue;
    const Specifiers& words = function.specifiers;
    const bool both = (words.device && words.host) || words.is_constexpr;
    const Side side = function.is_device_code() ? Side::device : both ? Side::both : Side::host;
    fill(function.name_token, function.body_close, side);
  }
  for (const Index i : device_lambdas(list)) {
    const Index open = lambda_body(list, i);
    bool host = false;
    for (Index k = i; k < open; ++k) host = host || list.is(k, "__host__");
    fill(open, list.match[open], host ? Side::both : Side::device);
  }
  return sides;
}

bool mark_sides(const Context& context) { return Marker(context).run(); }

}  // namespace simt::rewrite

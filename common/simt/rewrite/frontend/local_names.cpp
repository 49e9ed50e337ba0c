#include "frontend/local_names.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "split/words.hpp"

namespace simt::rewrite {
namespace {

using split::any_of;

bool is_fundamental(std::string_view word) {
  return any_of(word, {"int", "unsigned", "float", "double", "bool", "char", "short", "long",
                       "signed", "auto"});
}

class LocalNames {
 public:
  LocalNames(const TokenList& list, const Function& function, std::vector<bool>& local)
      : list_(list), function_(function), local_(local) {}

  void run() {
    std::vector<Index> open;  // the brackets around a token
    for (Index i = function_.params_open; i < function_.body_close; ++i) {
      if (any_of(list_.view(i), {"(", "[", "{"})) {
        open.push_back(i);
      } else if (any_of(list_.view(i), {")", "]", "}"})) {
        if (!open.empty()) open.pop_back();
      } else if (list_.is_identifier(i) && !open.empty() && is_declared(i)) {
        scopes_[list_.view(i)].push_back({i, scope_end(open.back())});
      }
    }
    for (Index i = function_.params_open; i < function_.body_close; ++i) {
      if (list_.is_identifier(i)) local_[i] = local_[i] || is_local(i);
    }
  }

 private:
  struct Scope {
    Index first, last;
  };

  bool is_local(Index i) const {
    if (any_of(list_.view(i - 1), {".", "->", "::"}) || list_.is(i + 1, "::")) return false;
    const auto found = scopes_.find(list_.view(i));
    return found != scopes_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const Scope& scope) { return scope.first <= i && i < scope.last; });
  }

  bool is_declared(Index i) const {
    return any_of(list_.view(i + 1), {"=", ";", ",", ")", "[", "{", ":"}) &&
           (follows_type(i) || follows_declarator(i));
  }

  /// `int`, `const float* __restrict__` and the like before the name.
  bool follows_type(Index i) const {
    Index k = i - 1;
    while (any_of(list_.view(k), {"*", "&", "&&", "const", "volatile", "__restrict__", "__restrict",
                                  "constexpr"})) {
      --k;
    }
    return is_fundamental(list_.view(k)) && !list_.is(k - 1, "operator");
  }

  /// Another one of the variables of a declaration: `int a = 0, name;`.
  bool follows_declarator(Index i) const {
    Index k = i - 1;
    while (any_of(list_.view(k), {"*", "&"})) --k;
    if (!list_.is(k, ",")) return false;
    while (k > function_.body_open && !any_of(list_.view(k - 1), {";", "{", "}", "(", "<", ">"})) {
      const bool closes = any_of(list_.view(k - 1), {")", "]"});
      if (closes && list_.match[k - 1] == kNone) return false;
      k = closes ? list_.match[k - 1] : k - 1;
    }
    if (any_of(list_.view(k - 1), {"<", ">"})) return false;
    while (any_of(list_.view(k), {"const", "constexpr", "volatile", "static"})) ++k;
    return is_fundamental(list_.view(k)) && !list_.is(k + 1, "(") && !list_.is(k + 1, "{");
  }

  /// Where the names end that are declared between a bracket and its partner.
  Index scope_end(Index open) const {
    if (open == function_.params_open) return function_.body_close;
    Index end = list_.match[open];
    if (end == kNone || !list_.is(open, "(")) return end == kNone ? open : end;
    // Those of a loop's or a lambda's head hold in what follows it.
    while (any_of(list_.view(end + 1), {"for", "if", "while", "switch"}) &&
           list_.is(end + 2, "(") && list_.match[end + 2] != kNone) {
      end = list_.match[end + 2];
    }
    if (list_.is(end + 1, "{") && list_.match[end + 1] != kNone) return list_.match[end + 1];
    while (end < function_.body_close && !any_of(list_.view(end), {";", "}"})) {
      ++end;
      if (any_of(list_.view(end), {"(", "[", "{"}) && list_.match[end] != kNone) {
        end = list_.match[end];
      }
    }
    return end;
  }

  const TokenList& list_;
  const Function& function_;
  std::vector<bool>& local_;
  std::map<std::string_view, std::vector<Scope>> scopes_;
};

}  // namespace

std::vector<bool> find_local_names(const Source& source) {
  std::vector<bool> local(source.list->size(), false);
  for (const Function& function : source.functions) {
    if (function.has_body()) LocalNames(*source.list, function, local).run();
  }
  return local;
}

}  // namespace simt::rewrite

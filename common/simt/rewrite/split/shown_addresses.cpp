// Where an address is looked at as a number, so that an integer may hold that of a variable.
#include <algorithm>
#include <map>
#include <set>

#include "frontend/owners.hpp"
#include "split/declarations.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

class ShownAddresses {
 public:
  ShownAddresses(const Source& source, const std::function<bool(std::string_view)>& holds_address)
      : list_(*source.list),
        holds_address_(holds_address),
        owner_(code_owners(source)),
        function_(list_.size(), kNone) {
    for (const Function& function : source.functions) {
      if (!function.has_body()) continue;
      std::fill(function_.begin() + static_cast<std::ptrdiff_t>(function.params_open),
                function_.begin() + static_cast<std::ptrdiff_t>(function.body_close),
                function.params_open);
    }
    for (Index i = 1; i < list_.size(); ++i) {
      if (list_.is_identifier(i) && !list_.is_system(i)) note_name(i);
    }
  }

  bool any() const {
    for (Index i = 0; i < list_.size(); ++i) {
      if (!list_.is_system(i) && owner_[i] != kHost && shows(i)) return true;
    }
    return false;
  }

 private:
  struct Declared {
    Index at;
    bool number;
  };

  bool shows(Index i) const {
    const std::string_view word = list_.view(i);
    if (list_[i].kind == TokenKind::string) return word.find("%p") != std::string_view::npos;
    if (word == "(") return casts(i) || calls_type(i);
    if (!list_.is_identifier(i)) return false;
    if (any_of(word, {"bit_cast", "__builtin_bit_cast"})) return !is_small(i);
    if (word == "reinterpret_cast" && list_.is(i + 1, "<")) return reinterprets(i);
    if (any_of(word, {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"})) {
      return list_.match[i + 1] == kNone || !all_numbers(i + 2, list_.match[i + 1], true);
    }
    return any_of(word, {"union", "hash", "__cvta_generic_to_local"});
  }

  // Names, by all that is declared so anywhere.

  void note_name(Index i) {
    const std::string_view before = list_.view(i - 1), word = list_.view(i);
    if (any_of(before, {"class", "typename"}) && any_of(list_.view(i + 1), {",", ">", "="})) {
      types_.insert(word);
    }
    if (before == "using" && list_.is(i + 1, "=")) types_.insert(word);
    if (before == "typedef") {
      types_.insert(list_.view(find_top_level(list_, i, list_.size(), {";"}) - 1));
    }
    if (!any_of(list_.view(i + 1), {"=", ";", ",", ")", "{", ":", "["})) return;
    Index type = i - 1;
    while (type > 0 && any_of(list_.view(type), {"*", "&", "&&", "const"})) --type;
    const std::string_view last = list_.view(type);
    const bool declares = list_.is_identifier(type) ? last != "return" : last == ">";
    if (!declares) return;
    const bool plain = find_top_level(list_, type, i, {"*"}) == i && !list_.is(i + 1, "[");
    const bool number = is_type_keyword(last) || (last.ends_with("_t") && list_.is(type - 1, "::"));
    declared_[word].push_back({i, plain && number});
  }

  /// Is it a number by all declarations of the name in its function, or else by all that there are?
  bool is_number(Index i) const {
    if (any_of(list_.view(i + 1), {"(", ".", "->", "["})) return false;
    return means(i, true) && !means(i, false);
  }

  bool means(Index i, bool number) const {
    const auto found = declared_.find(list_.view(i));
    if (found == declared_.end()) return false;
    const auto in_function = [&](const Declared& one) {
      return function_[i] != kNone && function_[one.at] == function_[i];
    };
    const bool own = std::any_of(found->second.begin(), found->second.end(), in_function);
    return std::any_of(found->second.begin(), found->second.end(), [&](const Declared& one) {
      return one.number == number && (!own || in_function(one));
    });
  }

  // Expressions.

  /// Is what begins here surely a number, up to the next operator?
  bool begins_number(Index i) const {
    while (any_of(list_.view(i), {"-", "+", "~", "!"})) ++i;
    if (list_[i].kind == TokenKind::number || list_[i].kind == TokenKind::character) return true;
    if (any_of(list_.view(i),
               {"threadIdx", "blockIdx", "blockDim", "gridDim", "sizeof", "static_cast"})) {
      return true;
    }
    if (list_.is(i, "(") && list_.match[i] != kNone) return all_numbers(i + 1, list_.match[i]);
    return list_.is_identifier(i) && is_number(i);
  }

  bool all_numbers(Index first, Index last, bool places = false) const {
    for (Index i = first; i < last; ++i) {
      if (any_of(list_.view(i), {"threadIdx", "blockIdx", "blockDim", "gridDim"})) {
        i += 2;
      } else if (list_.is(i, "sizeof") && list_.match[i + 1] != kNone) {
        i = list_.match[i + 1];
      } else if ((list_.is(i, "&") && !places) ||
                 (list_.is_identifier(i) && !is_number(i) && !is_type_keyword(list_.view(i)))) {
        return false;
      }
    }
    return true;
  }

  /// May tokens [first, last) be an integer's type in which an address fits?
  bool is_wide(Index first, Index last) const {
    if (first >= last) return false;
    bool wide = false;
    for (Index i = first; i < last; ++i) {
      const std::string_view word = list_.view(i);
      if (!list_.is_identifier(i) && word != "::") return false;
      wide = wide || any_of(word, {"long", "__int128", "CUdeviceptr"}) || word.ends_with("_t") ||
             types_.contains(word);
    }
    return wide;
  }

  /// `(T)x` at the parenthesis.
  bool casts(Index open) const {
    const Index close = list_.match[open];
    if (close == kNone || close < open) return false;
    const bool call = list_.is_identifier(open - 1) && !list_.is(open - 1, "return");
    if (call || any_of(list_.view(open - 1), {")", "]", ">"})) return false;
    const bool operand = list_.is_identifier(close + 1) || list_.is(close + 1, "(") ||
                         list_.is(close + 1, "&") || list_.is(close + 1, "*");
    if (is_wide(open + 1, close)) return operand && !begins_number(close + 1);
    const bool type = any_of(list_.view(close - 1), {"*", "&", "&&"}) ||
                      (list_.is(close - 1, "]") && list_.is(open + 2, "("));
    if (type && list_.is(open - 1, "-")) return true;  // a distance is a number
    return operand && type && points(open + 1, close, close + 1);
  }

  /// `T(x)` at the parenthesis.
  bool calls_type(Index open) const {
    const Index close = list_.match[open];
    if (close == kNone || close <= open + 1 || !list_.is_identifier(open - 1)) return false;
    if (list_.is_identifier(open - 2) && !list_.is(open - 2, "return")) return false;
    if (any_of(list_.view(open - 2), {".", "->", "*", "&", ">", "~"})) return false;
    const bool declares = list_.is(open + 1, "&") && any_of(list_.view(close + 1), {"[", "("});
    return !declares && is_wide(open - 1, open) && !all_numbers(open + 1, close);
  }

  bool reinterprets(Index i) const {
    const Index end = skip_template_arguments(list_, i + 1);
    if (end == kNone) return true;
    const bool address = find_top_level(list_, i + 2, end - 1, {"*", "&", "&&", "("}) < end - 1;
    // The remainder, as where alignment is asked for, is no address.
    if (!address) return list_.match[end] == kNone || !list_.is(list_.match[end] + 1, "%");
    return points(i + 2, end - 1, end + 1);
  }

  /// Does a pointer or a reference of the type in [first, last), made of what stands at `from`,
  /// show what an object holds that may be an address?
  bool points(Index first, Index last, Index from) const {
    int stars = 0;
    bool reference = false;
    for (Index i = first; i < last; ++i) {
      stars += list_.is(i, "*") ? 1 : 0;
      reference = reference || any_of(list_.view(i), {"&", "&&"});
      if (holds_address_(list_.view(i))) return true;
    }
    if (stars > 1) return true;
    if (stars == 0 && !reference) return false;
    if (list_.is(from, "&")) {
      ++from;
    } else if (!reference) {
      return false;
    }
    const bool element = list_.is(from + 1, "[") || list_.is(from + 1, "(");
    return list_.is_identifier(from) && !element && means(from, false) &&
           !any_of(list_.view(from + 1), {".", "->", "::"});
  }

  /// `bit_cast<T>` to what is smaller than an address.
  bool is_small(Index i) const {
    bool small = list_.is(i + 1, "<");
    for (Index k = i + 2; small && !list_.is(k, ">"); ++k) {
      small = any_of(list_.view(k), {"int", "unsigned", "float", "short", "char", "half2",
                                     "__half2", "uint32_t", "int32_t", "std", "::"});
    }
    return small;
  }

  const TokenList& list_;
  const std::function<bool(std::string_view)>& holds_address_;
  std::vector<Index> owner_;
  std::vector<Index> function_;  ///< in whose head or body a token stands
  std::set<std::string_view> types_;
  std::map<std::string_view, std::vector<Declared>> declared_;
};

}  // namespace

bool shows_addresses(const Source& source,
                     const std::function<bool(std::string_view)>& holds_address) {
  return ShownAddresses(source, holds_address).any();
}

}  // namespace simt::rewrite::split

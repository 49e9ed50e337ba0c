#include "split/declarations.hpp"

#include <algorithm>
#include <array>

#include "frontend/analysis.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {

bool is_library_function(std::string_view name, bool pure) {
  static constexpr std::array<std::string_view, 62> functions{
      "min",    "max",    "abs",        "fabs",      "fabsf",     "fmin",      "fminf",
      "fmax",   "fmaxf",  "fma",        "fmaf",      "sqrt",      "sqrtf",     "rsqrt",
      "rsqrtf", "exp",    "expf",       "exp2f",     "log",       "logf",      "log2f",
      "pow",    "powf",   "sin",        "sinf",      "cos",       "cosf",      "tan",
      "tanf",   "tanh",   "tanhf",      "floor",     "floorf",    "ceil",      "ceilf",
      "round",  "roundf", "truncf",     "erff",      "expm1f",    "log1pf",    "copysignf",
      "isnan",  "isinf",  "isfinite",   "fmodf",     "__expf",    "__logf",    "__powf",
      "__sinf", "__cosf", "__fdividef", "__fmaf_rn", "__fadd_rn", "__fmul_rn", "__frcp_rn",
      "__popc", "__clz",  "__ffs",      "__brev",    "__mul24",   "__umul24"};
  static constexpr auto others = std::to_array<std::string_view>(
      {"atomicAdd",        "atomicSub",      "atomicExch",     "atomicMin",
       "atomicMax",        "atomicAnd",      "atomicOr",       "atomicXor",
       "atomicCAS",        "__ldg",          "__float2half",   "__half2float",
       "__float2half_rn",  "__float2int_rn", "__int2float_rn", "__float2bfloat16",
       "__bfloat162float", "make_float2",    "make_float3",    "make_float4",
       "__float_as_int",   "__int_as_float", "make_int2",      "make_int3",
       "make_int4",        "make_uint2",     "make_uint3",     "make_uint4",
       "printf",           "curand_init"});
  const auto in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return in(functions) || (!pure && in(others));
}

Declarations::Declarations(const Source& source)
    : list_(*source.list), source_(source), classes_(source) {
  for (Index i = 0; i < list_.size(); ++i) {
    if (!list_.is_identifier(i) || list_.is_system(i)) continue;
    changes_const_ = changes_const_ || list_.is(i, "mutable") || list_.is(i, "const_cast") ||
                     (list_.is(i, "this") && list_.is(i - 1, ")"));
  }
  for (const rewrite::Variable& variable : source_.variables) {
    const bool device = variable.specifiers.device || variable.specifiers.managed;
    for (Index i = variable.declaration; i < variable.semicolon; ++i) {
      if (!list_.is_identifier(i)) continue;
      variables_.emplace(list_.view(i));
      if (device || variable.specifiers.constant) device_variables_.emplace(list_.view(i));
    }
    if (!device) continue;
    for (Index i = variable.declaration; i < variable.semicolon && !list_.is(i, "="); ++i) {
      if (list_.is(i, "*") || find_class(list_.view(i)) != nullptr) plain_variables_ = false;
    }
  }
  for (const Function& function : source_.functions) {
    add_function(function);
    if (!function.has_body() || (function.specifiers.host && !function.specifiers.device)) continue;
    for (Index i = function.body_open; i < function.body_close; ++i) {
      casts_ = casts_ || casts_to_address(i);
    }
  }
  shows_addresses_ = split::shows_addresses(source_, [&](std::string_view name) {
    const ClassFacts* const facts = find_class(name);
    return facts != nullptr && (!facts->plain || facts->has_alias || !facts->pointers.empty());
  });
  // What calls another function is pure if that is: first all that is known, then what follows.
  bool changed = true;
  for (int round = 0; changed && round < 16; ++round) {
    changed = false;
    std::map<std::string, bool, std::less<>> next;
    for (const Function& function : source_.functions) {
      const bool pure = has_pure_body(function);
      const auto [at, inserted] = next.try_emplace(function.name, pure);
      if (!inserted) at->second = at->second && pure;
    }
    for (const auto& [name, pure] : next) {
      bool& known = pure_[name];
      changed = changed || known != pure;
      known = pure;
    }
  }
  for (const Function& function : source_.functions) {
    if (!function.has_body()) continue;
    const bool value = depends_on_values(function);
    const auto [at, inserted] = of_values_.try_emplace(function.name, value);
    if (!inserted) at->second = at->second && value;
  }
}

std::vector<Declarations::Parameter> Declarations::parameters(const Function& function) const {
  std::vector<Parameter> result;
  Index first = function.params_open + 1;
  for (Index i = first; i < function.params_close;) {
    if (list_.is(i, ",")) {
      result.push_back({first, i});
      first = ++i;
    } else {
      i = past_group(list_, i);
    }
  }
  if (first < function.params_close) result.push_back({first, function.params_close});
  return result;
}

bool Declarations::is_reference(const Parameter& parameter) const {
  for (Index i = parameter.first; i < parameter.last; ++i) {
    if (any_of(list_.view(i), {"&", "&&", "..."})) return true;
  }
  return false;
}

/// Can a number be bound to it? Not where it is a reference to a class of the source.
bool Declarations::binds_number(const Parameter& parameter) const {
  if (!is_reference(parameter)) return false;
  for (Index i = parameter.first; i < parameter.last; ++i) {
    if (list_.is_identifier(i) && find_class(list_.view(i)) != nullptr) return false;
  }
  return true;
}

void Declarations::add_function(const Function& function) {
  if (function.specifiers.is_constexpr) constants_.insert(function.name);
  if ((function.scope.in_class || function.is_qualified) && !function.specifiers.is_static) {
    bool constant = false;
    for (Index i = function.params_close + 1; list_.is_identifier(i) || list_.is(i, "&"); ++i) {
      constant = constant || list_.is(i, "const");
    }
    if (!constant) changing_.insert(function.name);
  }
  Passing passing = Passing::by_value;
  bool binds = false;
  std::vector<Passing>& of_each = passing_of_each_[function.name];
  const std::vector<Parameter> all = parameters(function);
  of_each.resize(std::max(of_each.size(), all.size()), Passing::by_value);
  std::vector<bool>& called = only_called_[function.name];
  called.resize(std::max(called.size(), all.size()), true);
  std::vector<bool>& assigned = only_assigned_[function.name];
  assigned.resize(std::max(assigned.size(), all.size()), true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Parameter& parameter = all[i];
    binds = binds || binds_number(parameter);
    called[i] = called[i] && only_calls(function, parameter);
    assigned[i] = assigned[i] && only_assigns(function, parameter);
    const bool reference = is_reference(parameter);
    const bool to_const = is_reference_to_const(parameter);
    const Passing own = !reference ? passing_by_copy(parameter)
                        : to_const ? Passing::to_const
                                   : Passing::unknown;
    passing = std::max(passing, own);
    of_each[i] = std::max(of_each[i], own);
    if (reference && !to_const && find_class(function.name) != nullptr) {
      changing_constructor_ = true;
    }
  }
  const auto [at, inserted] = passing_.try_emplace(function.name, passing);
  if (!inserted) at->second = std::max(at->second, passing);
  if (!binds) return;
  if (function.name.starts_with("operator")) binding_operators_.insert(function.name.substr(8));
  if (find_class(function.name) != nullptr) {
    binding_constructor_ = true;
    binding_classes_.insert(function.name);
  }
}

/// A class of a library may be made of a reference to the argument, as std::reference_wrapper is,
/// and so may one of the source.
Passing Declarations::passing_by_copy(const Parameter& parameter) const {
  if (find_top_level(list_, parameter.first, parameter.last, {"*", "("}) < parameter.last) {
    return Passing::by_value;  // a pointer
  }
  for (Index i = parameter.first; i < parameter.last; ++i) {
    if (!list_.is_identifier(i)) continue;
    const std::string_view word = list_.view(i);
    const bool library = any_of(word, {"std", "cuda", "thrust"}) && list_.is(i + 1, "::") &&
                         !list_.view(i + 2).ends_with("_t");
    if (library) return Passing::unknown;
    const ClassFacts* const facts = find_class(word);
    if (facts == nullptr && !is_alias(word)) continue;
    const bool binds = facts != nullptr ? binding_classes_.contains(word) : binding_constructor_;
    if (binds) return Passing::unknown;
    if (facts == nullptr || facts->holds_address) return Passing::to_class;
  }
  return Passing::by_value;
}

/// `const T& x` or `const T (&x)[N]`.
bool Declarations::is_reference_to_const(const Parameter& parameter) const {
  int references = 0;
  bool constant = false;
  for (Index i = parameter.first; i < parameter.last;) {
    const std::string_view word = list_.view(i);
    if (any_of(word, {"&&", "...", "*", "auto", "decltype"})) return false;
    constant = constant || (references == 0 && word == "const");
    references += word == "&";
    i = list_.is(i, "(") ? i + 1
                         : past_group(list_, i);  // what is const in `<...>` is not the argument
  }
  return references == 1 && constant;
}

/// Does a cast in C's form to a pointer or a reference begin with this parenthesis? It may take
/// away a const.
bool Declarations::casts_to_address(Index i) const {
  if (!list_.is(i, "(") || list_.match[i] == kNone || list_.match[i] <= i + 1) return false;
  const Index close = list_.match[i];
  if (!any_of(list_.view(close - 1), {"*", "&", "&&"})) return false;
  return i == 0 || !list_.is_identifier(i - 1) || list_.is(i - 1, "return");
}

Passing Declarations::passing(std::string_view function) const {
  if (variables_.contains(function)) return Passing::unknown;
  const auto found = passing_.find(function);
  if (found != passing_.end()) {
    return found->second == Passing::to_const && !keeps_const() ? Passing::unknown : found->second;
  }
  return is_library_function(function, false) ? Passing::by_value : Passing::unknown;
}

Passing Declarations::passing(std::string_view function, std::size_t argument) const {
  const auto found = passing_of_each_.find(function);
  if (variables_.contains(function) || found == passing_of_each_.end() ||
      argument >= found->second.size()) {
    return passing(function);
  }
  const Passing own = found->second[argument];
  return own == Passing::to_const && !keeps_const() ? Passing::unknown : own;
}

/// A reference to const is no promise where a cast may take the const away, or where a temporary
/// that is bound to it may be made by a constructor that changes the argument.
bool Declarations::keeps_const() const {
  return !changes_const_ && !casts_ && !changing_constructor_;
}

bool Declarations::is_told(const std::map<std::string, std::vector<bool>, std::less<>>& facts,
                           std::string_view function, std::size_t argument) const {
  const auto found = facts.find(function);
  return !variables_.contains(function) && find_class(function) == nullptr &&
         found != facts.end() && argument < found->second.size() && found->second[argument];
}

bool Declarations::only_calls(std::string_view function, std::size_t argument) const {
  return is_told(only_called_, function, argument);
}

bool Declarations::only_assigns(std::string_view function, std::size_t argument) const {
  return is_told(only_assigned_, function, argument);
}

/// Is the parameter a `float (&sums)[M][N]`, and does each statement of the body that mentions it
/// begin with an assignment to an element? Then nobody gets an address of it.
bool Declarations::only_assigns(const Function& function, const Parameter& parameter) const {
  Index open = parameter.first;
  while (open < parameter.last && !list_.is(open, "(")) ++open;
  const bool of_form = open + 4 < parameter.last && list_.is(open + 1, "&") &&
                       list_.is_identifier(open + 2) && list_.is(open + 3, ")") &&
                       is_keyword_type(list_, parameter.first, open);
  if (!of_form || !function.has_body()) return false;
  int dimensions = 0;
  for (Index i = open + 4; i < parameter.last; i = list_.match[i] + 1) {
    if (!list_.is(i, "[") || list_.match[i] == kNone) return false;
    ++dimensions;
  }
  const std::string_view name = list_.view(open + 2);
  for (Index i = function.body_open; i < function.body_close; ++i) {
    if (list_.is(i, "[") && begins_lambda(list_, i)) return false;
    if (!list_.is(i, name)) continue;
    const bool begins = any_of(list_.view(i - 1), {";", "{", "}", ")"}) ||
                        list_[i - 1].kind == TokenKind::directive;
    Index at = i + 1;
    for (int k = 0; k < dimensions; ++k) {
      if (!list_.is(at, "[") || list_.match[at] == kNone) return false;
      at = list_.match[at] + 1;
    }
    if (!begins || !any_of(list_.view(at), {"=", "+=", "-=", "*=", "/="})) return false;
  }
  return true;
}

bool Declarations::only_calls(const Function& function, const Parameter& parameter) const {
  const Index name = parameter.last - 1;
  if (!function.has_body() || !list_.is_identifier(name)) return false;
  for (Index i = function.body_open; i < function.body_close; ++i) {
    if (list_.is(i, "[") && begins_lambda(list_, i)) return false;
    if (!list_.is(i, list_.view(name))) continue;
    if (any_of(list_.view(i - 1), {".", "->", "::", "&"}) || !list_.is(i + 1, "(")) return false;
  }
  return true;
}

bool Declarations::operator_binds(std::string_view text) const {
  if (binding_operators_.contains(text)) return true;
  return binding_constructor_ && (text == "=" || passing_.contains("operator" + std::string(text)));
}

}  // namespace simt::rewrite::split

// Which side of the machine may use which memory: what a kernel takes, where variables of the
// device may stand, and which of them host code must not touch. (nvcc takes some of it, and the
// program then works on the host's copy of a variable, or with an address that the device cannot
// reach.)
#include <array>
#include <string>

#include "frontend/declarators.hpp"
#include "passes/host_functions.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

constexpr auto kAssignments = std::to_array<std::string_view>(
    {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "++", "--"});

constexpr auto kLooksAtTypesOnly =
    std::to_array<std::string_view>({"sizeof", "decltype", "alignof", "noexcept", "typeid"});

constexpr auto kPrinters =
    std::to_array<std::string_view>({"printf", "fprintf", "snprintf", "sprintf"});

class MemoryRules {
 public:
  explicit MemoryRules(const Context& context) : context_(context), list_(context.list) {}

  void run() {
    collect_variables();
    for (const Function& function : context_.source.functions) {
      if (list_.is_system(function.name_token)) continue;
      if (function.specifiers.global) kernel(function);
      if (function.has_body()) body(function);
    }
  }

 private:
  struct Known {
    bool constant = false;
    bool array = false;
  };

  // What the host may read as well, it may read: constants, and what is managed.
  void collect_variables() {
    for (const Variable& variable : context_.source.variables) {
      const Specifiers& words = variable.specifiers;
      if ((!words.device && !words.constant) || words.managed || words.is_constexpr ||
          variable.is_template || variable.scope.in_class) {
        continue;
      }
      const Declaration declaration =
          split_declaration(list_, variable.declaration, variable.semicolon);
      for (const Declarator& one : declaration.declarators) {
        if (one.name == kNone) continue;
        const bool array = list_.is(one.name + 1, "[");
        bool constant = false;
        for (Index i = declaration.first; i < declaration.last; ++i) {
          constant = constant || list_.is(i, "const") || list_.is(i, "constexpr");
        }
        if (!constant || array) {
          variables_[std::string(list_.view(one.name))] = {words.constant, array};
        }
      }
    }
  }

  void kernel(const Function& function) const {
    if (function.scope.in_class && !function.specifiers.is_friend) {
      context_.error(function.name_token, "a kernel cannot be a member of a class: write '" +
                                              function.name + "' outside of it");
    }
    if (returns_number(function)) {
      context_.error(function.name_token,
                     "a kernel returns nothing: write `__global__ void " + function.name + "`");
    }
    for (Index i = function.params_open + 1; i < function.params_close; ++i) {
      if (list_.is(i, "(") || list_.is(i, "[") || list_.is(i, "{")) {
        i = list_.match[i];
      } else if (list_.is(i, "<")) {
        const Index end = skip_template_arguments(list_, i);
        if (end != kNone && end <= function.params_close) i = end - 1;
      } else if (list_.is(i, "=")) {
        i = find_top_level(list_, i, function.params_close, {","});
      } else if (list_.is(i, "&") || list_.is(i, "&&")) {
        context_.error(i,
                       "a kernel's parameters are copied to the device, where a reference would "
                       "still refer to the host's memory: take it by value");
      } else if (list_.is(i, "...") && (list_.is(i - 1, ",") || list_.is(i - 1, "("))) {
        context_.error(i, "a kernel cannot take a variable number of arguments");
      }
    }
  }

  /// Is a number's type written in front of the name? A name may stand for void, and so may auto.
  bool returns_number(const Function& function) const {
    static constexpr auto kNumbers = std::to_array<std::string_view>(
        {"int", "unsigned", "long", "short", "char", "bool", "float", "double"});
    for (Index i = function.declaration; i < function.name_token; ++i) {
      if (list_.is(i, "<")) return false;
      if (contains(kNumbers, list_.view(i))) return true;
    }
    return false;
  }

  void body(const Function& function) const {
    const bool device = function.is_device_code();
    const bool both = !device && function.specifiers.device;
    bool parted = false;  // one body for either side, made of two
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (list_.is(i, "on_device") && list_.is(i - 1, "::")) parted = true;
    }
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (begins_lambda(list_, i) && is_device_lambda(i)) {
        device_code(function, i, lambda_body(list_, i));
        i = list_.match[lambda_body(list_, i)];
      } else if (list_.is(i, "__shared__") && !device && !parted) {
        context_.error(i,
                       "a __shared__ variable belongs to a block of threads: declare it in a "
                       "__global__ or __device__ function");
      } else if (list_.is(i, "__shared__") && is_unsized(i)) {
        context_.error(
            i,
            "a __shared__ array has its size here, or it is `extern` and the launch says "
            "how large it is");
      } else if (declares_for_device(i)) {
        context_.error(i, "a " + std::string(list_.view(i)) +
                              " variable cannot be local to a function: declare it outside");
      } else if (list_.is_identifier(i) && variables_.count(list_.view(i)) != 0) {
        if (device) constant_write(function, i);
        if (!device && !both) host_use(function, i);
      }
    }
  }

  void device_code(const Function& function, Index first, Index open) const {
    for (Index i = first; i < list_.match[open]; ++i) {
      if (list_.is_identifier(i) && variables_.count(list_.view(i)) != 0) {
        constant_write(function, i);
      }
    }
  }

  bool is_device_lambda(Index i) const {
    const Index open = lambda_body(list_, i);
    if (open == kNone) return false;
    for (Index k = i; k < open; ++k) {
      if (list_.is(k, "__device__")) return true;
    }
    return false;
  }

  /// `__shared__ int tile[];`
  bool is_unsized(Index i) const {
    const Index end = find_top_level(list_, i, list_.size(), {";"});
    for (Index k = statement_begin(list_, i); k < end; ++k) {
      if (list_.is(k, "extern") || list_.is(k, "=") || list_.is(k, "*")) return false;
      if (list_.is(k, "[") && list_.is(k + 1, "]")) return true;
    }
    return false;
  }

  /// `__device__ int v;` in a function, and no function of a class there, and no lambda.
  bool declares_for_device(Index i) const {
    if (list_.is(i, "__constant__") || list_.is(i, "__managed__")) return true;
    if (!list_.is(i, "__device__")) return false;
    const bool begins = list_.is(i - 1, ";") || list_.is(i - 1, "{") || list_.is(i - 1, "}") ||
                        list_.is(i - 1, "static");
    return begins && !is_function(i);
  }

  /// A parameter list comes before the end of what is declared at i.
  bool is_function(Index i) const {
    for (; i < list_.size() && !list_.is(i, ";") && !list_.is(i, "="); ++i) {
      if (list_.is(i, "(") || list_.is(i, "{")) return true;
    }
    return false;
  }

  /// May the name at i mean something else than the variable of the device?
  bool is_other(const Function& function, Index i) const {
    if (list_.is(i - 1, ".") || list_.is(i - 1, "->")) return true;
    if (list_.is(i - 1, "::") && list_.is_identifier(i - 2) && is_class(list_.view(i - 2)))
      return true;
    if (list_.is(i + 1, "(") || list_.is(i + 1, "<") || list_.is(i + 1, "::")) return true;
    const std::string_view name = list_.view(i);
    if (is_local(function, name)) return true;
    return (function.scope.in_class || function.is_qualified) && is_member_of_some(name);
  }

  bool is_local(const Function& function, std::string_view name) const {
    for (Index i = function.params_open + 1; i < function.body_close; ++i) {
      if (!list_.is(i, name) || list_.is(i - 1, ".") || list_.is(i - 1, "->")) continue;
      const bool argument = list_.is(i - 1, ",") && (list_.is(i + 1, ",") || list_.is(i + 1, ")"));
      if (!argument && !is_applied(i - 1) && is_declared_at(list_, i)) return true;
    }
    return false;
  }

  /// Is this `*` or `&` an operator in an expression, and no part of a declaration?
  bool is_applied(Index i) const {
    if (!list_.is(i, "*") && !list_.is(i, "&") && !list_.is(i, "&&")) return false;
    Index type = i - 1;
    while (list_.is(type, "*") || list_.is(type, "const")) --type;
    if (list_.is(type, ">")) return false;
    if (!list_.is_identifier(type) || contains(kBeforeExpression, list_.view(type))) return true;
    return !list_.is_identifier(type - 1) && !list_.is(type - 1, ";") && !list_.is(type - 1, "{") &&
           !list_.is(type - 1, "}") && !list_.is(type - 1, "(") && !list_.is(type - 1, ",") &&
           !list_.is(type - 1, "::");
  }

  bool is_class(std::string_view name) const {
    for (Index i = 1; i < list_.size(); ++i) {
      if (list_.is(i, name) && (list_.is(i - 1, "struct") || list_.is(i - 1, "class"))) return true;
    }
    return false;
  }

  /// Is there another declaration of this name, outside of functions?
  bool is_member_of_some(std::string_view name) const {
    int declared = 0;
    for (Index i = 1; i < list_.size(); ++i) {
      if (!list_.is(i, name) || list_.is_system(i) || !is_declared_at(list_, i)) continue;
      if (enclosing_function(context_.source, i) == nullptr) ++declared;
    }
    return declared > 1;
  }

  /// One past `name[i].x` and the like.
  Index end_of_place(Index i) const {
    ++i;
    for (;;) {
      if (list_.is(i, "[") && list_.match[i] != kNone) {
        i = list_.match[i] + 1;
      } else if ((list_.is(i, ".") || list_.is(i, "->")) && list_.is_identifier(i + 1)) {
        i += 2;
      } else {
        return i;
      }
    }
  }

  bool is_written(Index i) const {
    return contains(kAssignments, list_.view(end_of_place(i))) || list_.is(i - 1, "++") ||
           list_.is(i - 1, "--");
  }

  void constant_write(const Function& function, Index i) const {
    if (!variables_.find(list_.view(i))->second.constant || is_other(function, i)) return;
    if (!is_written(i)) return;
    context_.error(i, "device code cannot write the __constant__ variable '" +
                          std::string(list_.view(i)) +
                          "': the host writes it with cudaMemcpyToSymbol");
  }

  void host_use(const Function& function, Index i) const {
    if (is_other(function, i)) return;
    const std::string quoted = "'" + std::string(list_.view(i)) + "'";
    const bool array = variables_.find(list_.view(i))->second.array;
    const Index end = end_of_place(i);
    const bool whole = end == i + 1;
    const Index open = enclosing_call(function, i);
    if (open != kNone &&
        (is_symbol_call(open) || contains(kLooksAtTypesOnly, list_.view(open - 1))))
      return;
    if (contains(kLooksAtTypesOnly, list_.view(i - 1))) return;
    const bool address = list_.is(i - 1, "&") && !is_operand(i - 2);
    const bool argument = open != kNone && (list_.is(i - 1, "(") || list_.is(i - 1, ",")) &&
                          (list_.is(end, ",") || list_.is(end, ")"));
    if (open != kNone && list_.is(open - 1, ">") && is_launch(open) &&
        (address || (argument && whole && array))) {
      context_.error(i, "the kernel would get the host's address of the device's variable " +
                            quoted + ": let the kernel name it, or ask cudaGetSymbolAddress");
      return;
    }
    if (is_written(i)) {
      context_.error(i, "host code cannot write the device's variable " + quoted +
                            ": what it writes does not reach the device; use cudaMemcpyToSymbol");
      return;
    }
    // As an argument it may be passed by reference, to be named to cudaMemcpyToSymbol there.
    const bool printed = open != kNone && contains(kPrinters, list_.view(open - 1));
    const bool launched = open != kNone && is_launch(open);
    const bool named = address || (whole && (array || is_bound(i))) ||
                       (argument && whole && !printed && !launched);
    if (named) return;
    context_.error(i, "host code cannot read the device's variable " + quoted +
                          ": it would read the host's copy; use cudaMemcpyFromSymbol");
  }

  /// Does something end here that `&` could be applied to from the right?
  bool is_operand(Index i) const {
    return (list_.is_identifier(i) && !contains(kBeforeExpression, list_.view(i))) ||
           list_.is(i, ")") || list_.is(i, "]") || list_[i].kind == TokenKind::number;
  }

  /// `T& r = v`, or a template's argument.
  bool is_bound(Index i) const {
    if (list_.is(i - 1, "<") && list_.is(i + 1, ">")) return true;
    return list_.is(i - 1, "=") && (list_.is(i - 3, "&") || list_.is(i - 3, "&&"));
  }

  /// The innermost `(` of a call around token i.
  Index enclosing_call(const Function& function, Index i) const {
    for (Index k = i; k-- > function.body_open;) {
      if ((list_.is(k, ")") || list_.is(k, "]") || list_.is(k, "}")) && list_.match[k] != kNone) {
        k = list_.match[k];
      } else if (list_.is(k, "(")) {
        return k;
      } else if (list_.is(k, ";") || list_.is(k, "{")) {
        return kNone;
      }
    }
    return kNone;
  }

  bool is_symbol_call(Index open) const {
    for (Index k = open; k != kNone && k > 0; --k) {
      const std::string_view name = list_.view(k - 1);
      if (list_.is(k, "(") && name.starts_with("cu") &&
          name.find("Symbol") != std::string_view::npos) {
        return true;
      }
      if (list_.is(k, ";") || list_.is(k, "{") || list_.is(k, "}")) return false;
    }
    return false;
  }

  /// Is the `(` at open behind `<<<...>>>`?
  bool is_launch(Index open) const {
    if (open < 3 || !list_.is(open - 1, ">") || !list_.is(open - 2, ">") ||
        !list_.is(open - 3, ">")) {
      return false;
    }
    for (Index k = open; k-- > 0 && !list_.is(k, ";");) {
      if (list_[k].kind == TokenKind::launch) return true;
    }
    return false;
  }

  const Context& context_;
  const TokenList& list_;
  std::map<std::string, Known, std::less<>>
      variables_;  ///< of the device, that the host must ask for
};

}  // namespace

void find_misplaced_memory(const Context& context) { MemoryRules(context).run(); }

}  // namespace simt::rewrite

// Device code that nvcc refuses and g++ accepts. It is reported only where the tokens leave no
// doubt: a name that might be something else, such as an overload, a member or a local variable,
// passes.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "frontend/declarators.hpp"
#include "passes/host_functions.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

/// Classes, functions and objects of the standard library that are not constexpr in C++20: nvcc
/// refuses them in device code whatever its options are. (std::vector and std::string are
/// constexpr.)
constexpr auto kHostOfStd = std::to_array<std::string_view>(
    {"map",           "multimap",      "set",          "multiset",
     "unordered_map", "unordered_set", "list",         "forward_list",
     "deque",         "queue",         "stack",        "priority_queue",
     "function",      "shared_ptr",    "unique_ptr",   "make_shared",
     "make_unique",   "thread",        "mutex",        "stringstream",
     "ostringstream", "mt19937",       "mt19937_64",   "random_device",
     "minstd_rand",   "stable_sort",   "shuffle",      "default_random_engine",
     "to_string",     "stoi",          "cout",         "cerr",
     "clog",          "cin",           "inplace_merge"});

constexpr auto kHostOfC = std::to_array<std::string_view>({"abort",
                                                           "exit",
                                                           "fprintf",
                                                           "puts",
                                                           "putchar",
                                                           "rand",
                                                           "srand",
                                                           "time",
                                                           "getenv",
                                                           "system",
                                                           "fopen",
                                                           "fputs",
                                                           "scanf",
                                                           "sprintf",
                                                           "snprintf",
                                                           "fflush",
                                                           "qsort",
                                                           "atoi",
                                                           "getchar",
                                                           "perror",
                                                           "calloc",
                                                           "realloc",
                                                           "cudaMemcpy",
                                                           "cudaMemset",
                                                           "cudaDeviceSynchronize",
                                                           "cudaStreamSynchronize",
                                                           "cudaMallocManaged"});

/// CUDA's functions for threads of a kernel.
constexpr auto kOfThreads = std::to_array<std::string_view>({"__syncthreads",
                                                             "__syncthreads_count",
                                                             "__syncthreads_and",
                                                             "__syncthreads_or",
                                                             "__syncwarp",
                                                             "__shfl_sync",
                                                             "__shfl_up_sync",
                                                             "__shfl_down_sync",
                                                             "__shfl_xor_sync",
                                                             "__ballot_sync",
                                                             "__any_sync",
                                                             "__all_sync",
                                                             "__activemask",
                                                             "__threadfence",
                                                             "__threadfence_block",
                                                             "__threadfence_system",
                                                             "__ldg",
                                                             "__nanosleep",
                                                             "clock64",
                                                             "atomicAdd",
                                                             "atomicSub",
                                                             "atomicMin",
                                                             "atomicMax",
                                                             "atomicAnd",
                                                             "atomicOr",
                                                             "atomicXor",
                                                             "atomicExch",
                                                             "atomicCAS",
                                                             "atomicInc",
                                                             "atomicDec"});

/// Their argument is never evaluated.
constexpr auto kUnevaluated = std::to_array<std::string_view>(
    {"sizeof", "decltype", "noexcept", "alignof", "static_assert", "requires"});

constexpr auto kNumberTypes =
    std::to_array<std::string_view>({"int", "unsigned", "long", "short", "char", "size_t",
                                     "int32_t", "uint32_t", "int64_t", "uint64_t"});

class Refused {
 public:
  explicit Refused(const Context& context)
      : context_(context), list_(context.list), host_(context.source) {}

  void run() {
    collect_functions();
    collect_variables(context_.source.items);
    leave_out_known_names();
    for (const Function& function : context_.source.functions) {
      if (!function.is_device_code()) captures(function);
      if (function.is_device_code()) {
        body(function);
      } else if (function.has_body() && function.specifiers.device) {
        shared_body(function);
      } else if (function.has_body()) {
        host_body(function);
      }
    }
  }

 private:
  void refuse(Index i, const std::string& what) const {
    context_.error(i, "nvcc refuses: " + what);
  }

  /// Free functions of which no overload can be called by a kernel.
  void collect_functions() {
    for (const Function& function : context_.source.functions) {
      own_.insert(function.name);
      const Specifiers& words = function.specifiers;
      const bool host = !words.device && !words.global && !words.is_constexpr &&
                        !function.scope.in_class && !function.is_qualified && !words.is_friend &&
                        has_return_type(function);
      (host ? host_functions_ : callable_).insert(function.name);
    }
    for (const std::string& name : callable_) host_functions_.erase(name);
  }

  /// A guide for template arguments (`A(int) -> A<int>;`) has none.
  bool has_return_type(const Function& function) const {
    for (Index i = function.declaration; i < function.name_token; ++i) {
      if (list_.is_identifier(i) && !list_.is(i, "explicit") && !list_.is(i, "inline")) return true;
    }
    return false;
  }

  /// Variables of the host at namespace scope that can change. Constants may stand in device code.
  void collect_variables(const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (item.kind == ItemKind::scope && is_namespace(item)) collect_variables(item.children);
      if (item.kind != ItemKind::other || !is_plain_variable(item)) continue;
      for (const Declarator& one :
           split_declaration(list_, item.first, item.last - 1).declarators) {
        if (one.name != kNone) host_variables_.insert(std::string(list_.view(one.name)));
      }
    }
  }

  bool is_namespace(const Item& item) const {
    for (Index i = item.first; i < item.body_open; ++i) {
      if (list_.is(i, "namespace")) return true;
    }
    return list_.is(item.first, "extern");
  }

  /// `static float scale = 2;` and the like: begins with a type, and is no constant.
  bool is_plain_variable(const Item& item) const {
    if (!list_.is(item.last - 1, ";") || list_.is_system(item.first)) return false;
    Index i = item.first;
    while (list_.is(i, "static") || list_.is(i, "inline") || list_.is(i, "extern")) ++i;
    if (!contains(kNumberTypes, list_.view(i)) && !list_.is(i, "float") && !list_.is(i, "double") &&
        !list_.is(i, "bool")) {
      return false;
    }
    for (Index k = item.first; k < item.last; ++k) {
      if (list_.is(k, "const") || list_.is(k, "constexpr") || list_.is(k, "constinit") ||
          list_.is(k, "(")) {
        return false;
      }
    }
    return true;
  }

  /// A name that CUDA's headers or a class have too may mean those.
  void leave_out_known_names() {
    const auto forget = [this](Index i) {
      host_functions_.erase(std::string(list_.view(i)));
      host_variables_.erase(std::string(list_.view(i)));
    };
    const bool all_of_std = opens_std();
    for (Index i = 1; i < list_.size(); ++i) {
      if (!list_.is_identifier(i)) continue;
      const std::string_view before = list_.view(i - 1);
      if (before == "struct" || before == "class" || before == "union" || before == "using" ||
          before == "typename" || before == "concept" || before == "enum") {
        forget(i);
      } else if (list_.is_system(i) && (list_.is(i + 1, "(") || list_.is(i + 1, "<"))) {
        const std::string& file = list_.origins[list_[i].origin].name;
        if (all_of_std || file.find("/c++/") == std::string::npos) forget(i);
      }
    }
  }

  bool opens_std() const {
    for (Index i = 2; i < list_.size(); ++i) {
      if (list_.is(i, "std") && list_.is(i - 1, "namespace") && list_.is(i - 2, "using") &&
          !list_.is_system(i)) {
        return true;
      }
    }
    return false;
  }

  void body(const Function& function) const {
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (!list_.is_identifier(i)) continue;
      if (contains(kUnevaluated, list_.view(i)) && list_.is(i + 1, "(")) {
        i = list_.match[i + 1];
      } else if (!keyword(i) && !of_std(i) && !run_time_extent(function, i) &&
                 !of_scope(function, i)) {
        name(function, i);
      }
    }
  }

  /// For the host as well: the same words are refused, unless each side has a body of its own.
  void shared_body(const Function& function) const {
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (list_.is(i, "on_device") && list_.is(i - 1, "::")) return;
    }
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (list_.is_identifier(i)) keyword(i);
    }
  }

  /// The variables that a lambda for the device refers to would be the host's.
  void captures(const Function& function) const {
    for (Index i = function.body_open; i < function.body_close; ++i) {
      if (!list_.is(i, "[") || !begins_lambda(list_, i) || !is_device_lambda(i)) continue;
      for (Index k = i + 1; k < list_.match[i]; ++k) {
        if (!list_.is(k, "&") || (k != i + 1 && !list_.is(k - 1, ","))) continue;
        refuse(i,
               "a lambda for the device that captures by reference what is the host's; capture "
               "by value: [=]");
        break;
      }
    }
  }

  /// What only threads of the device can do.
  void host_body(const Function& function) const {
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (!list_.is_identifier(i) || !list_.is(i + 1, "(") || is_member(i) || is_qualified(i)) {
        if (begins_lambda(list_, i) && is_device_lambda(i)) i = list_.match[lambda_body(list_, i)];
        continue;
      }
      if (!contains(kOfThreads, list_.view(i)) || own_.count(list_.view(i)) != 0) continue;
      refuse(i, "a call of '" + std::string(list_.view(i)) +
                    "' in code of the host: only threads of a kernel can do that");
    }
  }

  bool is_device_lambda(Index i) const {
    for (Index k = i; k < lambda_body(list_, i); ++k) {
      if (list_.is(k, "__device__")) return true;
    }
    return false;
  }

  bool keyword(Index i) const {
    const std::string_view word = list_.view(i);
    if (word == "throw" || word == "try") {
      refuse(i,
             "exceptions in device code; return an error, or end the kernel by assert or __trap()");
    } else if (word == "dynamic_cast" || word == "typeid") {
      refuse(i, std::string(word) + " in device code; let a member of the class tell its kind");
    } else if (word == "thread_local") {
      refuse(i, "thread_local in device code; every local variable belongs to one thread");
    } else {
      return false;
    }
    return true;
  }

  bool of_std(Index i) const {
    const std::string_view word = list_.view(i);
    const bool clock = list_.is(i + 1, "::") && list_.is(i + 2, "now") && word.ends_with("_clock");
    if (clock || (word == "this_thread" && list_.is(i + 1, "::"))) {
      refuse(i, "std::" + std::string(clock ? "chrono::" : "") + std::string(word) +
                    " in device code, which is the host's; kernels have clock64() and "
                    "__nanosleep()");
      return true;
    }
    if (!list_.is(i, "std") || !list_.is(i + 1, "::") || !contains(kHostOfStd, list_.view(i + 2))) {
      return false;
    }
    Index next = i + 3;
    if (list_.is(next, "<") && list_[next].kind == TokenKind::punctuation) {
      const Index end = skip_template_arguments(list_, next);
      if (end != kNone) next = end;
    }
    // A pointer to one, or its name alone, is no use.
    const bool used = list_.is_identifier(next) || list_.is(next, "(") || list_.is(next, "{") ||
                      list_.is(next, "<") || list_.is(next, "<<") || list_.is(next, ".");
    if (!used) return false;
    refuse(i, "std::" + std::string(list_.view(i + 2)) +
                  " in device code, which consists of host functions; kernels have arrays, and "
                  "libraries of their own (CUB, cuRAND, libcu++)");
    return true;
  }

  /// `float a[n]` with a number that the function is called with.
  bool run_time_extent(const Function& function, Index i) const {
    const bool array = list_.is(i + 1, "[") && list_.is(i + 3, "]") && list_.is_identifier(i + 2) &&
                       list_.is_identifier(i - 1) &&
                       !contains(kBeforeExpression, list_.view(i - 1));
    if (!array || !is_number_parameter(function, list_.view(i + 2))) return false;
    refuse(i,
           "an array whose size is known only at run time, in device code; make the size a "
           "constant or a template argument");
    return true;
  }

  bool is_number_parameter(const Function& function, std::string_view name) const {
    bool found = false;
    for (Index k = function.params_open + 1; k < function.params_close; ++k) {
      found = found || (list_.is(k, name) && contains(kNumberTypes, list_.view(k - 1)) &&
                        (list_.is(k + 1, ",") || list_.is(k + 1, ")")));
    }
    return found && !declares(function.body_open, function.body_close, name);
  }

  bool of_scope(const Function& function, Index i) const {
    const bool called = host_.is_called(function, i);
    if (!called && !host_.is_constructed(function, i)) return false;
    refuse_call(i, called ? "function" : "constructor");
    return true;
  }

  void refuse_call(Index i, const std::string& what) const {
    refuse(i, "a call of the host " + what + " '" + std::string(list_.view(i)) +
                  "' in device code; make it __device__ (__host__ __device__ if the host calls it "
                  "too)");
  }

  void name(const Function& function, Index i) const {
    const std::string_view text = list_.view(i);
    const bool calls = list_.is(i + 1, "(") || list_.is(i + 1, "<");
    const bool of_c = calls && contains(kHostOfC, text) && own_.count(text) == 0;
    const bool own = calls && host_functions_.count(text) != 0;
    const bool variable =
        !function.scope.in_class && !function.is_qualified && host_variables_.count(text) != 0;
    if ((!of_c && !own && !variable) || is_member(i)) return;
    if (declares(function.params_open, function.body_close, text)) return;
    const std::string quoted = "'" + std::string(text) + "'";
    if (variable) {
      if (!is_qualified(i)) {
        refuse(i, "the host's variable " + quoted +
                      " in device code; pass its value to the kernel, or make it __device__ or "
                      "__constant__");
      }
    } else if (own && !is_qualified(i)) {
      refuse_call(i, "function");
    } else if (of_c && (!is_qualified(i) || list_.is(i - 2, "std"))) {
      refuse(i, "a call of the host function " + quoted + " in device code");
    }
  }

  bool is_member(Index i) const { return list_.is(i - 1, ".") || list_.is(i - 1, "->"); }
  bool is_qualified(Index i) const { return list_.is(i - 1, "::"); }

  bool declares(Index first, Index last, std::string_view name) const {
    return rewrite::declares(list_, first, last, name);
  }

  const Context& context_;
  const TokenList& list_;
  HostFunctions host_;  ///< named by their namespace or class
  NameSet own_;
  NameSet host_functions_;
  NameSet callable_;
  NameSet host_variables_;
};

}  // namespace

void find_refused(const Context& context) { Refused(context).run(); }

}  // namespace simt::rewrite

#include "frontend/analysis.hpp"

#include <algorithm>
#include <array>

#include "frontend/local_names.hpp"

namespace simt::rewrite {
namespace {

/// CUDA's names whose call may wait for other threads, and what leads to such a call.
constexpr std::array<std::string_view, 60> kBlockingWords = {"__syncthreads",
                                                             "__syncthreads_count",
                                                             "__syncthreads_and",
                                                             "__syncthreads_or",
                                                             "__syncwarp",
                                                             "__any",
                                                             "__all",
                                                             "__ballot",
                                                             "__activemask",
                                                             "__nanosleep",
                                                             "__all_sync",
                                                             "__any_sync",
                                                             "__ballot_sync",
                                                             "__match_all_sync",
                                                             "__match_any_sync",
                                                             "__reduce_add_sync",
                                                             "__reduce_and_sync",
                                                             "__reduce_max_sync",
                                                             "__reduce_min_sync",
                                                             "__reduce_or_sync",
                                                             "__reduce_xor_sync",
                                                             "__shfl",
                                                             "__shfl_down",
                                                             "__shfl_up",
                                                             "__shfl_xor",
                                                             "__shfl_sync",
                                                             "__shfl_down_sync",
                                                             "__shfl_up_sync",
                                                             "__shfl_xor_sync",
                                                             "pipeline",
                                                             "make_pipeline",
                                                             "mma_sync",
                                                             "load_matrix_sync",
                                                             "store_matrix_sync",
                                                             "barrier",
                                                             "latch",
                                                             "counting_semaphore",
                                                             "binary_semaphore",
                                                             "sync",
                                                             "wait",
                                                             "arrive_and_wait",
                                                             "arrive_and_drop",
                                                             "thread_block",
                                                             "thread_group",
                                                             "grid_group",
                                                             "cluster_group",
                                                             "coalesced_group",
                                                             "thread_block_tile",
                                                             "multi_grid_group",
                                                             "this_thread_block",
                                                             "this_grid",
                                                             "this_cluster",
                                                             "this_multi_grid",
                                                             "tiled_partition",
                                                             "binary_partition",
                                                             "labeled_partition",
                                                             "coalesced_threads",
                                                             "invoke_one",
                                                             "yield",
                                                             "simt"};

/// Does the blocking word at i lead to a pipeline that one thread has for itself, and waits for
/// nobody?
bool is_of_one_thread(const TokenList& list, Index i) {
  if (list.is(i, "make_pipeline")) return list.is(i + 1, "(") && list.is(i + 2, ")");
  if (!list.is(i, "pipeline") || !list.is(i + 1, "<")) return false;
  Index k = i + 2;
  while (list.is_identifier(k) && list.is(k + 1, "::")) k += 2;
  return list.is(k, "thread_scope_thread") && list.is(k + 1, ">");
}

Facts operator|(Facts a, Facts b) {
  return {a.blocks || b.blocks, a.builtins || b.builtins, a.state || b.state};
}

}  // namespace

bool is_builtin_variable(std::string_view word) {
  return word == "threadIdx" || word == "blockIdx" || word == "blockDim" || word == "gridDim";
}

bool is_blocking_word(std::string_view word) {
  return std::find(kBlockingWords.begin(), kBlockingWords.end(), word) != kBlockingWords.end();
}

bool begins_lambda(const TokenList& list, Index i) {
  if (!list.is(i, "[") || list.match[i] == kNone || list.is(i + 1, "[")) return false;
  if (i > 0 && list.is(i - 1, "[")) return false;
  if (i > 0) {
    const std::string_view before = list.view(i - 1);
    const bool value = list.is_identifier(i - 1) && before != "return" && before != "co_return" &&
                       before != "co_yield" && before != "else" && before != "case";
    if (value || before == ")" || before == "]" || list[i - 1].kind == TokenKind::string) {
      return false;
    }
  }
  return lambda_body(list, i) != kNone;
}

Index lambda_body(const TokenList& list, Index i) {
  Index k = list.match[i] + 1;
  if (list.is(k, "<")) k = skip_template_arguments(list, k);
  bool trailing = false;
  while (k < list.size()) {
    const std::string_view word = list.view(k);
    if (word == "{") return list.match[k] == kNone ? kNone : k;
    if (word == "(" || word == "[") {
      if (list.match[k] == kNone) return kNone;
      k = list.match[k] + 1;
    } else if (word == "<") {
      k = skip_template_arguments(list, k);
    } else if (list.is_identifier(k) || word == "->" || word == "::" ||
               (trailing && (word == "*" || word == "&"))) {
      trailing = trailing || word == "->";
      ++k;
    } else {
      return kNone;
    }
  }
  return kNone;
}

std::vector<Index> device_lambdas(const TokenList& list) {
  std::vector<Index> found;
  for (Index i = 0; i < list.size(); ++i) {
    if (!list.is(i, "[") || list.is_system(i) || !begins_lambda(list, i)) continue;
    const Index open = lambda_body(list, i);
    for (Index k = list.match[i]; open != kNone && k < open; ++k) {
      if (!list.is(k, "__device__")) continue;
      found.push_back(i);
      break;
    }
  }
  return found;
}

Analysis::Analysis(const Source& source)
    : source_(source),
      list_(*source.list),
      polling_loops_(find_polling_loops(source)),
      local_(find_local_names(source)) {
  for (const Function& function : source_.functions) nodes_.try_emplace(function.name);
  NameSet with_body;
  for (const Function& function : source_.functions) {
    if (!function.has_body()) continue;
    with_body.insert(function.name);
    // A constructor's initialisers count.
    add_node(function.name, function.params_open, function.body_close + 1);
  }
  for (const Function& function : source_.functions) {
    const Specifiers& words = function.specifiers;
    if (words.device && with_body.count(function.name) == 0 &&
        !list_.is(function.params_close + 1, "=")) {
      nodes_[function.name].facts = {true, true, true};  // defined elsewhere: anything may happen
    }
  }
  add_indirect_targets();
  add_device_lambdas();
  find_unseen_askers();
}

namespace {
// Whose token it is, if no function of a name's own.
constexpr Index kNobody = kNone, kKernel = kNone - 1, kHost = kNone - 2;

/// Do templates of libraries call functions of this name that they find by their arguments?
bool is_library_name(std::string_view name) {
  static constexpr std::array<std::string_view, 12> names = {
      "swap", "begin",  "end",  "get",   "size",      "ssize",
      "data", "rbegin", "rend", "empty", "iter_move", "iter_swap"};
  return std::find(names.begin(), names.end(), name) != names.end();
}
}  // namespace

/// For each token the function, by its number, in whose body it stands: one of a namespace, which
/// is reached by its name alone; else one of the three above.
std::vector<Index> Analysis::owners() const {
  std::vector<Index> result(list_.size(), kNobody);
  const auto give = [&](Index first, Index last, Index owner) {
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(first),
              result.begin() + static_cast<std::ptrdiff_t>(last), owner);
  };
  for (std::size_t number = 0; number < source_.functions.size(); ++number) {
    const Function& function = source_.functions[number];
    if (!function.has_body()) continue;
    const Specifiers& words = function.specifiers;
    const bool by_name = !function.scope.in_class && !function.is_qualified &&
                         !function.name.starts_with("operator") && !is_library_name(function.name);
    Index owner = kNobody;
    if (words.global) {
      owner = kKernel;
    } else if (!words.device && !words.is_constexpr) {
      owner = kHost;
    } else if (by_name) {
      owner = number;
    }
    give(function.body_open, function.body_close, owner);
    if (owner == kKernel) {
      // Without captures a lambda becomes a pointer, which another kernel may call.
      for (Index i = function.body_open; i < function.body_close; ++i) {
        if (!begins_lambda(list_, i) || !list_.is(i + 1, "]")) continue;
        const Index open = lambda_body(list_, i);
        if (list_.match[open] != kNone) give(open, list_.match[open], kNobody);
      }
    }
    if (owner != number) continue;
    for (Index i = function.body_open; i < function.body_close; ++i) {
      const bool is_class = list_.is(i, "struct") || list_.is(i, "class") || list_.is(i, "union");
      if (!is_class && !begins_lambda(list_, i)) continue;
      const Index open = is_class ? i : lambda_body(list_, i);
      give(open, is_class || list_.match[open] == kNone ? function.body_close : list_.match[open],
           kNobody);
    }
  }
  for (const Index i : device_lambdas(list_)) {
    const Index open = lambda_body(list_, i);
    if (list_.match[open] != kNone && result[open] == kHost) give(open, list_.match[open], kNobody);
  }
  return result;
}

/// Is the function named at i called there? Its arguments may follow those of a template.
bool Analysis::is_called(Index i) const {
  Index next = i + 1;
  if (list_.is(next, "<")) {
    const Index end = skip_template_arguments(list_, next);
    if (end != kNone) next = end;
  }
  return list_.is(next, "(");
}

void Analysis::find_unseen_askers() {
  const std::vector<Index> owner = owners();
  std::vector<bool> declares(list_.size());
  for (const Function& function : source_.functions) declares[function.name_token] = true;
  NameSet asking;
  for (bool more = true; more && !has_unseen_askers_;) {
    more = false;
    for (Index i = 0; i < list_.size(); ++i) {
      if (!list_.is_identifier(i) || list_.is_system(i) || local_[i] || owner[i] == kHost) continue;
      const std::string_view word = list_.view(i);
      const bool asks = is_builtin_variable(word) || is_instruction(list_, i);
      if (!asks && (declares[i] || !asking.contains(word))) continue;
      const bool seen = owner[i] != kNobody && (asks || is_called(i));
      has_unseen_askers_ = has_unseen_askers_ || !seen;
      if (seen && owner[i] != kKernel) {
        more = asking.insert(source_.functions[owner[i]].name).second || more;
      }
    }
  }
}

void Analysis::add_node(const std::string& name, Index first, Index last) {
  Node& node = nodes_[name];
  node.facts = node.facts | direct(first, last);
  node.names.merge(mentioned(first, last));
}

void Analysis::add_indirect_targets() {
  for (const auto& [name, node] : nodes_) {
    const bool by_loop_or_binding = name == "begin" || name == "end" || name == "get";
    if (name.starts_with("operator") || by_loop_or_binding) indirect_.insert(name);
  }
  add_member_initialisers(source_.items, false);
  // Constructors and destructors run where no name of theirs stands: through aliases, members,
  // conversions.
  for (const Function& function : source_.functions) {
    const std::string& path = function.scope.path;
    const bool constructor =
        path.ends_with("::" + function.name + "::") || path == function.name + "::";
    if (constructor || list_.is(function.name_token - 1, "~")) indirect_.insert(function.name);
  }
  NameSet callable;
  for (const Function& function : source_.functions) {
    const Specifiers& words = function.specifiers;
    if (words.device || words.is_constexpr) callable.insert(function.name);
  }
  for (Index i = 0; i < list_.size(); ++i) {
    if (list_.is_identifier(i) && !list_.is_system(i) && !local_[i] &&
        callable.count(list_.view(i)) != 0 && is_address(i)) {
      indirect_.emplace(list_.view(i));
    }
  }
}

/// What a class's members are initialised with, `int n = f();`, runs in its constructors.
void Analysis::add_member_initialisers(const std::vector<Item>& items, bool in_class) {
  static const std::string name = "member initialisers";
  for (const Item& item : items) {
    if (item.kind == ItemKind::scope) {
      bool is_class = false;
      for (Index i = item.first; i < item.body_open; ++i) {
        is_class =
            is_class || list_.is(i, "struct") || list_.is(i, "class") || list_.is(i, "union");
      }
      add_member_initialisers(item.children, is_class);
    } else if (in_class && item.kind != ItemKind::function) {
      const Index value = find_top_level(list_, item.first, item.last, {"=", "{"});
      const std::string_view word = list_.view(item.first);
      const bool of_object = word != "static" && word != "using" && word != "typedef" &&
                             word != "friend" && word != "template" && word != "inline";
      if (value >= item.last || !of_object) continue;
      add_node(name, value, item.last);
      indirect_.insert(name);
    }
  }
}

/// Does the identifier at i name a function without calling or declaring it?
bool Analysis::is_address(Index i) const {
  const auto node = nodes_.find(list_.view(i));
  if (node == nodes_.end() || source_.kernels.count(node->first) != 0) return false;
  Index next = i + 1;
  if (list_.is(next, "<")) {
    const Index end = skip_template_arguments(list_, next);
    if (end != kNone) next = end;
  }
  const bool passed = list_.is(next, ",") || list_.is(next, ")") || list_.is(next, ";") ||
                      list_.is(next, "}") || list_.is(next, ">") || list_.is(next, ":");
  return passed && i > 0 && !list_.is(i - 1, "struct") && !list_.is(i - 1, "class");
}

/// Lambdas marked __device__ in host code: a kernel that takes a functor may call them.
void Analysis::add_device_lambdas() {
  for (const Index i : device_lambdas(list_)) {
    const Index open = lambda_body(list_, i);
    add_node("operator()", open, list_.match[open]);
    indirect_.emplace("operator()");
  }
}

Facts Analysis::direct(Index first, Index last, const NameSet& except) const {
  Facts facts;
  for (const PollingLoop& loop : polling_loops_) {
    if (loop.first >= first && loop.first < last) facts.blocks = true;
  }
  for (Index i = first; i < last; ++i) {
    if (!list_.is_identifier(i) || local_[i]) continue;
    const std::string_view word = list_.view(i);
    if (except.contains(word)) continue;
    if (is_builtin_variable(word)) {
      facts.builtins = true;
    } else if (word.find("assert_fail") != std::string_view::npos) {
      facts.state = true;
    } else if (source_.group_namespaces.count(word) != 0 || is_instruction(list_, i) ||
               (is_blocking_word(word) && !is_of_one_thread(list_, i))) {
      facts.blocks = true;
    }
  }
  return facts;
}

NameSet Analysis::mentioned(Index first, Index last) const {
  NameSet names;
  for (Index i = first; i < last; ++i) {
    if (!list_.is_identifier(i) || local_[i]) continue;
    if (nodes_.count(list_.view(i)) != 0) names.emplace(list_.view(i));
  }
  return names;
}

Facts Analysis::walk(NameSet names) const {
  Facts facts;
  facts.builtins = has_unseen_askers_;
  std::vector<std::string> work(names.begin(), names.end());
  for (const std::string& name : indirect_) {
    if (names.insert(name).second) work.push_back(name);
  }
  while (!work.empty()) {
    const auto node = nodes_.find(work.back());
    work.pop_back();
    if (node == nodes_.end()) continue;
    facts = facts | node->second.facts;
    for (const std::string& name : node->second.names) {
      if (names.insert(name).second) work.push_back(name);
    }
  }
  return facts;
}

Facts Analysis::reached(Index first, Index last, const NameSet& except) const {
  NameSet names = mentioned(first, last);
  for (const std::string& name : except) names.erase(name);
  return walk(std::move(names));
}

NameSet Analysis::blocking_names() const {
  NameSet blocking;
  for (const auto& [name, node] : nodes_) {
    if (node.facts.blocks || walk(node.names).blocks) blocking.insert(name);
  }
  return blocking;
}

/// The `{` of the local class whose keyword is at i, or kNone.
Index Analysis::local_class_body(Index i, Index last) const {
  if (!list_.is(i, "struct") && !list_.is(i, "class") && !list_.is(i, "union")) return kNone;
  Index stop = find_top_level(list_, i, last, {"{", ";", "(", ")", "="});
  while (list_.is(stop, "(") && takes_argument(list_.view(stop - 1)) &&
         list_.match[stop] != kNone) {
    stop = find_top_level(list_, list_.match[stop] + 1, last, {"{", ";", "(", ")", "="});
  }
  return list_.is(stop, "{") ? stop : kNone;
}

bool Analysis::needs_global_builtins(Index first, Index last) const {
  for (Index i = first; i < last; ++i) {
    Index open = local_class_body(i, last);
    if (open == kNone && list_.is(i, "[") && begins_lambda(list_, i)) {
      const bool by_default = (list_.is(i + 1, "=") || list_.is(i + 1, "&")) &&
                              (list_.is(i + 2, ",") || list_.is(i + 2, "]"));
      if (!by_default) open = lambda_body(list_, i);
    }
    if (open != kNone && list_.match[open] != kNone && direct(open, list_.match[open]).builtins) {
      return true;
    }
  }
  return false;
}

bool Analysis::own_code_asks(Index first, Index last, const NameSet& except) const {
  for (Index i = first; i < last; ++i) {
    const Index open = begins_lambda(list_, i) ? lambda_body(list_, i) : local_class_body(i, last);
    if (open == kNone || list_.match[open] == kNone) continue;
    const Facts facts = reached(open, list_.match[open], except);
    if (facts.builtins || facts.state || direct(open, list_.match[open], except).state) return true;
  }
  return false;
}

}  // namespace simt::rewrite

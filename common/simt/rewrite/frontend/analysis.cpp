#include "frontend/analysis.hpp"

#include <algorithm>
#include <array>

#include "frontend/local_names.hpp"
#include "frontend/owners.hpp"

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

Analysis::Analysis(const Source& source)
    : source_(source),
      list_(*source.list),
      polling_loops_(find_polling_loops(source)),
      local_(find_local_names(source)) {
  for (const Function& function : source_.functions) nodes_.try_emplace(function.name);
  NameSet with_body;
  for (const Function& function : source_.functions) {
    if (function.has_body()) with_body.insert(function.name);
    // Default arguments and a constructor's initialisers count.
    add_node(function.name, function.first,
             (function.has_body() ? function.body_close : function.params_close) + 1);
  }
  // What is defined elsewhere may do anything.
  constexpr Facts kAnything = {true, true, true};
  for (const Function& function : source_.functions) {
    if (function.specifiers.device && with_body.count(function.name) == 0 &&
        !list_.is(function.params_close + 1, "=")) {
      nodes_[function.name].facts = kAnything;
    }
  }
  for (const std::string& name : source_.declared) {
    if (with_body.count(name) == 0) nodes_[name].facts = kAnything;
  }
  find_unseen();
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

void Analysis::find_unseen() {
  const std::vector<Index> owner = code_owners(source_);
  std::vector<bool> declares(list_.size());
  for (const Function& function : source_.functions) declares[function.name_token] = true;
  for (const PollingLoop& loop : polling_loops_) {
    if (owner[loop.first] == kNobody) unseen_.facts.blocks = true;
  }
  for (Index i = 0; i < list_.size(); ++i) {
    if (!list_.is_identifier(i) || list_.is_system(i) || local_[i] || declares[i]) continue;
    if (owner[i] == kHost) continue;
    const bool called = is_called(i);
    if (owner[i] == kNobody) {
      Facts facts = facts_of(i);
      Index named = i;
      while (list_.is(named + 1, "::")) named += 2;
      // A type that leads to a call may stand in a declaration.
      facts.blocks = facts.blocks && (is_called(named) || is_instruction(list_, i));
      unseen_.facts = unseen_.facts | facts;
    }
    const bool reaches = owner[i] == kNobody || !called;
    if (reaches && nodes_.contains(list_.view(i))) unseen_.names.emplace(list_.view(i));
  }
}

void Analysis::add_node(const std::string& name, Index first, Index last) {
  Node& node = nodes_[name];
  node.facts = node.facts | direct(first, last);
  node.names.merge(mentioned(first, last));
}

/// What the identifier at i says by itself.
Facts Analysis::facts_of(Index i) const {
  const std::string_view word = list_.view(i);
  Facts facts;
  if (is_builtin_variable(word)) {
    facts.builtins = true;
  } else if (word.find("assert_fail") != std::string_view::npos) {
    facts.state = true;
  } else if (source_.group_namespaces.count(word) != 0 || is_instruction(list_, i) ||
             (is_blocking_word(word) && !is_of_one_thread(list_, i))) {
    facts.blocks = true;
  }
  return facts;
}

Facts Analysis::direct(Index first, Index last, const NameSet& except) const {
  Facts facts;
  for (const PollingLoop& loop : polling_loops_) {
    if (loop.first >= first && loop.first < last) facts.blocks = true;
  }
  for (Index i = first; i < last; ++i) {
    if (!list_.is_identifier(i) || local_[i] || except.contains(list_.view(i))) continue;
    facts = facts | facts_of(i);
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
  Facts facts = unseen_.facts;
  names.insert(unseen_.names.begin(), unseen_.names.end());
  std::vector<std::string> work(names.begin(), names.end());
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

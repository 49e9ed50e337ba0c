#include "context.hpp"
#include "cuda_runtime_api.h"
#include "enqueue.hpp"
#include "graph.hpp"
#include "observer.hpp"
#include "stream.hpp"

namespace simt::detail {

void begin_graph(const std::vector<ExecNode>& nodes) {
  for (const ExecNode& node : nodes) {
    if (node.work.begin) node.work.begin();
  }
}

namespace {

/// Tells the observer when a graph begins and ends, and its nodes.
class ObservedGraph {
 public:
  explicit ObservedGraph(const std::vector<ExecNode>& nodes) : observer_(observer()) {
    if (observer_ != nullptr) observer_->graph_begins(nodes.data());
  }
  ~ObservedGraph() {
    if (observer_ != nullptr) observer_->graph_ends();
  }
  ObservedGraph(const ObservedGraph&) = delete;
  void begin(const ExecNode& node) {
    if (observer_ != nullptr) observer_->node_begins(node.dependencies);
  }

 private:
  Observer* observer_;
};

}  // namespace

cudaError_t run_graph(const std::vector<ExecNode>& nodes) {
  ObservedGraph observed(nodes);
  for (const ExecNode& node : nodes) {
    observed.begin(node);
    if (!node.enabled || !node.work.run) continue;
    const cudaError_t error = node.work.run();
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t make_exec(const CUgraph_st& graph, CUgraphExec_st& exec) {
  const std::vector<CUgraphNode_st*> sorted = sorted_nodes(graph);
  if (sorted.size() != graph.nodes.size()) return cudaErrorInvalidValue;
  for (CUgraphNode_st* node : sorted) {
    std::vector<std::size_t> dependencies;
    for (CUgraphNode_st* before : node->dependencies) dependencies.push_back(exec.place[before]);
    exec.place[node] = exec.nodes.size();
    exec.nodes.push_back({node->work, std::move(dependencies), true});
  }
  return cudaSuccess;
}

namespace {

Handles<CUgraphExec_st>& execs() {
  static auto& handles = *new Handles<CUgraphExec_st>;
  return handles;
}

// Runs an action on the node of an executable graph that was made of a graph's node.
template <class Action>
cudaError_t with_node(cudaGraphExec_t exec, cudaGraphNode_t node, Action action) {
  return api_call([&] {
    ExecNode* own = exec_node(exec, node);
    return own == nullptr ? cudaErrorInvalidValue : action(*own);
  });
}

}  // namespace

ExecNode* exec_node(cudaGraphExec_t exec, cudaGraphNode_t node) {
  if (!execs().has(exec)) return nullptr;
  const auto place = exec->place.find(node);
  return place == exec->place.end() ? nullptr : &exec->nodes[place->second];
}

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::execs;
using simt::detail::with_node;
using simt::detail::Work;

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return api_call([&] {
    constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                          cudaGraphInstantiateFlagUpload |
                                          cudaGraphInstantiateFlagUseNodePriority;
    if (exec == nullptr || !simt::detail::graphs().has(graph)) return cudaErrorInvalidValue;
    if ((flags & ~kKnown) != 0) return cudaErrorNotSupported;
    cudaGraphExec_t made = execs().make();
    const cudaError_t error = simt::detail::make_exec(*graph, *made);
    if (error != cudaSuccess) {
      execs().remove(made);
      return error;
    }
    *exec = made;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return api_call([&] { return execs().has(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!execs().has(exec)) return api_call([] { return cudaErrorInvalidValue; });
  if (simt::detail::is_capturing(stream)) {
    return simt::detail::enqueue(stream, cudaGraphNodeTypeGraph, [nodes = exec->nodes] {
      simt::detail::begin_graph(nodes);
      return simt::detail::run_graph(nodes);
    });
  }
  return simt::detail::enqueue(stream, cudaGraphNodeTypeGraph, [&] {
    simt::detail::begin_graph(exec->nodes);
    return simt::detail::run_graph(exec->nodes);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return api_call([&] { return execs().remove(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return api_call([&] {
    if (!execs().has(exec) || !simt::detail::graphs().has(graph) || info == nullptr) {
      return cudaErrorInvalidValue;
    }
    *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    CUgraphExec_st updated;
    const cudaError_t error = simt::detail::make_exec(*graph, updated);
    if (error != cudaSuccess) return error;
    if (updated.nodes.size() != exec->nodes.size()) {
      info->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    for (const auto& [node, place] : updated.place) {
      if (exec->nodes[place].work.type != node->work.type) {
        *info = {cudaGraphExecUpdateErrorNodeTypeChanged, node, nullptr};
        return cudaErrorGraphExecUpdateFailure;
      }
      if (exec->nodes[place].dependencies != updated.nodes[place].dependencies) {
        *info = {cudaGraphExecUpdateErrorTopologyChanged, node, nullptr};
        return cudaErrorGraphExecUpdateFailure;
      }
    }
    for (std::size_t i = 0; i < updated.nodes.size(); ++i) {
      exec->nodes[i].work = updated.nodes[i].work;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled) {
  return with_node(exec, node, [&](ExecNode& own) {
    own.enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int* enabled) {
  return with_node(exec, node, [&](ExecNode& own) {
    if (enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = own.enabled ? 1 : 0;
    return cudaSuccess;
  });
}

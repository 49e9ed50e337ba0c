#include "graph.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <unordered_map>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "observer.hpp"

namespace simt::detail {

Handles<CUgraph_st>& graphs() {
  static auto& handles = *new Handles<CUgraph_st>;
  return handles;
}

CUgraphNode_st* add_node(CUgraph_st& graph, Work work, std::vector<CUgraphNode_st*> dependencies) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  node->graph = &graph;
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

std::vector<CUgraphNode_st*> sorted_nodes(const CUgraph_st& graph) {
  std::unordered_map<const CUgraphNode_st*, std::vector<CUgraphNode_st*>> behind;
  std::unordered_map<const CUgraphNode_st*, std::size_t> waits_for;
  std::vector<CUgraphNode_st*> sorted;
  for (const auto& node : graph.nodes) {
    waits_for[node.get()] = node->dependencies.size();
    if (node->dependencies.empty()) sorted.push_back(node.get());
    for (const CUgraphNode_st* other : node->dependencies) behind[other].push_back(node.get());
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto next = behind.find(sorted[i]);
    if (next == behind.end()) continue;
    for (CUgraphNode_st* node : next->second) {
      if (--waits_for[node] == 0) sorted.push_back(node);
    }
  }
  if (sorted.size() < graph.nodes.size()) sorted.clear();
  return sorted;
}

Work host_work(const cudaHostNodeParams& parameters) {
  Work work;
  work.type = cudaGraphNodeTypeHost;
  work.label = "host function";
  work.run = [parameters] {
    if (Observer* watching = observer()) watching->node_calls_host();
    parameters.fn(parameters.userData);
    return cudaSuccess;
  };
  return work;
}

namespace {

std::uint64_t next_graph_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool has_node(const CUgraph_st& graph, const CUgraphNode_st* node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [=](const auto& own) { return own.get() == node; });
}

}  // namespace

cudaError_t add_checked(cudaGraphNode_t* node, cudaGraph_t graph,
                        const cudaGraphNode_t* dependencies, std::size_t count, Work work) {
  if (node == nullptr || !graphs().has(graph) || (count != 0 && dependencies == nullptr)) {
    return cudaErrorInvalidValue;
  }
  std::vector<CUgraphNode_st*> before(dependencies, dependencies + count);
  for (const CUgraphNode_st* other : before) {
    if (!has_node(*graph, other)) return cudaErrorInvalidValue;
  }
  *node = add_node(*graph, std::move(work), std::move(before));
  return cudaSuccess;
}

}  // namespace simt::detail

using simt::detail::add_checked;
using simt::detail::api_call;
using simt::detail::graphs;
using simt::detail::Work;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  return api_call([&] {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = graphs().make();
    (*graph)->id = simt::detail::next_graph_id();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_call([&] { return graphs().remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return api_call([&] {
    if (clone == nullptr || !graphs().has(graph)) return cudaErrorInvalidValue;
    cudaGraph_t made = graphs().make();
    made->id = simt::detail::next_graph_id();
    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> copy_of;
    for (const auto& node : graph->nodes) {
      copy_of[node.get()] = simt::detail::add_node(*made, node->work, {});
    }
    for (const auto& node : graph->nodes) {
      for (const CUgraphNode_st* before : node->dependencies) {
        copy_of[node.get()]->dependencies.push_back(copy_of[before]);
      }
    }
    *clone = made;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return api_call([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    Work work;
    const cudaError_t error = simt::detail::record_launch(parameters->func, *parameters, work);
    if (error != cudaSuccess) return error;
    return add_checked(node, graph, dependencies, count, std::move(work));
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* copy) {
  return api_call([&] {
    if (copy == nullptr) return cudaErrorInvalidValue;
    return add_checked(node, graph, dependencies, count, simt::detail::copy_work(*copy));
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t size,
                                     cudaMemcpyKind kind) {
  return api_call([&] {
    return add_checked(node, graph, dependencies, count,
                       simt::detail::copy_work(to, from, size, kind));
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
  return api_call([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return add_checked(node, graph, dependencies, count, simt::detail::fill_work(*parameters));
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
  return api_call([&] {
    if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
    return add_checked(node, graph, dependencies, count, simt::detail::host_work(*parameters));
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return api_call([&] { return add_checked(node, graph, dependencies, count, Work{}); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
  return api_call([&] {
    if (!graphs().has(child)) return cudaErrorInvalidValue;
    CUgraphExec_st exec;
    const cudaError_t error = simt::detail::make_exec(*child, exec);
    if (error != cudaSuccess) return error;
    Work work;
    work.type = cudaGraphNodeTypeGraph;
    work.label = "child graph";
    work.begin = [nodes = exec.nodes] { simt::detail::begin_graph(nodes); };
    work.run = [nodes = std::move(exec.nodes)] { return simt::detail::run_graph(nodes); };
    return add_checked(node, graph, dependencies, count, std::move(work));
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event) {
  return api_call([&] {
    Work work;
    work.type = cudaGraphNodeTypeEventRecord;
    work.label = "event record";
    work.run = [event] { return cudaEventRecord(event, nullptr); };
    return add_checked(node, graph, dependencies, count, std::move(work));
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event) {
  return api_call([&] {
    Work work;
    work.type = cudaGraphNodeTypeWaitEvent;
    work.label = "event wait";
    work.run = [event] { return cudaStreamWaitEvent(nullptr, event, 0); };
    return add_checked(node, graph, dependencies, count, std::move(work));
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return api_call([&] {
    if (!graphs().has(graph)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (!simt::detail::has_node(*graph, from[i]) || !simt::detail::has_node(*graph, to[i])) {
        return cudaErrorInvalidValue;
      }
      to[i]->dependencies.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}

// Nodes that run other graphs or not, by a value that kernels set.
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "graph.hpp"

namespace simt::detail {

namespace {

struct Condition {
  std::atomic<unsigned> value{0};
  unsigned default_value = 0;
  bool resets = false;
};

/// All conditions; handle n is number n - 1. They are few, and stay.
struct Conditions {
  std::mutex mutex;
  std::deque<Condition> all;
};

Conditions& conditions() {
  static auto& instance = *new Conditions;
  return instance;
}

Condition* find_condition(cudaGraphConditionalHandle handle) {
  const std::lock_guard lock(conditions().mutex);
  if (handle == 0 || handle > conditions().all.size()) return nullptr;
  return &conditions().all[handle - 1];
}

/// The graphs of a conditional node. Copies of the node share them.
class Bodies {
 public:
  Bodies(Condition& condition, const cudaConditionalNodeParams& parameters)
      : condition_(condition), type_(parameters.type), graphs_(parameters.size) {
    for (cudaGraph_t& graph : graphs_) graph = graphs().make();
  }
  ~Bodies() {
    for (cudaGraph_t graph : graphs_) graphs().remove(graph);
  }
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  cudaGraph_t* graphs_out() { return graphs_.data(); }

  void begin() const {
    if (condition_.resets) condition_.value = condition_.default_value;
    for (const cudaGraph_t graph : graphs_) {
      for (const auto& node : graph->nodes) {
        if (node->work.begin) node->work.begin();
      }
    }
  }

  cudaError_t run() const {
    switch (type_) {
      case cudaGraphCondTypeIf:
        return run_body(condition_.value != 0 ? 0 : 1);
      case cudaGraphCondTypeSwitch:
        return run_body(condition_.value);
      case cudaGraphCondTypeWhile:
        while (condition_.value != 0) {
          const cudaError_t error = run_body(0);
          // A kernel that failed will not set the value any more.
          if (error != cudaSuccess || context_is_broken()) return error;
        }
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  }

 private:
  cudaError_t run_body(std::size_t number) const {
    if (number >= graphs_.size()) return cudaSuccess;
    CUgraphExec_st exec;
    const cudaError_t error = make_exec(*graphs_[number], exec);
    return error != cudaSuccess ? error : run_graph(exec.nodes);
  }

  Condition& condition_;
  cudaGraphConditionalNodeType type_;
  std::vector<cudaGraph_t> graphs_;
};

bool has_good_size(const cudaConditionalNodeParams& parameters) {
  switch (parameters.type) {
    case cudaGraphCondTypeIf:
      return parameters.size == 1 || parameters.size == 2;
    case cudaGraphCondTypeWhile:
      return parameters.size == 1;
    case cudaGraphCondTypeSwitch:
      return parameters.size > 0;
  }
  return false;
}

cudaError_t add_conditional(cudaGraphNode_t* node, cudaGraph_t graph,
                            const cudaGraphNode_t* dependencies, std::size_t count,
                            cudaConditionalNodeParams& parameters) {
  Condition* condition = find_condition(parameters.handle);
  if (condition == nullptr || !has_good_size(parameters)) return cudaErrorInvalidValue;
  auto bodies = std::make_shared<Bodies>(*condition, parameters);
  parameters.phGraph_out = bodies->graphs_out();
  Work work;
  work.type = cudaGraphNodeTypeConditional;
  work.label = "condition";
  work.begin = [bodies] { bodies->begin(); };
  work.run = [bodies] { return bodies->run(); };
  return add_checked(node, graph, dependencies, count, std::move(work));
}

}  // namespace

}  // namespace simt::detail

using simt::detail::api_call;

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int default_value, unsigned int flags) {
  return api_call([&] {
    if (handle == nullptr || !simt::detail::graphs().has(graph) ||
        flags > cudaGraphCondAssignDefault) {
      return cudaErrorInvalidValue;
    }
    auto& conditions = simt::detail::conditions();
    const std::lock_guard lock(conditions.mutex);
    auto& condition = conditions.all.emplace_back();
    condition.default_value = default_value;
    condition.resets = flags == cudaGraphCondAssignDefault;
    *handle = conditions.all.size();
    return cudaSuccess;
  });
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  if (auto* condition = simt::detail::find_condition(handle)) condition->value = value;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, std::size_t count,
                             cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return api_call([] { return cudaErrorInvalidValue; });
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, dependencies, count, &parameters->kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, dependencies, count,
                                    &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, dependencies, count, &parameters->memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, dependencies, count, &parameters->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, count, parameters->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, dependencies, count,
                                       parameters->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, dependencies, count,
                                         parameters->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, dependencies, count, &parameters->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
    case cudaGraphNodeTypeConditional:
      return api_call([&] {
        return simt::detail::add_conditional(node, graph, dependencies, count,
                                             parameters->conditional);
      });
    default:
      return api_call([] { return cudaErrorNotSupported; });
  }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                             std::size_t count, cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(node, graph, dependencies, count, parameters);
}

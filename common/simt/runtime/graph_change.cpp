// Changing what nodes do: in a graph, and in one that can be launched already.
#include <algorithm>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "graph.hpp"

namespace {

using simt::detail::api_call;
using simt::detail::graphs;
using simt::detail::Work;

bool is_node(cudaGraphNode_t node) { return node != nullptr && graphs().has(node->graph); }

/// Gives a node other work of the same type.
cudaError_t change(cudaGraphNode_t node, Work work) {
  if (!is_node(node) || node->work.type != work.type) return cudaErrorInvalidValue;
  node->work = std::move(work);
  return cudaSuccess;
}

cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, Work work) {
  ExecNode* own = simt::detail::exec_node(exec, node);
  if (own == nullptr || own->work.type != work.type) return cudaErrorInvalidValue;
  own->work = std::move(work);
  return cudaSuccess;
}

/// The same for a kernel, whose parameters may be bad.
template <class... Node>
cudaError_t change_kernel(const cudaKernelNodeParams* parameters, Node... node) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  Work work;
  const cudaError_t error = simt::detail::record_launch(parameters->func, *parameters, work);
  return error == cudaSuccess ? change(node..., std::move(work)) : error;
}

}  // namespace

using simt::detail::copy_work;
using simt::detail::fill_work;
using simt::detail::host_work;

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return api_call([&] { return change_kernel(parameters, node); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* copy) {
  return api_call(
      [&] { return copy == nullptr ? cudaErrorInvalidValue : change(node, copy_work(*copy)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t size, cudaMemcpyKind kind) {
  return api_call([&] { return change(node, copy_work(to, from, size, kind)); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return api_call([&] {
    return parameters == nullptr ? cudaErrorInvalidValue : change(node, fill_work(*parameters));
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return api_call([&] {
    if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
    return change(node, host_work(*parameters));
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return api_call([&] { return change_kernel(parameters, exec, node); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* copy) {
  return api_call([&] {
    return copy == nullptr ? cudaErrorInvalidValue : change(exec, node, copy_work(*copy));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t size,
                                               cudaMemcpyKind kind) {
  return api_call([&] { return change(exec, node, copy_work(to, from, size, kind)); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return api_call([&] {
    return parameters == nullptr ? cudaErrorInvalidValue
                                 : change(exec, node, fill_work(*parameters));
  });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return api_call([&] {
    if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
    return change(exec, node, host_work(*parameters));
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api_call([&] {
    if (!is_node(node)) return cudaErrorInvalidValue;
    auto& nodes = node->graph->nodes;
    for (const auto& other : nodes) std::erase(other->dependencies, node);
    std::erase_if(nodes, [=](const auto& own) { return own.get() == node; });
    return cudaSuccess;
  });
}

#include <algorithm>
#include <cstdio>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "graph.hpp"
#include "interface.hpp"

namespace {

using simt::detail::api_call;
using simt::detail::graphs;

// Gives nodes to an array of *count places, or their number where there is no array.
cudaError_t give_nodes(const std::vector<CUgraphNode_st*>& nodes, cudaGraphNode_t* array,
                       std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (array == nullptr) {
    *count = nodes.size();
    return cudaSuccess;
  }
  for (std::size_t i = 0; i < *count; ++i) array[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = std::min(*count, nodes.size());
  return cudaSuccess;
}

const char* type_name(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeEmpty:
      return "empty";
    default:
      return "";
  }
}

}  // namespace

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api_call([&] {
    if (!graphs().has(graph)) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st*> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return give_nodes(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api_call([&] {
    if (!graphs().has(graph)) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st*> roots;
    for (const auto& node : graph->nodes) {
      if (node->dependencies.empty()) roots.push_back(node.get());
    }
    return give_nodes(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api_call([&] {
    if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = node->work.type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* copy) {
  return api_call([&] {
    if (node == nullptr || copy == nullptr || node->work.type != cudaGraphNodeTypeMemcpy) {
      return cudaErrorInvalidValue;
    }
    *copy = node->work.copy;
    return cudaSuccess;
  });
}

cudaError_t simt_node_launch(cudaGraphNode_t node, dim3* grid, dim3* block, const void** kernel) {
  return api_call([&] {
    if (node == nullptr || node->work.type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    *grid = node->work.grid;
    *block = node->work.block;
    *kernel = node->work.kernel;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         std::size_t* count) {
  return api_call([&] {
    if (node == nullptr) return cudaErrorInvalidValue;
    return give_nodes(node->dependencies, dependencies, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, std::size_t* count) {
  const cudaError_t error = cudaGraphNodeGetDependencies(node, dependencies, count);
  if (error == cudaSuccess && edges != nullptr && dependencies != nullptr) {
    std::fill(edges, edges + *count, cudaGraphEdgeData{});
  }
  return error;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  return api_call([&] {
    if (!graphs().has(graph) || path == nullptr) return cudaErrorInvalidValue;
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) return cudaErrorOperatingSystem;
    std::fprintf(file, "digraph graph_%llu {\n", static_cast<unsigned long long>(graph->id));
    std::unordered_map<const CUgraphNode_st*, std::size_t> number;
    for (const auto& node : graph->nodes) {
      const std::size_t own = number.size();
      number[node.get()] = own;
      std::fprintf(file, "  n%zu [shape=box, label=\"%s %s\"];\n", own, type_name(node->work.type),
                   node->work.label.c_str());
    }
    for (const auto& node : graph->nodes) {
      for (const CUgraphNode_st* before : node->dependencies) {
        std::fprintf(file, "  n%zu -> n%zu;\n", number[before], number[node.get()]);
      }
    }
    std::fprintf(file, "}\n");
    std::fclose(file);
    return cudaSuccess;
  });
}

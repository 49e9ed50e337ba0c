/// @file
/// Graphs: pieces of work, and which must come before which.
#ifndef SIMT_RUNTIME_GRAPH_HPP
#define SIMT_RUNTIME_GRAPH_HPP

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver_types.h"
#include "handles.hpp"
#include "work.hpp"

struct CUgraphNode_st {
  simt::detail::Work work;
  std::vector<CUgraphNode_st*> dependencies;
  CUgraph_st* graph = nullptr;
};

/// Nodes in the order they were added.
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::uint64_t id = 0;
};

/// One node of a graph that can be launched.
struct ExecNode {
  simt::detail::Work work;
  std::vector<std::size_t> dependencies;  ///< places of other nodes
  bool enabled = true;
};

/// A graph that can be launched: copies of the nodes, each after those it depends on.
struct CUgraphExec_st {
  std::vector<ExecNode> nodes;
  std::unordered_map<CUgraphNode_st*, std::size_t> place;  ///< of the original nodes
};

namespace simt::detail {

Handles<CUgraph_st>& graphs();

/// Adds a node; all of `dependencies` must be nodes of the same graph.
CUgraphNode_st* add_node(CUgraph_st& graph, Work work, std::vector<CUgraphNode_st*> dependencies);

/// The same with what a program gave, after checking it.
cudaError_t add_checked(cudaGraphNode_t* node, cudaGraph_t graph,
                        const cudaGraphNode_t* dependencies, std::size_t count, Work work);

/// What an allocation node does; it owns the memory at `pointer`.
Work allocation_work(void* pointer, std::size_t size);
Work free_work(void* pointer);
/// Gives memory of a graph back until the graph runs again; nothing if it is no such memory.
std::optional<cudaError_t> free_graph_memory(void* pointer);

/// The nodes of a graph, each after those it depends on, and branches that do not depend on each
/// other by turns; empty if they depend on each other in a circle (or there are none).
std::vector<CUgraphNode_st*> sorted_nodes(const CUgraph_st& graph);

/// What every node does when the graph is launched, before the first one's work.
void begin_graph(const std::vector<ExecNode>& nodes);

/// Does the work of all enabled nodes.
cudaError_t run_graph(const std::vector<ExecNode>& nodes);

/// The node of an executable graph that was made of a graph's node; null if there is none.
ExecNode* exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);

/// Copies of a graph's nodes, in order.
cudaError_t make_exec(const CUgraph_st& graph, CUgraphExec_st& exec);

}  // namespace simt::detail

#endif

// Memory that a graph allocates each time it runs: here once, for as long as a graph has the node.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "graph.hpp"
#include "memory.hpp"

namespace simt::detail {

namespace {

struct Usage {
  std::uint64_t current = 0;
  std::uint64_t high = 0;

  void add(std::uint64_t size) {
    current += size;
    high = std::max(high, current);
  }
};

struct GraphBytes {
  int device = 0;
  std::size_t size = 0;
  bool in_use = false;  ///< between the node's run and the memory's being freed
};

/// All memory of graphs, and how much of it each device has.
struct GraphMemories {
  std::mutex mutex;
  std::map<void*, GraphBytes> all;
  Usage used[kMostDevices];
  Usage reserved[kMostDevices];
};

GraphMemories& memories() {
  static auto& instance = *new GraphMemories;
  return instance;
}

/// The owner of one piece; nodes and their copies share it.
class GraphMemory {
 public:
  GraphMemory(void* pointer, std::size_t size) : pointer_(pointer) {
    const std::lock_guard lock(memories().mutex);
    memories().all[pointer] = {current_device(), size, false};
    memories().reserved[current_device()].add(size);
  }
  ~GraphMemory() {
    const std::lock_guard lock(memories().mutex);
    const GraphBytes& own = memories().all[pointer_];
    memories().reserved[own.device].current -= own.size;
    if (own.in_use) memories().used[own.device].current -= own.size;
    memories().all.erase(pointer_);
    Memory::instance().free(pointer_, false);
  }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  void use() const {
    const std::lock_guard lock(memories().mutex);
    GraphBytes& own = memories().all[pointer_];
    if (!own.in_use) memories().used[own.device].add(own.size);
    own.in_use = true;
  }

 private:
  void* pointer_;
};

/// The usage that an attribute is about, and which of its two numbers.
Usage* usage_of(int device, cudaGraphMemAttributeType attribute) {
  switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrUsedMemHigh:
      return &memories().used[device];
    case cudaGraphMemAttrReservedMemCurrent:
    case cudaGraphMemAttrReservedMemHigh:
      return &memories().reserved[device];
  }
  return nullptr;
}

bool is_high(cudaGraphMemAttributeType attribute) {
  return attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
}

}  // namespace

Work allocation_work(void* pointer, std::size_t size) {
  auto memory = std::make_shared<GraphMemory>(pointer, size);
  const auto run = [memory] {
    memory->use();
    return cudaSuccess;
  };
  return {cudaGraphNodeTypeMemAlloc, run, "allocation"};
}

Work free_work(void* pointer) {
  const auto run = [pointer] { return free_graph_memory(pointer).value_or(cudaErrorInvalidValue); };
  return {cudaGraphNodeTypeMemFree, run, "free"};
}

std::optional<cudaError_t> free_graph_memory(void* pointer) {
  const std::lock_guard lock(memories().mutex);
  const auto found = memories().all.find(pointer);
  if (found == memories().all.end()) return std::nullopt;
  GraphBytes& own = found->second;
  if (!own.in_use) return cudaErrorInvalidValue;
  own.in_use = false;
  memories().used[own.device].current -= own.size;
  return cudaSuccess;
}

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::is_device;
using simt::detail::memories;

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  return api_call([&] {
    if (parameters == nullptr || parameters->bytesize == 0 ||
        parameters->poolProps.allocType != cudaMemAllocationTypePinned ||
        parameters->poolProps.location.type != cudaMemLocationTypeDevice ||
        !is_device(parameters->poolProps.location.id)) {
      return cudaErrorInvalidValue;
    }
    void* memory = simt::detail::Memory::instance().allocate(parameters->bytesize,
                                                             simt::detail::MemoryKind::device, 0,
                                                             parameters->poolProps.location.id);
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    parameters->dptr = memory;
    return simt::detail::add_checked(node, graph, dependencies, count,
                                     simt::detail::allocation_work(memory, parameters->bytesize));
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
  return api_call([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    return simt::detail::add_checked(node, graph, dependencies, count,
                                     simt::detail::free_work(pointer));
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return api_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    const simt::detail::Usage* usage = simt::detail::usage_of(device, attribute);
    if (usage == nullptr || value == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(memories().mutex);
    *static_cast<std::uint64_t*>(value) =
        simt::detail::is_high(attribute) ? usage->high : usage->current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return api_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    simt::detail::Usage* usage = simt::detail::usage_of(device, attribute);
    // Only the high-water marks, and only to 0.
    if (usage == nullptr || !simt::detail::is_high(attribute) || value == nullptr ||
        *static_cast<std::uint64_t*>(value) != 0) {
      return cudaErrorInvalidValue;
    }
    const std::lock_guard lock(memories().mutex);
    usage->high = usage->current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return api_call([&] { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

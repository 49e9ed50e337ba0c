// Memory that graphs allocate and free, who may use a pool's memory, and device clocks.
#include <cstdint>

#include "expect.cuh"

constexpr int kCount = 1000;

__global__ void fill(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = i;
}
__global__ void add_up(const int* values, int count, int* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(total, values[i]);
}

// The two clocks go equally fast, as far as the first can count.
__global__ void wait_ticks(long long ticks, int* passed) {
  const clock_t start = clock();
  const long long start64 = clock64();
  while (clock64() - start64 < ticks) {
  }
  const clock_t end = clock();
  const unsigned both = static_cast<unsigned>(end) - static_cast<unsigned>(start);  // 32 bits wrap
  *passed = both >= ticks && both < 1000 * ticks ? 1 : 0;
}

cudaMemAllocNodeParams allocation(std::size_t bytes) {
  cudaMemAllocNodeParams parameters{};
  parameters.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.poolProps.location.type = cudaMemLocationTypeDevice;
  parameters.poolProps.location.id = 0;
  parameters.bytesize = bytes;
  return parameters;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void* kernel, void** values) {
  cudaKernelNodeParams parameters{};
  parameters.func = kernel;
  parameters.gridDim = dim3((kCount + 127) / 128);
  parameters.blockDim = dim3(128);
  parameters.kernelParams = values;
  cudaGraphNode_t node = nullptr;
  expect("kernel node", cudaGraphAddKernelNode(&node, graph, &before, 1, &parameters), 0);
  return node;
}

std::uint64_t used(cudaGraphMemAttributeType attribute) {
  std::uint64_t bytes = 0;
  expect("attribute", cudaDeviceGetGraphMemAttribute(0, attribute, &bytes), 0);
  return bytes;
}

// allocate -> fill -> add up -> free, twice.
void freed_in_graph(int* total) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  auto parameters = allocation(kCount * sizeof(int));
  cudaGraphNode_t allocated = nullptr, freed = nullptr;
  expect("allocation", cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &parameters), 0);
  cudaGraphNodeType type{};
  cudaGraphNodeGetType(allocated, &type);
  expect("type", type, cudaGraphNodeTypeMemAlloc);
  int count = kCount;
  void* fill_values[] = {&parameters.dptr, &count};
  void* add_values[] = {&parameters.dptr, &count, &total};
  const auto filled = add_kernel(graph, allocated, reinterpret_cast<void*>(fill), fill_values);
  const auto added = add_kernel(graph, filled, reinterpret_cast<void*>(add_up), add_values);
  expect("free", cudaGraphAddMemFreeNode(&freed, graph, &added, 1, parameters.dptr), 0);
  cudaGraphExec_t exec = nullptr;
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), 0);
  *total = 0;
  for (int run = 0; run < 2; ++run) cudaGraphLaunch(exec, nullptr);
  expect("launched", cudaDeviceSynchronize(), 0);
  expect("sum", *total, kCount * (kCount - 1));
  // A graph that could run again may keep its memory.
  expect_here("nothing is used", used(cudaGraphMemAttrUsedMemCurrent), 0);
  expect("some was used", used(cudaGraphMemAttrUsedMemHigh) >= kCount * sizeof(int), true);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// What the graph allocates outlives its run; it is freed by hand, and can be had again.
void freed_by_hand() {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  auto parameters = allocation(kCount * sizeof(int));
  cudaGraphNode_t allocated = nullptr;
  cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &parameters);
  cudaGraphExec_t exec = nullptr;
  cudaGraphInstantiate(&exec, graph, 0);
  int* values = static_cast<int*>(parameters.dptr);
  for (int run = 0; run < 2; ++run) {
    expect("launch", cudaGraphLaunch(exec, nullptr), 0);
    fill<<<(kCount + 127) / 128, 128>>>(values, kCount);
    int last = 0;
    cudaMemcpy(&last, values + kCount - 1, sizeof(int), cudaMemcpyDeviceToHost);
    expect("last", last, kCount - 1);
    expect("free", run == 0 ? cudaFree(values) : cudaFreeAsync(values, nullptr), 0);
    cudaDeviceSynchronize();
  }
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  std::uint64_t zero = 0;
  expect("reset", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero), 0);
  expect("trim", cudaDeviceGraphMemTrim(0), 0);
  expect_here("high after reset", used(cudaGraphMemAttrUsedMemHigh), 0);
}

// A second stream allocates, frees and joins again.
void captured(int* total) {
  cudaStream_t first = nullptr, second = nullptr;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t fork = nullptr, join = nullptr;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork, 0);
  int* values = nullptr;
  expect("allocate",
         cudaMallocAsync(reinterpret_cast<void**>(&values), kCount * sizeof(int), second), 0);
  fill<<<(kCount + 127) / 128, 128, 0, second>>>(values, kCount);
  add_up<<<(kCount + 127) / 128, 128, 0, second>>>(values, kCount, total);
  expect("free", cudaFreeAsync(values, second), 0);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join, 0);
#ifdef TUT_BACKEND_CPU
  cudaStreamDestroy(second);  // a GPU may end the capture
#endif
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  expect("end", cudaStreamEndCapture(first, &graph), 0);
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), 0);
  *total = 0;
  for (int run = 0; run < 3; ++run) cudaGraphLaunch(exec, first);
  expect("launched", cudaDeviceSynchronize(), 0);
  expect("captured sum", *total, 3 * kCount * (kCount - 1) / 2);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
#ifndef TUT_BACKEND_CPU
  cudaStreamDestroy(second);
#endif
  cudaStreamDestroy(first);
}

void pool_access() {
  cudaMemPool_t pool = nullptr;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemLocation device{};
  device.type = cudaMemLocationTypeDevice;
  device.id = 0;
  cudaMemAccessFlags flags{};
  expect("get", cudaMemPoolGetAccess(&flags, pool, &device), 0);
  expect("own device", flags, cudaMemAccessFlagsProtReadWrite);
  cudaMemAccessDesc access{};
  access.location = device;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  expect("set", cudaMemPoolSetAccess(pool, &access, 1), 0);
  access.location.id = 1000;
  expect("no such device", cudaMemPoolSetAccess(pool, &access, 1) != cudaSuccess, true);
  cudaGetLastError();
}

int main() {
  int* total = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&total), sizeof(int));
  freed_in_graph(total);
  freed_by_hand();
  captured(total);
  pool_access();
  wait_ticks<<<1, 1>>>(2000000, total);
  cudaDeviceSynchronize();
  expect("ticks", *total, 1);
  cudaFree(total);
  return report();
}

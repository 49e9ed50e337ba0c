// A host function in a graph reads what a kernel node writes, and depends on nothing.
#include <cuda_runtime.h>

__global__ void fill(int* data) { data[threadIdx.x] = static_cast<int>(threadIdx.x); }

void CUDART_CB add_up(void* data) {
  const int* values = static_cast<const int*>(data);
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += values[i];  // finds: race
  static_cast<int*>(data)[32] = sum;
}

int main() {
  int* data;
  cudaMallocManaged(&data, 33 * sizeof(int));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaKernelNodeParams kernel{};
  void* arguments[] = {&data};
  kernel.func = reinterpret_cast<void*>(fill);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaGraphNode_t filled, added;
  cudaGraphAddKernelNode(&filled, graph, nullptr, 0, &kernel);
  cudaHostNodeParams host{add_up, data};
#ifdef MENDED
  cudaGraphAddHostNode(&added, graph, &filled, 1, &host);
#else
  cudaGraphAddHostNode(&added, graph, nullptr, 0, &host);
#endif
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, nullptr);
  cudaDeviceSynchronize();
  const bool right = data[32] == 31 * 16;
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(data);
  return right ? 0 : 1;
}

// Conditional nodes of graphs: if and else, while, switch, nested, added by hand and by capture.
#include "expect.cuh"

// cudaGraphAddNode() has data of the edges since CUDA 13.
cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphNodeParams* parameters) {
  cudaGraphNode_t node = nullptr;
  expect("add",
         cudaGraphAddNode(&node, graph, &before, nullptr, before == nullptr ? 0 : 1, parameters),
         0);
  return node;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void* kernel, void** values) {
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeKernel;
  parameters.kernel.func = kernel;
  parameters.kernel.gridDim = dim3(1);
  parameters.kernel.blockDim = dim3(1);
  parameters.kernel.kernelParams = values;
  return add(graph, before, &parameters);
}

cudaGraphNodeParams condition(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                              unsigned size) {
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
  return parameters;
}

__global__ void choose(const int* from, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, static_cast<unsigned>(*from));
}
__global__ void add_to(int* target, int value) { *target += value; }
__global__ void count_down(int* counter, int* rounds, cudaGraphConditionalHandle handle) {
  ++*rounds;
  if (--*counter == 0) cudaGraphSetConditional(handle, 0);
}

/// Launches and waits.
void launch(cudaGraphExec_t exec) {
  expect("launch", cudaGraphLaunch(exec, nullptr), 0);
  expect("synchronise", cudaDeviceSynchronize(), 0);
}

cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), 0);
  cudaGraphDestroy(graph);
  return exec;
}

// choose -> one of several bodies, which add 1, 10, 100 ...
void one_of(int* data, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  expect("handle", cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), 0);
  int* from = data;
  int* target = data + 1;
  void* choose_values[] = {&from, &handle};
  const auto chosen = add_kernel(graph, nullptr, reinterpret_cast<void*>(choose), choose_values);
  auto parameters = condition(handle, type, size);
  const auto node = add(graph, chosen, &parameters);
  cudaGraphNodeType kind{};
  cudaGraphNodeGetType(node, &kind);
  expect("kind", kind, cudaGraphNodeTypeConditional);
  int value = 1;
  for (unsigned body = 0; body < size; ++body, value *= 10) {
    void* values[] = {&target, &value};
    add_kernel(parameters.conditional.phGraph_out[body], nullptr, reinterpret_cast<void*>(add_to),
               values);
  }
  const cudaGraphExec_t exec = instantiate(graph);
  for (int choice = 0; choice < 4; ++choice) {
    *from = choice;
    *target = 0;
    launch(exec);
    int want = 0;
    if (type == cudaGraphCondTypeIf) {
      want = choice != 0 ? 1 : size == 2 ? 10 : 0;
    } else {
      want = choice == 0 ? 1 : choice == 1 ? 10 : choice == 2 ? 100 : 0;
    }
    expect("one of several", *target, want);
  }
  cudaGraphExecDestroy(exec);
}

// The default is 1 at every launch; the body is captured, and counts down.
void repeat(int* data) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  auto parameters = condition(handle, cudaGraphCondTypeWhile, 1);
  add(graph, nullptr, &parameters);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  expect("begin",
         cudaStreamBeginCaptureToGraph(stream, parameters.conditional.phGraph_out[0], nullptr,
                                       nullptr, 0, cudaStreamCaptureModeGlobal),
         0);
  count_down<<<1, 1, 0, stream>>>(data, data + 1, handle);
  expect("end", cudaStreamEndCapture(stream, nullptr), 0);
  const cudaGraphExec_t exec = instantiate(graph);
  for (const int rounds : {5, 3}) {
    data[0] = rounds;
    data[1] = 0;
    launch(exec);
    expect("rounds", data[1], rounds);
  }
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
}

// A condition put into a capture by hand; what is captured next comes after it.
void within_capture(int* data) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* dependencies = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &dependencies, &edges, &count);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
  choose<<<1, 1, 0, stream>>>(data, handle);
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &dependencies, &edges, &count);
  expect("one dependency", count, 1);
  auto parameters = condition(handle, cudaGraphCondTypeIf, 1);
  cudaGraphNode_t node = add(graph, dependencies[0], &parameters);
  expect("update",
         cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                             cudaStreamSetCaptureDependencies),
         0);
  add_to<<<1, 1, 0, stream>>>(data + 1, 1);
  expect("end", cudaStreamEndCapture(stream, &graph), 0);
  int* target = data + 1;
  int value = 1000;
  void* values[] = {&target, &value};
  add_kernel(parameters.conditional.phGraph_out[0], nullptr, reinterpret_cast<void*>(add_to),
             values);
  const cudaGraphExec_t exec = instantiate(graph);
  for (const int choice : {0, 1}) {
    data[0] = choice;
    data[1] = 0;
    launch(exec);
    expect("within a capture", data[1], choice == 0 ? 1 : 1001);
  }
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
}

int main() {
  int* data = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&data), 2 * sizeof(int));
  one_of(data, cudaGraphCondTypeIf, 1);
  one_of(data, cudaGraphCondTypeIf, 2);
  one_of(data, cudaGraphCondTypeSwitch, 3);
  repeat(data);
  within_capture(data);
  cudaFree(data);
  return report();
}

// Forms of calls from before CUDA 13 that its C++ header still has, hints that programs give to the
// device, and changes to nodes of graphs.
// reports: memcheck, because calls are refused on purpose
#include <cuComplex.h>
#include <nvtx3/nvToolsExt.h>

#include <cmath>
#include <cstring>

#include "expect.cuh"

__global__ void add(int* out, int value) { out[threadIdx.x] += value; }

static void note(void* data) { ++*static_cast<int*>(data); }

struct Nodes {
  cudaGraphNode_t kernel, fill, copy, host;
};

// out = 0; out += 5; *copied = out[0]; note(count)
static Nodes build_graph(cudaGraph_t graph, int* out, int* copied, int* count) {
  Nodes nodes{};
  cudaMemsetParams fill{};
  fill.dst = out;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  int value = 5;
  void* arguments[] = {&out, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaHostNodeParams host{note, count};
  expect("memset", cudaGraphAddMemsetNode(&nodes.fill, graph, nullptr, 0, &fill), cudaSuccess);
  expect("kernel", cudaGraphAddKernelNode(&nodes.kernel, graph, &nodes.fill, 1, &kernel),
         cudaSuccess);
  expect("copy",
         cudaGraphAddMemcpyNode1D(&nodes.copy, graph, &nodes.kernel, 1, copied, out, sizeof(int),
                                  cudaMemcpyDeviceToHost),
         cudaSuccess);
  expect("host", cudaGraphAddHostNode(&nodes.host, graph, &nodes.copy, 1, &host), cudaSuccess);
  return nodes;
}

static void launch(cudaGraphExec_t exec) {
  expect("launch", cudaGraphLaunch(exec, nullptr), cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
}

static void test_graph_changes() {
  int* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(int));
  int copied[2] = {}, counts[2] = {};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphCreate(&graph, 0);
  const Nodes nodes = build_graph(graph, out, &copied[0], &counts[0]);
  expect("five arguments", cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0), cudaSuccess);
  launch(exec);
  expect("sum", copied[0], 5);
  expect("noted", counts[0], 1);

  int value = 7;
  void* arguments[] = {&out, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaMemsetParams fill{};
  fill.dst = out;
  fill.value = 100;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  cudaHostNodeParams host{note, &counts[1]};
  expect("exec memset", cudaGraphExecMemsetNodeSetParams(exec, nodes.fill, &fill), cudaSuccess);
  expect("exec kernel", cudaGraphExecKernelNodeSetParams(exec, nodes.kernel, &kernel), cudaSuccess);
  expect("exec copy",
         cudaGraphExecMemcpyNodeSetParams1D(exec, nodes.copy, &copied[1], out, sizeof(int),
                                            cudaMemcpyDeviceToHost),
         cudaSuccess);
  expect("exec host", cudaGraphExecHostNodeSetParams(exec, nodes.host, &host), cudaSuccess);
  expect("another type", cudaGraphExecMemsetNodeSetParams(exec, nodes.kernel, &fill),
         cudaErrorInvalidValue);
  cudaGetLastError();
  launch(exec);
  expect("other sum", copied[1], 107);
  expect("noted elsewhere", counts[1], 1);
  expect("and not here", counts[0], 1);
  cudaGraphExecDestroy(exec);

  value = 9;
  expect("kernel node", cudaGraphKernelNodeSetParams(nodes.kernel, &kernel), cudaSuccess);
  expect("host node", cudaGraphDestroyNode(nodes.host), cudaSuccess);
  expect("again", cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0), cudaSuccess);
  launch(exec);
  expect("third sum", copied[0], 9);
  expect("no longer noted", counts[0], 1);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(out);
}

static void test_hints() {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamAttrValue value;
  std::memset(&value, 0, sizeof(value));
  void* window = nullptr;
  cudaMalloc(&window, 1 << 16);
  value.accessPolicyWindow.base_ptr = window;
  value.accessPolicyWindow.num_bytes = 1 << 16;
  value.accessPolicyWindow.hitRatio = 0.5f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  expect("set window",
         cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
         cudaSuccess);
  std::memset(&value, 0, sizeof(value));
  expect("get window",
         cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
         cudaSuccess);
  expect("its ratio", value.accessPolicyWindow.hitRatio, 0.5f);
  expect("its property", value.accessPolicyWindow.hitProp, cudaAccessPropertyPersisting);
  cudaStreamDestroy(stream);
  cudaFree(window);
  int p2p = 0;
  expect("to itself", cudaDeviceGetP2PAttribute(&p2p, cudaDevP2PAttrAccessSupported, 0, 0),
         cudaErrorInvalidDevice);
  cudaGetLastError();
  nvtxRangePushA("range");
  nvtxMarkA("mark");
  nvtxRangePop();
}

__global__ void multiply(cuFloatComplex* z, int count) {
  for (int i = 1; i < count; ++i) z[i] = cuCmulf(z[i - 1], z[0]);
  z[count] = cuCdivf(z[1], z[0]);
}

static void test_complex() {
  cuFloatComplex* z = nullptr;
  cudaMallocManaged(&z, 5 * sizeof(*z));
  z[0] = make_cuFloatComplex(1, 2);
  multiply<<<1, 1>>>(z, 4);
  expect("complex", cudaDeviceSynchronize(), cudaSuccess);
  expect("real part of (1 + 2i)^4", cuCrealf(z[3]), -7);
  expect("imaginary part", cuCimagf(z[3]), -24);
  expect("quotient", cuCabsf(cuCsubf(z[4], z[0])) < 1e-6f, true);
  const double magnitude = cuCabs(make_cuDoubleComplex(3e200, 4e200)) / 5e200;
  expect("magnitude", std::fabs(magnitude - 1) < 1e-12, true);
  const cuDoubleComplex one =
      cuCdiv(make_cuDoubleComplex(1e300, 1e300), make_cuDoubleComplex(1e300, 1e300));
  expect("scaled quotient", std::fabs(one.x - 1) < 1e-12 && std::fabs(one.y) < 1e-12, true);
  cudaFree(z);
}

int main() {
  test_graph_changes();
  test_hints();
  test_complex();
  return report();
}

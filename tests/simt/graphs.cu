// Stream capture and graphs: recorded work runs when the graph is launched, in its order.
// reports: memcheck, because calls are refused on purpose
#include "expect.cuh"

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }

__global__ void multiply(int* values, int factor) { values[threadIdx.x] *= factor; }

static void CUDART_CB count(void* data) { ++*static_cast<int*>(data); }

constexpr int kCount = 32;
constexpr std::size_t kBytes = kCount * sizeof(int);

struct Buffers {
  Buffers() {
    expect("cudaMalloc", cudaMalloc(&device, kBytes), cudaSuccess);
    expect("cudaMemset", cudaMemset(device, 0, kBytes), cudaSuccess);
    expect("a stream of no order waits for it", cudaDeviceSynchronize(), cudaSuccess);
    expect("cudaMallocHost", cudaMallocHost(&host, kBytes), cudaSuccess);
    expect("cudaStreamCreate", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
           cudaSuccess);
    for (int i = 0; i < kCount; ++i) host[i] = i;
  }
  ~Buffers() {
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
    cudaFree(device);
  }
  int* device = nullptr;
  int* host = nullptr;
  cudaStream_t stream = nullptr;
};

static void test_capture() {
  Buffers b;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  int calls = 0;
  expect("not capturing", cudaStreamIsCapturing(b.stream, &status), cudaSuccess);
  expect("status", status, cudaStreamCaptureStatusNone);
  expect("begin", cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  cudaStreamIsCapturing(b.stream, &status);
  expect("status", status, cudaStreamCaptureStatusActive);
  cudaMemcpyAsync(b.device, b.host, kBytes, cudaMemcpyHostToDevice, b.stream);
  int amount = 5;
  add<<<1, kCount, 0, b.stream>>>(b.device, amount);
  amount = 1000;  // arguments are copied when the launch is recorded
  multiply<<<1, kCount, 0, b.stream>>>(b.device, 2);
  cudaMemcpyAsync(b.host, b.device, kBytes, cudaMemcpyDeviceToHost, b.stream);
  cudaLaunchHostFunc(b.stream, count, &calls);
  expect("launches record without error", cudaGetLastError(), cudaSuccess);
  expect("end", cudaStreamEndCapture(b.stream, &graph), cudaSuccess);
  expect("nothing has run", b.host[3] * 10 + calls, 30);
  std::size_t nodes = 0, roots = 0;
  expect("nodes", cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  expect("roots", cudaGraphGetRootNodes(graph, nullptr, &roots), cudaSuccess);
  expect("five nodes", nodes, 5);
  expect("one root", roots, 1);
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  expect("destroy", cudaGraphDestroy(graph), cudaSuccess);
  for (int round = 0; round < 2; ++round) {
    expect("launch", cudaGraphLaunch(exec, b.stream), cudaSuccess);
  }
  expect("synchronise", cudaStreamSynchronize(b.stream), cudaSuccess);
  expect("((3 + 5) * 2 + 5) * 2", b.host[3], 42);
  expect("host function", calls, 2);
  expect("destroy", cudaGraphExecDestroy(exec), cudaSuccess);
}

static void test_fork_and_join() {
  Buffers b;
  cudaStream_t other;
  cudaEvent_t forked, joined;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  int* second = nullptr;
  cudaMalloc(&second, kBytes);

  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal);
  cudaMemsetAsync(b.device, 0, kBytes, b.stream);
  cudaEventRecord(forked, b.stream);
  cudaStreamWaitEvent(other, forked);
  cudaMemsetAsync(second, 0, kBytes, other);
  add<<<1, kCount, 0, other>>>(second, 7);
  add<<<1, kCount, 0, b.stream>>>(b.device, 1);
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(b.stream, joined);
  cudaMemcpyAsync(b.host, second, kBytes, cudaMemcpyDeviceToHost, b.stream);
  expect("end", cudaStreamEndCapture(b.stream, &graph), cudaSuccess);
  std::size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  expect("nodes of both streams", nodes, 5);
  cudaGraphExec_t exec = nullptr;
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  expect("launch", cudaGraphLaunch(exec, b.stream), cudaSuccess);
  cudaStreamSynchronize(b.stream);
  expect("the other stream's work", b.host[9], 7);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);

  // A stream that joined and did not come back.
  cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(forked, b.stream);
  cudaStreamWaitEvent(other, forked);
  add<<<1, kCount, 0, other>>>(second, 7);
  expect("unjoined", cudaStreamEndCapture(b.stream, &graph), cudaErrorStreamCaptureUnjoined);
  cudaGetLastError();
  cudaFree(second);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(other);
}

static void test_forbidden() {
  Buffers b;
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal);
  expect("waiting for a stream that captures", cudaStreamSynchronize(b.stream),
         cudaErrorStreamCaptureUnsupported);
  expect("invalid from then on", cudaStreamEndCapture(b.stream, &graph),
         cudaErrorStreamCaptureInvalidated);
  expect("no graph", graph == nullptr, true);
  cudaGetLastError();
  expect("end without begin", cudaStreamEndCapture(b.stream, &graph), cudaErrorIllegalState);
  cudaGetLastError();
  add<<<1, kCount, 0, b.stream>>>(b.device, 1);
  expect("the stream works again", cudaStreamSynchronize(b.stream), cudaSuccess);
}

static void test_nodes() {
  Buffers b;
  cudaGraph_t graph = nullptr;
  expect("create", cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNode_t clear, added, multiplied, copied;
  cudaMemsetParams fill{};
  fill.dst = b.device;
  fill.value = 3;
  fill.elementSize = 4;
  fill.width = kCount;
  fill.height = 1;
  expect("memset node", cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill), cudaSuccess);
  int amount = 4;
  void* arguments[] = {&b.device, &amount};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(kCount);
  kernel.kernelParams = arguments;
  expect("kernel node", cudaGraphAddKernelNode(&added, graph, &clear, 1, &kernel), cudaSuccess);
  int factor = 10;
  void* other_arguments[] = {&b.device, &factor};
  kernel.func = reinterpret_cast<void*>(multiply);
  kernel.kernelParams = other_arguments;
  expect("kernel node", cudaGraphAddKernelNode(&multiplied, graph, &added, 1, &kernel),
         cudaSuccess);
  expect("memcpy node",
         cudaGraphAddMemcpyNode1D(&copied, graph, &multiplied, 1, b.host, b.device, kBytes,
                                  cudaMemcpyDeviceToHost),
         cudaSuccess);
  cudaGraphNodeType type;
  expect("type", cudaGraphNodeGetType(added, &type), cudaSuccess);
  expect("kernel", type, cudaGraphNodeTypeKernel);

  cudaGraphExec_t exec = nullptr;
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  expect("launch", cudaGraphLaunch(exec, b.stream), cudaSuccess);
  expect("synchronise", cudaStreamSynchronize(b.stream), cudaSuccess);
  expect("(3 + 4) * 10", b.host[31], 70);

  factor = -1;
  expect("other arguments", cudaGraphExecKernelNodeSetParams(exec, multiplied, &kernel),
         cudaSuccess);
  expect("launch", cudaGraphLaunch(exec, b.stream), cudaSuccess);
  expect("synchronise", cudaStreamSynchronize(b.stream), cudaSuccess);
  expect("(3 + 4) * -1", b.host[31], -7);
  expect("destroy", cudaGraphExecDestroy(exec), cudaSuccess);
  expect("destroy", cudaGraphDestroy(graph), cudaSuccess);
}

static void test_update() {
  Buffers b;
  cudaGraphExec_t exec = nullptr;
  for (int round = 1; round <= 3; ++round) {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemsetAsync(b.device, 0, kBytes, b.stream);
    add<<<1, kCount, 0, b.stream>>>(b.device, round);
    cudaMemcpyAsync(b.host, b.device, kBytes, cudaMemcpyDeviceToHost, b.stream);
    expect("end", cudaStreamEndCapture(b.stream, &graph), cudaSuccess);
    if (exec == nullptr) {
      expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    } else {
      cudaGraphExecUpdateResultInfo info{};
      expect("update", cudaGraphExecUpdate(exec, graph, &info), cudaSuccess);
      expect("result", info.result, cudaGraphExecUpdateSuccess);
    }
    cudaGraphDestroy(graph);
    expect("launch", cudaGraphLaunch(exec, b.stream), cudaSuccess);
    expect("synchronise", cudaStreamSynchronize(b.stream), cudaSuccess);
    expect("this round's amount", b.host[0], round);
  }
  cudaGraphExecDestroy(exec);
}

int main() {
  test_capture();
  test_fork_and_join();
  test_forbidden();
  test_nodes();
  test_update();
  return report();
}

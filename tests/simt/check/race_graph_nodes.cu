// Two nodes of a graph, captured from two streams, and the second stream does not wait.
#include <cuda_runtime.h>

__global__ void fill(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 1.0f;
}

__global__ void copy(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];  // finds: race
}

int main() {
  constexpr int kCount = 256;
  float *data, *out;
  cudaMalloc(&data, kCount * sizeof(float));
  cudaMalloc(&out, kCount * sizeof(float));
  cudaMemset(data, 0, kCount * sizeof(float));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t fork, filled, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&filled);
  cudaEventCreate(&join);

  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork);
  fill<<<2, 128, 0, first>>>(data, kCount);
  cudaEventRecord(filled, first);
#ifdef MENDED
  cudaStreamWaitEvent(second, filled);
#endif
  copy<<<2, 128, 0, second>>>(out, data, kCount);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join);
  cudaGraph_t graph;
  cudaStreamEndCapture(first, &graph);

  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  // Launches of one graph wait for each other, and what follows in the stream for all its nodes.
  cudaGraphLaunch(exec, first);
  cudaGraphLaunch(exec, first);
  fill<<<2, 128, 0, first>>>(data, kCount);
  cudaStreamSynchronize(first);
  fill<<<2, 128, 0, second>>>(data, kCount);
  cudaDeviceSynchronize();

  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(filled);
  cudaEventDestroy(join);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(data);
  cudaFree(out);
}

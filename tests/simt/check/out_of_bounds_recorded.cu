// Launches that a graph holds know the names of their own arguments, each time that it runs.
// says: writes out[7], just past the end of its 28 bytes [fill]
// says not: never allocated
#include <cuda_runtime.h>

__global__ void count(int* counts) { ++counts[threadIdx.x]; }

__global__ void fill(float* out, const int* counts, int n) {
  const int i = threadIdx.x;
#ifdef MENDED
  if (i >= n) return;
#endif
  if (counts[0] > 1) out[i] = static_cast<float>(n);  // finds: out-of-bounds
}

int main() {
  constexpr int kThreads = 32, kCount = 7;
  int* counts;
  float* out;
  cudaMalloc(&counts, kThreads * sizeof(int));
  cudaMalloc(&out, kCount * sizeof(float));
  cudaMemset(counts, 0, kThreads * sizeof(int));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  count<<<1, kThreads, 0, stream>>>(counts);
  fill<<<1, kThreads, 0, stream>>>(out, counts, kCount);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(counts);
  cudaFree(out);
}

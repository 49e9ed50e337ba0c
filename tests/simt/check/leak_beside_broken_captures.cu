// What breaks a capture is told with its place: a call of CUDA's, and a launch, on their own lines.
// says: broken at leak_beside_broken_captures.cu:30
// says: broken at leak_beside_broken_captures.cu:34
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

extern "C" const char* simt_capture_place();

__global__ void clear(int* data) { data[threadIdx.x] = 0; }

template <class Call>
void capture(cudaStream_t stream, const Call& call) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  call();
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  std::fprintf(stderr, "broken at %s\n", std::strrchr(simt_capture_place(), '/') + 1);
}

int main() {
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));  // finds: leak
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  capture(stream, [&] {
    cudaGetLastError();
    cudaStreamSynchronize(stream);
    cudaGetLastError();
  });
  capture(stream, [&] {
    clear<<<1, 32>>>(data);
    cudaGetLastError();
  });
  cudaStreamDestroy(stream);
#ifdef MENDED
  cudaFree(data);
#endif
}

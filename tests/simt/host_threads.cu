// Several host threads at once, each with streams, memory and callbacks of its own.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kThreads = 6;
constexpr int kRounds = 20;
constexpr int kCount = 256;

__global__ void add(int* data, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

struct Task {
  int* data = nullptr;  // managed
  std::atomic<int> called{0};
};

void CUDART_CB called(cudaStream_t, cudaError_t status, void* task) {
  if (status == cudaSuccess) ++static_cast<Task*>(task)->called;
}

// Copies there and back in the thread's own stream.
bool copy_and_add(cudaStream_t stream, int number) {
  int *host, *device;
  if (cudaMallocHost(&host, kCount * sizeof(int)) != cudaSuccess) return false;
  if (cudaMalloc(&device, kCount * sizeof(int)) != cudaSuccess) return false;
  for (int i = 0; i < kCount; ++i) host[i] = i;
  cudaMemcpyAsync(device, host, kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
  add<<<2, 128, 0, stream>>>(device, number, kCount);
  cudaMemcpyAsync(host, device, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
  bool right = cudaStreamSynchronize(stream) == cudaSuccess;
  for (int i = 0; i < kCount; ++i) right &= host[i] == i + number;
  return cudaFree(device) == cudaSuccess && cudaFreeHost(host) == cudaSuccess && right;
}

bool work(int number) {
  cudaStream_t stream;
  cudaEvent_t event;
  if (cudaStreamCreate(&stream) != cudaSuccess) return false;
  cudaEventCreate(&event);
  bool right = true;
  for (int round = 0; round < kRounds; ++round) {
    Task task;
    right &= cudaMallocManaged(&task.data, kCount * sizeof(int)) == cudaSuccess;
    cudaMemsetAsync(task.data, 0, kCount * sizeof(int), stream);
    add<<<2, 128, 0, stream>>>(task.data, number, kCount);
    cudaStreamAddCallback(stream, called, &task, 0);
    add<<<2, 128, 0, stream>>>(task.data, round, kCount);
    cudaEventRecord(event, stream);
    cudaEventSynchronize(event);
    cudaStreamSynchronize(stream);
    right &= task.called == 1;
    for (int i = 0; i < kCount; ++i) right &= task.data[i] == number + round;
    right &= cudaFree(task.data) == cudaSuccess;
    right &= copy_and_add(stream, number);
  }
  cudaEventDestroy(event);
  return right && cudaStreamDestroy(stream) == cudaSuccess && cudaGetLastError() == cudaSuccess;
}

int main() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&wrong, number] {
      if (!work(number)) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (wrong != 0)
    std::printf("%d of %d host threads got something wrong\n", wrong.load(), kThreads);
  return wrong == 0 ? 0 : 1;
}

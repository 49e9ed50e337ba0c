// Memory in all its kinds, used from host and device.
// reports: memcheck, because calls are refused on purpose
#include <cstring>
#include <vector>

#include "expect.cuh"

__global__ void negate(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = -values[i];
}

__global__ void mark_rows(char* memory, std::size_t pitch, int width, int height) {
  const int row = threadIdx.x;
  if (row >= height) return;
  for (int x = 0; x < width; ++x) memory[row * pitch + x] = static_cast<char>('a' + row);
}

static void test_pinned_and_managed() {
  int *pinned = nullptr, *mapped = nullptr, *managed = nullptr, *async = nullptr;
  expect("pinned", cudaMallocHost(&pinned, 100 * sizeof(int)), cudaSuccess);
  expect("mapped", cudaHostAlloc(&mapped, 100 * sizeof(int), cudaHostAllocMapped), cudaSuccess);
  expect("managed", cudaMallocManaged(&managed, 100 * sizeof(int)), cudaSuccess);
  expect("stream-ordered", cudaMallocAsync(&async, 100 * sizeof(int), nullptr), cudaSuccess);
  for (int i = 0; i < 100; ++i) pinned[i] = mapped[i] = managed[i] = i;
  int* seen_by_device = nullptr;
  expect("device pointer", cudaHostGetDevicePointer(&seen_by_device, mapped, 0), cudaSuccess);
  expect("copy", cudaMemcpyAsync(async, pinned, 100 * sizeof(int), cudaMemcpyHostToDevice),
         cudaSuccess);
  negate<<<1, 128>>>(seen_by_device, 100);
  negate<<<1, 128>>>(managed, 100);
  negate<<<1, 128>>>(async, 100);
  expect("copy back", cudaMemcpyAsync(pinned, async, 100 * sizeof(int), cudaMemcpyDeviceToHost),
         cudaSuccess);
  expect("free", cudaFreeAsync(async, nullptr), cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("pinned", pinned[99], -99);
  expect("mapped", mapped[98], -98);
  expect("managed", managed[97], -97);
  expect("free pinned", cudaFreeHost(pinned), cudaSuccess);
  expect("free mapped", cudaFreeHost(mapped), cudaSuccess);
  expect("free managed", cudaFree(managed), cudaSuccess);
}

static void test_pitched() {
  char* memory = nullptr;
  std::size_t pitch = 0;
  expect("cudaMallocPitch", cudaMallocPitch(&memory, &pitch, 100, 6), cudaSuccess);
  expect("pitch", pitch >= 100, true);
  expect("cudaMemset2D", cudaMemset2D(memory, pitch, '.', 100, 6), cudaSuccess);
  mark_rows<<<1, 32>>>(memory, pitch, 99, 6);
  std::vector<char> host(100 * 6);
  expect("cudaMemcpy2D",
         cudaMemcpy2D(host.data(), 100, memory, pitch, 100, 6, cudaMemcpyDeviceToHost),
         cudaSuccess);
  expect("last mark", host[5 * 100 + 98], 'f');
  expect("unmarked", host[5 * 100 + 99], '.');
  expect("narrow pitch",
         cudaMemcpy2D(host.data(), 99, memory, pitch, 100, 6, cudaMemcpyDeviceToHost),
         cudaErrorInvalidPitchValue);
  cudaGetLastError();
  expect("free", cudaFree(memory), cudaSuccess);
}

static void test_registered() {
  std::vector<int> host(5000, 3);
  expect("register",
         cudaHostRegister(host.data(), host.size() * sizeof(int), cudaHostRegisterMapped),
         cudaSuccess);
  cudaPointerAttributes attributes{};
  expect("attributes", cudaPointerGetAttributes(&attributes, host.data()), cudaSuccess);
  expect("host memory", attributes.type, cudaMemoryTypeHost);
  int* device = nullptr;
  expect("device pointer", cudaHostGetDevicePointer(&device, host.data(), 0), cudaSuccess);
  negate<<<20, 256>>>(device, 5000);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("unregister", cudaHostUnregister(host.data()), cudaSuccess);
  expect("negated", host[4999], -3);
}

int main() {
  test_pinned_and_managed();
  test_pitched();
  test_registered();
  return report();
}

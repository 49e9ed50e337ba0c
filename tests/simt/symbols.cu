// __device__, __constant__ and __managed__ variables from the host.
// reports: memcheck, because calls are refused on purpose
#include "expect.cuh"

__constant__ float coefficients[4];
__device__ int counter = 5;
__device__ alignas(16) float table[2][3];
__managed__ int shared_by_both = 11;

struct Pair {
  int first;
  double second;
};
__constant__ Pair pair;

__global__ void use(float* out) {
  const int t = threadIdx.x;
  out[t] = coefficients[t] * 10 + table[1][t % 3];
  atomicAdd(&counter, 1);
  if (t == 0) {
    shared_by_both += 1;
    out[4] = pair.first + static_cast<float>(pair.second);
  }
}

int main() {
  const float values[4] = {1, 2, 3, 4};
  const float cells[3] = {0.25f, 0.5f, 0.75f};
  const Pair given = {7, 0.5};
  expect("to a symbol", cudaMemcpyToSymbol(coefficients, values, sizeof(values)), cudaSuccess);
  expect("to an offset", cudaMemcpyToSymbol(table, cells, sizeof(cells), 3 * sizeof(float)),
         cudaSuccess);
  expect("to a struct", cudaMemcpyToSymbol(pair, &given, sizeof(given)), cudaSuccess);
  expect("beyond the symbol", cudaMemcpyToSymbol(coefficients, values, 20), cudaErrorInvalidValue);
  cudaGetLastError();

  float* out = nullptr;
  float host[5] = {};
  expect("cudaMalloc", cudaMalloc(&out, sizeof(host)), cudaSuccess);
  use<<<1, 4>>>(out);
  expect("copy back", cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost), cudaSuccess);
  expect("out[0]", host[0], 10.25f);
  expect("out[2]", host[2], 30.75f);
  expect("out[3]", host[3], 40.25f);
  expect("out[4]", host[4], 7.5f);
  expect("managed", shared_by_both, 12);

  int count = 0;
  expect("from a symbol", cudaMemcpyFromSymbol(&count, counter, sizeof(count)), cudaSuccess);
  expect("counter", count, 9);

  void* address = nullptr;
  std::size_t size = 0;
  expect("address", cudaGetSymbolAddress(&address, table), cudaSuccess);
  expect("size", cudaGetSymbolSize(&size, table), cudaSuccess);
  expect("bytes", size, 24);
  cudaPointerAttributes attributes{};
  expect("attributes", cudaPointerGetAttributes(&attributes, address), cudaSuccess);
  expect("device memory", attributes.type, cudaMemoryTypeDevice);
  expect("memset through the address", cudaMemset(address, 0, size), cudaSuccess);
  float cell = 1;
  expect("from an offset", cudaMemcpyFromSymbol(&cell, table, sizeof(cell), 16), cudaSuccess);
  expect("cleared", cell, 0);
  cudaFree(out);
  return report();
}

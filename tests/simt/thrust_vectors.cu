// Thrust's containers: vectors in device memory, and their elements as the host sees them.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>

#include <numeric>
#include <utility>
#include <vector>

#include "expect.cuh"

__global__ void add(int n, int value, int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += value;
}

int* raw(thrust::device_vector<int>& x) { return thrust::raw_pointer_cast(x.data()); }

int main() {
  thrust::host_vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  thrust::device_vector<int> x = numbers;
  add<<<1, 128>>>(100, 5, raw(x));
  const thrust::host_vector<int> raised = x;
  expect("elements after a kernel", raised.size() == 100 && raised[0] == 5 && raised[99] == 104,
         true);

  x[3] = 7;
  x[4] += 2;
  expect("an element that the host wrote", static_cast<int>(x[3]), 7);
  expect("an element that the host added to", static_cast<int>(x[4]), 11);
  expect("the first", static_cast<int>(x.front()), 5);
  expect("the last", static_cast<int>(x.back()), 104);

  thrust::device_vector<int> copied = x;
  copied[0] = -1;
  expect("a copy is its own", static_cast<int>(x[0]), 5);
  const thrust::device_vector<int> moved = std::move(copied);
  expect("what was moved", static_cast<int>(moved[0]), -1);

  x.resize(120, 9);
  expect("elements that were added", static_cast<int>(x[119]), 9);
  expect("elements that stayed", static_cast<int>(x[3]), 7);
  x.push_back(10);
  expect("one more", x.size() == 121 && x.back() == 10, true);
  thrust::fill(x.begin(), x.begin() + 2, 1);
  expect("filled", x[0] == 1 && x[1] == 1 && x[2] == 7, true);

  std::vector<int> on_host(3);
  thrust::copy(x.begin() + 1, x.begin() + 4, on_host.begin());
  expect("copied to the host", on_host == std::vector<int>{1, 7, 7}, true);
  thrust::device_vector<int> from_host(on_host.begin(), on_host.end());
  thrust::copy(on_host.begin(), on_host.begin() + 1, from_host.begin() + 2);
  expect("copied from the host", static_cast<int>(from_host[2]), 1);
  thrust::copy(from_host.begin(), from_host.end(), x.begin());
  expect("copied on the device", x[0] == 1 && x[1] == 7 && x[2] == 1, true);
  expect("its size", x.end() - x.begin() == 121 && !x.empty(), true);
  x.clear();
  expect("cleared", x.empty() && x.begin() == x.end(), true);
  expect("values of new elements", static_cast<int>(thrust::device_vector<int>(2)[1]), 0);
  return report();
}

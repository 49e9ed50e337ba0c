// Lambdas and local classes: device lambdas passed to kernels, lambdas inside kernels that read the
// built-in variables with and without captures, functors, function pointers.
#include <cstdio>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

template <typename Function>
__global__ void for_each(int* out, int n, Function function) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = function(i);
}

template <typename Function>
__global__ void call(Function function) {
  function();
}

struct Scale {
  int factor;
  __device__ int operator()(int i) const { return i * factor; }
};

struct Positioned {
  __device__ int operator()(int) const { return threadIdx.x + blockIdx.x * 100; }
};

struct Waiting {
  __device__ int operator()(int i) const {
    __shared__ int memory[8];
    memory[threadIdx.x] = i;
    __syncthreads();
    return memory[7 - threadIdx.x];
  }
};

__global__ void inner_lambdas(int* out, int n) {
  const auto index = [] { return threadIdx.x + blockIdx.x * blockDim.x; };  // captures nothing
  const auto doubled = [=](int k) { return k * n; };
  auto bump = [&](int k) mutable { return k + static_cast<int>(threadIdx.x) * 0 + 1; };
  const auto one = [n](int k) -> int { return k + n; };
  out[index()] = bump(doubled(static_cast<int>(index()))) + one(0);
}

__global__ void default_capture(int* out) {
  const auto at = [&] { return threadIdx.x; };
  const auto nested = [=] { return [=] { return blockDim.x - 1 - threadIdx.x; }(); };
  out[at()] = nested();
}

__global__ void local_class(int* out) {
  struct Where {
    __device__ static int x() { return threadIdx.x; }
    __device__ int y() const { return gridDim.x; }
  };
  out[Where::x()] = Where::x() * 10 + Where().y();
}

__global__ void generic_lambda(int* out) {
  auto add = [](auto a, auto b) { return a + b; };
  auto select = [&]<typename T>(T a, T b) { return threadIdx.x % 2 == 0 ? a : b; };
  out[threadIdx.x] = add(1, 2L) + select(10, 20);
}

__device__ int twice(int x) { return 2 * x; }
__device__ int where(int) { return threadIdx.x; }
__device__ int waits(int x) {
  __syncthreads();
  return x + 3;
}
typedef int (*Operation)(int);
__device__ Operation device_operation = twice;

__global__ void through_pointers(int* out, int which) {
  Operation table[] = {twice, where, waits};
  Operation chosen = table[which];
  out[threadIdx.x] = chosen(threadIdx.x) + device_operation(1);
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 1024);
  const int offset = 5;
  for_each<<<2, 8>>>(p, 16, [=] __device__(int i) { return i + offset; });
  cudaDeviceSynchronize();
  expect("device lambda", p[15], 20);
  for_each<<<2, 8>>>(p, 16, [offset] __host__ __device__(int i) -> int { return i * offset; });
  cudaDeviceSynchronize();
  expect("host device lambda", p[15], 75);
  for_each<<<2, 8>>>(p, 16, [] __device__(int) { return static_cast<int>(threadIdx.x); });
  cudaDeviceSynchronize();
  expect("lambda that reads threadIdx", p[14], 6);
  for_each<<<1, 8>>>(p, 8, [=] __device__(int i) {
    __shared__ int memory[8];
    memory[i] = i;
    __syncthreads();
    return memory[7 - i];
  });
  cudaDeviceSynchronize();
  expect("lambda that waits", p[2], 5);
  call<<<1, 1>>>([=] __device__ { p[3] = 33; });
  cudaDeviceSynchronize();
  expect("lambda without parentheses", p[3], 33);
  const auto named = [=] __device__(int i) { return -i; };
  for_each<<<1, 8>>>(p, 8, named);
  cudaDeviceSynchronize();
  expect("named lambda", p[7], -7);

  for_each<<<1, 8>>>(p, 8, Scale{7});
  cudaDeviceSynchronize();
  expect("functor", p[7], 49);
  for_each<<<2, 8>>>(p, 16, Positioned());
  cudaDeviceSynchronize();
  expect("functor that reads threadIdx", p[10], 102);
  for_each<<<1, 8>>>(p, 8, Waiting{});
  cudaDeviceSynchronize();
  expect("functor that waits", p[1], 6);

  inner_lambdas<<<2, 4>>>(p, 2);
  cudaDeviceSynchronize();
  expect("inner lambdas", p[6], 12 + 1 + 2);
  default_capture<<<1, 4>>>(p);
  cudaDeviceSynchronize();
  expect("default capture", p[1], 2);
  local_class<<<2, 4>>>(p);
  cudaDeviceSynchronize();
  expect("local class", p[3] / 10, 3);
  generic_lambda<<<1, 4>>>(p);
  cudaDeviceSynchronize();
  expect("generic lambda", p[0] * 100 + p[1], 1323);

  for (int which = 0; which < 3; ++which) {
    through_pointers<<<1, 4>>>(p, which);
    cudaDeviceSynchronize();
    expect("function pointer", p[3], (which == 0 ? 6 : which == 1 ? 3 : 6) + 2);
  }
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}

// A __shared__ variable is static: a lambda never copies it, whatever its captures say, and sees
// what is written later.
#include <cstdio>

static int failures = 0;

static void expect(const char* what, int got, int want) {
  if (got == want) return;
  std::printf("%s: expected %d, got %d\n", what, want, got);
  ++failures;
}

struct Pair {
  int first, second;
};

__shared__ int at_namespace_scope[4];
extern __shared__ int dynamic[];

// Each result is of the values that stand there when the lambda is called.
__global__ void captured_by_default(int* out) {
  __shared__ int values[32], count;
  __shared__ Pair pair;
  const int t = threadIdx.x;
  values[t] = -1;
  if (t == 0) pair = {-1, count = -1};
  __syncthreads();
  const int own = t + 1;
  auto sum = [=](int i) { return values[i] + count + pair.first + own; };
  __syncthreads();
  values[t] = t;
  if (t == 0) {
    count = 100;
    pair.first = 1000;
  }
  __syncthreads();
  out[t] = sum(31 - t);
}

__global__ void written_through(int* out) {
  __shared__ int values[32];
  const int t = threadIdx.x;
  const auto put = [=](int i, int value) { values[i] = value; };
  const auto at = [=](int i) -> int& { return values[i]; };
  put(t, t * 2);
  __syncthreads();
  at(31 - t) += 1;
  __syncthreads();
  out[t] = values[t];
}

template <class T>
__global__ void captured_by_nothing(T* out) {
  __shared__ T values[32];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  auto mirrored = [](int i) { return values[31 - i]; };
  auto next = [t] { return values[(t + 1) % 32]; };
  auto kept = [values = t + 7] { return values; };        // a variable of its own
  auto argument = [](int values) { return values * 2; };  // a parameter
  auto inner = [=] { return [=](int i) { return values[i]; }(t)*1000; };
  out[t] = mirrored(t) + next() + kept() + argument(t) + inner();
}

__global__ void everywhere(int* out) {
  const int t = threadIdx.x;
  auto read = [=](int i) { return at_namespace_scope[i] + dynamic[i]; };
  auto read_too = [](int i) { return at_namespace_scope[i] * 10 + dynamic[i] * 100; };
  if (t < 4) {
    at_namespace_scope[t] = t;
    dynamic[t] = 4 - t;
  }
  __syncthreads();
  out[t] = read(t % 4) + read_too(t % 4);
}

// The lambda outlives the function whose variable it reads.
__device__ auto reader(int t) {
  __shared__ int values[32];
  values[t] = t * 3;
  return [=](int i) { return values[i]; };
}

__global__ void returned(int* out) {
  const int t = threadIdx.x;
  auto read = reader(t);
  __syncthreads();
  out[t] = read(31 - t);
}

// Other variables of the name are copied as ever, and a decltype is no reference.
__global__ void declared_again(int* out) {
  __shared__ int n;
  const int t = threadIdx.x;
  if (t == 0) n = 5;
  __syncthreads();
  decltype(n) old = n;
  __syncthreads();
  if (t == 0) n = 7;
  __syncthreads();
  int total = old;
  {
    int n = t;
    auto copy = [=] { return n; };
    n += 1000;
    total += copy();
  }
  for (int n = 0; n < 2; ++n) total += [=] { return n; }();
  auto later = [=] { return n * 10; };
  if (int n = t; n >= 0) {
    auto copy = [=] { return n; };
    n = 1000;
    total += copy();
  }
  auto parameter = [=](int n) {
    auto copy = [=] { return n; };
    n = 1000;
    return copy();
  };
  total += parameter(3);
  {
    auto [n, m] = Pair{20, 30};
    auto copy = [=, sum = n + m] { return sum; };
    n = m = 1000;
    total += copy();
  }
  __syncthreads();
  if (t == 0) n = 9;
  __syncthreads();
  out[t] = total + later();
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, 32 * sizeof(int));
  captured_by_default<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) expect("[=]", out[t], 31 - t + 1100 + t + 1);
  written_through<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) expect("written through [=]", out[t], t * 2 + 1);
  captured_by_nothing<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) {
    expect("[] and [t]", out[t], 31 - t + (t + 1) % 32 + t + 7 + t * 2 + t * 1000);
  }
  everywhere<<<1, 32, 4 * sizeof(int)>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) {
    expect("namespace scope", out[t], t % 4 * 11 + (4 - t % 4) * 101);
  }
  returned<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) expect("returned", out[t], (31 - t) * 3);
  declared_again<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t) expect("declared again", out[t], 5 + t + 1 + t + 3 + 50 + 90);
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(out);
  return failures == 0 ? 0 : 1;
}

// What each side uses of the other, as only types tell: operators, conversions, constructors,
// members of templates, functors, lambdas, constants.
// clang-format off
#include <cuda_runtime.h>

#ifdef MENDED
#define SHARED_CODE __host__ __device__
#define DEVICE_LAMBDA __device__
#define DEVICE_TABLE __device__
#else
#define SHARED_CODE
#define DEVICE_LAMBDA
#define DEVICE_TABLE
#endif

struct Vec {
  float x, y;
  SHARED_CODE Vec& operator+=(Vec o) {
    x += o.x;
    y += o.y;
    return *this;
  }
  SHARED_CODE float operator[](int i) const { return i == 0 ? x : y; }
  SHARED_CODE explicit operator float() const { return x; }
};
SHARED_CODE Vec operator*(float s, Vec v) { return {s * v.x, s * v.y}; }

template <class T>
struct Pair {
  T a, b;
  SHARED_CODE T sum() const { return a + b; }
};

struct Square {
  SHARED_CODE float operator()(float x) const { return x * x; }
};

struct Counted {
  int n = 0;
  SHARED_CODE Counted(const Counted& o) : n(o.n + 1) {}
  SHARED_CODE ~Counted() {}
  __device__ Counted() {}
};

struct Wrapped {
  int n;
  SHARED_CODE Wrapped(int value) : n(value) {}
};
__device__ int unwrap(Wrapped w) { return w.n; }

template <class T>
SHARED_CODE T add(T a, T b) {
  return a + b;
}
template <class T>
__device__ T twice(T a) {
  return add(a, a);  // refused: host function
}

template <class F>
__global__ void apply(F f, float* out) {
  out[0] = f(1.0F);  // refused: host function
}
template <class F>
__global__ void apply_lambda(F f, float* out) {
  out[0] = f(1.0F);
}

DEVICE_TABLE const float table[3] = {1, 2, 3};
#ifdef MENDED
__device__ Pair<int> shared_pair{1, 2};
#else
Pair<int> shared_pair{1, 2};
#endif
SHARED_CODE int on_host(int a) { return a; }
__device__ int base_value = 3;

struct Settings {
#ifdef MENDED
  static constexpr int rounds = 2;
#else
  inline static int rounds = 2;
#endif
};

__global__ void uses(float* out, Vec v, Pair<float> pair, int n) {
  v += v;                     // refused: operator+=
  out[0] = v[1];              // refused: operator[]
  out[1] = float(v);          // refused: operator float
  v = 2.0F * v;               // refused: operator*
  out[2] = pair.sum();        // refused: Pair<T>::sum
  out[3] = Square{}(v.x);     // refused: operator()
  out[4] = unwrap(n);         // refused: Wrapped::Wrapped
  int (*f)(int) = on_host;    // refused: on_host
  out[5] = f(1);
  out[6] = table[n];          // refused: 'table'
  out[7] = shared_pair.a;     // refused: 'shared_pair'
  out[8] = Settings::rounds;  // refused: Settings::rounds
  out[9] = twice(n);
  Counted one;                // refused: Counted::~Counted
#ifndef MENDED
  const int size = n + 1;
  float row[size];            // refused: size is known only at run time
  float more[blockDim.x];     // refused: size is known only at run time
  static int first = n;       // refused: initial value
#endif
}

#ifndef MENDED
__device__ int of_host = on_host(3);  // refused: initial value
#endif

__device__ int on_device(int a) { return a + base_value; }
struct Walker {
  int at;
  __device__ int step() { return ++at; }
};
__host__ __device__ int checked(int n) {
#ifndef MENDED
  if (n < 0) throw n;  // refused: exceptions
#endif
  return n;
}

int wrong() {
  int n = 0;
#ifndef MENDED
  n += on_device(1);  // refused: the device function
  Walker walker{1};
  n += walker.step();  // refused: the device function
  const auto only = [] __device__(int a) { return a; };
  n += only(2);       // refused: the device function
  __syncthreads();    // refused: only threads of a kernel
  atomicAdd(&n, 1);   // refused: only threads of a kernel
#endif
#ifndef MENDED
  apply_lambda<<<1, 1>>>([&] __device__(float x) { return x + n; }, nullptr);  // refused: by reference
#endif
  apply<<<1, 1>>>(Square{}, nullptr);
  apply_lambda<<<1, 1>>>([=] DEVICE_LAMBDA(float x) { return x + n; }, nullptr);  // refused: a lambda
  return n + checked(n) + on_host(1);
}

// Right, whatever it looks like.
namespace right {

constexpr int kRows = 4;
constexpr int padded(int n) { return n + 1; }

struct Buffer {  // of the host's alone
  explicit Buffer(int n) { cudaMalloc(&data, n); }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  operator float*() const { return data; }
  float* data = nullptr;
};

struct Matrix {
  float* data;
  int cols;
  __host__ __device__ Matrix(float* p, int n) : data(p), cols(n) {}
  __host__ __device__ float& operator()(int r, int c) const { return data[r * cols + c]; }
  int bytes() const { return cols * 4; }
};

struct Defaults {
  int n = 3;
  Defaults() = default;
  bool operator==(const Defaults&) const = default;
};

template <class Derived>
struct Base {
  __device__ int value() { return static_cast<Derived*>(this)->one(); }
};
struct Derived : Base<Derived> {
  __device__ int one() { return 1; }
};

struct Sum {
  static __device__ float join(float a, float b) { return a + b; }
};

int chosen(float a) { return a > 0; }
__device__ int chosen(int a) { return a; }

template <int kTile, class Policy>
__global__ void kernel(Matrix m, float* out, int (*)(int)) {
  __shared__ float tile[padded(kTile)];
  float row[kRows * 2];
  static const float local[3] = {1, 2, 3};
  static int calls = 0;
  tile[threadIdx.x] = local[threadIdx.x % 3] + static_cast<float>(++calls);
  row[1] = Policy::join(tile[0], m(0, 1));
  Defaults a, b;
  out[0] = row[1] + static_cast<float>(a == b) + static_cast<float>(Derived{}.value()) +
           static_cast<float>(chosen(1) + sizeof(on_host(1)));
  const auto inner = [&](int i) { return row[i]; };
  out[1] = inner(1);
}

template <class F>
int each(F f) {
  return f(1) + f(2);
}

__device__ Defaults defaults;
__constant__ float constants[2] = {1, 2};

int launch() {
  Buffer buffer(64);
  const Matrix m(buffer, 4);
  kernel<8, Sum><<<1, 8>>>(m, buffer, on_device);
  const auto both = [=] __host__ __device__(float x) { return x + 1; };
  apply_lambda<<<1, 1>>>(both, buffer.data);
  int total = 0;
  return each([&](int i) { return total += i; }) + m.bytes() + chosen(1.0F) +
         static_cast<int>(both(1));
}

}  // namespace right

int main() { return wrong() + right::launch() > 1000; }

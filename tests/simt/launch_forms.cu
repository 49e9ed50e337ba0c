// The forms a launch takes: what may stand before <<<, inside it, and around it.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

__global__ void set(int* out, int value) { *out = value; }
__global__ void shape(int* out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z != 0) return;
  out[0] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
  out[1] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
}
template <typename T, int N>
__global__ void store(T* out) {
  *out = N;
}
extern __shared__ int dynamic[];
__global__ void uses_dynamic(int* out, int n) {
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *out = dynamic[n - 1];
}

template <int A, int B = 1>
constexpr int product = A * B;

struct Config {
  int grid = 2;
  int threads() const { return 3; }
};

struct Runner {
  void (*kernel)(int*, int) = set;
  void run(int* out) { this->kernel<<<1, 1>>>(out, 70); }
};

template <typename Kernel, typename... Args>
void launch_any(Kernel kernel, dim3 grid, dim3 block, Args... args) {
  kernel<<<grid, block>>>(args...);
}

template <void (*Kernel)(int*, int)>
void launch_constant(int* out) {
  Kernel<<<1, 1>>>(out, 80);
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define LAUNCH_CONFIG(kernel, grid, block, args) kernel<<<grid, block>>>args
#define LAUNCH_CHECKED(kernel, config, ...)            \
  do {                                                 \
    kernel<<<config.grid, config.threads()>>>(__VA_ARGS__); \
    if (cudaGetLastError() != cudaSuccess) ++failures; \
  } while (0)

static int calls = 0;
static int counted(int value) {
  ++calls;
  return value;
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 64 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const int n = 1000;
  const auto done = [] { cudaDeviceSynchronize(); };

  shape<<<dim3(4, 3, 2), dim3(2, 2, 1), n * sizeof(float), stream>>>(p);
  done();
  expect("grid", p[0], 432);
  expect("block", p[1], 221);
  shape<<<(n + 255) / 256, 256>>>(p);
  done();
  expect("expression", p[0], 411);
  shape<<<dim3{3, 1, 1}, dim3{2, 2}>>>(p);
  done();
  expect("braces", p[0] + p[1], 311 + 221);
  shape<<<product<2, 3>, product<4> >>>(p);
  done();
  expect("templates in the configuration", p[0] + p[1], 611 + 411);
  shape<<<n >> 8, (n > 8) ? 8 : 4>>>(p);
  done();
  expect("shifts and comparisons", p[0] + p[1], 311 + 811);
  shape<<<dim3{2}, std::vector<std::map<int, int>>(3).size()>>>(p);
  done();
  expect("nested templates", p[0] + p[1], 211 + 311);
  uses_dynamic<<<1, 16, sizeof(int) * (16), 0>>>(p, 16);
  done();
  expect("dynamic shared memory", p[0], 15);

  shape<<<3, 32, 0, cudaStreamDefault>>>(p);
  done();
  expect("a literal 0 as the stream", p[0], 311);

  // As the only statement of a branch or a loop.
  if (n > 1)
    set<<<1, 1>>>(p, 1);
  else
    set<<<1, 1>>>(p, 2);
  done();
  expect("if", p[0], 1);
  if (n < 1) set<<<1, 1>>>(p, 1); else set<<<1, 1>>>(p, 2);
  done();
  expect("else", p[0], 2);
  for (int i = 0; i < 4; ++i) set<<<1, 1>>>(p, i);
  done();
  expect("for", p[0], 3);
  int k = 0;
  while (k < 5) set<<<1, 1>>>(p, k++);
  done();
  expect("while", p[0], 4);
  do set<<<1, 1>>>(p, 9); while (false);
  done();
  expect("do", p[0], 9);
  switch (k) {
    case 5: set<<<1, 1>>>(p, 55); break;
    default: set<<<1, 1>>>(p, 56);
  }
  done();
  expect("case", p[0], 55);
  n > 0 ? set<<<1, 1>>>(p, 57) : set<<<1, 1>>>(p, 58);
  done();
  expect("conditional", p[0], 57);

  // Through pointers of every kind.
  void (*pointer)(int*, int) = set;
  pointer<<<1, 1>>>(p, 60);
  done();
  expect("pointer", p[0], 60);
  (*pointer)<<<1, 1>>>(p, 61);
  done();
  expect("dereferenced", p[0], 61);
  void (*table[])(int*) = {store<int, 62>, &store<int, 63>};
  table[1]<<<1, 1>>>(p);
  done();
  expect("array element", p[0], 63);
  if (n) (table[0])<<<1, 1>>>(p);
  done();
  expect("parenthesised", p[0], 62);
  Runner runner;
  runner.kernel<<<1, 1>>>(p, 64);
  done();
  expect("member", p[0], 64);
  Runner* remote = &runner;
  remote->kernel<<<1, 1>>>(p, 65);
  done();
  expect("member through a pointer", p[0], 65);
  runner.run(p);
  done();
  expect("this", p[0], 70);
  std::map<std::string, void (*)(int*, int)> named = {{"set", set}};
  named["set"]<<<1, 1>>>(p, 71);
  named.at("set")<<<1, 1>>>(p, 72);
  done();
  expect("map", p[0], 72);
  auto chosen = [&](bool) { return set; };
  chosen(true)<<<1, 1>>>(p, 73);
  done();
  expect("call result", p[0], 73);
  launch_any(set, dim3(1), dim3(1), p, 74);
  done();
  expect("template parameter", p[0], 74);
  launch_any(store<int, 75>, 1, 1, p);
  done();
  expect("instantiation as argument", p[0], 75);
  launch_constant<set>(p);
  done();
  expect("constant pointer", p[0], 80);

  // Macros and lambdas.
  LAUNCH(set, p, 81);
  done();
  expect("macro", p[0], 81);
  LAUNCH_CONFIG(set, dim3(1, 1), 1, (p, 82));
  done();
  expect("macro with configuration", p[0], 82);
  LAUNCH_CHECKED(set, Config(), p, 83);
  done();
  expect("macro with blocks", p[0], 83);
  const auto launcher = [&](int value) { set<<<1, 1, 0, stream>>>(p, value); };
  launcher(84);
  cudaStreamSynchronize(stream);
  expect("lambda", p[0], 84);
  [=] { set<<<1, 1>>>(p, 85); }();
  done();
  expect("lambda at once", p[0], 85);

  // Each part is evaluated once; an argument may itself launch.
  set<<<counted(1), counted(1)>>>(p, counted(86));
  done();
  expect("evaluations", calls, 3);
  const auto nested = [&] {
    set<<<1, 1>>>(p + 1, 1);
    return 87;
  };
  set<<<1, 1>>>(p, nested());
  done();
  expect("nested launch", p[0] + p[1], 88);

  // As an untyped pointer.
  int value = 90;
  void* arguments[] = {&p, &value};
  cudaLaunchKernel((void*)set, dim3(1), dim3(1), arguments, 0, nullptr);
  done();
  expect("C cast", p[0], 90);
  value = 91;
  cudaLaunchKernel((const void*)&set, dim3(1), dim3(1), arguments, 0, nullptr);
  done();
  expect("C cast of an address", p[0], 91);
  value = 92;
  cudaLaunchKernel(reinterpret_cast<const void*>(set), dim3(1), dim3(1), arguments, 0, nullptr);
  done();
  expect("reinterpret_cast", p[0], 92);
  cudaLaunchKernel((void*)store<int, 93>, dim3(1), dim3(1), arguments, 0, nullptr);
  done();
  expect("template", p[0], 93);

  auto held = store<int, 94>;
  cudaLaunchKernel((void*)held, dim3(1), dim3(1), arguments, 0, nullptr);
  done();
  expect("variable", p[0], 94);
  void (*held_set)(int*, int);
  value = 95;
  held_set = &set;
  cudaLaunchKernel((const void*)held_set, dim3(1), dim3(1), arguments, 0, nullptr);
  done();
  expect("assigned variable", p[0], 95);

  cudaStreamDestroy(stream);
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}

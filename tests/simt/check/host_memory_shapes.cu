// Memory of the host's, in every shape in which a kernel may come by it.
#include <cuda_runtime.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

static int static_array[32];
int global_array[32];
namespace {
std::vector<int> global_vector(32, 1);
}

struct View {
  int* data;
  int size;
};
struct Nested {
  View views[2];
};
struct Model {
  int weights[32] = {};
  void launch_const(int* out) const;
};

template <class F>
__global__ void apply(F f, int* out) {
  out[threadIdx.x] = f(threadIdx.x);
}

__global__ void read_stack(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void write_stack(int* out) {
  out[threadIdx.x] = 1;  // finds: host-access
}
__global__ void read_static(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void read_global(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void read_malloc(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void read_new(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void read_vector(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void read_view(View in, int* out) {
  out[threadIdx.x] = in.data[threadIdx.x];  // finds: host-access
}
__global__ void read_nested(Nested in, int* out) {
  out[threadIdx.x] = in.views[1].data[threadIdx.x];  // finds: host-access
}
__global__ void read_pointers(int** rows, int* out) {
  out[threadIdx.x] = rows[0][threadIdx.x];  // finds: host-access
}
__global__ void through_barrier(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];  // finds: host-access
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
__global__ void add_to(int* sum) {
  atomicAdd(sum, 1);  // finds: host-access
}
__global__ void read_vec4(const int4* in, int4* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds: host-access
}
__global__ void read_text(const char* text, int* out) {
  out[0] = text[1];  // finds: host-access
}

#ifdef MENDED
#define SEEN(pointer) device_copy(pointer)
template <class T>
T* device_copy(const T* from) {
  void* copy;
  cudaMalloc(&copy, 32 * sizeof(int));
  cudaMemcpy(copy, from, 32 * sizeof(int), cudaMemcpyHostToDevice);
  return static_cast<T*>(copy);
}
#else
#define SEEN(pointer) pointer
#endif

int main(int count, char**) {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int4));
  int stack[32] = {};
  alignas(16) int aligned[32] = {};
  read_stack<<<1, 32>>>(SEEN(stack), out);
  write_stack<<<1, 32>>>(SEEN(stack));
  read_static<<<1, 32>>>(SEEN(static_array), out);
  read_global<<<1, 32>>>(SEEN(global_array), out);
  int* m = static_cast<int*>(std::malloc(32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) m[i] = i;
  read_malloc<<<1, 32>>>(SEEN(m), out);
  const std::unique_ptr<int[]> n(new int[32]());
  read_new<<<1, 32>>>(SEEN(n.get()), out);
  read_vector<<<1, 32>>>(SEEN(global_vector.data()), out);
  read_view<<<1, 32>>>(View{SEEN(stack), 32}, out);
  read_nested<<<1, 32>>>(Nested{{{out, 1}, {SEEN(stack), 32}}}, out);
  int** rows;
  cudaMallocManaged(&rows, sizeof(int*));
  rows[0] = SEEN(stack);
  read_pointers<<<1, 32>>>(rows, out);
  through_barrier<<<1, 32>>>(SEEN(m), out);
  add_to<<<1, 32>>>(SEEN(stack));
  read_vec4<<<1, 8>>>(reinterpret_cast<const int4*>(SEEN(aligned)), reinterpret_cast<int4*>(out));
  int number = count;
#ifdef MENDED
  apply<<<1, 32>>>([=] __device__(int i) { return i + number; }, out);
#else
  apply<<<1, 32>>>([&] __device__(int i) { return i + number; }, out);  // finds: host-access
#endif
  const std::string text =
      "a text that is long enough not to lie in the string itself, and more so";
  read_text<<<1, 1>>>(SEEN(text.c_str()), out);
  cudaDeviceSynchronize();
  cudaDeviceReset();
  std::free(m);
}

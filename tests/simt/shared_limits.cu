// Static and dynamic shared memory have to fit into a block together.
#include "expect.cuh"

constexpr int kBlock = 48 * 1024;

template <int kBytes>
__global__ void declares(int* out, int index) {
  __shared__ unsigned char mine[kBytes];
  extern __shared__ unsigned char given[];
  mine[index % kBytes] = static_cast<unsigned char>(index);
  if (index < 0) given[0] = 1;
  __syncthreads();
  if (threadIdx.x == 0) *out = mine[index % kBytes];
}

template <int kBytes>
__device__ int inner(int index) {
  __shared__ unsigned char mine[kBytes];
  mine[index % kBytes] = static_cast<unsigned char>(index);
  __syncthreads();
  return mine[index % kBytes];
}

template <int kBytes>
__global__ void calls(int* out, int index) {
  const int found = inner<kBytes>(index);
  if (threadIdx.x == 0) *out = found;
}

// Dead code that no instantiation has takes nothing.
template <bool kLarge>
__global__ void chooses(int* out, int first) {
  if constexpr (kLarge) {
    __shared__ int large[8192];
    large[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) *out = large[first];
  } else {
    __shared__ int small[32];
    small[threadIdx.x] = 2;
    __syncthreads();
    if (threadIdx.x == 0) *out = small[first];
  }
}

__shared__ int of_the_file[256];

__global__ void uses_the_files(int* out) {
  of_the_file[threadIdx.x] = 3;
  if (threadIdx.x == 0) *out = of_the_file[0];
}

static int* out = nullptr;

// Launches, and says what came of it; `value` is what the kernel has to write, if it runs.
template <class Launch>
static void expect_launch(const char* what, cudaError_t expected, int value, Launch launch) {
  *out = -1;
  launch();
  expect(what, cudaGetLastError(), expected);
  expect(what, cudaDeviceSynchronize(), cudaSuccess);
  expect(what, *out, expected == cudaSuccess ? value : -1);
}

static void test_declared() {
  expect_launch("what is left of 48 KiB", cudaSuccess, 5,
                [] { declares<1024><<<1, 32, kBlock - 1024>>>(out, 5); });
  expect_launch("a byte more", cudaErrorInvalidValue, 5,
                [] { declares<1024><<<1, 32, kBlock - 1023>>>(out, 5); });
  expect_launch("all of it is static", cudaSuccess, 6, [] { declares<kBlock><<<1, 32>>>(out, 6); });
  expect_launch("and a byte dynamic", cudaErrorInvalidValue, 6,
                [] { declares<kBlock><<<1, 32, 1>>>(out, 6); });
  expect_launch("of the file", cudaSuccess, 3,
                [] { uses_the_files<<<1, 32, kBlock - 1024>>>(out); });
  expect_launch("of the file, too much", cudaErrorInvalidValue, 3,
                [] { uses_the_files<<<1, 32, kBlock - 512>>>(out); });
  expect_launch("the small branch", cudaSuccess, 2,
                [] { chooses<false><<<1, 32, kBlock - 128>>>(out, 1); });
  expect_launch("the large branch", cudaErrorInvalidValue, 1,
                [] { chooses<true><<<1, 32, kBlock - 128>>>(out, 1); });
}

static void test_called() {
  expect_launch("in a function", cudaSuccess, 7,
                [] { calls<2048><<<1, 32, kBlock - 2048>>>(out, 7); });
  expect_launch("in a function, too much", cudaErrorInvalidValue, 7,
                [] { calls<2048><<<1, 32, kBlock - 2000>>>(out, 7); });
  expect_launch("in a function, too much at its first launch", cudaErrorInvalidValue, 8,
                [] { calls<4096><<<1, 32, kBlock - 4000>>>(out, 8); });
}

static void test_opt_in() {
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const auto ask = [](int bytes) {
    const cudaError_t error =
        cudaFuncSetAttribute(declares<512>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaGetLastError();
    return error;
  };
  expect("more than there is", ask(most - 511), cudaErrorInvalidValue);
  expect("all that there is", ask(most - 512), cudaSuccess);
  expect_launch("all of it", cudaSuccess, 9, [=] { declares<512><<<1, 32, most - 512>>>(out, 9); });
  expect_launch("and a byte", cudaErrorInvalidValue, 9,
                [=] { declares<512><<<1, 32, most - 511>>>(out, 9); });
}

static void test_attributes() {
  cudaFuncAttributes attributes{};
  expect("attributes", cudaFuncGetAttributes(&attributes, declares<3072>), cudaSuccess);
  expect("static", attributes.sharedSizeBytes, std::size_t{3072});
  expect("dynamic", attributes.maxDynamicSharedSizeBytes, kBlock - 3072);
  int blocks = -1;
  expect("occupancy",
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, declares<3072>, 32, kBlock - 3071),
         cudaSuccess);
  expect("no block fits", blocks, 0);
  expect("occupancy",
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, declares<kBlock>, 32, 0),
         cudaSuccess);
  expect("few blocks of 48 KiB", blocks >= 1 && blocks <= 4, true);
}

int main() {
  cudaMallocManaged(&out, sizeof(int));
  test_declared();
  test_called();
  test_opt_in();
  test_attributes();
  cudaFree(out);
  return report();
}

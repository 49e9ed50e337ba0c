// The device, a vector sum timed by events, an image, and how errors are reported.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "03_first_kernels/brighten.hpp"
#include "03_first_kernels/saxpy.hpp"
#include "03_first_kernels/vector_add.hpp"
#include "03_first_kernels/write_one.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;

void show_device() {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s: compute capability %d.%d, %d multiprocessors, %.1f GiB of memory\n\n",
              device.name, device.major, device.minor, device.multiProcessorCount,
              static_cast<double>(device.totalGlobalMem) / (1 << 30));
}

void add_vectors() {
  constexpr int n = 1'000'003;
  std::vector<float> a(n), b(n);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  const DeviceBuffer<float> device_a(a), device_b(b), device_c(n);
  ch03::vector_add(device_a.data(), device_b.data(), device_c.data(), n);
  const std::vector<float> c = device_c.to_host();  // waits for the kernel
  int wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) wrong += c[i] != a[i] + b[i];
  std::printf("vector_add: %d sums, %d of them wrong\n", n, wrong);
}

//! [time]
float saxpy_ms(float alpha, const DeviceBuffer<float>& x, const DeviceBuffer<float>& y) {
  Event start, stop;
  start.record();
  ch03::saxpy(alpha, x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  stop.record();
  stop.synchronize();  // the launch returned at once; the kernel may still be running
  return Event::elapsed_ms(start, stop);
}
//! [time]

void time_saxpy() {
  constexpr std::size_t n = on_cpu_backend ? 1 << 20 : 1 << 26;
  const DeviceBuffer<float> x(std::vector<float>(n, 1.0f)), y(std::vector<float>(n, 2.0f));
  float best = INFINITY;
  for (int run = 0; run < 5; ++run) best = std::min(best, saxpy_ms(0.5f, x, y));
  std::printf("saxpy: %zu elements in %.3f ms, 12 bytes each: %.1f GB/s%s\n\n", n,
              static_cast<double>(best), 12e-6 * static_cast<double>(n) / best,
              on_cpu_backend ? " (on the CPU backend, which says nothing about a GPU)" : "");
}

void draw(const HostMatrix<unsigned char>& image) {
  for (int r = 0; r < image.rows(); ++r) {
    std::printf("  ");
    for (int c = 0; c < image.cols(); ++c) std::putchar(" .:-=+*#%@"[image(r, c) * 10 / 256]);
    std::putchar('\n');
  }
}

void brighten_image() {
  constexpr int height = 9, width = 37;
  HostMatrix<unsigned char> image(height, width, 64);
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < width; ++c) {
      const double distance = std::hypot((r - 4) / 5.0, (c - 18) / 20.0);
      image(r, c) = static_cast<unsigned char>(std::max(0.0, 200 * (1 - distance)));
    }
  }
  const DeviceMatrix<unsigned char> in(image);
  DeviceMatrix<unsigned char> out(height, width, 64);
  ch03::brighten(in.cview(), out.view(), 80);
  std::printf("an image of %d x %d pixels, and brightened by 80:\n", width, height);
  draw(image);
  draw(out.download());
}

void show_error(const char* what, cudaError_t code) {
  std::printf("  %-46s %s\n", what, cudaGetErrorName(code));
}

// The last thing this program does with CUDA: nothing works after it.
void provoke_errors() {
  std::printf("\nA refused launch (one block more than a grid can have):\n");
  const DeviceBuffer<unsigned char> pixel(1);
  try {
    const int too_high = 8 * 65535 + 1;
    ch03::brighten({pixel.data(), too_high, 1, 1}, {pixel.data(), too_high, 1, 1}, 0);
  } catch (const CudaError& error) {
    show_error("brighten threw", error.code());
  }
  show_error("the next synchronisation", cudaDeviceSynchronize());

  std::printf("A kernel that writes through a null pointer:\n");
  ch03::write_one(nullptr);
  show_error("its launch", cudaPeekAtLastError());
  show_error("the next synchronisation", cudaDeviceSynchronize());
  void* memory = nullptr;
  show_error("cudaMalloc afterwards", cudaMalloc(&memory, 4));
  show_error("and a synchronisation again: it is sticky", cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch03_demo", argc, argv, [] {
    show_device();
    add_vectors();
    time_saxpy();
    brighten_image();
    provoke_errors();
  });
}

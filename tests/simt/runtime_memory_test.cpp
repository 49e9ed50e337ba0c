#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda_runtime.h"
#include "simt/runtime/interface.hpp"

namespace {

int device_variable[4];
const simt::SymbolRegistrar registrar(&device_variable, sizeof(device_variable), "device_variable",
                                      simt::SymbolKind::device);

}  // namespace

TEST_CASE("a round trip through the device") {
  std::vector<int> from(1000), to(1000);
  std::iota(from.begin(), from.end(), 7);
  int *a = nullptr, *b = nullptr;
  REQUIRE(cudaMalloc(&a, 4000) == cudaSuccess);
  REQUIRE(cudaMalloc(&b, 4000) == cudaSuccess);
  CHECK(cudaMemcpy(a, from.data(), 4000, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(b, a, 4000, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpyAsync(to.data(), b, 4000, cudaMemcpyDefault) == cudaSuccess);
  CHECK(from == to);
  CHECK(cudaMemset(b, 3, 4000) == cudaSuccess);
  CHECK(cudaMemcpy(to.data(), b, 4000, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(to[999] == 0x03030303);
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(cudaFree(b) == cudaSuccess);
}

TEST_CASE("where launches run only their ends, so do large copies and fills") {
  constexpr std::size_t size = std::size_t{1} << 30;
  auto* const from = static_cast<unsigned char*>(simt_allocate_sparse(size, true));
  auto* const to = static_cast<unsigned char*>(simt_allocate_sparse(size, true));
  REQUIRE((from != nullptr && to != nullptr));
  const auto ends_and_middle = [&](const unsigned char* memory) {
    const auto at = [&](std::size_t place) { return static_cast<int>(memory[place]); };
    return std::array{at(0), at(size / 2), at(size - 1)};
  };
  simt_run_ends(4);
  CHECK(cudaMemset(from, 1, size) == cudaSuccess);
  CHECK(ends_and_middle(from) == std::array{1, 0, 1});
  CHECK(cudaMemset(from + size / 2, 2, 1000) == cudaSuccess);
  CHECK(cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(ends_and_middle(to) == std::array{1, 0, 1});
  simt_run_ends(0);
  CHECK(cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(ends_and_middle(to) == std::array{1, 2, 1});
  CHECK(cudaFree(from) == cudaSuccess);
  CHECK(cudaFree(to) == cudaSuccess);
}

TEST_CASE("new device memory holds 0xFF and is aligned") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{5000001}}) {
    unsigned char* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, size) == cudaSuccess);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
    CHECK(memory[0] == 0xFF);
    CHECK(memory[size - 1] == 0xFF);
    CHECK(cudaFree(memory) == cudaSuccess);
  }
}

TEST_CASE("what cannot be allocated or freed") {
  void* memory = &memory;
  CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
  CHECK(cudaMalloc(&memory, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  REQUIRE(cudaMalloc(&memory, 100) == cudaSuccess);
  CHECK(cudaFree(static_cast<char*>(memory) + 4) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(memory) == cudaErrorInvalidValue);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  int on_host = 0;
  CHECK(cudaFree(&on_host) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("copies that contradict their pointers") {
  int host[8] = {};
  int* device = nullptr;
  REQUIRE(cudaMalloc(&device, sizeof(host)) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, 32, static_cast<cudaMemcpyKind>(7)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(device, host, 32, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, device, 32, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, host, 32, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, host, 33, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemset(host, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemset(device, 0, 33) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaFree(device) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, device, 4, cudaMemcpyDefault) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("pitched copies move rows and leave the padding") {
  char host[5][7];
  for (int row = 0; row < 5; ++row) std::memset(host[row], 'a' + row, 7);
  char* device = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&device, &pitch, 7, 5) == cudaSuccess);
  CHECK(pitch % 512 == 0);
  CHECK(cudaMemcpy2D(device, pitch, host, 7, 7, 5, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(device[4 * pitch + 6] == 'e');
  CHECK(static_cast<unsigned char>(device[7]) == 0xFF);
  CHECK(cudaMemset2D(device, pitch, 'x', 3, 2) == cudaSuccess);
  char back[5][10] = {};
  CHECK(cudaMemcpy2D(back, 10, device, pitch, 7, 5, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::strcmp(back[1], "xxxbbbb") == 0);
  CHECK(std::strcmp(back[2], "ccccccc") == 0);
  CHECK(cudaMemcpy2D(back, 6, device, pitch, 7, 5, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidPitchValue);
  cudaGetLastError();
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("boxes of a 3D allocation") {
  cudaPitchedPtr device{};
  REQUIRE(cudaMalloc3D(&device, make_cudaExtent(16, 4, 3)) == cudaSuccess);
  CHECK(cudaMemset3D(device, 0, make_cudaExtent(16, 4, 3)) == cudaSuccess);
  unsigned char host[2][2][4] = {{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{9, 10, 11, 12}, {13, 14, 15, 16}}};
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host, 4, 4, 2);
  copy.dstPtr = device;
  copy.dstPos = make_cudaPos(8, 1, 1);
  copy.extent = make_cudaExtent(4, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy) == cudaSuccess);
  const auto* bytes = static_cast<unsigned char*>(device.ptr);
  CHECK(bytes[(1 * 4 + 1) * device.pitch + 8] == 1);
  CHECK(bytes[(2 * 4 + 2) * device.pitch + 11] == 16);
  CHECK(bytes[(2 * 4 + 3) * device.pitch + 8] == 0);
  CHECK(cudaFree(device.ptr) == cudaSuccess);
}

TEST_CASE("what a pointer is") {
  int host = 0;
  int *device = nullptr, *managed = nullptr, *pinned = nullptr;
  REQUIRE(cudaMalloc(&device, 64) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 64) == cudaSuccess);
  REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
  const auto type_of = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    CHECK(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
    return attributes.type;
  };
  CHECK(type_of(&host) == cudaMemoryTypeUnregistered);
  CHECK(type_of(device + 3) == cudaMemoryTypeDevice);
  CHECK(type_of(managed) == cudaMemoryTypeManaged);
  CHECK(type_of(pinned) == cudaMemoryTypeHost);
  CHECK(type_of(device_variable) == cudaMemoryTypeDevice);
  CHECK(cudaHostRegister(&host, sizeof(host), cudaHostRegisterDefault) == cudaSuccess);
  CHECK(cudaHostRegister(&host, sizeof(host), 0) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(type_of(&host) == cudaMemoryTypeHost);
  int* mapped = nullptr;
  CHECK(cudaHostGetDevicePointer(&mapped, &host, 0) == cudaSuccess);
  CHECK(mapped == &host);
  CHECK(cudaHostUnregister(&host) == cudaSuccess);
  CHECK(cudaHostUnregister(&host) == cudaErrorHostMemoryNotRegistered);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(type_of(device) == cudaMemoryTypeUnregistered);
  CHECK(cudaFree(pinned) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("variables of the device") {
  const int values[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(device_variable, values, sizeof(values)) == cudaSuccess);
  CHECK(device_variable[3] == 4);
  int back[2] = {};
  CHECK(cudaMemcpyFromSymbol(back, device_variable, 8, 4) == cudaSuccess);
  CHECK(back[0] == 2);
  CHECK(back[1] == 3);
  void* address = nullptr;
  std::size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, device_variable) == cudaSuccess);
  CHECK(cudaGetSymbolSize(&size, device_variable) == cudaSuccess);
  CHECK(address == device_variable);
  CHECK(size == 16);
  CHECK(cudaMemset(address, 0, 16) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(device_variable, values, 20) == cudaErrorInvalidValue);
  int no_symbol = 0;
  CHECK(cudaMemcpyToSymbol(no_symbol, values, 4) == cudaErrorInvalidSymbol);
  cudaGetLastError();
}

TEST_CASE("memory that is in use is not free") {
  std::size_t before = 0, during = 0, after = 0, total = 0;
  CHECK(cudaMemGetInfo(&before, &total) == cudaSuccess);
  CHECK(before <= total);
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1 << 20) == cudaSuccess);
  CHECK(cudaMemGetInfo(&during, &total) == cudaSuccess);
  CHECK(before - during == 1 << 20);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaMemGetInfo(&after, &total) == cudaSuccess);
  CHECK(after == before);
}

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tut/device/cublas.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/guarded_buffer.hpp"

namespace tut {
namespace {

TEST_CASE("check throws CUDA's name, its text and the place of the call") {
  CHECK_NOTHROW(check(cudaSuccess));
  try {
    check(cudaErrorInvalidValue);
    FAIL("nothing was thrown");
  } catch (const CudaError& error) {
    CHECK(error.code() == cudaErrorInvalidValue);
    const std::string what = error.what();
    CHECK(what.starts_with("cudaErrorInvalidValue: invalid argument ("));
    CHECK(what.find("device_test.cpp:") != std::string::npos);
  }
}

TEST_CASE("check throws cuBLAS's name and text") {
  CHECK_NOTHROW(check(CUBLAS_STATUS_SUCCESS));
  try {
    check(CUBLAS_STATUS_INVALID_VALUE);
    FAIL("nothing was thrown");
  } catch (const CublasError& error) {
    CHECK(error.status() == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(std::string(error.what()).starts_with("CUBLAS_STATUS_INVALID_VALUE: "));
  }
}

TEST_CASE("CublasHandle can be moved and given a stream") {
  CublasHandle handle;
  const Stream stream;
  handle.set_stream(stream);
  CublasHandle moved = std::move(handle);
  CHECK(moved.get() != nullptr);
  CHECK(handle.get() == nullptr);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("check_launch reports the last error once") {
  cudaGetLastError();
  CHECK_NOTHROW(check_launch());
  static_cast<void>(cudaMemcpy(nullptr, nullptr, 1, static_cast<cudaMemcpyKind>(99)));
  CHECK_THROWS_AS(check_launch(), CudaError);
  CHECK_NOTHROW(check_launch());
}

TEST_CASE("DeviceBuffer: there and back, moved, filled, empty") {
  std::vector<float> values(1000);
  fill_uniform(values, 1);
  DeviceBuffer<float> buffer(1000);
  CHECK(buffer.bytes() == 4000);
  buffer.copy_from(values);
  CHECK(buffer.to_host() == values);
  const float* data = buffer.data();
  DeviceBuffer<float> moved = std::move(buffer);
  CHECK(moved.data() == data);
  CHECK(buffer.data() == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(buffer.size() == 0);
  moved.fill_bytes(0);
  CHECK(moved.to_host() == std::vector<float>(1000, 0.0f));
  moved.fill_bytes(0xFF);
  CHECK(std::isnan(moved.to_host()[999]));
  DeviceBuffer<float> empty(0);
  empty.fill_bytes(0);
  empty.copy_from(std::vector<float>());
  CHECK(empty.to_host().empty());
}

TEST_CASE("DeviceBuffer refuses lengths that differ") {
  DeviceBuffer<float> buffer(3);
  std::vector<float> four(4);
  CHECK_THROWS_WITH_AS(
      buffer.copy_from(four),
      "the host span has 4 elements, the device buffer 3; expected the same number",
      std::invalid_argument);
  CHECK_THROWS_AS(buffer.copy_to(four), std::invalid_argument);
}

TEST_CASE("an allocation that cannot be is CudaError with CUDA's code") {
  try {
    DeviceBuffer<char> buffer(std::size_t{1} << 60);
    FAIL("nothing was thrown");
  } catch (const CudaError& error) {
    CHECK(error.code() == cudaErrorMemoryAllocation);
  }
  cudaGetLastError();
}

TEST_CASE("PinnedBuffer copies through a stream") {
  PinnedBuffer<int> host(100), back(100);
  for (int i = 0; i < 100; ++i) host[static_cast<std::size_t>(i)] = i;
  DeviceBuffer<int> device(100);
  const Stream stream;
  device.copy_from(host.span(), stream);
  device.copy_to(back.span(), stream);
  stream.synchronize();
  CHECK(std::equal(host.begin(), host.end(), back.begin()));
  PinnedBuffer<int> moved = std::move(host);
  CHECK(moved[99] == 99);
}

TEST_CASE("events: recorded, waited for, and the time between them is not negative") {
  const Stream stream, other;
  Event start, stop;
  DeviceBuffer<float> buffer(1 << 16);
  start.record(stream);
  buffer.fill_bytes(1, stream);
  stop.record(stream);
  other.wait(stop);
  stop.synchronize();
  CHECK(Event::elapsed_ms(start, stop) >= 0);
  Event moved = std::move(stop);
  CHECK(moved.get() != nullptr);
}

TEST_CASE("DeviceMatrix starts as HostMatrix does and keeps its padding through copies") {
  DeviceMatrix<float> matrix(3, 4, 6);
  HostMatrix<float> host = matrix.download();
  CHECK(is_unwritten(host(2, 3)));
  CHECK(bits_of(host.span()[4]) == Precision<float>::padding);
  fill_uniform(host, 5);
  matrix.upload(host);
  const HostMatrix<float> back = matrix.download();
  CHECK(back(2, 3) == host(2, 3));
  CHECK(bits_of(back.span()[4]) == Precision<float>::padding);
  CHECK(matrix.view().stride == 6);
  const HostMatrix<float> other(3, 4, 4);
  CHECK_THROWS_WITH_AS(matrix.upload(other),
                       "the host matrix is 3x4 with stride 4, the device matrix 3x4 with stride 6; "
                       "expected the same",
                       std::invalid_argument);
}

TEST_CASE("a guarded buffer's view is the matrix inside its guard zones") {
  Guarded<float> image(2, 3, 4, 16);
  image.fill(2);
  const GuardedBuffer<float> buffer(image);
  const float seven = 7;
  check(cudaMemcpy(buffer.data() + 5, &seven, sizeof(float), cudaMemcpyHostToDevice));
  buffer.download(image);
  CHECK(image.view()(1, 1) == 7);
  CHECK(image.view()(1, 0) == 2);
}

}  // namespace
}  // namespace tut

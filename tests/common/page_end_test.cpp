#include "tut/page_end.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "tut/host_matrix.hpp"

namespace tut {
namespace {

HostMatrix<float> numbers(int rows, int cols, int stride) {
  HostMatrix<float> matrix(rows, cols, stride);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) matrix(r, c) = static_cast<float>(10 * r + c);
  }
  return matrix;
}

float read(const float* address) { return *static_cast<const volatile float*>(address); }

std::string complaint(const PageEndMatrix<float>& matrix) {
  try {
    matrix.refuse_use_past_end("B");
  } catch (const CallFailure& failure) {
    return failure.kind() + ": " + failure.what();
  }
  return "";
}

TEST_CASE("page end: a matrix is a copy, and what is within it may be used") {
  const HostMatrix<float> from = numbers(3, 4, 5);
  const PageEndMatrix<float> matrix(from.cview());
  CHECK(matrix.view().stride == 5);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 4; ++c) CHECK(matrix.cview()(r, c) == from(r, c));
  }
  read(&matrix.cview()(0, 0) + 4);  // its padding
  matrix.view()(2, 3) = 7;
  CHECK(complaint(matrix) == "");
  HostMatrix<float> to = numbers(3, 4, 5);
  matrix.copy_to(&to(0, 0));
  CHECK(to(2, 3) == 7);
  CHECK(to(2, 2) == 22);
}

TEST_CASE("page end: a read past the end goes on, and is told with its place") {
  const HostMatrix<float> from = numbers(3, 4, 5);
  const PageEndMatrix<float> matrix(from.cview()), other(from.cview());
  read(&matrix.cview()(2, 3) + 3);
  CHECK(complaint(matrix) ==
        "values: used memory past the end of B, 3 elements behind its last one; expected that only "
        "elements of B are used");
  CHECK(complaint(other) == "");
}

TEST_CASE("page end: writes and other threads are noticed, too") {
  const HostMatrix<float> from = numbers(1, 1, 1);
  const PageEndMatrix<float> written(from.cview()), read_elsewhere(from.cview());
  *static_cast<volatile float*>(&written.view()(0, 0) + 1) = 1;
  CHECK(complaint(written).find("1 elements behind") != std::string::npos);
  std::thread([&] { read(&read_elsewhere.cview()(0, 0) + 1); }).join();
  CHECK(complaint(read_elsewhere) != "");
}

TEST_CASE("page end: memory that has gone leaves nothing behind") {
  for (int i = 0; i < 100; ++i) {
    const HostMatrix<float> from = numbers(1, 2000, 2000);
    const PageEndMatrix<float> matrix(from.cview());
    CHECK(complaint(matrix) == "");
    read(&matrix.cview()(0, 1999) + 1);
    CHECK(complaint(matrix) != "");
  }
}

}  // namespace
}  // namespace tut

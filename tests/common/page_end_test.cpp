#include "tut/trial/page_end.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/matrix/host_matrix.hpp"

// In place of check mode's, which is not part of this program.
const char* simt_line_of_instruction(const void*, bool) { return "product.cpp:7"; }

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
void write(float* address, float value) { *static_cast<volatile float*>(address) = value; }

template <class Matrix>
std::string complaint(const Matrix& matrix, const std::string& name = "B") {
  try {
    matrix.refuse_use_past_end(name);
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

/// What a process says that uses memory so, and the signal that ends it.
template <class Use>
std::string last_words_of(Use use, int& ended_by) {
  std::array<int, 2> pipe_ends{};
  REQUIRE(::pipe(pipe_ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    dup2(pipe_ends[1], STDERR_FILENO);
    use();
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string said;
  char part[256];
  for (ssize_t count; (count = ::read(pipe_ends[0], part, sizeof(part))) > 0;) {
    said.append(part, static_cast<std::size_t>(count));
  }
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return said;
}

TEST_CASE("page end: what lies far outside ends the program, which says at which line") {
  const HostMatrix<float> from = numbers(3, 4, 5);
  constexpr std::ptrdiff_t kFar = -(std::ptrdiff_t{1} << 40), kNoAddress = std::ptrdiff_t{1} << 50;
  int ended_by = 0;
  const auto said = [&](std::ptrdiff_t offset, bool writes) {
    return last_words_of(
        [&] {
          const PageEndMatrix<float> matrix(from.cview());
          float* const place = matrix.view().data + offset;
          writes ? write(place, 1) : static_cast<void>(read(place));
        },
        ended_by);
  };
  CHECK(said(kFar, false) ==
        "product.cpp:7: error: out-of-bounds: host code reads memory that is none of its own: "
        "check the indices of this line\n");
  CHECK(ended_by == SIGSEGV);
  CHECK(said(kFar, true)
            .ends_with("host code writes memory that is none of its own: check the indices of "
                       "this line\n"));
  CHECK(said(kNoAddress, true)
            .ends_with("code reads or writes memory that is none of its own: check the indices "
                       "of this line\n"));
  CHECK(said(15, false) == "");  // just behind the end
  CHECK(ended_by == 0);
}

TEST_CASE("page end: a read past the end goes on, and is told with its place") {
  const HostMatrix<float> from = numbers(3, 4, 5);
  const PageEndMatrix<float> matrix(from.cview()), other(from.cview());
  read(&matrix.cview()(2, 3) + 3);
  CHECK(complaint(matrix) ==
        "out-of-bounds: reads or writes memory past the end of B, 3 elements after its last one; "
        "expected that only elements of B are used");
  CHECK(complaint(other) == "");
}

TEST_CASE("page end: writes and other threads are noticed, too") {
  const HostMatrix<float> from = numbers(1, 1, 1);
  const PageEndMatrix<float> written(from.cview()), read_elsewhere(from.cview());
  *static_cast<volatile float*>(&written.view()(0, 0) + 1) = 1;
  CHECK(complaint(written).find("the element after its last one") != std::string::npos);
  std::thread([&] { read(&read_elsewhere.cview()(0, 0) + 1); }).join();
  CHECK(complaint(read_elsewhere) != "");
}

TEST_CASE("page end: what lies behind a row may be read, and not written, be it unchanged") {
  const HostMatrix<float> from = numbers(3, 4, 5);
  const PageEndRows<float> matrix(from.cview());
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 4; ++c) CHECK(matrix.cview()(r, c) == from(r, c));
  }
  matrix.view()(1, 3) = 7;
  const float behind = read(&matrix.cview()(1, 3) + 2);
  CHECK(complaint(matrix, "C") == "");
  write(&matrix.view()(1, 3) + 2, behind);
  read(&matrix.cview()(2, 3) + 1);  // later: it is the first that is told
  CHECK(complaint(matrix, "C") ==
        "out-of-bounds: writes memory past the end of row 1 of C, at column 5 of 4; expected that "
        "nothing outside of C is written, nor what is there written back");
  const PageEndRows<float> last(from.cview());
  read(&last.cview()(2, 3) + 1);
  CHECK(complaint(last, "C").starts_with(
      "out-of-bounds: reads or writes memory past the end of row 2 of C, at column 4 of 4"));
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

TEST_CASE(
    "watched output: what is written is counted, anew after the inputs and after other rows") {
  WatchedOutput c(3, 2);
  const float* const input = c.add_input(5);
  const MatrixView<float> view = c.view();
  CHECK(view.stride >= 2);
  c.watch([&] {
    for (int r = 0; r < 3; ++r) {
      for (int col = 0; col < 2; ++col) write(&view(r, col), 4 * read(input + r));
    }
  });
  CHECK(c.writes() == 6);
  CHECK(c.most_writes_of_a_row() == 2);
  CHECK_FALSE(c.was_shared());
  for (int r = 0; r < 3; ++r) CHECK(view(r, 1) == 4);
}

TEST_CASE("watched output: rows one after the other are one piece, and reading counts nothing") {
  WatchedOutput c(3, 1);
  const float* const input = c.add_input(1);
  c.watch([&] {
    float sum = 0;
    for (int r = 0; r < 3; ++r) sum += read(&c.view()(r, 0));
    sum += read(input);
    for (int r = 0; r < 3; ++r) write(&c.view()(r, 0), sum);
    read(&c.view()(0, 0));
  });
  CHECK(c.writes() == 1);
  CHECK(c.most_writes_of_a_row() == 1);
}

TEST_CASE("watched output: other threads are noticed, and what never ends comes to an end") {
  WatchedOutput c(2, 1);
  c.watch([&] { std::thread([&] { c.view()(1, 0) = 3; }).join(); });
  CHECK(c.was_shared());
  CHECK(c.view()(1, 0) == 3);
  c.watch([&] {
    for (int i = 0; i < 100000; ++i) write(&c.view()(i % 2, 0), 5);
  });
  CHECK(c.most_writes_of_a_row() > 1000);
  CHECK(c.most_writes_of_a_row() < 100000);
}

}  // namespace
}  // namespace tut

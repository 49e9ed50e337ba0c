#include "02_fast_cpu_matmul/matmul_cached.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "tut/numeric/random.hpp"
#include "tut/testing/host_matmul_test.hpp"
#include "tut/testing/matmul_corners.hpp"

namespace tut::ch02 {
namespace {

void product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  matmul_cached(a, b, c);
}

/// A matrix of counted numbers that begins at a page's beginning, or `off` elements behind it.
class CountedMatrix {
 public:
  CountedMatrix(int rows, int cols, std::int64_t stride, std::size_t off)
      : memory_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride) + kPage + off) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(CountedFloat);
    view_ = {memory_.data() + (kPage - begin % kPage) + off, rows, cols, stride};
  }
  MatrixView<CountedFloat> view() const { return view_; }

  void set(const HostMatrix<float>& values) {
    for (int r = 0; r < view_.rows; ++r) {
      for (int c = 0; c < view_.cols; ++c) view_(r, c).set_uncounted(values(r, c));
    }
  }
  HostMatrix<float> values() const {
    return make_matrix<float>(view_.rows, view_.cols,
                              [&](int r, int c) { return view_(r, c).uncounted(); });
  }

 private:
  static constexpr std::size_t kPage = 1024;  // elements
  std::vector<CountedFloat> memory_;
  MatrixView<CountedFloat> view_{};
};

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", value);
  return text;
}

/// Whether the address sanitizer may keep local variables elsewhere than on the stack.
constexpr bool has_other_stack() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer);
#else
  return false;
#endif
}

/// One product that is counted, held to the target.
Outcome target_outcome(std::int64_t stride, std::size_t off) {
  constexpr int SIZE = 192;
  constexpr double PRODUCTS = 1.0 * SIZE * SIZE * SIZE, MOST_LINES = PRODUCTS / 100,
                   MOST_ACCESSES = 0.6;
  CountedMatrix a(SIZE, SIZE, stride, off), b(SIZE, SIZE, stride, off), c(SIZE, SIZE, stride, off);
  HostMatrix<float> a_values(SIZE, SIZE), b_values(SIZE, SIZE);
  fill_small_integers(a_values, 51, 4);
  fill_small_integers(b_values, 52, 4);
  a.set(a_values);
  b.set(b_values);
  std::int64_t lines = 0;
  double accesses = 0;
  int locals = 0;
  {
    const CountedWork work;
    matmul_cached(MatrixView<const CountedFloat>(a.view()), b.view(), c.view());
    lines = work.lines();
    accesses = static_cast<double>(work.accesses()) / PRODUCTS;
    locals = work.locals();
  }
  const std::string text =
      "192x192 * 192x192 of counted numbers, rows " + std::to_string(stride) + " elements apart";
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a_values.cview()), to_double_matrix(b_values.cview()));
  const auto exact = make_matrix<double>(SIZE, SIZE, [](int, int) { return 0.0; });
  const HostMatrix<float> got = c.values();
  Outcome outcome =
      compare(got.cview(), reference.product, exact, {.name = "C", .shape = text, .pattern = {}});
  if (!outcome.ok || has_other_stack()) return outcome;
  const std::string in = " (" + text + ")";
  if (static_cast<double>(lines) > MOST_LINES) {
    return failure("budget",
                   "the cache brings " + std::to_string(lines) + " lines of 64 bytes, " +
                       decimal(static_cast<double>(lines) / MOST_LINES) + " times the " +
                       std::to_string(static_cast<int>(MOST_LINES)) +
                       " of the target: how much memory does your code come back to before "
                       "anything else has pushed it out of 32 KiB? Rows that lie a multiple of "
                       "4096 bytes apart share 8 lines: does it use them where they lie, or a "
                       "packed copy?" +
                       in);
  }
  if (accesses > MOST_ACCESSES) {
    const std::string too_many =
        locals > CountedWork::kRegisters
            ? std::to_string(locals) +
                  " local variables are more than registers hold, so they count, too: "
                  "keep to 1024 of them"
            : "a tile of r x c elements of C in local variables takes r + c loads for r * c of "
              "them";
    return failure("budget", decimal(accesses) +
                                 " numbers are loaded or stored for each multiply-add; the target "
                                 "is 0.60: " +
                                 too_many + in);
  }
  MESSAGE("counted: " << lines << " lines, the target is " << static_cast<int>(MOST_LINES) << "; "
                      << decimal(accesses) << " accesses for each multiply-add, the target is 0.60"
                      << in);
  return {};
}

/// That all is done by the calling thread.
Outcome one_core_outcome() {
  constexpr int SIZE = 64;
  WatchedOutput c(SIZE, SIZE);
  const MatrixView<const float> a{c.add_input(SIZE * SIZE), SIZE, SIZE, SIZE},
      b{c.add_input(SIZE * SIZE), SIZE, SIZE, SIZE};
  c.watch([&] { matmul_cached(a, b, c.view()); });
  if (!c.was_shared()) return {};
  return failure("values", "another thread works, too; expected one core (64x64 * 64x64)");
}

}  // namespace

TEST_CASE("matmul_cached computes C = A B, whatever C held") {
  MatmulTestOptions options{.shapes = matmul_shapes(24, 32, 64)};
  // Past a block of every direction.
  for (const MatmulShape& shape : {MatmulShape{197, 5, 3}, {3, 530, 130}, {7, 3, 1031}}) {
    options.shapes.push_back(shape);
  }
  expect(matmul_outcome<float, float>(product, options));
}

TEST_CASE("matmul_cached of corners: long shapes, odd places, infinities and NaN") {
  expect(ch01::special_values_outcome(product));
  expect(matmul_corners_outcome(host_run<float, float>(product)));
  expect(ch01::long_shapes_outcome(product));
}

TEST_CASE("matmul_cached again, of the same memory, and of rows that lie far apart") {
  expect(ch01::second_call_outcome(product));
  expect(ch01::same_memory_outcome(product));
  expect(ch01::far_rows_outcome(product));
  expect(one_core_outcome());
}

TEST_CASE("matmul_cached refuses matrices without elements, and strides below their rows") {
  expect(ch01::empty_matrices_outcome(product));
  expect(ch01::short_strides_outcome(product));
}

TEST_CASE("target") {
  expect(target_outcome(192, 0));
  expect(target_outcome(1024, 0));
  expect(target_outcome(205, 3));
}

}  // namespace tut::ch02

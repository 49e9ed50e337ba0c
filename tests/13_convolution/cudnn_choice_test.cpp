#include "13_convolution/cudnn_choice.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

using tut::ch13::fastest_of;

// As cuDNN's entries are: the fastest first.
enum class Status { success, failed };
enum class Math { plain, tensor, fma };
struct Entry {
  int algo;
  Status status;
  std::size_t memory;
  Math mathType;
};

int chosen(const std::vector<Entry>& entries, const std::vector<Math>& allowed) {
  const Entry* entry = fastest_of(std::span(entries), Status::success, allowed, 100);
  return entry == nullptr ? -1 : entry->algo;
}

}  // namespace

TEST_CASE("cuDNN's choice: the fastest that ran, fits, and computes as it was asked to") {
  const Entry tf32{0, Status::success, 10, Math::plain}, failed{1, Status::failed, 10, Math::fma},
      large{2, Status::success, 101, Math::fma}, right{3, Status::success, 100, Math::fma},
      slower{4, Status::success, 0, Math::fma};
  CHECK(chosen({tf32, failed, large, right, slower}, {Math::fma}) == 3);
  CHECK(chosen({tf32, right}, {Math::fma, Math::plain}) == 0);
  CHECK(chosen({slower, right}, {Math::fma}) == 4);
  CHECK(chosen({tf32, failed, large}, {Math::fma}) == -1);
  CHECK(chosen({}, {Math::fma}) == -1);
}

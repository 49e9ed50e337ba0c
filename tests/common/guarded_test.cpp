#include "tut/trial/guarded.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace tut {
namespace {

TEST_CASE("a guarded image is unwritten inside and padding everywhere else") {
  Guarded<float> image(2, 3, 5, 4);
  CHECK(image.memory().size() == 4 + 10 + 4);
  CHECK(image.view().data == image.memory().data() + 4);
  CHECK(is_unwritten(image.view()(1, 2)));
  for (const std::size_t outside : {0, 3, 7, 8, 12, 13, 14, 17}) {
    CHECK(bits_of(image.memory()[outside]) == Precision<float>::padding);
  }
}

TEST_CASE("what surrounds the elements can be chosen") {
  Guarded<float> image(2, 3, 4, 5);
  image.fill(1.0f);
  image.surround(2.0f);
  CHECK(std::ranges::count(image.memory(), 1.0f) == 2 * 3);
  CHECK(std::ranges::count(image.memory(), 2.0f) ==
        static_cast<std::ptrdiff_t>(image.memory().size()) - 2 * 3);
  CHECK(image.view()(1, 2) == 1.0f);
}

TEST_CASE("an image that is moved has the same elements in another place") {
  Guarded<float> image(2, 3, 4, 5);
  for (int i = 0; i < 6; ++i) image.view()(i / 3, i % 3) = static_cast<float>(i);
  image.surround(-1.0f);
  for (const bool fits : {false, true}) {
    const Guarded<float> moved = image.moved(1, 2, fits);
    CHECK(moved.stride() == 6);
    CHECK(moved.cview().data - moved.memory().data() == (fits ? 1 : 6));
    for (int i = 0; i < 6; ++i) CHECK(moved.cview()(i / 3, i % 3) == static_cast<float>(i));
    CHECK(std::ranges::count(moved.memory(), -1.0f) ==
          static_cast<std::ptrdiff_t>(moved.memory().size()) - 6);
    if (fits) CHECK(moved.memory().size() == 1 + 6 + 3);  // it ends with the last element
  }
}

TEST_CASE("change_outside names the place of the first write outside, and no write inside") {
  const Guarded<float> before(2, 3, 5, 4);
  Guarded<float> after = before;
  after.view()(0, 0) = 1;
  after.view()(1, 2) = 1;
  CHECK(after.change_outside(before, "C", false) == "");
  const auto written_at = [&](std::ptrdiff_t offset) {
    Guarded<float> image = before;
    image.view().data[offset] = 0;
    return image.change_outside(before, "C", false);
  };
  CHECK(written_at(-1) == "wrote outside of C at index -1 (it has 2 rows of stride 5)");
  CHECK(written_at(3) == "wrote outside of C at row 0, column 3 (it has 3 columns, stride 5)");
  CHECK(written_at(9) == "wrote outside of C at row 1, column 4 (it has 3 columns, stride 5)");
  CHECK(written_at(10) == "wrote outside of C at index 10 (it has 2 rows of stride 5)");
  CHECK(written_at(8).find("row 1, column 3") != std::string::npos);
}

TEST_CASE("a vector's places are indices") {
  const Guarded<float> before(1, 7, 7, 4);
  Guarded<float> after = before;
  after.view().data[7] = 0;
  CHECK(after.change_outside(before, "the output", true) ==
        "wrote outside of the output at index 7 (it has 7 elements)");
}

TEST_CASE("change sees a write of another NaN, and a write inside") {
  const Guarded<float> before(2, 3, 5, 4);
  Guarded<float> after = before;
  CHECK(after.change(before, "A", false) == "");
  after.view()(1, 1) = std::nanf("");
  CHECK(
      after.change(before, "A", false)
          .starts_with(
              "A must not change, and is changed at row 1, column 1 (it has 3 columns, stride 5)"));
}

TEST_CASE("change says what a value was and what it has become") {
  Guarded<float> before(1, 7, 7, 4);
  before.fill(2.5f);
  Guarded<float> after = before;
  after.view().data[3] = -4.0f;
  CHECK(after.change(before, "in", true) ==
        "in must not change, and is changed at index 3 (it has 7 elements): it was 2.5 and is now "
        "-4");
}

}  // namespace
}  // namespace tut

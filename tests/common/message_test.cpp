#include "tut/errors/message.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tut/errors/require.hpp"
#include "tut/matrix/tensor_view.hpp"

using namespace tut;

TEST_CASE("a message is its pieces in a row") {
  const std::string name = "weights";
  const std::string_view part = std::string_view("of all images").substr(0, 6);
  CHECK(text_of({}).empty());
  CHECK(text_of({"the ", name, " ", part}) == "the weights of all");
  CHECK(text_of({3, " ", -2, " ", std::size_t{7}, " ", std::int64_t{-9000000000}}) ==
        "3 -2 7 -9000000000");
  CHECK(text_of({0.3f, " ", 1e-30f, " ", -1e308}) == "0.3 1e-30 -1e+308");
  CHECK(text_of({1.0f + 0x1p-23f}) == "1.0000001");
  CHECK(text_of({std::string(1000, 'x')}).size() == 1000);
}

TEST_CASE("a message shows shapes of matrices and tensors") {
  float value = 0;
  CHECK(text_of({"A is ", shape_part(MatrixView<float>{&value, 64, 48, 50})}) == "A is 64x48");
  CHECK(text_of({shape_part(TensorView<float>{&value, 8, 1, 5, 4})}) == "(8, 1, 5, 4)");
}

TEST_CASE("what is required and does not hold is thrown with its message and the place") {
  const int rows = 0;
  CHECK_NOTHROW(require(rows == 0, {"there are ", rows, " rows; expected none"}));
  try {
    require(rows > 0, {"there are ", rows, " rows; expected at least 1"});
    FAIL("nothing was thrown");
  } catch (const std::invalid_argument& error) {
    const std::string_view text = error.what();
    CHECK(text.starts_with("there are 0 rows; expected at least 1 ("));
    CHECK(text.find("message_test.cpp:") != std::string_view::npos);
  }
  const auto here = SourceLocation::current();
  const std::string place = std::string(here.file_name()) + ":" + std::to_string(here.line());
  CHECK_THROWS_WITH_AS(require(false, "no rows", here), ("no rows (" + place + ")").c_str(),
                       std::invalid_argument);
}

#include "learn/bench/label_layout.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tut::learn;

TEST_CASE("boxes and lines know what they meet") {
  const Box box{10, 10, 20, 20};
  CHECK(box.overlaps({15, 15, 30, 30}));
  CHECK_FALSE(box.overlaps({20, 10, 30, 20}));  // side by side
  CHECK(box.contains({10, 10, 20, 12}));
  CHECK_FALSE(box.contains({10, 10, 21, 12}));
  CHECK(Segment{0, 0, 40, 40}.crosses(box));
  CHECK(Segment{15, 0, 15, 40}.crosses(box));
  CHECK(Segment{12, 12, 13, 13}.crosses(box));
  CHECK_FALSE(Segment{0, 30, 40, 30}.crosses(box));
  CHECK(Segment{0, 0, 10, 10}.crosses(Segment{0, 10, 10, 0}));
  CHECK_FALSE(Segment{0, 0, 10, 10}.crosses(Segment{0, 1, 10, 11}));
}

TEST_CASE("a text's box counts characters, not bytes, and lies where its anchor says") {
  const Box box = text_box(100, 50, 10, "start", "µµ");
  CHECK(box.left == 100);
  CHECK(box.right == doctest::Approx(112));
  CHECK(text_box(100, 50, 10, "end", "ab").right == 100);
  CHECK(text_box(100, 50, 10, "middle", "ab").left == doctest::Approx(94));
}

TEST_CASE("a label stands beside its point where there is room") {
  LabelLayout layout({0, 0, 400, 200});
  const auto right = layout.place(100, 100, 12, "name");
  REQUIRE(right);
  CHECK(right->anchor == "start");
  CHECK(right->x == 109);
  CHECK_FALSE(right->leader);
  const auto left = layout.place(300, 100, 12, "name", true);
  REQUIRE(left);
  CHECK(left->anchor == "end");
  // At the right edge there is room on the left only.
  CHECK(layout.place(390, 50, 12, "name")->anchor == "end");
}

TEST_CASE("labels of points at one place stand apart, and lines say whose they are") {
  LabelLayout layout({0, 0, 400, 200});
  std::vector<Box> boxes;
  int leaders = 0;
  for (int i = 0; i < 7; ++i) {
    const std::string text = "kernel " + std::to_string(i);
    const auto label = layout.place(200, 100, 12, text);
    REQUIRE(label);
    const Box box = text_box(label->x, label->baseline, 12, label->anchor, text);
    for (const Box& other : boxes) CHECK_FALSE(box.overlaps(other));
    boxes.push_back(box);
    leaders += label->leader ? 1 : 0;
  }
  CHECK(leaders >= 4);
}

TEST_CASE("a label keeps clear of lines and of other points, and may find no place") {
  LabelLayout layout({0, 0, 400, 200});
  layout.keep_clear(Segment{0, 100, 400, 100});
  const auto label = layout.place(200, 100, 12, "on the line");
  REQUIRE(label);
  CHECK_FALSE(Segment{0, 100, 400, 100}.crosses(
      text_box(label->x, label->baseline, 12, label->anchor, "on the line")));
  LabelLayout full({0, 0, 400, 200});
  full.keep_clear(Box{0, 0, 400, 200});
  CHECK_FALSE(full.place(200, 100, 12, "nowhere"));
}

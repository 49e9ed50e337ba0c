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

TEST_CASE("a turned box knows what it meets") {
  // A square with its corners above, below, on the left and on the right of (0, 0).
  const TurnedBox square({-10, -10, 10, 10}, 45, 0, 0);
  CHECK(square.overlaps(Box{12, -1, 20, 1}));
  CHECK_FALSE(square.overlaps(Box{8, 8, 20, 20}));
  CHECK(square.is_crossed_by({0, -30, 0, 30}));
  CHECK(square.is_crossed_by({-1, 0, 1, 0}));
  CHECK_FALSE(square.is_crossed_by({0, -16, 16, 0}));
  CHECK(square.overlaps(TurnedBox({-1, -1, 1, 1}, 10, 0, 0)));
  CHECK_FALSE(square.overlaps(TurnedBox({10, -10, 30, 10}, 45, 0, 0)));  // side by side
  CHECK(square.is_inside({-15, -15, 15, 15}));
  CHECK_FALSE(square.is_inside({-14, -15, 15, 15}));
  // Clockwise, as SVG turns: what was on the right is below.
  CHECK(TurnedBox({10, -1, 20, 1}, 90, 0, 0).is_inside({-1.01, 9.99, 1.01, 20.01}));
}

TEST_CASE("a turned box takes its place, once, and labels keep clear of it") {
  LabelLayout layout({-100, -100, 100, 100});
  const TurnedBox square({-10, -10, 10, 10}, 45, 0, 0);
  CHECK(layout.take(square));
  CHECK_FALSE(layout.take(square));
  CHECK_FALSE(layout.take(Box{12, -1, 20, 1}));
  CHECK(layout.take(Box{8, 8, 20, 20}));
  CHECK_FALSE(layout.take(TurnedBox({90, 90, 99, 110}, 0, 0, 0)));  // beyond the frame
  const auto label = layout.place(0, 0, 12, "name");
  REQUIRE(label);
  CHECK_FALSE(square.overlaps(label->box));
  layout.keep_clear(Segment{-50, 50, 50, 50});
  CHECK_FALSE(layout.take(TurnedBox({-5, 45, 5, 55}, 30, 0, 50)));
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

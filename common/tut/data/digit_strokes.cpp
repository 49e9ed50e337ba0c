#include "tut/data/digit_strokes.hpp"

#include <array>

namespace tut::data {

namespace {

using enum Curve;
using Ways = std::vector<Glyph>;

Glyph pen(std::initializer_list<Stroke> strokes) { return {strokes}; }

Ways zeros() {
  return {
      pen({{loop,
            {{.50f, .00f},
             {.82f, .20f},
             {.86f, .60f},
             {.62f, .98f},
             {.36f, .97f},
             {.15f, .62f},
             {.19f, .22f}}}}),
      pen({{loop,
            {{.52f, .00f}, {.70f, .25f}, {.68f, .75f}, {.48f, 1.0f}, {.30f, .76f}, {.32f, .24f}}}}),
      pen({{smooth,
            {{.62f, .10f},
             {.40f, .02f},
             {.16f, .30f},
             {.16f, .72f},
             {.44f, 1.0f},
             {.76f, .82f},
             {.84f, .40f},
             {.66f, .10f},
             {.46f, .04f}}}}),
  };
}

Ways ones() {
  return {
      pen({{straight, {{.50f, .00f}, {.50f, 1.0f}}}}),
      pen({{straight, {{.34f, .22f}, {.54f, .00f}, {.54f, 1.0f}}}}),
      pen({{straight, {{.30f, .24f}, {.52f, .00f}, {.52f, 1.0f}}},
           {straight, {{.26f, 1.0f}, {.80f, 1.0f}}}}),
  };
}

Ways twos() {
  return {
      pen({{smooth,
            {{.18f, .26f}, {.36f, .03f}, {.68f, .05f}, {.80f, .28f}, {.62f, .58f}, {.18f, .98f}}},
           {straight, {{.18f, .98f}, {.86f, .96f}}}}),
      pen({{smooth,
            {{.20f, .22f},
             {.42f, .01f},
             {.74f, .14f},
             {.70f, .46f},
             {.42f, .84f},
             {.20f, .94f},
             {.20f, .78f},
             {.44f, .84f},
             {.66f, .98f},
             {.88f, .90f}}}}),
      pen({{smooth, {{.16f, .14f}, {.46f, .02f}, {.76f, .12f}, {.66f, .44f}, {.16f, 1.0f}}},
           {straight, {{.16f, 1.0f}, {.82f, 1.0f}}}}),
  };
}

Ways threes() {
  return {
      pen({{smooth, {{.20f, .14f}, {.48f, .00f}, {.78f, .17f}, {.68f, .40f}, {.40f, .47f}}},
           {smooth, {{.40f, .47f}, {.72f, .54f}, {.82f, .78f}, {.54f, 1.0f}, {.17f, .87f}}}}),
      pen({{straight, {{.20f, .02f}, {.80f, .02f}, {.44f, .40f}}},
           {smooth, {{.44f, .40f}, {.76f, .48f}, {.82f, .80f}, {.50f, 1.0f}, {.17f, .88f}}}}),
      pen({{smooth,
            {{.24f, .10f},
             {.60f, .02f},
             {.74f, .24f},
             {.48f, .44f},
             {.52f, .50f},
             {.78f, .66f},
             {.66f, .96f},
             {.20f, .94f}}}}),
  };
}

Ways fours() {
  return {
      pen({{straight, {{.28f, .02f}, {.16f, .56f}, {.86f, .56f}}},
           {straight, {{.68f, .22f}, {.66f, 1.0f}}}}),
      pen({{straight, {{.66f, 1.0f}, {.66f, .00f}, {.12f, .66f}, {.90f, .66f}}}}),
      pen({{smooth, {{.22f, .04f}, {.18f, .36f}, {.34f, .54f}, {.76f, .46f}}},
           {straight, {{.78f, .02f}, {.74f, 1.0f}}}}),
  };
}

Ways fives() {
  return {
      pen({{straight, {{.80f, .02f}, {.28f, .04f}, {.24f, .44f}}},
           {smooth,
            {{.24f, .44f}, {.54f, .36f}, {.82f, .60f}, {.74f, .90f}, {.44f, 1.0f}, {.16f, .88f}}}}),
      pen({{smooth,
            {{.82f, .04f},
             {.44f, .04f},
             {.26f, .24f},
             {.38f, .44f},
             {.70f, .56f},
             {.76f, .82f},
             {.50f, 1.0f},
             {.18f, .92f}}}}),
      pen({{smooth,
            {{.32f, .06f},
             {.28f, .28f},
             {.24f, .46f},
             {.56f, .42f},
             {.78f, .66f},
             {.62f, .96f},
             {.20f, .94f}}},
           {straight, {{.32f, .06f}, {.84f, .02f}}}}),
  };
}

Ways sixes() {
  return {
      pen({{smooth,
            {{.74f, .02f},
             {.40f, .22f},
             {.20f, .60f},
             {.30f, .94f},
             {.60f, .98f},
             {.79f, .76f},
             {.62f, .54f},
             {.36f, .58f},
             {.22f, .76f}}}}),
      pen({{smooth,
            {{.50f, .00f},
             {.28f, .36f},
             {.20f, .74f},
             {.44f, 1.0f},
             {.74f, .86f},
             {.68f, .60f},
             {.40f, .56f},
             {.23f, .72f}}}}),
      pen({{smooth,
            {{.78f, .14f},
             {.56f, .01f},
             {.28f, .24f},
             {.18f, .66f},
             {.40f, .99f},
             {.72f, .90f},
             {.74f, .64f},
             {.48f, .54f},
             {.22f, .68f}}}}),
  };
}

Ways sevens() {
  return {
      pen({{straight, {{.15f, .04f}, {.84f, .04f}, {.42f, 1.0f}}}}),
      pen({{straight, {{.15f, .04f}, {.84f, .04f}, {.44f, 1.0f}}},
           {straight, {{.34f, .50f}, {.84f, .48f}}}}),
      pen({{straight, {{.17f, .20f}, {.18f, .05f}}},
           {smooth, {{.18f, .05f}, {.48f, .08f}, {.82f, .04f}, {.58f, .44f}, {.48f, 1.0f}}}}),
  };
}

Ways eights() {
  return {
      pen({{loop,
            {{.50f, .47f},
             {.25f, .26f},
             {.48f, .00f},
             {.74f, .24f},
             {.50f, .47f},
             {.20f, .76f},
             {.48f, 1.0f},
             {.80f, .76f}}}}),
      pen({{loop, {{.50f, .46f}, {.29f, .24f}, {.50f, .02f}, {.71f, .24f}}},
           {loop, {{.50f, .46f}, {.21f, .73f}, {.50f, 1.0f}, {.79f, .73f}}}}),
      pen({{smooth,
            {{.74f, .10f},
             {.46f, .00f},
             {.26f, .20f},
             {.48f, .44f},
             {.76f, .70f},
             {.58f, .98f},
             {.26f, .88f},
             {.34f, .62f},
             {.62f, .36f},
             {.78f, .12f}}}}),
  };
}

Ways nines() {
  return {
      pen({{smooth,
            {{.76f, .30f}, {.54f, .02f}, {.24f, .20f}, {.32f, .48f}, {.62f, .46f}, {.77f, .22f}}},
           {straight, {{.77f, .22f}, {.66f, 1.0f}}}}),
      pen({{smooth,
            {{.76f, .30f},
             {.54f, .02f},
             {.24f, .20f},
             {.32f, .48f},
             {.62f, .46f},
             {.78f, .24f},
             {.76f, .72f},
             {.54f, 1.0f},
             {.22f, .90f}}}}),
      pen({{loop, {{.48f, .00f}, {.24f, .24f}, {.48f, .50f}, {.74f, .26f}}},
           {straight, {{.74f, .16f}, {.74f, 1.0f}}}}),
  };
}

}  // namespace

std::span<const Glyph> ways_to_write(int digit) {
  static const std::array<Ways, 10> kWays{zeros(), ones(),  twos(),   threes(), fours(),
                                          fives(), sixes(), sevens(), eights(), nines()};
  return kWays[static_cast<std::size_t>(digit)];
}

}  // namespace tut::data

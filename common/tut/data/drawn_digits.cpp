#include "tut/data/drawn_digits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include "tut/data/counter_random.hpp"
#include "tut/data/digit_strokes.hpp"

// Only +, -, *, / and sqrt of floats, in a fixed order and (see CMakeLists.txt) never fused: IEEE
// 754 fixes their results to the bit, which it does not for sin, exp and the like.

namespace tut::data {

namespace {

constexpr int kClasses = 10;
constexpr int kStepsPerSpan = 6;       // straight pieces between two points of a smooth stroke
constexpr int kLattice = 4;            // the sheet is warped at kLattice x kLattice points
constexpr float kPointJitter = 0.06f;  // of the unit square
constexpr float kWarp = 0.07f;

float uniform_in(CounterRandom& random, float low, float high) {
  return low + (high - low) * random.uniform();
}

// Bell-shaped in (-1, 1), standard deviation 1/3.
float bell(CounterRandom& random) {
  float sum = uniform_in(random, -1, 1);
  sum += uniform_in(random, -1, 1);
  sum += uniform_in(random, -1, 1);
  return sum * (1.0f / 3.0f);
}

// A smooth random displacement of the unit square.
class Warp {
 public:
  explicit Warp(CounterRandom& random) {
    for (Point& shift : shifts_) {
      shift.x = kWarp * bell(random);
      shift.y = kWarp * bell(random);
    }
  }

  Point operator()(Point p) const {
    const Cell u = cell(p.x), v = cell(p.y);
    const Point top = mix(at(u.index, v.index), at(u.index + 1, v.index), u.weight);
    const Point low = mix(at(u.index, v.index + 1), at(u.index + 1, v.index + 1), u.weight);
    const Point shift = mix(top, low, v.weight);
    return {p.x + shift.x, p.y + shift.y};
  }

 private:
  struct Cell {
    int index;
    float weight;
  };

  static Cell cell(float position) {
    const float scaled = std::clamp(position, 0.0f, 1.0f) * (kLattice - 1);
    const int index = std::min(static_cast<int>(scaled), kLattice - 2);
    const float t = scaled - static_cast<float>(index);
    return {index, t * t * (3.0f - 2.0f * t)};
  }
  static Point mix(Point a, Point b, float weight) {
    return {a.x + weight * (b.x - a.x), a.y + weight * (b.y - a.y)};
  }
  Point at(int column, int row) const {
    return shifts_[static_cast<std::size_t>(row) * kLattice + static_cast<std::size_t>(column)];
  }

  std::array<Point, kLattice * kLattice> shifts_;
};

// Unit square to pixels: scale, slant, turn, move.
class Placement {
 public:
  explicit Placement(CounterRandom& random) {
    const float width = uniform_in(random, 12.0f, 18.0f);
    const float height = uniform_in(random, 15.5f, 21.0f);
    const float slant = 0.40f * bell(random);
    // (1 - t^2, 2t) / (1 + t^2) is (cos, sin) of the angle 2 atan t: within 20 degrees either way.
    const float t = 0.18f * uniform_in(random, -1, 1);
    const float cosine = (1.0f - t * t) / (1.0f + t * t);
    const float sine = 2.0f * t / (1.0f + t * t);
    xx_ = cosine * width;
    xy_ = (cosine * slant - sine) * height;
    yx_ = sine * width;
    yy_ = (sine * slant + cosine) * height;
    const float reach = 2.5f;
    x0_ = kDrawnSide * 0.5f + uniform_in(random, -reach, reach);
    y0_ = kDrawnSide * 0.5f + uniform_in(random, -reach, reach);
  }

  Point operator()(Point p) const {
    const float x = p.x - 0.5f, y = p.y - 0.5f;
    return {x0_ + xx_ * x + xy_ * y, y0_ + yx_ * x + yy_ * y};
  }

 private:
  float xx_, xy_, yx_, yy_, x0_, y0_;
};

Point catmull_rom(Point a, Point b, Point c, Point d, float t) {
  const auto blend = [t](float p, float q, float r, float s) {
    const float linear = r - p;
    const float square = 2.0f * p - 5.0f * q + 4.0f * r - s;
    const float cube = 3.0f * (q - r) + s - p;
    return q + 0.5f * t * (linear + t * (square + t * cube));
  };
  return {blend(a.x, b.x, c.x, d.x), blend(a.y, b.y, c.y, d.y)};
}

// The pen's path as short straight pieces.
std::vector<Point> flatten(const Stroke& stroke, const std::vector<Point>& points) {
  const bool closed = stroke.curve == Curve::loop;
  const int count = static_cast<int>(points.size());
  const auto point = [&](int i) {
    const int index = closed ? (i + count) % count : std::clamp(i, 0, count - 1);
    return points[static_cast<std::size_t>(index)];
  };
  // A straight stroke is cut as finely as a smooth one, so that the warp can bend it.
  std::vector<Point> path{points[0]};
  const int spans = closed ? count : count - 1;
  for (int span = 0; span < spans; ++span) {
    const Point from = point(span), to = point(span + 1);
    for (int step = 1; step <= kStepsPerSpan; ++step) {
      const float t = static_cast<float>(step) / kStepsPerSpan;
      path.push_back(stroke.curve == Curve::straight
                         ? Point{from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)}
                         : catmull_rom(point(span - 1), from, to, point(span + 2), t));
    }
  }
  return path;
}

// A sheet of 28 x 28 pixels; 0 is blank, 1 is full ink.
class Sheet {
 public:
  // Draws one straight piece with a round pen; the edge fades over one pixel.
  void draw(Point a, Point b, float radius) {
    const float reach = radius + 1.0f;
    const int left = first(std::min(a.x, b.x) - reach), right = last(std::max(a.x, b.x) + reach);
    const int top = first(std::min(a.y, b.y) - reach), low = last(std::max(a.y, b.y) + reach);
    const float dx = b.x - a.x, dy = b.y - a.y;
    const float scale = 1.0f / std::max(dx * dx + dy * dy, 1e-6f);
    for (int row = top; row < low; ++row) {
      for (int col = left; col < right; ++col) {
        const float px = static_cast<float>(col) + 0.5f - a.x;
        const float py = static_cast<float>(row) + 0.5f - a.y;
        const float t = std::clamp((px * dx + py * dy) * scale, 0.0f, 1.0f);
        const float ex = px - t * dx, ey = py - t * dy;
        const float cover = radius + 0.5f - std::sqrt(ex * ex + ey * ey);
        float& pixel =
            ink_[static_cast<std::size_t>(row) * kDrawnSide + static_cast<std::size_t>(col)];
        pixel = std::max(pixel, std::min(cover, 1.0f));
      }
    }
  }

  // Adds a background of random brightness and grain, and rounds to bytes.
  void develop(CounterRandom& random, std::span<std::uint8_t> pixels) const {
    const float strength = uniform_in(random, 0.65f, 1.0f);
    const float base = uniform_in(random, 0.0f, 0.15f);
    const float grain = uniform_in(random, 0.0f, 0.20f);
    for (std::size_t i = 0; i < ink_.size(); ++i) {
      const float noise = grain * bell(random);
      const float value = base + (strength - base) * ink_[i] + noise;
      const float brightness = std::clamp(value, 0.0f, 1.0f) * 255.0f;
      // NOLINTNEXTLINE(bugprone-incorrect-roundings): it is not negative
      pixels[i] = static_cast<std::uint8_t>(brightness + 0.5f);
    }
  }

 private:
  static int first(float position) {
    return static_cast<int>(std::clamp(position, 0.0f, static_cast<float>(kDrawnSide)));
  }
  static int last(float position) { return std::min(first(position) + 1, kDrawnSide); }

  std::array<float, kDrawnSide * kDrawnSide> ink_{};
};

}  // namespace

void draw_digit(std::uint64_t seed, std::uint64_t index, std::span<std::uint8_t> pixels) {
  CounterRandom random(seed, index);
  const auto ways = ways_to_write(static_cast<int>(index % kClasses));
  const Glyph& glyph = ways[static_cast<std::size_t>(random.below(static_cast<int>(ways.size())))];
  const Warp warp(random);
  const Placement place(random);
  const float radius = uniform_in(random, 0.6f, 1.7f);
  Sheet sheet;
  for (const Stroke& stroke : glyph.strokes) {
    std::vector<Point> points = stroke.points;
    for (Point& p : points) {
      p.x += kPointJitter * bell(random);
      p.y += kPointJitter * bell(random);
    }
    std::vector<Point> path = flatten(stroke, points);
    for (Point& p : path) p = place(warp(p));
    for (std::size_t i = 1; i < path.size(); ++i) sheet.draw(path[i - 1], path[i], radius);
  }
  sheet.develop(random, pixels);
}

Dataset draw_digits(std::size_t count, std::uint64_t seed, int threads) {
  Dataset set;
  set.rows = set.cols = kDrawnSide;
  set.classes = kClasses;
  set.images.resize(count * set.image_size());
  set.labels.resize(count);
  const auto draw_range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      set.labels[i] = static_cast<std::uint8_t>(i % kClasses);
      draw_digit(seed, i, {set.images.data() + i * set.image_size(), set.image_size()});
    }
  };
  std::size_t workers = threads > 0 ? static_cast<std::size_t>(threads)
                                    : std::max(1u, std::thread::hardware_concurrency());
  workers = std::clamp<std::size_t>(workers, 1, count / 64 + 1);
  std::vector<std::jthread> pool;
  for (std::size_t w = 1; w < workers; ++w) {
    pool.emplace_back(draw_range, count * w / workers, count * (w + 1) / workers);
  }
  draw_range(0, count / workers);
  return set;
}

}  // namespace tut::data

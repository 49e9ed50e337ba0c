// The lesson's figures, on standard output: hopper_sums, hopper_swizzle, hopper_descriptor,
// hopper_barriers, hopper_ring, hopper_order, hopper_multicast. What they show is taken from the
// index maps of the kernels, or counted.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "10_mma_pipelines/swizzle.hpp"
#include "11_hopper/sum_layout.hpp"
#include "tut/text/svg.hpp"

namespace {

using namespace tut;

constexpr std::array COLOURS{"#deebf7", "#fee6ce", "#e5f5e0", "#dadaeb"};
constexpr const char *READ = "#fdae6b", *FILLED = "#9ecae1", *READY = "#e5f5e0", *PALE = "#f0f0f0";
constexpr const char *GRID = "stroke=\"#999\"", *BOLD = "stroke=\"#222\" stroke-width=\"2.5\"";

const char* colour_of(int i) { return COLOURS[static_cast<std::size_t>(i) % COLOURS.size()]; }

std::string frame(double x, double y, double width, double height, const char* style = GRID) {
  return svg::line(x, y, x + width, y, style) +
         svg::line(x + width, y, x + width, y + height, style) +
         svg::line(x + width, y + height, x, y + height, style) +
         svg::line(x, y + height, x, y, style);
}

/// A box with words in its middle.
std::string box(double x, double y, double width, double height, const char* fill,
                const std::string& words, int font_size = 11) {
  return svg::rectangle(x, y, width, height, fill) + frame(x, y, width, height) +
         svg::text(x + width / 2, y + height / 2 + 4, font_size, "middle", words);
}

std::string arrow(double x1, double y1, double x2, double y2, const char* colour = "#444") {
  constexpr double LENGTH = 9, SPREAD = 0.42;
  const std::string style = "stroke=\"" + std::string(colour) + "\" stroke-width=\"1.6\"";
  const double angle = std::atan2(y2 - y1, x2 - x1);
  std::string out = svg::line(x1, y1, x2, y2, style);
  for (const double side : {-SPREAD, SPREAD}) {
    out += svg::line(x2, y2, x2 - LENGTH * std::cos(angle + side),
                     y2 - LENGTH * std::sin(angle + side), style);
  }
  return out;
}

std::string words(double x, double y, const std::string& line, const char* anchor = "start") {
  return svg::text(x, y, 12, anchor, line, 200);
}

std::string sums_figure() {
  constexpr int ROWS = 64, COLS = 16, WARP = 1, SHOWN = 37, SUMS = COLS / 2;
  constexpr double ROW = 6, LEFT = 130, TOP = 50, CELL = 23, X = 400;
  std::string out = svg::start(800, 480, "Which thread holds which sum of wgmma m64n16");
  out += words(LEFT + 60, 30, "sums, 64 rows x 16 columns", "middle");
  for (int warp = 0; warp < 4; ++warp) {
    const double y = TOP + warp * 16 * ROW;
    out += svg::rectangle(LEFT, y, 120, 16 * ROW, warp == WARP ? READ : PALE);
    out += frame(LEFT, y, 120, 16 * ROW);
    const int row = ch11::row_of_sum(32 * warp, 0);
    out += words(LEFT - 10, y + 54, "rows " + std::to_string(row) + "-" + std::to_string(row + 15),
                 "end");
    out += words(LEFT + 60, y + 54, "warp " + std::to_string(warp), "middle");
  }
  static_assert(TOP + ROWS * ROW < 480);
  const double band = TOP + WARP * 16 * ROW;
  out += svg::line(LEFT + 120, band, X, TOP, GRID);
  out += svg::line(LEFT + 120, band + 16 * ROW, X, TOP + 16 * CELL, GRID);
  out += words(X + 8 * CELL, 30, "warp 1, rows 16 to 31", "middle");
  std::string frames;
  for (int thread = 32 * WARP; thread < 32 * (WARP + 1); ++thread) {
    for (int i = 0; i < SUMS; i += 2) {
      const double x = X + ch11::col_of_sum(thread, i) * CELL;
      const double y = TOP + (ch11::row_of_sum(thread, i) - 16 * WARP) * CELL;
      out += box(x, y, 2 * CELL, CELL, colour_of(i / 2), std::to_string(thread), 10);
      if (thread == SHOWN) frames += frame(x, y, 2 * CELL, CELL, BOLD);
    }
  }
  for (int i = 0; i < SUMS; i += 2) {
    const double x = X + 23 + 92 * i / 2.0;
    out += svg::rectangle(x - 22, 434, 16, 16, colour_of(i / 2)) + frame(x - 22, 434, 16, 16);
    out += words(x, 447, "sums " + std::to_string(i) + ", " + std::to_string(i + 1));
  }
  return out + frames + words(LEFT - 100, 472, "number: the thread; framed: thread 37") +
         "</svg>\n";
}

std::string swizzle_figure() {
  constexpr int CORE = 2;  // the chunk whose 8 rows are framed
  constexpr double WIDTH = 92, HEIGHT = 27, LEFT = 90, TOP = 64;
  std::string out = svg::start(860, 360, "Eight rows of 128 bytes in the 128-byte swizzle");
  out += words(LEFT - 10, 50, "banks", "end");
  for (int unit = 0; unit < 8; ++unit) {
    out += words(LEFT + (unit + 0.5) * WIDTH, 50,
                 std::to_string(4 * unit) + "-" + std::to_string(4 * unit + 3), "middle");
  }
  std::string frames;
  for (int row = 0; row < 8; ++row) {
    out += words(LEFT - 10, TOP + row * HEIGHT + 18, "byte " + std::to_string(128 * row), "end");
    for (int chunk = 0; chunk < 8; ++chunk) {
      const int unit = ch10::swizzled<64>(row, chunk * ch10::CHUNK) / ch10::CHUNK;
      const int line = unit / 8;
      const double x = LEFT + unit % 8 * WIDTH, y = TOP + line * HEIGHT;
      out += box(x, y, WIDTH, HEIGHT, colour_of(chunk / 2),
                 std::to_string(row) + "." + std::to_string(chunk));
      if (chunk == CORE) frames += frame(x, y, WIDTH, HEIGHT, BOLD);
    }
  }
  for (int step = 0; step < 4; ++step) {
    const double x = LEFT + 184 * step;
    out += svg::rectangle(x, 300, 16, 16, colour_of(step)) + frame(x, 300, 16, 16);
    out += words(x + 24, 313,
                 "k " + std::to_string(16 * step) + " to " + std::to_string(16 * step + 15));
  }
  return out + frames +
         words(LEFT, 343,
               "row.chunk, 16 bytes each; framed: a core matrix, rows 0 to 7 of chunk 2") +
         "</svg>\n";
}

struct Field {
  int first, last;  // bits
  std::uint64_t value;
  const char* name;
};

std::string descriptor_figure() {
  constexpr int ADDRESS = 5120;
  constexpr std::array FIELDS{Field{0, 13, ADDRESS / 16, "start address / 16"},
                              Field{16, 29, 16 / 16, "leading offset / 16"},
                              Field{32, 45, 1024 / 16, "stride offset / 16"},
                              Field{49, 51, 0, "base offset"}, Field{62, 63, 1, "swizzle"}};
  constexpr double CELL = 25, LEFT = 40;
  std::uint64_t bits = 0;
  for (const Field& field : FIELDS) bits |= field.value << field.first;
  std::string out = svg::start(880, 280, "The bits of a matrix descriptor of wgmma");
  const auto x_of = [](int bit) { return LEFT + (31 - bit % 32) * CELL; };
  const auto y_of = [](int bit) { return bit < 32 ? 160.0 : 50.0; };
  for (int bit = 0; bit < 64; ++bit) {
    out += box(x_of(bit), y_of(bit), CELL, 28, "#fff", std::to_string(bits >> bit & 1));
  }
  for (std::size_t i = 0; i < FIELDS.size(); ++i) {
    const Field& field = FIELDS[i];
    const double x = x_of(field.last), y = y_of(field.first);
    const double width = (field.last - field.first + 1) * CELL;
    for (int bit = field.first; bit <= field.last; ++bit) {
      out += box(x_of(bit), y, CELL, 28, colour_of(static_cast<int>(i)),
                 std::to_string(bits >> bit & 1));
    }
    out += frame(x, y, width, 28, BOLD);
    out += svg::text(x, y - 8, 11, "start", std::to_string(field.last));
    out += svg::text(x + width, y - 8, 11, "end", std::to_string(field.first));
    out += words(x + width / 2, y + 46, std::string(field.name), "middle");
    out += words(x + width / 2, y + 62, "= " + std::to_string(field.value), "middle");
  }
  out += words(LEFT, 264,
               "a tile at byte " + std::to_string(ADDRESS) + ", with the 128-byte swizzle: " +
                   std::to_string(ADDRESS) + " / 16 = " + std::to_string(ADDRESS / 16));
  return out + "</svg>\n";
}

std::string barriers_figure() {
  std::string out =
      svg::start(880, 330, "Who arrives and who waits at the two barriers of a stage");
  out += box(30, 50, 190, 50, FILLED, "producer, one thread", 13);
  out += box(30, 220, 190, 50, FILLED, "TMA", 13);
  out += box(370, 50, 140, 56, PALE, "empty, 8 arrivals", 13);
  out += box(370, 220, 140, 56, PALE, "full, 1 arrival", 13);
  out += box(660, 50, 190, 50, READ, "consumers 0, four warps", 13);
  out += box(660, 220, 190, 50, READ, "consumers 1, four warps", 13);
  const char* const waits = "#2171b5";
  out += arrow(370, 75, 222, 75, waits) + words(296, 66, "waits", "middle");
  out += arrow(90, 100, 90, 218) + words(98, 164, "starts two copies", "start");
  out += arrow(200, 100, 378, 218);
  out += words(302, 140, "arrives, announces", "start") + words(326, 156, "49,152 bytes", "start");
  out += arrow(220, 245, 368, 245) + words(294, 262, "49,152 bytes", "middle");
  out += arrow(658, 68, 512, 68) + words(585, 59, "4 lanes arrive", "middle");
  out += arrow(700, 218, 512, 100) + words(690, 190, "4 lanes arrive", "start");
  out += arrow(512, 262, 658, 262, waits) + words(585, 280, "wait", "middle");
  out += arrow(500, 218, 658, 96, waits) + words(528, 190, "wait", "end");
  return out +
         words(30, 318, "black: tells the barrier; blue: hears from it when a phase is complete") +
         "</svg>\n";
}

std::string ring_figure() {
  constexpr int STAGES = 4, STEPS = 9;
  constexpr double COPY = 2.2;  // the time of a copy, in products of a step
  constexpr double LEFT = 90, TOP = 50, UNIT = 68, HEIGHT = 30, SHOWN = 11.2;
  std::string out = svg::start(880, 260, "Four stages in time: filled, full, multiplied");
  std::array<double, STAGES> free{};
  double products = 0;  // when those of the step before end
  for (int step = 0; step < STEPS + STAGES; ++step) {
    const auto stage = static_cast<std::size_t>(step % STAGES);
    const double begin = free[stage], full = begin + COPY;
    const double start = std::max(full, products), end = start + 1;
    const double y = TOP + static_cast<double>(stage) * (HEIGHT + 10);
    const auto part = [&](double from, double to, const char* fill, const std::string& what) {
      to = std::min(to, SHOWN);
      if (to - from < 0.01) return std::string();
      return box(LEFT + from * UNIT, y, (to - from) * UNIT, HEIGHT, fill,
                 to - from < 0.4 ? "" : what);
    };
    const std::string number = std::to_string(step);
    out += part(begin, full, FILLED, (SHOWN - begin > 1.3 ? "copies for " : "") + number);
    out += part(full, start, READY, "full");
    out += part(start, end, READ, "step " + number);
    free[stage] = products = end;
  }
  for (int stage = 0; stage < STAGES; ++stage) {
    out +=
        words(LEFT - 10, TOP + stage * (HEIGHT + 10) + 20, "stage " + std::to_string(stage), "end");
  }
  for (int time = 0; time <= static_cast<int>(SHOWN); ++time) {
    out += words(LEFT + time * UNIT, 36, std::to_string(time), "middle");
  }
  const std::array fills{FILLED, READY, READ};
  const std::array names{"being filled", "full, waits", "being multiplied"};
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const double x = LEFT + 150 * static_cast<double>(i);
    out += svg::rectangle(x, 226, 16, 16, fills[i]) + frame(x, 226, 16, 16);
    out += words(x + 24, 239, names[i]);
  }
  return out + words(560, 239, "time in products of one step") + "</svg>\n";
}

/// 64 rows of 32 tiles in an order, in rounds of 132.
constexpr int TILE_ROWS = 64, TILE_COLS = 32, TILES = 2048, TOGETHER = 132;

struct Tile {
  int row, col;
};

/// A number as the lesson's text writes it: 141,056.
std::string with_comma(int number) {
  std::string digits = std::to_string(number);
  if (digits.size() > 4) digits.insert(digits.size() - 3, ",");
  return digits;
}

/// The rows of A and columns of B that a round needs.
struct Need {
  int rows, cols;
};

template <class TileOf>
Need need_of(int round, TileOf tile_of) {
  std::set<int> rows, cols;
  for (int i = round * TOGETHER; i < std::min((round + 1) * TOGETHER, TILES); ++i) {
    rows.insert(tile_of(i).row);
    cols.insert(tile_of(i).col);
  }
  return {128 * static_cast<int>(rows.size()), 256 * static_cast<int>(cols.size())};
}

/// The first half of a Hilbert curve over 64 x 64, which is the left half of them.
Tile on_hilbert_curve(int index) {
  Tile at{0, 0};
  for (int side = 1; side < TILE_ROWS; side *= 2, index /= 4) {
    const int right = index / 2 & 1, down = (index ^ right) & 1;
    if (down == 0) {
      if (right == 1) at = {side - 1 - at.row, side - 1 - at.col};
      std::swap(at.row, at.col);
    }
    at.row += side * down;
    at.col += side * right;
  }
  return at;
}

template <class TileOf>
std::string order_panel(double x, const std::string& name, TileOf tile_of) {
  constexpr double WIDTH = 6, HEIGHT = 3, TOP = 46;
  std::string out = words(x + TILE_COLS * WIDTH / 2, 30, name, "middle");
  out += svg::rectangle(x, TOP, TILE_COLS * WIDTH, TILE_ROWS * HEIGHT, PALE);
  for (int i = 0; i < TOGETHER; ++i) {
    const Tile tile = tile_of(i);
    out += svg::rectangle(x + tile.col * WIDTH, TOP + tile.row * HEIGHT, WIDTH, HEIGHT, READ);
  }
  out += frame(x, TOP, TILE_COLS * WIDTH, TILE_ROWS * HEIGHT);
  const Need first = need_of(0, tile_of);
  int all = 0;
  for (int round = 0; round * TOGETHER < TILES; ++round) {
    const Need need = need_of(round, tile_of);
    all += need.rows + need.cols;
  }
  const double middle = x + TILE_COLS * WIDTH / 2, below = TOP + TILE_ROWS * HEIGHT;
  return out +
         words(middle, below + 24,
               std::to_string(first.rows) + " rows + " + std::to_string(first.cols) + " columns",
               "middle") +
         words(middle, below + 44, "in 16 rounds: " + with_comma(all), "middle");
}

std::string order_figure() {
  std::string out = svg::start(880, 300, "The first 132 tiles in three orders");
  out += order_panel(50, "row by row", [](int i) { return Tile{i / TILE_COLS, i % TILE_COLS}; });
  out += order_panel(344, "groups of 16 rows", [](int i) {
    const auto place = ch10::block_place(i, TILE_ROWS, TILE_COLS);
    return Tile{static_cast<int>(place.row), static_cast<int>(place.col)};
  });
  out += order_panel(638, "Hilbert curve", on_hilbert_curve);
  return out + "</svg>\n";
}

std::string multicast_figure() {
  std::string out = svg::start(880, 330, "Two blocks of a cluster share the columns of B");
  out += box(340, 130, 200, 60, PALE, "L2 cache", 14);
  for (int block = 0; block < 2; ++block) {
    const double x = block == 0 ? 30 : 640;
    const std::string name = std::to_string(block);
    out += words(x + 105, 32, "block " + name + ", shared memory", "middle");
    out += frame(x, 42, 210, 240, BOLD);
    out += box(x + 15, 60, 180, 50, colour_of(0), "A, its 128 rows", 13);
    out += box(x + 15, 140, 180, 50, colour_of(1), "B, columns 0 to 127", 13);
    out += box(x + 15, 210, 180, 50, colour_of(2), "B, columns 128 to 255", 13);
  }
  out += arrow(340, 140, 227, 90) + words(250, 74, "asked for by 0");
  out += arrow(540, 140, 653, 90) + words(630, 74, "asked for by 1", "end");
  const char *const first = "#e6550d", *const second = "#31a354";
  out += arrow(340, 165, 227, 165, first) + arrow(540, 165, 653, 165, first);
  out += words(440, 254, "columns 0 to 127: asked for by 0, sent to both", "middle");
  out += arrow(360, 190, 227, 236, second) + arrow(520, 190, 653, 236, second);
  out += words(440, 274, "columns 128 to 255: asked for by 1, sent to both", "middle");
  return out +
         words(440, 314, "each block asks for 16,384 + 16,384 bytes a step and gets 49,152",
               "middle") +
         "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  struct Figure {
    const char* name;
    std::string (*draw)();
  };
  constexpr std::array FIGURES{Figure{"hopper_sums", sums_figure},
                               Figure{"hopper_swizzle", swizzle_figure},
                               Figure{"hopper_descriptor", descriptor_figure},
                               Figure{"hopper_barriers", barriers_figure},
                               Figure{"hopper_ring", ring_figure},
                               Figure{"hopper_order", order_figure},
                               Figure{"hopper_multicast", multicast_figure}};
  const std::string wanted = argc == 2 ? argv[1] : "";
  std::string names;
  for (const Figure& figure : FIGURES) {
    if (wanted == figure.name) {
      std::fputs(figure.draw().c_str(), stdout);
      return 0;
    }
    names += (names.empty() ? "" : ", ") + std::string(figure.name);
  }
  std::fprintf(stderr, "ch11_figures: '%s' is no figure; expected one of %s\n", wanted.c_str(),
               names.c_str());
  return 2;
}

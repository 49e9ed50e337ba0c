// The lesson's figures, on standard output: mma_fragment, mma_banks, mma_pipeline. What they show
// is taken from the index maps of the kernels, or counted.

#include <array>
#include <cstdio>
#include <string>

#include "10_mma_pipelines/fragment_layout.hpp"
#include "10_mma_pipelines/swizzle.hpp"
#include "tut/text/svg.hpp"

namespace {

using namespace tut;
using namespace tut::ch10;

constexpr std::array COLOURS{"#deebf7", "#fee6ce", "#e5f5e0", "#dadaeb"};
constexpr const char *STRONG = "#e6550d", *PALE = "#f0f0f0", *GRID = "stroke=\"#999\"";
constexpr const char* BOLD = "stroke=\"#222\" stroke-width=\"2.5\"";

std::string frame(double x, double y, double width, double height, const char* style) {
  return svg::line(x, y, x + width, y, style) +
         svg::line(x + width, y, x + width, y + height, style) +
         svg::line(x + width, y + height, x, y + height, style) +
         svg::line(x, y + height, x, y, style);
}

/// Where the two elements of a pair meet: a mark at either end, so that none runs through the
/// number between them.
std::string seam(double left, double top, double width, double height) {
  constexpr double MARK = 2.5;
  constexpr const char* STYLE = "stroke=\"#bbb\"";
  const double x = left + width / 2, y = top + height / 2;
  return width > height ? svg::line(x, top, x, top + MARK, STYLE) +
                              svg::line(x, top + height - MARK, x, top + height, STYLE)
                        : svg::line(left, y, left + MARK, y, STYLE) +
                              svg::line(left + width - MARK, y, left + width, y, STYLE);
}

/// The elements of a fragment, in pairs of neighbours: whose lane's each pair is, and in which
/// register. `in_a_register`: elements of one, 2 or 1. Lane 5's are framed.
template <class PlaceOf>
std::string fragment_cells(double x, double y, const char* name, int rows, int cols,
                           int in_a_register, PlaceOf place_of) {
  constexpr double CELL = 21;
  constexpr int SHOWN = 5;
  std::string cells, grid, lanes, frames;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < rows * cols / 32; i += 2) {
      const Place first = place_of(lane, i), second = place_of(lane, i + 1);
      const double left = x + first.col * CELL, top = y + first.row * CELL;
      const double width = (second.col - first.col + 1) * CELL;
      const double height = (second.row - first.row + 1) * CELL;
      const auto colour = static_cast<std::size_t>(i / in_a_register);
      cells += svg::rectangle(left, top, width, height, COLOURS[colour]);
      if (in_a_register == 1) {
        cells += svg::rectangle(x + second.col * CELL, y + second.row * CELL, CELL, CELL,
                                COLOURS[colour + 1]);
      }
      grid += frame(left, top, width, height, "stroke=\"#bbb\"") + seam(left, top, width, height);
      lanes +=
          svg::text(left + width / 2, top + height / 2 + 4, 10, "middle", std::to_string(lane));
      if (lane == SHOWN) frames += frame(left, top, width, height, BOLD);
    }
  }
  return svg::text(x + cols * CELL / 2, y - 12, 13, "middle", name) + cells + grid + lanes + frames;
}

std::string fragment_figure() {
  std::string out = svg::start(
      880, 440, "Which lane holds which element of A, B and the sums of mma.sync.m16n8k16");
  out += fragment_cells(30, 50, "A, 16 rows x 16 k's", 16, 16, 2, a_place);
  out += fragment_cells(420, 50, "B, 16 k's x 8 columns", 16, 8, 2, b_place);
  out += fragment_cells(650, 50, "sums, 16 rows x 8 columns", 16, 8, 1, sum_place);
  const std::array names{"register 0", "register 1", "register 2", "register 3"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = 30 + 120 * static_cast<double>(i);
    out += svg::rectangle(x, 408, 18, 18, COLOURS[i]) + frame(x, 408, 18, 18, GRID);
    out += svg::text(x + 24, 422, 12, "start", names[i]);
  }
  out += svg::text(520, 422, 12, "start", "number: the lane; framed: lane 5 (g = 1, t = 1)");
  return out + "</svg>\n";
}

/// 8 rows of 8 chunks in lines of 128 bytes, where `unit_of(row, chunk)` is a chunk's place in
/// units of 16 bytes. Chunk 2 of every row, which ldmatrix reads at once, stands out.
template <class UnitOf>
std::string bank_panel(double x, const std::string& name, int lines, UnitOf unit_of) {
  constexpr double WIDTH = 32, HEIGHT = 24, TOP = 70;
  constexpr int READ = 2;
  std::string out = svg::text(x + 4 * WIDTH, 24, 14, "middle", name);
  for (int unit = 0; unit < 8; ++unit) {
    out += svg::text(x + (unit + 0.5) * WIDTH, 60, 9, "middle",
                     std::to_string(4 * unit) + "-" + std::to_string(4 * unit + 3));
  }
  for (int i = 0; i < 8 * lines; ++i) {
    const int line = i / 8;
    out += svg::rectangle(x + i % 8 * WIDTH, TOP + line * HEIGHT, WIDTH, HEIGHT, "#fff");
  }
  std::array<int, 8> reads{};
  for (int row = 0; row < 8; ++row) {
    for (int chunk = 0; chunk < 8; ++chunk) {
      const int unit = unit_of(row, chunk);
      const int line = unit / 8;
      const double left = x + unit % 8 * WIDTH, top = TOP + line * HEIGHT;
      out += svg::rectangle(left, top, WIDTH, HEIGHT, chunk == READ ? STRONG : PALE);
      out += svg::text(left + WIDTH / 2, top + 16, 10, "middle",
                       std::to_string(row) + "." + std::to_string(chunk));
      if (chunk == READ) ++reads[static_cast<std::size_t>(unit % 8)];
    }
  }
  for (int i = 0; i <= 8; ++i) {
    out += svg::line(x + i * WIDTH, TOP, x + i * WIDTH, TOP + lines * HEIGHT, GRID);
  }
  for (int i = 0; i <= lines; ++i) {
    out += svg::line(x, TOP + i * HEIGHT, x + 8 * WIDTH, TOP + i * HEIGHT, GRID);
  }
  int passes = 0;
  for (const int count : reads) passes = count > passes ? count : passes;
  return out + svg::text(x + 4 * WIDTH, TOP + 9 * HEIGHT + 24, 13, "middle",
                         "the 8 rows of one matrix: " + std::to_string(passes) +
                             (passes == 1 ? " pass" : " passes"));
}

std::string banks_figure() {
  std::string out = svg::start(900, 330,
                               "Eight rows of 64 halves in the banks of shared memory: plain, "
                               "padded and swizzled");
  out += bank_panel(24, "rows of 128 bytes", 8, [](int row, int chunk) { return 8 * row + chunk; });
  out +=
      bank_panel(322, "padded to 144 bytes", 9, [](int row, int chunk) { return 9 * row + chunk; });
  out += bank_panel(620, "swizzled", 8,
                    [](int row, int chunk) { return swizzled<64>(row, chunk * CHUNK) / CHUNK; });
  for (const double x : {24.0, 322.0, 620.0}) out += svg::text(x, 44, 9, "start", "banks");
  return out + "</svg>\n";
}

/// A box with words.
std::string box(double x, double y, double width, double height, const char* fill,
                const std::string& words) {
  return svg::rectangle(x, y, width, height, fill) + frame(x, y, width, height, GRID) +
         svg::text(x + width / 2, y + height / 2 + 4, 11, "middle", words);
}

std::string pipeline_figure() {
  constexpr int STAGES = 3, STEPS = 5;
  constexpr double LEFT = 90, WIDTH = 155, HEIGHT = 26;
  constexpr const char *READ = "#fdae6b", *FILLED = "#9ecae1", *READY = "#e5f5e0";
  std::string out = svg::start(
      900, 400, "Three stages over five steps, and the four rounds of one step; not to scale");
  for (int step = 0; step < STEPS; ++step) {
    out += svg::text(LEFT + (step + 0.5) * WIDTH, 24, 13, "middle", "step " + std::to_string(step));
  }
  for (int stage = 0; stage < STAGES; ++stage) {
    const double y = 36 + stage * (HEIGHT + 6);
    out += svg::text(LEFT - 10, y + 17, 12, "end", "stage " + std::to_string(stage));
    for (int step = 0; step < STEPS; ++step) {
      // In step s stage s % 3 is read, and the next two hold or await the tiles of steps s + 1 and
      // s + 2; the copies for s + 2 are started now.
      const int ahead = (stage - step % STAGES + STAGES) % STAGES;
      const std::string of = std::to_string(step + ahead);
      out += box(LEFT + step * WIDTH, y, WIDTH, HEIGHT,
                 ahead == 0            ? READ
                 : ahead == STAGES - 1 ? FILLED
                                       : READY,
                 ahead == 0            ? "step " + of + " is multiplied"
                 : ahead == STAGES - 1 ? "copies for step " + of + " start"
                                       : "copies for " + of + " arrive");
    }
  }
  constexpr int ROUNDS = 4;
  constexpr double TOP = 180, ROUND = 185, START = 130;
  out += svg::text(START, TOP - 14, 13, "start", "one step s in matmul_pipelined, a warp's view");
  const std::array rows{"copies", "loads", "products"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += svg::text(START - 10, TOP + 17 + 44 * static_cast<double>(i), 12, "end", rows[i]);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    const double x = START + round * ROUND;
    const std::string next =
        round < ROUNDS - 1 ? "step s, round " + std::to_string(round + 1) : "step s + 1, round 0";
    const bool last = round == ROUNDS - 1;
    const double load = last ? x + 86 : x, copy = last ? x : x + 104;
    out += box(copy, TOP, 74, HEIGHT, FILLED, "1/4 of s + 2");
    out += box(load, TOP + 44, 96, HEIGHT, READY, "");
    out += svg::text(load + 48, TOP + 61, 10, "middle", next);
    out += box(x, TOP + 88, ROUND, HEIGHT, READ, "");
    // Of the last one the part before the wait.
    out += svg::text(x + (last ? 40 : ROUND / 2), TOP + 105, last ? 9 : 11, "middle",
                     "step s, round " + std::to_string(round));
  }
  const double wait = START + 3 * ROUND + 80;
  out += svg::line(wait, TOP - 6, wait, TOP + 122, "stroke=\"#d7301f\" stroke-width=\"2\"");
  out += svg::text(wait, TOP + 140, 11, "middle", "wait for the copies for s + 1, barrier");
  const char* const lines[] = {
      "A round is 16 k's: 8 loads of fragments, and 32 products.",
      "The fragments of these products were loaded in the round before.",
      "While the tensor cores work, the warp starts a load or a copy for what comes later."};
  for (int i = 0; i < 3; ++i) {
    out += svg::text(START, TOP + 172 + 18 * i, 12, "start", lines[i]);
  }
  return out + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc == 2 ? argv[1] : "";
  if (wanted == "mma_fragment") {
    std::fputs(fragment_figure().c_str(), stdout);
  } else if (wanted == "mma_banks") {
    std::fputs(banks_figure().c_str(), stdout);
  } else if (wanted == "mma_pipeline") {
    std::fputs(pipeline_figure().c_str(), stdout);
  } else {
    std::fprintf(stderr,
                 "ch10_figures: '%s' is no figure; expected mma_fragment, mma_banks or "
                 "mma_pipeline\n",
                 wanted.c_str());
    return 2;
  }
  return 0;
}

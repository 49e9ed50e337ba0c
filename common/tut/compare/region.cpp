#include "tut/compare/region.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tut {
namespace {

using Mark = std::function<bool(int, int)>;

// Which lines (rows, or columns) hold a marked element, and how to speak of them.
struct Lines {
  std::vector<bool> marked;
  std::string one, many;
  int count = 0, first = -1, last = -1;
  bool single = false;  // elements, of which a few may be marked by chance

  int size() const { return static_cast<int>(marked.size()); }
  bool all() const { return count == size(); }
};

Lines marked_lines(int rows, int cols, const Mark& is_marked, bool by_row, std::string one) {
  Lines lines;
  lines.one = one;
  lines.many = std::move(one) + "s";
  lines.marked.resize(static_cast<std::size_t>(by_row ? rows : cols));
  lines.single = (by_row ? cols : rows) == 1;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      if (is_marked(r, c)) lines.marked[static_cast<std::size_t>(by_row ? r : c)] = true;
    }
  }
  for (int i = 0; i < lines.size(); ++i) {
    if (!lines.marked[static_cast<std::size_t>(i)]) continue;
    ++lines.count;
    if (lines.first < 0) lines.first = i;
    lines.last = i;
  }
  return lines;
}

// Whether a tile of the usual sizes starts at `start` and the matrix ends before the tile does.
bool starts_partial_tile(int start, int size) {
  for (int tile = 8; tile <= 1024; tile *= 2) {
    if (size % tile != 0 && start == size / tile * tile) return true;
  }
  return false;
}

/// Whether the last whole tile of the usual sizes starts at `start`.
bool starts_last_tile(int start, int size) {
  const int tile = size - start;
  return tile >= 8 && tile <= 1024 && (tile & (tile - 1)) == 0 && start % tile == 0;
}

std::string tail_text(const Lines& lines) {
  const std::string from = " (from " + lines.one + " " + std::to_string(lines.first) + " on)";
  if (lines.first > 0 && starts_partial_tile(lines.first, lines.size())) {
    return "the last partial tile of " + lines.many + from;
  }
  if (lines.count == 1) return "the last " + lines.one;
  if (starts_last_tile(lines.first, lines.size())) return "the last tile of " + lines.many + from;
  return "the " + lines.many + " from " + std::to_string(lines.first) + " on";
}

bool is_alternating(const Lines& lines, int parity) {
  if (lines.size() < 4) return false;
  for (int i = 0; i < lines.size(); ++i) {
    if (lines.marked[static_cast<std::size_t>(i)] != (i % 2 == parity)) return false;
  }
  return true;
}

/// "the rows 8 to 31 of every 32", "row 3 of every 4"; "" if there is no such tile.
std::string every_tile_text(const Lines& lines) {
  constexpr int kLongestTile = 1024;
  const int least_tiles = lines.single ? 3 : 2;
  for (int tile = 3; tile <= kLongestTile && least_tiles * tile <= lines.size(); ++tile) {
    int first = -1, last = -1, count = 0;
    for (int i = 0; i < tile; ++i) {
      if (!lines.marked[static_cast<std::size_t>(i)]) continue;
      ++count;
      last = i;
      if (first < 0) first = i;
    }
    if (count == 0 || count == tile || last - first + 1 != count) continue;
    bool repeats = true;
    for (int i = tile; repeats && i < lines.size(); ++i) {
      repeats = lines.marked[static_cast<std::size_t>(i)] ==
                lines.marked[static_cast<std::size_t>(i - tile)];
    }
    if (!repeats) continue;
    const std::string every = " of every " + std::to_string(tile);
    if (count == 1) return lines.one + " " + std::to_string(first) + every;
    return "the " + lines.many + " " + std::to_string(first) + " to " + std::to_string(last) +
           every;
  }
  return "";
}

// "" when the marked lines follow no rule.
std::string lines_text(const Lines& lines) {
  if (is_alternating(lines, 1)) return "every odd " + lines.one;
  if (is_alternating(lines, 0)) return "every even " + lines.one;
  if (lines.last - lines.first + 1 != lines.count) return every_tile_text(lines);
  if (lines.last == lines.size() - 1) return tail_text(lines);
  if (lines.count == 1) return lines.one + " " + std::to_string(lines.first);
  return lines.many + " " + std::to_string(lines.first) + " to " + std::to_string(lines.last);
}

struct Count {
  std::int64_t marked = 0, total = 0;
  /// As good as full, too: a wrong result can be right here and there.
  bool full() const { return total > 0 && 10 * marked >= 9 * total; }
  std::string every_element() const {
    return marked == total ? "every element" : "nearly every element";
  }
};

// Marked elements inside and outside of a region.
template <class Inside>
void count(int rows, int cols, const Mark& is_marked, Inside inside, Count& in, Count& out) {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      Count& counter = inside(r, c) ? in : out;
      ++counter.total;
      counter.marked += is_marked(r, c) ? 1 : 0;
    }
  }
}

/// `every element`, or nearly, if those inside are marked and no others; else "".
template <class Inside>
std::string every_element_if(int rows, int cols, const Mark& is_marked, Inside inside) {
  Count in, out;
  count(rows, cols, is_marked, inside, in, out);
  const bool is_region = out.marked == 0 && out.total > 0 && in.full();
  return is_region ? in.every_element() : "";
}

// Right only in the top left corner: both last tiles, or all tiles but the first.
std::string corner_text(int rows, int cols, const Mark& is_marked) {
  int height = 0, width = 0;
  while (height < rows && !is_marked(height, 0)) ++height;
  while (width < cols && !is_marked(0, width)) ++width;
  if (height == 0 || width == 0 || height == rows || width == cols) return "";
  const auto outside = [&](int r, int c) { return r >= height || c >= width; };
  const std::string every = every_element_if(rows, cols, is_marked, outside);
  if (every.empty()) return "";
  const std::string h = std::to_string(height), w = std::to_string(width);
  if (starts_partial_tile(height, rows) && starts_partial_tile(width, cols)) {
    return every + " of the last partial tiles (from row " + h + " on, and from column " + w +
           " on)";
  }
  return every + " of all but the first " + h + " rows and " + w + " columns";
}

}  // namespace

std::string describe_region(int rows, int cols, const Mark& is_marked, bool is_vector,
                            const std::string& row_name) {
  const Lines row = marked_lines(rows, cols, is_marked, true, row_name);
  const Lines col = marked_lines(rows, cols, is_marked, false, is_vector ? "element" : "column");
  if (row.count == 0) return "";
  const auto inside = [&](int r, int c) {
    return row.marked[static_cast<std::size_t>(r)] && col.marked[static_cast<std::size_t>(c)];
  };
  Count in, out;
  count(rows, cols, is_marked, inside, in, out);
  if (in.full()) {
    std::string every = in.every_element();
    if (row.all() && col.all()) return every;
    const std::string row_text = row.all() ? "" : lines_text(row);
    const std::string col_text = col.all() ? "" : lines_text(col);
    if (row_text.empty() != row.all() || col_text.empty() != col.all()) return "";
    if (row.all()) return is_vector ? col_text : every + " of " + col_text;
    if (col.all()) return every + " of " + row_text;
    return every + " that is in " + row_text + " and in " + col_text;
  }
  if (is_vector || rows < 2 || cols < 2) return "";
  std::string corner = corner_text(rows, cols, is_marked);
  if (!corner.empty()) return corner;
  const auto region = [&](const char* where, bool (*inside_of)(int, int)) {
    const std::string every = every_element_if(rows, cols, is_marked, inside_of);
    return every.empty() ? every : every + where;
  };
  std::string text = region(" above the diagonal", [](int r, int c) { return c > r; });
  if (text.empty()) text = region(" below the diagonal", [](int r, int c) { return c < r; });
  if (text.empty()) text = region(" off the diagonal", [](int r, int c) { return c != r; });
  return text;
}

}  // namespace tut

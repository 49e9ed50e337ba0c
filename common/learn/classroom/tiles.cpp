#include "learn/classroom/tiles.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace tut::learn {
namespace {

/// Of more, as in a file that says the same a thousand times, the time would grow with the square.
constexpr std::size_t kMostPlaces = 32;

/// A pair of places that begin with the same run.
struct Seed {
  std::int64_t diagonal;  ///< left - right
  std::size_t left;

  std::pair<std::int64_t, std::size_t> key() const { return {diagonal, left}; }
};

std::size_t end_of_gram(const std::vector<Gram>& grams, std::size_t begin) {
  std::size_t end = begin;
  while (end < grams.size() && grams[end].hash == grams[begin].hash) ++end;
  return end;
}

std::vector<Seed> seeds_of(const std::vector<Gram>& left, const std::vector<Gram>& right) {
  std::vector<Seed> seeds;
  std::size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    if (left[i].hash != right[j].hash) {
      ++(left[i].hash < right[j].hash ? i : j);
      continue;
    }
    const std::size_t i_end = end_of_gram(left, i), j_end = end_of_gram(right, j);
    for (std::size_t l = i; l < std::min(i_end, i + kMostPlaces); ++l) {
      for (std::size_t r = j; r < std::min(j_end, j + kMostPlaces); ++r) {
        seeds.push_back({std::int64_t{left[l].at} - std::int64_t{right[r].at}, left[l].at});
      }
    }
    i = i_end;
    j = j_end;
  }
  std::ranges::sort(seeds, {}, &Seed::key);
  return seeds;
}

/// Longest first, then in the order of the left sequence, then of the right one.
struct ComesLater {
  bool operator()(const Tile& a, const Tile& b) const {
    return std::tuple(b.length, a.left, a.right) > std::tuple(a.length, b.left, b.right);
  }
};
using Candidates = std::priority_queue<Tile, std::vector<Tile>, ComesLater>;

/// The equal pieces that cannot be made longer on either side.
Candidates longest_pieces(const GramIndex& left, const GramIndex& right) {
  Candidates pieces;
  const std::vector<std::uint32_t>&a = left.symbols, &b = right.symbols;
  Seed last{0, 0};  // the end of the last piece, on its diagonal
  bool any = false;
  for (const Seed& seed : seeds_of(left.grams, right.grams)) {
    if (any && seed.diagonal == last.diagonal && seed.left < last.left) continue;
    std::size_t begin = seed.left;
    const auto right_of = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<std::int64_t>(i) - seed.diagonal);
    };
    while (begin > 0 && right_of(begin) > 0 && a[begin - 1] == b[right_of(begin) - 1]) --begin;
    std::size_t end = seed.left;
    while (end < a.size() && right_of(end) < b.size() && a[end] == b[right_of(end)]) ++end;
    if (end - begin >= left.length) pieces.push({begin, right_of(begin), end - begin});
    last = {seed.diagonal, end};
    any = true;
  }
  return pieces;
}

}  // namespace

GramIndex::GramIndex(std::vector<std::uint32_t> sequence, std::size_t gram_length)
    : symbols(std::move(sequence)), length(gram_length) {
  for (std::size_t i = 0; i + length <= symbols.size(); ++i) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a over symbols
    for (std::size_t j = i; j < i + length; ++j) hash = (hash ^ symbols[j]) * 1099511628211U;
    grams.push_back({hash, static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(grams, {}, &Gram::key);
}

std::vector<Tile> common_tiles(const GramIndex& left, const GramIndex& right) {
  std::vector<bool> left_taken(left.symbols.size()), right_taken(right.symbols.size());
  std::vector<Tile> tiles;
  Candidates candidates = longest_pieces(left, right);
  while (!candidates.empty()) {
    const Tile piece = candidates.top();
    candidates.pop();
    // What is left of it between what is taken.
    std::vector<Tile> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= piece.length; ++i) {
      if (i < piece.length && !left_taken[piece.left + i] && !right_taken[piece.right + i])
        continue;
      if (i - begin >= left.length) {
        parts.push_back({piece.left + begin, piece.right + begin, i - begin});
      }
      begin = i + 1;
    }
    if (parts != std::vector{piece}) {
      for (const Tile& part : parts) candidates.push(part);
      continue;
    }
    for (std::size_t i = 0; i < piece.length; ++i) {
      left_taken[piece.left + i] = right_taken[piece.right + i] = true;
    }
    tiles.push_back(piece);
  }
  std::ranges::sort(tiles, {}, &Tile::left);
  return tiles;
}

}  // namespace tut::learn

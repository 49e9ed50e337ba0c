/// \file
/// What two sequences of symbols have in common, as tiles: pieces that are equal, longest first,
/// each element in one tile at most, so that it does not matter in which order the pieces stand.
/// Source: M. J. Wise, "YAP3: improved detection of similarities in computer program and other
/// texts", SIGCSE 1996 (greedy string tiling, with hashes of short runs to find where pieces may
/// begin).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tut::learn {

/// Where a run of symbols stands in a sequence. The same run has the same hash everywhere.
struct Gram {
  std::uint64_t hash;
  std::uint32_t at;

  std::pair<std::uint64_t, std::uint32_t> key() const { return {hash, at}; }
};

/// A sequence with its runs of `length` symbols, sorted by hash.
struct GramIndex {
  GramIndex(std::vector<std::uint32_t> sequence, std::size_t length);

  std::vector<std::uint32_t> symbols;
  std::size_t length;
  std::vector<Gram> grams;
};

/// An equal piece: `length` symbols from `left` in one sequence and from `right` in the other.
struct Tile {
  std::size_t left, right, length;

  bool operator==(const Tile&) const = default;
};

/// The tiles of two sequences that are as long as their indices' runs or longer, sorted by `left`.
/// Of a run that stands in a sequence many times, only the first places are tried: then a tile may
/// be missed.
/// @pre both indices have the same length
std::vector<Tile> common_tiles(const GramIndex& left, const GramIndex& right);

}  // namespace tut::learn

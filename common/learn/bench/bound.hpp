#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// The least time that a GPU's roofs leave a row that was counted: all bytes that it requests come
/// from memory, and all its FLOPs are done at the full rate, at the same time.
struct Bound {
  double seconds = 0;
  bool by_bytes = false;  ///< which of the two takes longer
};

/// The bound of a row that moves so many bytes; nothing where the results have no roof for it.
std::optional<Bound> bound_of(const ResultRow& row, double bytes_moved, const Results& results);

/// The bound of a counted row, by the bytes that were counted.
std::optional<Bound> bound_of(const ResultRow& row, const Results& results);

/// An arithmetic in words: "FP32 on CUDA cores", "FP16 on tensor cores", of "tf32/3" "3 TF32
/// products on tensor cores".
std::string arithmetic_words(std::string_view arithmetic);

}  // namespace tut::learn

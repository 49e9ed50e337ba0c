/// \file
/// What a roofline shows: slopes, roofs and dots, from the results of benchmarks. roofline.cpp
/// draws it.
#pragma once

#include <string>
#include <vector>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// A kernel.
struct Dot {
  std::string name;
  double intensity, rate;  // FLOPs for each byte, FLOP/s
  bool rival;
  std::string from;  // what delivers the bytes, where that is said

  std::string label() const;
  /// A second line of the label; empty without.
  std::string place() const;
};

/// What delivers bytes, in words, and its rate in bytes/s.
struct Slope {
  std::string name;
  double rate;

  std::string label() const;
};

/// A flat roof; arithmetics of nearly one rate share it, the highest.
struct Roof {
  double rate, least_rate;
  std::string name;

  std::string label() const;
};

struct Roofline {
  std::string title, note, intensity_label;
  double memory = 0;          // bytes/s
  std::vector<Slope> caches;  // the fastest first; none where no row names its traffic
  std::vector<Roof> roofs;    // the lowest first
  std::vector<Dot> dots;
  bool bounds = false;  // not measured

  double ridge(const Roof& roof) const { return roof.rate / memory; }
  bool has_traffic() const;
  /// The highest of the slopes.
  double fastest() const;
};

/// Its dots are the rows of the largest size of each ladder.
Roofline roofline_of(const Results& results, const std::string& title);

}  // namespace tut::learn

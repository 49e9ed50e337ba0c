#pragma once

#include <cstddef>

namespace tut::ch01 {

/// What one core of this machine can do at most.
struct Roofline {
  double gflops;       ///< peak, in 10^9 FLOP/s: a multiply-add counts as two
  double memory_gb_s;  ///< from main memory, in 10^9 bytes/s
  /// The bound for a program that does `intensity` FLOPs for each byte it moves from memory.
  double attainable(double intensity) const;
};

/// Measures the peak of independent multiply-adds in registers, on one core: the best of several
/// short runs, in 10^9 FLOP/s. Takes about 0.1 s.
double measure_peak_gflops();

/// Measures how fast one core reads `bytes` again and again: from main memory if they fit no
/// cache, else from the cache that holds them. The best of several runs, in 10^9 bytes/s.
double measure_read_gb_s(std::size_t bytes);

/// Both, with memory read from a buffer of 512 MiB.
Roofline measure_roofline();

/// FLOPs per byte of an M x K by K x N product that moves each matrix once.
double matmul_intensity(int m, int n, int k);

}  // namespace tut::ch01

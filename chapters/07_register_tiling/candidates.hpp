/// \file
/// The tilings that the tuner tries.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// A tiling, compiled, with the facts about it that need no run.
struct Candidate {
  int bm, bn, bk, tm, tn, stages;
  int threads;       ///< of a block
  int shared_bytes;  ///< of a block
  int registers;     ///< of a thread, as compiled for this device; 0 on the CPU backend
  int spilled;       ///< bytes of local memory a thread
  int blocks;        ///< that a multiprocessor of this device holds; 0: it has not the memory
  /// For matrices that the tiles cover exactly, and whose rows begin at multiples of 16 bytes.
  void (*matmul)(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, cudaStream_t);

  /// "128x128x8, 8x16, 4".
  std::string name() const;
};

/// All candidates (on the CPU backend one of each kind), with the current device's facts. Their
/// tiles cover sizes that 256 divides.
std::vector<Candidate> candidates();

}  // namespace tut::ch07

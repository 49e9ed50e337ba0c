/// \file
/// The inner loops of a direct convolution with all sizes known to the compiler: what conv2d and
/// conv2d_backward_input run for the layers of chapter 16's networks.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch13 {

/// Sizes of a layer: square filters on planes of HEIGHT rows, whose beginnings lie PITCH floats
/// apart.
template <int SIDE_, int CHANNELS_, int HEIGHT_, int PITCH_, int OUT_WIDTH_>
struct BankLayer {
  static constexpr int SIDE = SIDE_, CHANNELS = CHANNELS_, HEIGHT = HEIGHT_, PITCH = PITCH_;
  static constexpr int OUT_HEIGHT = HEIGHT - SIDE + 1, OUT_WIDTH = OUT_WIDTH_;
  static constexpr int PLANE = HEIGHT * PITCH, OUT_AREA = OUT_HEIGHT * OUT_WIDTH;
};

/// The sums of ROWS pixels, one below the other, for BANK filters: sum[row][filter]. Each pixel
/// that is loaded serves SIDE rows and BANK filters, each weight ROWS pixels. All sizes are
/// constants, so that the loops unroll, sums stay in registers and offsets become part of the
/// instructions.
template <class Layer, int BANK, int ROWS>
__device__ __forceinline__ void add_bank(const float* corner, const float* bank,
                                         float (&sum)[ROWS][BANK]) {
  constexpr int SIDE = Layer::SIDE, TAPS = SIDE * SIDE;
  //! [bank]
  for (int c = 0; c < Layer::CHANNELS; ++c) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      float pixel[ROWS + SIDE - 1];  // one column, under all the rows
#pragma unroll
      for (int i = 0; i < ROWS + SIDE - 1; ++i) {
        pixel[i] = corner[(c * Layer::HEIGHT + i) * Layer::PITCH + j];
      }
#pragma unroll
      for (int i = 0; i < SIDE; ++i) {
#pragma unroll
        for (int f = 0; f < BANK; ++f) {
          const float weight = bank[(f * Layer::CHANNELS + c) * TAPS + i * SIDE + j];
#pragma unroll
          for (int r = 0; r < ROWS; ++r) sum[r][f] += pixel[r + i] * weight;
        }
      }
    }
  }
  //! [bank]
}

}  // namespace tut::ch13

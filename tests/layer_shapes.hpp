/// \file
/// Layers whose shapes do not fit.
#pragma once

#include "tut/testing/matmul_test.hpp"

namespace tut {

/// Whether a layer y = f(xWᵀ + bias) of eight outputs at most refuses shapes that do not fit: each
/// of the six sizes of x, W and y in turn is one too small and one too large.
inline Outcome refuses_wrong_layers(const DeviceMatmul<float, float>& layer) {
  // W is as large as the transpose of B.
  const MatmulRun<float, float> run = [&](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
    Guarded<float> w(b.cols(), b.rows(), b.rows(), 64);
    w.fill(0);
    run_if_fits(
        detail::shapes_fit(a, b, c), {},
        [&](cudaStream_t stream, MatrixView<const float> x, MatrixView<const float> from_w,
            MatrixView<float> y) { layer(x, from_w, y, stream); },
        a, w, c);
  };
  return detail::run_wrong_shapes<float, float>(run, {});
}

}  // namespace tut

#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "tut/matmul_test.hpp"
#include "tut/precision_cuda.hpp"
#include "tut/tensor_cores.hpp"

namespace tut::ch09 {

/// Tensor cores add in FP32 and cut bits off where others round.
inline constexpr MatmulTolerance tensor_core_tolerance{.accumulation = 0x1p-23};

/// Whether the device has tensor cores for T; says what is skipped where it has not.
template <class T>
bool can_multiply(const char* what) {
  if (compute_capability() >= least_capability<T>) return true;
  MESSAGE(what << " in bfloat16: skipped, this device is below compute capability 8.0");
  return false;
}

template <class T>
using TensorMatmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<float>,
                              cudaStream_t);

/// The whole battery twice: rows of any length, which no vector and no fragment fits, and rows a
/// multiple of 16 bytes apart, so that only the tiles at the edge do not fit.
template <class T>
void test_tensor_matmul(const char* name, TensorMatmul<T> function,
                        const std::vector<MatmulShape>& shapes) {
  if (!can_multiply<T>(name)) return;
  for (const int multiple : {1, 8}) {
    expect(matmul_outcome<T, float>(
        function,
        {.shapes = shapes, .tolerance = tensor_core_tolerance, .stride_multiple = multiple}));
  }
}

}  // namespace tut::ch09

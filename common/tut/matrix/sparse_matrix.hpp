#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "simt/runtime/interface.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// A matrix on the device whose rows lie so far apart that offsets need 64 bits. On the CPU backend
/// only its rows exist; a GPU needs the memory.
template <class T>
class SparseMatrix {
 public:
  /// `stride` counts elements. If there is not enough memory, or the program has failed already,
  /// `is_there()` is false, and no other member may be called.
  SparseMatrix(int rows, int cols, std::int64_t stride)
      : rows_(rows), cols_(cols), stride_(stride) {
    if (has_failed()) return;
    const std::size_t bytes =
        (static_cast<std::size_t>(rows - 1) * static_cast<std::size_t>(stride) +
         static_cast<std::size_t>(cols)) *
        sizeof(T);
    data_.reset(static_cast<T*>(allocate(bytes)));
  }

  bool is_there() const noexcept { return data_ != nullptr; }
  MatrixView<T> view() const noexcept { return {data_.get(), rows_, cols_, stride_}; }
  MatrixView<const T> cview() const noexcept { return view(); }

  void upload(const HostMatrix<T>& values) {
    for (int r = 0; r < rows_; ++r) {
      check(cudaMemcpy(&view()(r, 0), &values(r, 0), row_bytes(), cudaMemcpyHostToDevice));
    }
  }
  HostMatrix<T> download() const {
    HostMatrix<T> values(rows_, cols_);
    for (int r = 0; r < rows_; ++r) {
      check(cudaMemcpy(&values(r, 0), &view()(r, 0), row_bytes(), cudaMemcpyDeviceToHost));
    }
    return values;
  }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };

  static void* allocate(std::size_t bytes) {
    if (simt_allocate_sparse != nullptr) return simt_allocate_sparse(bytes, false);
    void* memory = nullptr;
    const cudaError_t result = cudaMalloc(&memory, bytes);
    // Another program may have the rest of the memory: this is no error of the code under test.
    if (result == cudaErrorMemoryAllocation) return cudaGetLastError(), nullptr;
    check(result);
    return memory;
  }
  std::size_t row_bytes() const { return static_cast<std::size_t>(cols_) * sizeof(T); }

  int rows_, cols_;
  std::int64_t stride_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace tut

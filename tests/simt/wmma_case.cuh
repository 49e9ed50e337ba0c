// One product by one warp, compared with the host's: what the WMMA tests share.
#pragma once

#include <mma.h>

#include <type_traits>
#include <vector>

#include "expect.cuh"

namespace wmma = nvcuda::wmma;

/// The type that elements of a fragment have in memory.
template <class T>
struct StoredAs {
  using Type = T;
};
#ifndef WITHOUT_BF16
template <>
struct StoredAs<wmma::precision::tf32> {
  using Type = float;
};
#endif
template <class T>
using Stored = typename StoredAs<T>::Type;

template <class T>
__host__ __device__ double value(T x) {
  if constexpr (std::is_same_v<T, __half>) return static_cast<double>(__half2float(x));
#ifndef WITHOUT_BF16
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return static_cast<double>(__bfloat162float(x));
#endif
  return static_cast<double>(x);
}

/// d = 2 * (a * b) + c, where `2 *` is done element by element.
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class Sum>
__global__ void product_kernel(const Stored<T>* a, unsigned lda, const Stored<T>* b, unsigned ldb,
                               const Sum* c, Sum* d, unsigned ldc, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> a_part;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> b_part;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, c_part;
  wmma::fill_fragment(sum, Sum(0));
  wmma::load_matrix_sync(a_part, a, lda);
  wmma::load_matrix_sync(b_part, b, ldb);
  wmma::load_matrix_sync(c_part, c, ldc, layout);
  wmma::mma_sync(sum, a_part, b_part, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i] + c_part.x[i];
  wmma::store_matrix_sync(d, sum, ldc, layout);
}

/// Rows of `columns` elements (or columns of `rows`), `ld` apart; small integers, and a number that
/// must not be read or written between them.
template <class T>
std::vector<T> matrix(int rows, int columns, unsigned ld, bool by_rows, int scale, int shift) {
  std::vector<T> all((by_rows ? rows : columns) * ld, T(99.0f));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      all[by_rows ? row * ld + column : column * ld + row] =
          T(static_cast<float>((row * 5 + column * 3 + row * column) % scale - shift));
    }
  }
  return all;
}

template <class T>
T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

/// Elements between the starts of two rows: a multiple of 16 bytes.
template <class T>
unsigned leading(unsigned length, unsigned padding) {
  const unsigned unit = 16 / sizeof(Stored<T>);
  return (length + unit - 1) / unit * unit + padding;
}

/// One product; `padding` elements lie between rows.
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class Sum>
void check_product(const char* what, wmma::layout_t layout, unsigned padding) {
  constexpr bool a_rows = std::is_same_v<LayoutA, wmma::row_major>;
  constexpr bool b_rows = std::is_same_v<LayoutB, wmma::row_major>;
  const bool c_rows = layout == wmma::mem_row_major;
  // Bytes without a sign stay positive.
  const int shift = std::is_same_v<T, unsigned char> ? 0 : 4;
  const unsigned lda = leading<T>(a_rows ? K : M, padding);
  const unsigned ldb = leading<T>(b_rows ? N : K, padding);
  const unsigned ldc = leading<Sum>(c_rows ? N : M, padding);
  const auto a = matrix<Stored<T>>(M, K, lda, a_rows, 9, shift);
  const auto b = matrix<Stored<T>>(K, N, ldb, b_rows, 7, shift);
  auto c = matrix<Sum>(M, N, ldc, c_rows, 11, 5);
  auto *da = to_device(a), *db = to_device(b);
  auto *dc = to_device(c), *dd = to_device(c);
  product_kernel<M, N, K, T, LayoutA, LayoutB, Sum>
      <<<1, 32>>>(da, lda, db, ldb, dc, dd, ldc, layout);
  std::vector<Sum> d(c.size());
  const cudaError_t error =
      cudaMemcpy(d.data(), dd, d.size() * sizeof(Sum), cudaMemcpyDeviceToHost);
  expect(what, static_cast<int>(error), 0);
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      double sum = 0;
      for (int i = 0; i < K; ++i) {
        sum += value(a[a_rows ? row * lda + i : i * lda + row]) *
               value(b[b_rows ? i * ldb + column : column * ldb + i]);
      }
      auto& target = c[c_rows ? row * ldc + column : column * ldc + row];
      target = Sum(static_cast<float>(2 * sum + value(target)));
    }
  }
  int wrong = 0;
  for (std::size_t i = 0; i < d.size(); ++i) wrong += value(d[i]) != value(c[i]) ? 1 : 0;
  expect(what, wrong, 0);
  for (void* memory : {static_cast<void*>(da), static_cast<void*>(db), static_cast<void*>(dc),
                       static_cast<void*>(dd)}) {
    cudaFree(memory);
  }
}

/// All layouts of both factors and of the sum, with and without space between rows.
template <int M, int N, int K, class T, class Sum>
void check_layouts(const char* what) {
  using wmma::col_major;
  using wmma::row_major;
  for (const unsigned padding : {0u, 16u, 48u}) {
    for (const auto layout : {wmma::mem_row_major, wmma::mem_col_major}) {
      check_product<M, N, K, T, row_major, row_major, Sum>(what, layout, padding);
      check_product<M, N, K, T, row_major, col_major, Sum>(what, layout, padding);
      check_product<M, N, K, T, col_major, row_major, Sum>(what, layout, padding);
      check_product<M, N, K, T, col_major, col_major, Sum>(what, layout, padding);
    }
  }
}

// Products of doubles by several warps, whose fragments stand in arrays: at the same place in each
// thread, at one that differs between warps, and behind conditions for all threads or some.
// needs: sm_80
#include "wmma_case.cuh"

constexpr int kM = 8, kN = 8, kK = 4, kWarps = 4, kSteps = 5;

using A = wmma::fragment<wmma::matrix_a, kM, kN, kK, double, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, kM, kN, kK, double, wmma::col_major>;
using ColumnsOfA = wmma::fragment<wmma::matrix_a, kM, kN, kK, double, wmma::col_major>;
using RowsOfB = wmma::fragment<wmma::matrix_b, kM, kN, kK, double, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, kM, kN, kK, double>;

/// A warp multiplies two blocks of rows of A by two blocks of columns of B; B's are loaded with the
/// first block of A.
__global__ void tiles(const double* a, const double* b, double* d) {
  const int warp = threadIdx.x / 32;
  Sum sums[2][2];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], 1.0);
  }
  for (int step = 0; step < kSteps; ++step) {
    A rows[2];
    B columns[2];
    for (int i = 0; i < 2; ++i) {
      const double* from = a + (warp * 2 + i) * kM * kK * kSteps + step * kK;
      wmma::load_matrix_sync(rows[i], from, kK * kSteps);
      for (int j = 0; j < 2; ++j) {
        if (i == 0) {
          wmma::load_matrix_sync(columns[j], b + j * kN * kK * kSteps + step * kK, kK * kSteps);
        }
        wmma::mma_sync(sums[i][j], rows[i], columns[j], sums[i][j]);
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int t = 0; t < sums[i][j].num_elements; ++t) sums[i][j].x[t] -= 1.0;
      wmma::store_matrix_sync(d + (warp * 2 + i) * kM * 2 * kN + j * kN, sums[i][j], 2 * kN,
                              wmma::mem_row_major);
    }
  }
}

/// The same with factors stored the other way round, a warp's sums in places of its own, and a
/// result that is another fragment than the summand.
__global__ void places_of_warps(const double* a, const double* b, double* d) {
  const int warp = threadIdx.x / 32;
  Sum sums[2][2];
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      Sum before;
      wmma::fill_fragment(before, 0.0);
      for (int step = 0; step < kSteps; ++step) {
        ColumnsOfA rows;
        RowsOfB columns;
        const int first = (warp * 2 + i) * kM;
        wmma::load_matrix_sync(rows, a + step * kK * kWarps * 2 * kM + first, kWarps * 2 * kM);
        wmma::load_matrix_sync(columns, b + step * kK * 2 * kN + j * kN, 2 * kN);
        wmma::mma_sync(sums[(i + warp) % 2][j], rows, columns, before);
        before = sums[(i + warp) % 2][j];
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      wmma::store_matrix_sync(d + (warp * 2 + i) * kM * 2 * kN + j * kN, sums[(i + warp) % 2][j],
                              2 * kN, wmma::mem_row_major);
    }
  }
}

/// Warps from `first` on multiply, of which those from `second` on do so twice.
__global__ void some_warps(const double* a, const double* b, double* d, int first, int second) {
  const int warp = threadIdx.x / 32;
  if (warp >= first) {
    A rows;
    B columns;
    Sum sum;
    wmma::fill_fragment(sum, 0.0);
    wmma::load_matrix_sync(rows, a, kK);
    wmma::load_matrix_sync(columns, b, kK);
    wmma::mma_sync(sum, rows, columns, sum);
    if (warp >= second) wmma::mma_sync(sum, rows, columns, sum);
    wmma::store_matrix_sync(d + warp * kM * kN, sum, kN, wmma::mem_row_major);
  }
}

double element_of_a(int row, int k) { return (row * 7 + k * 5 + row * k) % 13 - 6; }
double element_of_b(int k, int column) { return (k * 3 + column * 11 + k * column) % 17 - 8; }

double product(int row, int column, int terms) {
  double sum = 0;
  for (int k = 0; k < terms; ++k) sum += element_of_a(row, k) * element_of_b(k, column);
  return sum;
}

template <class Launch>
void check_tiles(const char* what, bool transposed, Launch launch) {
  constexpr int kRows = kWarps * 2 * kM, kColumns = 2 * kN, kTerms = kK * kSteps;
  std::vector<double> a(kRows * kTerms), b(kTerms * kColumns), d(kRows * kColumns, 99.0);
  for (int k = 0; k < kTerms; ++k) {
    for (int row = 0; row < kRows; ++row) {
      a[transposed ? k * kRows + row : row * kTerms + k] = element_of_a(row, k);
    }
    for (int column = 0; column < kColumns; ++column) {
      b[transposed ? k * kColumns + column : column * kTerms + k] = element_of_b(k, column);
    }
  }
  double *da = to_device(a), *db = to_device(b), *dd = to_device(d);
  launch(da, db, dd);
  const cudaError_t error =
      cudaMemcpy(d.data(), dd, d.size() * sizeof(double), cudaMemcpyDeviceToHost);
  expect(what, static_cast<int>(error), 0);
  int wrong = 0;
  for (int i = 0; i < kRows * kColumns; ++i) {
    wrong += d[i] != product(i / kColumns, i % kColumns, kTerms) ? 1 : 0;
  }
  expect(what, wrong, 0);
  for (double* memory : {da, db, dd}) cudaFree(memory);
}

void check_some_warps() {
  std::vector<double> a(kM * kK), b(kK * kN), d(kWarps * kM * kN, 99.0);
  for (int i = 0; i < kM * kK; ++i) a[i] = element_of_a(i / kK, i % kK);
  for (int i = 0; i < kK * kN; ++i) b[i] = element_of_b(i % kK, i / kK);
  double *da = to_device(a), *db = to_device(b), *dd = to_device(d);
  some_warps<<<1, kWarps * 32>>>(da, db, dd, 1, 3);
  const cudaError_t error =
      cudaMemcpy(d.data(), dd, d.size() * sizeof(double), cudaMemcpyDeviceToHost);
  expect("products of some warps", static_cast<int>(error), 0);
  int wrong = 0;
  for (int i = 0; i < kWarps * kM * kN; ++i) {
    const int warp = i / (kM * kN), times = warp >= 3 ? 2 : 1;
    const double right = times * product(i / kN % kM, i % kN, kK);
    wrong += d[i] != (warp >= 1 ? right : 99.0) ? 1 : 0;
  }
  expect("products of some warps", wrong, 0);
  for (double* memory : {da, db, dd}) cudaFree(memory);
}

int main() {
  check_tiles("tiles of doubles", false, [](const double* a, const double* b, double* d) {
    tiles<<<1, kWarps * 32>>>(a, b, d);
  });
  check_tiles("sums at places of warps", true, [](const double* a, const double* b, double* d) {
    places_of_warps<<<1, kWarps * 32>>>(a, b, d);
  });
  check_some_warps();
  return report();
}

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tut/compare/compare.hpp"
#include "tut/matrix/host_matrix.hpp"

namespace tut {

/// C = A B in double, and what its errors are measured against.
struct MatmulReference {
  HostMatrix<double> product;    // (M, N): A B
  HostMatrix<double> magnitude;  // (M, N): |A| |B|
  int k = 0;                     // products in one sum
};

/// A is (M, K), B is (K, N). Pass the values that the kernel gets: already rounded to its type.
MatmulReference matmul_reference(const HostMatrix<double>& a, const HostMatrix<double>& b);

/// How precise a product has to be. Elementwise, with u the unit roundoff of the accumulation:
///
///   |got - reference| <= 2 sqrt(K) u (|A| |B|) + output_rounding |reference| + underflow
///                        + 2 input_rounding (|A| |B|)
///
/// The usual worst case, K u instead of 2 sqrt(K) u, is useless as a test: at K = 1024 a product
/// with inputs rounded to half passes it. This one lets float sums pass in any order, and the next
/// lower precision fails it.
struct MatmulTolerance {
  double accumulation = 0x1p-24;  // float on CUDA cores; 2^-23 in tensor cores, which truncate
  double input_rounding = 0;      // 2^-11 where the kernel rounds float inputs to TF32
  double output_rounding = 0;     // Precision<U>::rounding for an output narrower than float
  double underflow = 0;           // Precision<U>::underflow
};

/// The bound above for every element of C: (M, N).
HostMatrix<double> matmul_bound(const MatmulReference& reference, const MatmulTolerance& tolerance);

/// The pattern of a wrong product that only the inputs can show: the k loop one short, the last
/// partial tile of k missed, an input transposed, the factors swapped; "" if it is none of them.
/// `terms` says which terms are in sums that are longer than these, or nothing: what is missing at
/// the end of a short sum may be missing in every step of a long one.
std::string matmul_pattern(const Mismatch& mismatch, const HostMatrix<double>& a,
                           const HostMatrix<double>& b,
                           const std::function<std::vector<bool>()>& terms);

}  // namespace tut

/// @file
/// wgmma: products by a warpgroup, four warps in turn, of matrices that lie in shared memory. Warp
/// i of them holds rows 16 * i to 16 * i + 15 of D, and reads these rows of A. CUDA leaves open
/// when a product is computed, until its group is waited for; here it is at once. Source: PTX ISA,
/// "Asynchronous Warpgroup Level Matrix Instructions": "wgmma.mma_async", "Matrix Descriptor
/// Format", "Strides", "Register Fragments".
#ifndef SIMT_PTX_WARPGROUP_HPP
#define SIMT_PTX_WARPGROUP_HPP

#include <cstddef>
#include <cstdint>

#include "simt/collective.hpp"
#include "simt/ptx/mma.hpp"
#include "simt/wmma/access.hpp"

namespace simt::ptx {

/// One form of the instruction: D = A * B + D, where A has 64 rows and B n columns.
struct Wgmma {
  int n, k;
  Element d, a, b;
  bool saturate;
};

/// What an instruction says besides. Transposed matrices are those whose elements lie next to each
/// other along m or n, and not along k.
struct WgmmaFlags {
  bool add, negate_a, negate_b, transpose_a, transpose_b;
};

/// A matrix in shared memory, as an instruction's 64 bits describe it: rows (of A; columns of B) in
/// groups of 8, whose elements along k come 16 bytes at a time. Addresses and offsets are bytes.
struct SharedMatrix {
  std::byte* base;
  std::uint32_t leading, stride;
  unsigned swizzle_bytes;  ///< 16 for none, or 32, 64, 128
  bool transposed;

  /// The 16 bytes that hold element (row, k) of a matrix whose elements have so many bytes.
  std::byte* piece(std::uint32_t row, std::uint32_t k, std::uint32_t element_bytes) const {
    std::uint32_t offset;
    if (!transposed) {
      const std::uint32_t along = k * element_bytes / 16;  // in pieces
      offset = row / 8 * stride + row % 8 * swizzle_bytes;
      offset += swizzle_bytes == 16 ? along * leading : along * 16;
    } else {
      const std::uint32_t along = row * element_bytes / 16;
      const std::uint32_t in_row = swizzle_bytes / 16;
      offset = along % in_row * 16 + k % 8 * swizzle_bytes;
      offset += swizzle_bytes == 16 ? along * stride + k / 8 * leading
                                    : along / in_row * leading + k / 8 * stride;
    }
    std::byte* const plain = base + offset;
    const auto address = reinterpret_cast<std::uintptr_t>(plain);
    const std::uintptr_t turn = address >> 7 & (swizzle_bytes / 16 - 1);
    return plain + (static_cast<std::ptrdiff_t>(address ^ turn << 4) -
                    static_cast<std::ptrdiff_t>(address));
  }
};

/// The matrix of a descriptor in the running block. The kernel stops if it says what no matrix is.
SharedMatrix shared_matrix(std::uint64_t descriptor, bool transposed);

/// What one lane brings.
struct WgmmaLane {
  void* d;
  const std::uint32_t* a;  ///< four registers, or null for those in shared memory
  std::uint64_t a_descriptor, b_descriptor;
  WgmmaFlags flags;
};

/// Computes its rows of D for a warp. `slots[lane]` is a lane's WgmmaLane; `lanes` are those that
/// came, and have to be all 32.
void multiply_warpgroup(const Wgmma& form, void* const* slots, unsigned lanes);

template <Wgmma kForm>
void multiply_warpgroup_waiting(void* const* slots, unsigned lanes) {
  multiply_warpgroup(kForm, slots, lanes);
}

constexpr std::uint32_t bytes_of(Element element) {
  return element == Element::tf32 ? 4 : element == Element::f16 || element == Element::bf16 ? 2 : 1;
}

#ifdef __SIMT_WATCHED__
/// The running thread reads its share of a matrix: those pieces that are its turn among 128.
template <int kLines, int kK>
[[gnu::always_inline]] inline void read_share(const SharedMatrix& matrix, Element element) {
  const std::uint32_t bytes = bytes_of(element);
  const std::uint32_t per_piece = 16 / bytes;
  constexpr std::uint32_t kThreads = 128;
  const std::uint32_t in_line = (matrix.transposed ? kLines : kK) / per_piece;
  const std::uint32_t lines = matrix.transposed ? kK : kLines;
  for (std::uint32_t i = linear_thread() % kThreads; i < in_line * lines; i += kThreads) {
    const std::uint32_t line = i / in_line, along = i % in_line * per_piece;
    alignas(16) std::byte own[16];
    nvcuda::wmma::detail::copy_piece<16>(own, matrix.transposed ? matrix.piece(along, line, bytes)
                                                                : matrix.piece(line, along, bytes));
    asm volatile("" ::"m"(own));
  }
}
#endif

template <Wgmma kForm, class D>
[[gnu::always_inline]] inline void warpgroup_multiply_slot(D& d, const std::uint32_t* a,
                                                           std::uint64_t a_descriptor,
                                                           std::uint64_t b_descriptor,
                                                           WgmmaFlags flags) {
#ifdef __SIMT_WATCHED__
  if (a == nullptr) {
    read_share<64, kForm.k>(shared_matrix(a_descriptor, flags.transpose_a), kForm.a);
  }
  read_share<kForm.n, kForm.k>(shared_matrix(b_descriptor, flags.transpose_b), kForm.b);
#endif
  WgmmaLane own{&d, a, a_descriptor, b_descriptor, flags};
  wmma::rendezvous(&multiply_warpgroup_waiting<kForm>, &own);
}

/// A in shared memory, and A in registers.
template <Wgmma kForm, class D>
[[gnu::always_inline]] inline void warpgroup_multiply(D& d, std::uint64_t a, std::uint64_t b,
                                                      WgmmaFlags flags) {
  warpgroup_multiply_slot<kForm>(d, nullptr, a, b, flags);
}
template <Wgmma kForm, class D>
[[gnu::always_inline]] inline void warpgroup_multiply(D& d, const std::uint32_t (&a)[4],
                                                      std::uint64_t b, WgmmaFlags flags) {
  warpgroup_multiply_slot<kForm>(d, a, 0, b, flags);
}

/// As each product is computed at once, there is nothing to order and nothing to wait for.
inline void warpgroup_fence() {}
inline void warpgroup_commit() {}
inline void warpgroup_wait(std::uint32_t /*pending*/) {}

/// setmaxnreg: registers for each thread of the warpgroup. The compiler's are as many as it likes.
template <int kCount>
inline void set_max_registers() {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0,
                "setmaxnreg takes a multiple of 8 from 24 to 256");
}

}  // namespace simt::ptx

#endif

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
#include <type_traits>

#include "simt/collective.hpp"
#include "simt/ptx/mma.hpp"
#include "simt/watching.hpp"
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

/// What a product reads: a matrix of so many lines with so many elements along k.
struct ProductInput {
  SharedMatrix matrix;
  std::uint32_t lines, k, element_bytes;

  /// visit(piece of 16 bytes) for those that are the running thread's turn among 128. Eight lanes
  /// in a row have those of eight lines that belong together, as a tensor core takes them.
  template <class Visit>
  [[gnu::always_inline]] void visit_share(Visit visit) const {
    constexpr std::uint32_t kThreads = 128;
    const std::uint32_t per_piece = 16 / element_bytes;
    const std::uint32_t in_line = (matrix.transposed ? lines : k) / per_piece;
    const std::uint32_t all = in_line * (matrix.transposed ? k : lines);
    for (std::uint32_t i = linear_thread() % kThreads; i < all; i += kThreads) {
      const std::uint32_t group = i / 8;
      const std::uint32_t line = group / in_line * 8 + i % 8;
      const std::uint32_t along = group % in_line * per_piece;
      visit(matrix.transposed ? matrix.piece(along, line, element_bytes)
                              : matrix.piece(line, along, element_bytes));
    }
  }
};

// What a thread has multiplied and not waited for is kept by the runtime, where check mode does not
// look.

/// Notes an input of a product, in the running thread's open group.
void push_input(const ProductInput& input);
/// Notes a product where nobody watches its inputs.
void push_product();
template <class T>
[[gnu::always_inline]] inline void* place(T& variable) {
  static_assert(sizeof(T) == 4, "a register of a product has 32 bits");
  return __builtin_addressof(variable);
}
/// Where a register of A lies, for an operand that is bound to a reference of that type: null for
/// the value of an expression, which is nobody's variable.
template <class Reference, class T>
[[gnu::always_inline]] inline const void* factor_place(const T& variable) {
  constexpr bool kIsVariable = std::is_lvalue_reference_v<Reference> && sizeof(T) == 4;
  return kIsVariable ? __builtin_addressof(variable) : nullptr;
}
/// Variables of 4 bytes each that are registers of a product of that shape.
struct RegisterPlaces {
  const char* shape;
  void* const* sums;
  std::size_t sum_count;
  const void* const* factors;
  std::size_t factor_count;
};
/// Those of the running thread's latest product: until its group has been waited for nobody touches
/// its sums, or changes its registers of A.
void hold_registers(const RegisterPlaces& places);
void close_products();
/// Until here the products of all groups but the `pending` latest may have read their inputs: tells
/// check mode so, and waits for the shares of the warpgroup's other warps.
void wait_for_products(std::uint32_t pending);

/// The running thread reads its share of a matrix.
[[gnu::always_inline]] inline void read_share(const ProductInput& input) {
  const AsyncProxy proxy;
  input.visit_share([](const std::byte* piece) __attribute__((always_inline)) {
    alignas(16) std::byte own[16];
    nvcuda::wmma::detail::copy_piece<16>(own, piece);
    asm volatile("" ::"m"(own));
  });
}

template <Wgmma kForm, class D>
[[gnu::always_inline]] inline void warpgroup_multiply_slot(D& d, const std::uint32_t* a,
                                                           std::uint64_t a_descriptor,
                                                           std::uint64_t b_descriptor,
                                                           WgmmaFlags flags) {
#ifdef __SIMT_WATCHED__
  const auto read = [](const ProductInput& input) __attribute__((always_inline)) {
    read_share(input);
    push_input(input);
  };
  if (a == nullptr) {
    read({shared_matrix(a_descriptor, flags.transpose_a), 64, kForm.k, bytes_of(kForm.a)});
  }
  read({shared_matrix(b_descriptor, flags.transpose_b), kForm.n, kForm.k, bytes_of(kForm.b)});
#else
  push_product();
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

// Each warp computes its share of a product at once; until it is waited for, others may compute
// theirs.

/// wgmma.fence: none of the four warps goes on before all have come, so that a product reads what
/// each of them has copied before it.
void warpgroup_fence();
inline void warpgroup_commit() { close_products(); }
inline void warpgroup_wait(std::uint32_t pending) { wait_for_products(pending); }

/// setmaxnreg: registers for each thread of the warpgroup. The compiler's are as many as it likes.
template <int kCount>
inline void set_max_registers() {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0,
                "setmaxnreg takes a multiple of 8 from 24 to 256");
}

}  // namespace simt::ptx

#endif

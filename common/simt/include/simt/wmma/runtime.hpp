/// @file
/// What the runtime does for WMMA: layouts, products of whole matrices, messages.
#ifndef SIMT_WMMA_RUNTIME_HPP
#define SIMT_WMMA_RUNTIME_HPP

#include <cstddef>
#include <cstdint>

#include "simt/collective.hpp"

namespace simt::wmma {

/// warp_rendezvous of all lanes. If nothing watches, the warp continues before other warps, while
/// the caches still hold its stacks.
void rendezvous(WarpCompute compute, void* slot);

/// Which elements of a matrix each lane of a fragment holds, in `count` of them a lane: element i
/// of a lane is number `chunk[lane] * count + (i ^ flip)` of the matrix, row by row.
struct Layout {
  std::uint8_t chunk[32];
  std::uint8_t flip;
  std::uint8_t holder[32];  ///< of each chunk, the last lane that holds it
};

/// The layout of a kind of fragments. The matrix has `elements` of them; where the lanes have room
/// for more, some are held more than once.
Layout draw_layout(unsigned kind, unsigned elements, unsigned count, std::uint64_t seed);

/// What lanes hold of matrices, in fragments that lie at equal distances: those of a warp's lanes,
/// and then those of the next warp's.
struct EvenParts {
  const Layout* layout;
  std::byte* first;
  unsigned distance;  ///< in bytes
};

/// The number in SIMT_SEED, 0 if that is not set.
std::uint64_t seed();

struct Shape {
  int m, n, k;
};

/// Tells who watches that a warp multiplies.
void tell_product();

// c += a * b, all row by row. Products are exact; each sum is rounded in turn, k rising.
void multiply_add(const float* a, const float* b, float* c, Shape shape);
/// d = c + a * b, of fragments of double: small products, for which putting matrices together would
/// take longer than the product itself.
void multiply_add(const EvenParts& a, const EvenParts& b, const EvenParts& c, const EvenParts& d,
                  unsigned warps);
/// Loads a warp's fragment of such a factor. It has `lines` lines of so many elements that there
/// are 32 of them, rows if `by_rows`.
void load_factor(const EvenParts& to, const std::byte* from, std::uint64_t line_bytes, int lines,
                 bool by_rows);
/// The first one in integers, which wrap or, with `saturate`, stop at the ends of their range.
void multiply_add(const int* a, const int* b, int* c, Shape shape, bool saturate);

// Between the types of fragments and those of the products.
void widen_half(const std::uint16_t* from, float* to, int count);
void widen_bfloat16(const std::uint16_t* from, float* to, int count);
void narrow_to_half(const float* from, std::uint16_t* to, int count);
/// Drops the bits that TF32 has not got.
void truncate_to_tf32(float* values, int count);

/// Stops the kernel unless all lanes of the warp take part.
void require_whole_warp(unsigned lanes, const char* function);
/// The same of a warp of a block that runs as loops over its threads.
void require_whole_warp(unsigned lanes, const char* function, unsigned warp);
/// Stops the kernel: the address is no multiple of `multiple`, or the bytes between two rows are no
/// multiple of 16.
[[noreturn]] void refuse_alignment(const void* address, unsigned multiple, const char* function);

/// Stops the kernel unless both are. CUDA asks for addresses that are multiples of 32; what is not
/// watched goes on with 16, as GPUs do.
[[gnu::always_inline]] inline void require_aligned(const void* address, std::uint64_t row_bytes,
                                                   unsigned multiple, const char* function) {
  if (reinterpret_cast<std::uintptr_t>(address) % multiple == 0 && row_bytes % 16 == 0) return;
  refuse_alignment(address, multiple, function);
}

}  // namespace simt::wmma

#endif

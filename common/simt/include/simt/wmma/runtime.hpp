/// @file
/// What the runtime does for WMMA: layouts, products of whole matrices, messages.
#ifndef SIMT_WMMA_RUNTIME_HPP
#define SIMT_WMMA_RUNTIME_HPP

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

/// The number in SIMT_SEED, 0 if that is not set.
std::uint64_t seed();

struct Shape {
  int m, n, k;
};

/// Tells who watches that a warp multiplies.
void tell_product();

// c += a * b, all row by row. Products are exact; each sum is rounded in turn, k rising.
void multiply_add(const float* a, const float* b, float* c, Shape shape);
void multiply_add(const double* a, const double* b, double* c, Shape shape);
/// The same in integers, which wrap or, with `saturate`, stop at the ends of their range.
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

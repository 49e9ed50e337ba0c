/// @file
/// Copies of many bytes, and of parts of tensors, by the copy engine of a multiprocessor: one
/// thread starts one, and an mbarrier or a group tells when it is done. CUDA leaves open when that
/// is; here it is at once. To check mode the thread that starts a copy does it, and lets those know
/// who wait at the mbarrier. Source: PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk",
/// "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.wait_group".
#ifndef SIMT_PTX_BULK_COPY_HPP
#define SIMT_PTX_BULK_COPY_HPP

#include <cstring>

#include "simt/async_copy.hpp"
#include "simt/cluster.hpp"
#include "simt/mbarrier.hpp"
#include "simt/ptx/tensor_map.hpp"
#include "simt/watching.hpp"
#include "simt/wmma/access.hpp"

namespace simt::ptx {

enum class Reduction : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_ };
enum class Reduced : std::uint8_t { f16, bf16, b32, u32, s32, b64, u64, s64, f32, f64 };

// What is wrong with a copy stops the kernel with a message.

/// Addresses and size are multiples of 16, and what is said to be in the block's shared memory is.
void require_bulk(const void* to, bool to_shared, const void* from, bool from_shared,
                  std::uint32_t bytes);
/// A tensor's map, whose copy begins or ends at `shared`, and at that place of the tensor.
const TensorMap& require_tensor(const void* map, const void* shared, const TensorPlace& place);

/// Combines `bytes` of elements at `to` with those at `from`, each by one atomic operation.
void reduce_bytes(void* to, const void* from, std::uint32_t bytes, Reduction operation,
                  Reduced type);
/// The type of a tensor's elements. Stops the kernel if they cannot be reduced so.
Reduced reduced_type(const TensorMap& map);

// What a thread has copied from shared memory and not waited for is kept by the runtime.

/// Notes the source of a copy, in the running thread's open group.
void push_source(const void* from, std::uint32_t bytes);
void close_sources();
/// Until here the copies of all groups but the `pending` latest may have read their sources: tells
/// check mode so.
void wait_for_sources(std::uint32_t pending);

/// Tells check mode of the source of a copy that has just been done, and that it lasts until the
/// phase of the barrier completes.
void tell_sent(const void* from, std::uint32_t bytes, const void* barrier);

/// Of a watched kernel; others do not keep it.
[[gnu::always_inline]] inline void keep_source([[maybe_unused]] const void* from,
                                               [[maybe_unused]] std::uint32_t bytes) {
#ifdef __SIMT_WATCHED__
  push_source(from, bytes);
#endif
}

[[gnu::always_inline]] inline void copy_bulk(void* to, const void* from, std::uint32_t bytes) {
#ifdef __SIMT_WATCHED__
  const AsyncProxy proxy;
  const CopyEngine engine;
  for (std::uint32_t done = 0; done < bytes; done += kPieceBytes) {
    nvcuda::wmma::detail::copy_piece<kPieceBytes>(static_cast<std::byte*>(to) + done,
                                                  static_cast<const std::byte*>(from) + done);
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Some of 16 bytes, at addresses that are multiples of an element's size.
[[gnu::always_inline]] inline void copy_elements(std::byte* to, const std::byte* from,
                                                 unsigned bytes,
                                                 [[maybe_unused]] unsigned element_bytes) {
#ifdef __SIMT_WATCHED__
  const AsyncProxy proxy;
  using nvcuda::wmma::detail::copy_piece;
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (bytes == kPieceBytes && both % kPieceBytes == 0) return copy_piece<kPieceBytes>(to, from);
  for (unsigned done = 0; done < bytes; done += element_bytes) {
    if (element_bytes == 8) {
      copy_piece<8>(to + done, from + done);
    } else if (element_bytes == 4) {
      copy_piece<4>(to + done, from + done);
    } else if (element_bytes == 2) {
      copy_piece<2>(to + done, from + done);
    } else {
      to[done] = from[done];
    }
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Combines up to 16 bytes of elements, as reduce_bytes does.
[[gnu::always_inline]] inline void reduce_elements(std::byte* to, const std::byte* from,
                                                   unsigned bytes, Reduction operation,
                                                   Reduced type,
                                                   [[maybe_unused]] unsigned element_bytes) {
#ifdef __SIMT_WATCHED__
  // The unit reads this source as it does that of a copy.
  alignas(kPieceBytes) std::byte read[kPieceBytes];
  copy_elements(read, from, bytes, element_bytes);
  from = read;
#endif
  reduce_bytes(to, from, bytes, operation, type);
}

/// `complete` says what check mode asks of the barrier.
[[gnu::always_inline]] inline void bulk_to_shared(
    void* to, const void* from, std::uint32_t bytes, void* barrier,
    void (*complete)(void*, std::uint32_t) = mbarrier_complete_copy) {
  require_bulk(to, true, from, false, bytes);
  copy_bulk(to, from, bytes);
  complete(barrier, bytes);
}

/// From shared memory of the block, which the copy may read until the barrier says that it is done.
[[gnu::always_inline]] inline void shared_to_shared(void* to, const void* from, std::uint32_t bytes,
                                                    void* barrier) {
  bulk_to_shared(to, from, bytes, barrier);
#ifdef __SIMT_WATCHED__
  tell_sent(from, bytes, barrier);
#endif
}

[[gnu::always_inline]] inline void bulk_to_global(void* to, const void* from, std::uint32_t bytes) {
  require_bulk(to, false, from, true, bytes);
  copy_bulk(to, from, bytes);
  keep_source(from, bytes);
}

template <Reduction kOperation, Reduced kType>
[[gnu::always_inline]] inline void bulk_reduce(void* to, const void* from, std::uint32_t bytes) {
  require_bulk(to, false, from, true, bytes);
#ifdef __SIMT_WATCHED__
  const CopyEngine engine;
  for (std::uint32_t done = 0; done < bytes; done += kPieceBytes) {
    reduce_elements(static_cast<std::byte*>(to) + done, static_cast<const std::byte*>(from) + done,
                    kPieceBytes, kOperation, kType, kPieceBytes);
  }
#else
  reduce_bytes(to, from, bytes, kOperation, kType);
#endif
  keep_source(from, bytes);
}

[[gnu::always_inline]] inline void tensor_to_shared(void* to, const void* tensor,
                                                    const TensorPlace& place, void* barrier) {
  const TensorMap& map = require_tensor(tensor, to, place);
  const auto copy = [&](const TensorPiece& piece) __attribute__((always_inline)) {
    const unsigned size = piece.last - piece.first;
    if (size != kPieceBytes) {
      alignas(kPieceBytes) std::byte filled[kPieceBytes];
      std::memset(filled, map.fill, kPieceBytes);
      if (size != 0) {
        copy_elements(filled + piece.first, piece.global, size, map.element_bytes);
      }
      copy_elements(piece.shared, filled, kPieceBytes, map.element_bytes);
    } else {
      copy_elements(piece.shared, piece.global, size, map.element_bytes);
    }
  };
  visit_pieces(map, place, static_cast<std::byte*>(to), copy);
  mbarrier_complete_copy(barrier, map.bytes());
}

[[gnu::always_inline]] inline void tensor_to_global(const void* tensor, const TensorPlace& place,
                                                    void* from) {
  const TensorMap& map = require_tensor(tensor, from, place);
  const auto copy = [&](const TensorPiece& piece) __attribute__((always_inline)) {
    copy_elements(piece.global, piece.shared + piece.first, piece.last - piece.first,
                  map.element_bytes);
  };
  visit_pieces(map, place, static_cast<std::byte*>(from), copy);
  keep_source(from, map.bytes());
}

template <Reduction kOperation>
[[gnu::always_inline]] inline void tensor_reduce(const void* tensor, const TensorPlace& place,
                                                 void* from) {
  const TensorMap& map = require_tensor(tensor, from, place);
  const Reduced type = reduced_type(map);
  const auto copy = [&](const TensorPiece& piece) __attribute__((always_inline)) {
    reduce_elements(piece.global, piece.shared + piece.first, piece.last - piece.first, kOperation,
                    type, map.element_bytes);
  };
  visit_pieces(map, place, static_cast<std::byte*>(from), copy);
  keep_source(from, map.bytes());
}

// To the same places in the shared memory of the blocks of the cluster whose bits are set.

template <class Copy>
[[gnu::always_inline]] inline void for_blocks(std::uint32_t mask, void* to, void* barrier,
                                              Copy copy) {
  const unsigned own = rank_of_shared(to);
  for (; mask != 0; mask &= mask - 1) {
    const auto rank = static_cast<unsigned>(__builtin_ctz(mask));
    copy(rank == own ? to : map_to_rank(static_cast<std::byte*>(to), rank),
         rank == own ? barrier : map_to_rank(static_cast<std::byte*>(barrier), rank));
  }
}
[[gnu::always_inline]] inline void bulk_to_cluster(void* to, const void* from, std::uint32_t bytes,
                                                   void* barrier, std::uint32_t mask) {
  const auto copy = [&](void* there, void* other) __attribute__((always_inline)) {
    bulk_to_shared(there, from, bytes, other);
  };
  for_blocks(mask, to, barrier, copy);
}
[[gnu::always_inline]] inline void tensor_to_cluster(void* to, const void* tensor,
                                                     const TensorPlace& place, void* barrier,
                                                     std::uint32_t mask) {
  const auto copy = [&](void* there, void* other) __attribute__((always_inline)) {
    tensor_to_shared(there, tensor, place, other);
  };
  for_blocks(mask, to, barrier, copy);
}

/// cp.async.mbarrier.arrive: the thread arrives when its copies of a few bytes are done. Unless
/// that is one of the arrivals that the barrier is made for, the phase waits for one more.
template <bool kExpected>
[[gnu::always_inline]] inline void mbarrier_arrive_after_copies(void* at) {
  async_wait_all();
  if (kExpected) {
    mbarrier_arrive(at, 1, 0);
  } else {
    mbarrier_complete(at, 0);
  }
}

/// What one thread stores asynchronously lies in the block that the barrier belongs to.
void require_same_block(const void* to, const void* barrier, const char* call);

/// 4, 8 or 16 bytes, as one store.
[[gnu::always_inline]] inline void store_bytes_async(void* to, const void* from, unsigned bytes) {
  using nvcuda::wmma::detail::copy_piece;
#ifdef __SIMT_WATCHED__
  const AsyncProxy unit;
#endif
  if (bytes == kPieceBytes) {
    copy_piece<kPieceBytes>(to, from);
  } else if (bytes == 8) {
    copy_piece<8>(to, from);
  } else {
    copy_piece<4>(to, from);
  }
}

/// st.async: the elements are there when the barrier's phase completes that their bytes are of.
template <class T, std::size_t kCount>
[[gnu::always_inline]] inline void store_async(void* to, const T (&values)[kCount], void* barrier) {
  constexpr unsigned kBytes = kCount * sizeof(T);
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == kPieceBytes,
                "st.async stores 4, 8 or 16 bytes");
  require_same_block(to, barrier, "st.async");
  alignas(kPieceBytes) T own[kCount];
  std::memcpy(own, values, kBytes);
  store_bytes_async(to, own, kBytes);
  mbarrier_complete(barrier, kBytes);
}

/// red.async: combine(to, value) is one atomic operation on the element there.
template <class T, class Combine>
[[gnu::always_inline]] inline void reduce_async(void* to, T value, void* barrier, Combine combine) {
  require_same_block(to, barrier, "red.async");
  combine(static_cast<T*>(to), value);
  mbarrier_complete(barrier, sizeof(T));
}

// Groups of copies from shared memory. Each copy is done at once; until it is waited for it may
// read its source.

[[gnu::always_inline]] inline void bulk_commit() {
#ifdef __SIMT_WATCHED__
  close_sources();
#endif
}
[[gnu::always_inline]] inline void bulk_wait([[maybe_unused]] std::uint32_t pending) {
#ifdef __SIMT_WATCHED__
  wait_for_sources(pending);
#endif
}

}  // namespace simt::ptx

#endif

/// @file
/// libcu++'s functions for bulk and tensor copies: cuda::device::experimental, which programs
/// call cde.
/// Source: CUDA Programming Guide, "Asynchronous Data Copies using the Tensor Memory Accelerator".
#ifndef SIMT_CUDA_BULK_HPP
#define SIMT_CUDA_BULK_HPP

#include <cstdint>

#include "../cuda/barrier"
#include "simt/ptx/bulk_copy.hpp"
#include "simt/watching.hpp"

namespace cuda::device::experimental {

using block_barrier = barrier<thread_scope_block>;

[[gnu::always_inline]] inline void cp_async_bulk_global_to_shared(void* to, const void* from,
                                                                  ::std::uint32_t bytes,
                                                                  block_barrier& of) {
  ::simt::ptx::bulk_to_shared(to, from, bytes, of.simt_handle());
}
[[gnu::always_inline]] inline void cp_async_bulk_shared_to_global(void* to, const void* from,
                                                                  ::std::uint32_t bytes) {
  ::simt::ptx::bulk_to_global(to, from, bytes);
}

// The innermost coordinate comes first.

[[gnu::always_inline]] inline void cp_async_bulk_tensor_1d_global_to_shared(void* to,
                                                                            const CUtensorMap* map,
                                                                            int c0,
                                                                            block_barrier& of) {
  const ::std::int32_t at[] = {c0};
  ::simt::ptx::tensor_to_shared(to, map, at, of.simt_handle());
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_2d_global_to_shared(void* to,
                                                                            const CUtensorMap* map,
                                                                            int c0, int c1,
                                                                            block_barrier& of) {
  const ::std::int32_t at[] = {c0, c1};
  ::simt::ptx::tensor_to_shared(to, map, at, of.simt_handle());
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_3d_global_to_shared(void* to,
                                                                            const CUtensorMap* map,
                                                                            int c0, int c1, int c2,
                                                                            block_barrier& of) {
  const ::std::int32_t at[] = {c0, c1, c2};
  ::simt::ptx::tensor_to_shared(to, map, at, of.simt_handle());
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_4d_global_to_shared(
    void* to, const CUtensorMap* map, int c0, int c1, int c2, int c3, block_barrier& of) {
  const ::std::int32_t at[] = {c0, c1, c2, c3};
  ::simt::ptx::tensor_to_shared(to, map, at, of.simt_handle());
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_5d_global_to_shared(
    void* to, const CUtensorMap* map, int c0, int c1, int c2, int c3, int c4, block_barrier& of) {
  const ::std::int32_t at[] = {c0, c1, c2, c3, c4};
  ::simt::ptx::tensor_to_shared(to, map, at, of.simt_handle());
}

[[gnu::always_inline]] inline void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap* map,
                                                                            int c0, void* from) {
  const ::std::int32_t at[] = {c0};
  ::simt::ptx::tensor_to_global(map, at, from);
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap* map,
                                                                            int c0, int c1,
                                                                            void* from) {
  const ::std::int32_t at[] = {c0, c1};
  ::simt::ptx::tensor_to_global(map, at, from);
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap* map,
                                                                            int c0, int c1, int c2,
                                                                            void* from) {
  const ::std::int32_t at[] = {c0, c1, c2};
  ::simt::ptx::tensor_to_global(map, at, from);
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap* map,
                                                                            int c0, int c1, int c2,
                                                                            int c3, void* from) {
  const ::std::int32_t at[] = {c0, c1, c2, c3};
  ::simt::ptx::tensor_to_global(map, at, from);
}
[[gnu::always_inline]] inline void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap* map,
                                                                            int c0, int c1, int c2,
                                                                            int c3, int c4,
                                                                            void* from) {
  const ::std::int32_t at[] = {c0, c1, c2, c3, c4};
  ::simt::ptx::tensor_to_global(map, at, from);
}

inline void fence_proxy_async_shared_cta() { ::simt::watch_proxy_fence(); }
[[gnu::always_inline]] inline void cp_async_bulk_commit_group() { ::simt::ptx::bulk_commit(); }
template <int kPending>
void cp_async_bulk_wait_group() {
  ::simt::ptx::bulk_wait(kPending);
}
template <int kPending>
void cp_async_bulk_wait_group_read() {
  ::simt::ptx::bulk_wait(kPending);
}

}  // namespace cuda::device::experimental

#endif

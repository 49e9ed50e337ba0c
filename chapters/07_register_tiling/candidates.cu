#include "07_register_tiling/candidates.hpp"

#include "07_register_tiling/tuned_kernel.cuh"
#include "tut/device/backend.hpp"

namespace tut::ch07 {
namespace {

template <int BM, int BN, int BK, int TM, int TN, int STAGES>
Candidate candidate() {
  using T = Tiling<BM, BN, BK, TM, TN, STAGES>;
  const auto kernel = matmul_tuned_kernel<T, true>;
  int device = 0, room = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cudaFuncAttributes facts{};
  check(cudaFuncGetAttributes(&facts, kernel));
  int blocks = 0;
  if (T::SHARED_BYTES <= room) {
    check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, T::THREADS,
                                                        T::SHARED_BYTES));
  }
  return {BM,
          BN,
          BK,
          TM,
          TN,
          STAGES,
          T::THREADS,
          T::SHARED_BYTES,
          facts.numRegs,
          static_cast<int>(facts.localSizeBytes),
          blocks,
          launch_tuned<T, true>};
}

}  // namespace

std::string Candidate::name() const {
  const auto text = [](int number) { return std::to_string(number); };
  return text(bm) + "x" + text(bn) + "x" + text(bk) + ", " + text(tm) + "x" + text(tn) + ", " +
         text(stages);
}

namespace {

/// ALL: the CPU backend cannot tell a fast tiling from a slow one, so there one of each kind will
/// do.
template <bool ALL>
std::vector<Candidate> listed() {
  if constexpr (!ALL) {
    return {candidate<64, 64, 16, 8, 8, 4>(), candidate<128, 128, 8, 8, 16, 4>(),
            candidate<256, 128, 8, 16, 8, 4>()};
  } else {
    return {candidate<128, 128, 8, 8, 8, 4>(),   candidate<128, 128, 16, 8, 8, 2>(),
            candidate<128, 128, 8, 8, 16, 4>(),  candidate<128, 128, 16, 8, 16, 2>(),
            candidate<128, 128, 16, 8, 16, 3>(), candidate<128, 256, 8, 8, 16, 4>(),
            candidate<128, 256, 16, 8, 16, 3>(), candidate<256, 128, 8, 16, 8, 4>(),
            candidate<256, 128, 16, 16, 8, 3>()};
  }
}

}  // namespace

std::vector<Candidate> candidates() { return listed<!on_cpu_backend>(); }

}  // namespace tut::ch07

#include "02_fast_cpu_matmul/gemm.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "02_fast_cpu_matmul/panel_buffer.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch02 {

extern const Gemm gemm_baseline;
#ifdef TUT_CH02_X86
extern const Gemm gemm_avx2, gemm_avx512;
#endif

//! [dispatch]
const Gemm* find_gemm(Simd simd) {
#ifdef TUT_CH02_X86
  if (simd == Simd::avx512) return &gemm_avx512;
  if (simd == Simd::avx2) return &gemm_avx2;
#endif
  return simd == Simd::baseline ? &gemm_baseline : nullptr;
}

bool is_supported(Simd simd) {
#ifdef TUT_CH02_X86
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (simd == Simd::avx512) return has_avx2 && __builtin_cpu_supports("avx512f");
  if (simd == Simd::avx2) return has_avx2;
#endif
  return simd == Simd::baseline;
}

Simd best_simd() {
  for (const Simd simd : {Simd::avx512, Simd::avx2}) {
    if (is_supported(simd)) return simd;
  }
  return Simd::baseline;
}
//! [dispatch]

namespace {

// Room for one packed block of B and a packed block of A for each worker.
struct Room {
  std::size_t a, b;
  Room(const Gemm& gemm, const Blocking& blocking, int rows, int cols, int depth) {
    const std::size_t block_depth = std::min(blocking.depth, depth);
    a = block_depth * round_up(std::min(blocking.rows, rows) + gemm.tile_rows, gemm.tile_rows);
    b = block_depth * round_up(std::min(blocking.cols, cols) + gemm.tile_cols, gemm.tile_cols);
    a = round_up(a, std::size_t{16});  // whole cache lines
    b = round_up(b, std::size_t{16});
  }
};

}  // namespace

// Here rather than in the header: the files compiled for AVX must not bring a library function
// that the linker could then use everywhere.
void Worker::wait() const {
  if (meet != nullptr) meet->arrive_and_wait();
}

//! [team]
void run_gemm(Simd simd, const Blocking& blocking, int threads, MatrixView<const float> a,
              MatrixView<const float> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);
  require(threads >= 1, {threads, " threads; expected at least 1"});
  require(std::min({blocking.rows, blocking.cols, blocking.depth}) >= 1,
          "a block size below 1; expected at least 1 in each direction");
  require(is_supported(simd), "this processor or build lacks the instruction set asked for");

  const Gemm& gemm = *find_gemm(simd);
  const int team = std::min(threads, ceil_div(c.rows, gemm.tile_rows));
  const Room room(gemm, blocking, c.rows, c.cols, a.cols);
  thread_local PanelBuffer buffer;
  float* const b_panels = buffer.reserve(room.b + room.a * static_cast<std::size_t>(team));
  float* const a_panels = b_panels + room.b;
  if (team == 1) {
    gemm.multiply(a, b, c, blocking, {0, 1, a_panels, b_panels, nullptr});
    return;
  }

  std::barrier<> meet(team);
  const auto work = [&](int rank) {
    gemm.multiply(
        a, b, c, blocking,
        {rank, team, a_panels + room.a * static_cast<std::size_t>(rank), b_panels, &meet});
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < team; ++rank) others.emplace_back(work, rank);
  work(0);
}
//! [team]

}  // namespace tut::ch02

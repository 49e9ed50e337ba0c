// What is wrong with an mbarrier, a bulk copy, a wgmma or a cluster is told in one line; a wait
// that cannot end says what is missing.
#include <cuda.h>
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "capture_stderr.hpp"
#include "run_kernel.hpp"
#include "simt/runtime/interface.hpp"

namespace {

constexpr char kNobody = 0;
constexpr const char* kWhere = " in kernel test_kernel (run_kernel.hpp:1), block (0,0,0), ";

/// What one block says whose threads run `body(thread, shared memory)`.
std::string said(unsigned threads, const std::function<void(unsigned, std::byte*)>& body) {
  const std::string text = capture_stderr([&] {
    run_kernel({1, threads, 4096, nullptr, false},
               [&](const uint3 thread, const uint3, const dim3, const dim3) {
                 body(thread.x, static_cast<std::byte*>(simt::dynamic_shared()));
               });
  });
  reset_device();
  return text;
}

std::string said_of_one(const std::function<void(std::byte*)>& body) {
  return said(1, [&](unsigned, std::byte* shared) { body(shared); });
}

}  // namespace

TEST_CASE("what is no mbarrier, and too many arrivals") {
  CHECK(said_of_one([](std::byte* shared) { simt::ptx::mbarrier_arrive(shared + 16, 1, 0); }) ==
        std::string("simt: mbarrier.arrive") + kWhere +
            "thread (0,0,0), at byte 16 of its shared memory: there is no mbarrier; expected one "
            "that "
            "mbarrier.init has made\n");
  CHECK(said_of_one([](std::byte* shared) {
          simt::ptx::mbarrier_init(shared + 4, 1);
        }).find("an mbarrier begins at a multiple of 8 bytes") != std::string::npos);
  CHECK(said_of_one([](std::byte* shared) {
          simt::ptx::mbarrier_init(shared, 0);
        }).find("0 arrivals; expected 1 to 2^20 - 1") != std::string::npos);
  CHECK(said_of_one([](std::byte* shared) {
          simt::ptx::mbarrier_init(shared, 3);
          simt::ptx::mbarrier_arrive(shared, 2, 0);
          simt::ptx::mbarrier_arrive(shared, 2, 0);
        }).find("2 arrivals, and 1 of 3 are missing in this phase") != std::string::npos);
  CHECK(said_of_one([](std::byte* shared) {
          simt::ptx::mbarrier_init(shared, 1);
          simt::ptx::mbarrier_expect(shared, 1u << 20);
        }).find("expected at most 2^20 - 1") != std::string::npos);
  CHECK(said_of_one([](std::byte* shared) {
          simt::ptx::mbarrier_init(shared, 1);
          simt::ptx::mbarrier_invalidate(shared);
          simt::ptx::mbarrier_arrive(shared, 1, 0);
        }).find("there is no mbarrier") != std::string::npos);
  CHECK(said_of_one([](std::byte* shared) {
          simt::ptx::mbarrier_init(shared, 1);
          simt::ptx::mbarrier_arrive(shared, 1, 0);
          simt::ptx::mbarrier_wait(shared, 0);
        }).empty());
}

TEST_CASE("who waits for a phase goes on when it has ended, whatever the barrier is by then") {
  CHECK(said(64, [](unsigned thread, std::byte* shared) {
          if (thread == 0) simt::ptx::mbarrier_init(shared, 64);
          simt::block_barrier();
          simt::ptx::mbarrier_arrive(shared, 1, 0);
          simt::ptx::mbarrier_wait(shared, 0);
          if (thread == 63) simt::ptx::mbarrier_init(shared, 64);  // the first to go on
        }).empty());
}

TEST_CASE("a wait for bytes that nobody sends says how many are missing") {
  const std::string text = said(64, [](unsigned thread, std::byte* shared) {
    if (thread == 0) {
      simt::ptx::mbarrier_init(shared + 8, 64);
      simt::ptx::mbarrier_expect(shared + 8, 4096);
    }
    __syncthreads();
    simt::ptx::mbarrier_arrive(shared + 8, 1, 0);
    simt::ptx::mbarrier_wait(shared + 8, 0);
  });
  CHECK(text.find("deadlock") != std::string::npos);
  CHECK(text.find("64 threads wait at the mbarrier at byte 8 of its shared memory for its phase of "
                  "parity 0, where 0 of 64 arrivals and 4096 bytes are missing") !=
        std::string::npos);
}

TEST_CASE("try_wait gives up where nobody else can go on, test_wait at once") {
  int rounds = 0;
  const std::string text = said(2, [&](unsigned thread, std::byte* shared) {
    if (thread == 0) {
      simt::ptx::mbarrier_init(shared, 1);
      simt::ptx::mbarrier_init(shared + 8, 1);
    }
    __syncthreads();
    if (thread == 1) return simt::ptx::mbarrier_wait(shared + 8, 0);
    // The first never completes: this thread has the other one to see to.
    while (!simt::ptx::mbarrier_try_wait(shared, 0) && ++rounds < 5) {
    }
    simt::ptx::mbarrier_arrive(shared + 8, 1, 0);
  });
  CHECK(text.empty());
  CHECK(rounds == 5);
}

TEST_CASE("addresses and sizes of bulk copies") {
  alignas(16) static float source[64];
  const auto copy = [](std::ptrdiff_t to, std::ptrdiff_t from, std::uint32_t bytes) {
    return said_of_one([=](std::byte* shared) {
      simt::ptx::mbarrier_init(shared + 2048, 1);
      simt::ptx::bulk_to_shared(shared + to, reinterpret_cast<std::byte*>(source) + from, bytes,
                                shared + 2048);
    });
  };
  CHECK(copy(0, 0, 64).empty());
  CHECK(copy(0, 0, 40).find("40 bytes; expected a multiple of 16") != std::string::npos);
  CHECK(copy(8, 0, 64).find("its destination, byte 8 of its shared memory, is no multiple of 16") !=
        std::string::npos);
  CHECK(copy(0, 4, 64).find("its source, ") != std::string::npos);
  CHECK(copy(4080, 0, 64)
            .find("64 bytes from byte 4080 of its shared memory on leave what the block has") !=
        std::string::npos);
}

TEST_CASE("a tensor's copy needs a map and a place at a multiple of 128 bytes") {
  alignas(64) static CUtensorMap map;
  alignas(64) static float matrix[64];
  const cuuint64_t sizes[] = {8, 8}, strides[] = {32};
  const cuuint32_t box[] = {8, 8}, steps[] = {1, 1};
  const auto copy = [](std::ptrdiff_t to) {
    return said_of_one([=](std::byte* shared) {
      const std::int32_t at[] = {0, 0};
      simt::ptx::mbarrier_init(shared + 2048, 1);
      simt::ptx::tensor_to_shared(shared + to, &map, at, shared + 2048);
    });
  };
  CHECK(copy(0).find("there is no tensor map; expected one that cuTensorMapEncodeTiled or "
                     "cuTensorMapEncodeIm2col has made") != std::string::npos);
  REQUIRE(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, strides,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  CHECK(copy(0).empty());
  CHECK(copy(64).find("is no multiple of 128 bytes") != std::string::npos);
}

TEST_CASE("a copy of columns needs a map of columns, and a place that it has") {
  alignas(64) static CUtensorMap columns, boxes;
  alignas(64) static float images[2 * 4 * 4 * 4];
  const cuuint64_t sizes[] = {4, 4, 4, 2}, strides[] = {16, 64, 256};
  const cuuint32_t box[] = {4, 2, 1, 1}, steps[] = {1, 1, 1, 1};
  const int lower[] = {-1, 0}, upper[] = {-1, -2};
  REQUIRE(cuTensorMapEncodeIm2col(&columns, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, images, sizes,
                                  strides, lower, upper, 4, 8, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  REQUIRE(cuTensorMapEncodeTiled(&boxes, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, images, sizes, strides,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  const auto read = [](const CUtensorMap& map, int w, int h, std::uint16_t offset) {
    return said_of_one([=, &map](std::byte* shared) {
      const std::int32_t at[] = {0, w, h, 0};
      const std::uint16_t offsets[] = {offset, 0};
      simt::ptx::mbarrier_init(shared + 2048, 1);
      simt::ptx::tensor_to_shared(shared, &map, {at, offsets}, shared + 2048);
    });
  };
  CHECK(read(columns, -1, 0, 255).empty());
  CHECK(read(columns, 2, 1, 0).empty());
  CHECK(read(columns, 3, 0, 0)
            .find("its coordinate along W is 3; the map's bounding box has -1 to 2") !=
        std::string::npos);
  CHECK(read(columns, 0, -1, 0)
            .find("its coordinate along H is -1; the map's bounding box has 0 to 1") !=
        std::string::npos);
  CHECK(read(columns, 0, 0, 256)
            .find("its offset along W is 256; expected less than 256 with 4 dimensions") !=
        std::string::npos);
  CHECK(read(boxes, 0, 0, 0).find("its map is one of boxes, and it copies columns") !=
        std::string::npos);
  const auto write = [](const CUtensorMap& map, const auto& at) {
    return said_of_one([&](std::byte* shared) { simt::ptx::tensor_to_global(&map, at, shared); });
  };
  const std::int32_t four[] = {0, 0, 0, 0}, three[] = {0, 0, 0};
  CHECK(write(columns, four).find("its map is one of columns, and it copies a box") !=
        std::string::npos);
  CHECK(write(boxes, four).empty());
  CHECK(write(boxes, three).find("it has 3 coordinates, and its map 4 dimensions") !=
        std::string::npos);
}

TEST_CASE("all that a tensor map asks for and is not there is told") {
  alignas(64) CUtensorMap map;
  alignas(64) static float images[64];
  const cuuint64_t sizes[] = {16, 4, 1}, strides[] = {64, 256};
  const cuuint32_t box[] = {4, 4, 1}, steps[] = {1, 1, 1};
  const auto encode = [&](CUtensorMapDataType type, CUtensorMapInterleave interleave) {
    return cuTensorMapEncodeTiled(&map, type, 3, images, sizes, strides, box, steps, interleave,
                                  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  CUresult result = CUDA_SUCCESS;
  const std::string both = capture_stderr([&] {
    for (int i = 0; i < 2; ++i) {  // told once
      result = encode(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, CU_TENSOR_MAP_INTERLEAVE_16B);
    }
  });
  CHECK(result == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(both ==
        "simt: cuTensorMapEncodeTiled: not supported on the CPU backend: interleaved layouts, "
        "elements of 4 and 6 bits, swizzles of compute capability 10\n");
  const std::string other = capture_stderr(
      [&] { result = encode(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_INTERLEAVE_NONE); });
  CHECK(result == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(other ==
        "simt: cuTensorMapEncodeTiled: not supported on the CPU backend: swizzles of compute "
        "capability 10\n");
}

TEST_CASE("cuTensorMapEncodeTiled is there by its name") {
  void* function = nullptr;
  REQUIRE(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault) ==
          cudaSuccess);
  CHECK(function == reinterpret_cast<void*>(&cuTensorMapEncodeTiled));
}

TEST_CASE("a warpgroup is four warps that say the same") {
  const auto multiply = [](unsigned threads, std::uint64_t (*descriptor)(unsigned)) {
    return said(threads, [=](unsigned thread, std::byte*) {
      constexpr simt::ptx::Wgmma kForm{
          8, 16, simt::ptx::Element::f32, simt::ptx::Element::f16, simt::ptx::Element::f16, false};
      float d[4] = {};
      simt::ptx::warpgroup_multiply<kForm>(d, descriptor(thread), descriptor(thread),
                                           {true, false, false, false, false});
    });
  };
  constexpr std::uint64_t kPlain = std::uint64_t{64} << 16 | std::uint64_t{8} << 32;
  CHECK(multiply(128, [](unsigned) { return kPlain; }).empty());
  CHECK(multiply(32, [](unsigned) { return kPlain; }).find("a warpgroup is four warps") !=
        std::string::npos);
  CHECK(multiply(128, [](unsigned thread) {
          return kPlain + thread;
        }).find("the lanes' descriptors or flags differ") != std::string::npos);
  CHECK(multiply(128, [](unsigned) {
          return kPlain + 4096 / 16;
        }).find("a matrix leaves the block's shared memory") != std::string::npos);
}

TEST_CASE("a cluster's barrier that a block does not come to is a deadlock") {
  const std::string text = capture_stderr([] {
    simt::LaunchConfig config{2, 32, 0, nullptr, false};
    config.cluster = {2, 1, 1};
    run_kernel(config, [](const uint3, const uint3 block, const dim3, const dim3) {
      simt::cluster_arrive();
      if (block.x == 0) {
        __syncthreads();
        simt::cluster_wait();
        simt::cluster_arrive();
        simt::cluster_wait();
      } else {
        // It waits for what only its own arrival would bring.
        simt::cluster_wait();
        static_cast<void>(simt::named_barrier(&kNobody, 33));
      }
    });
  });
  CHECK(text.find("deadlock") != std::string::npos);
  CHECK(text.find("a barrier of the cluster") != std::string::npos);
  reset_device();
}

TEST_CASE("no warp passes wgmma.fence before its warpgroup has come") {
  unsigned before[2] = {};  // as many warpgroups
  unsigned early = 0;
  CHECK(said(256, [&](unsigned thread, std::byte*) {
          unsigned& mine = before[thread / 128];
          for (unsigned turn = 1; turn <= 3; ++turn) {
            ++mine;
            simt::ptx::warpgroup_fence();
            if (mine < 128 * turn) ++early;
            simt::ptx::warpgroup_fence();
          }
        }) == "");
  CHECK(early == 0);
  CHECK(said(64, [](unsigned, std::byte*) {
          simt::ptx::warpgroup_fence();
        }).find("warp 0: a warpgroup is four warps") != std::string::npos);
  CHECK(said(256, [](unsigned thread, std::byte*) {
          if (thread < 96) simt::ptx::warpgroup_fence();
        }).find("deadlock") != std::string::npos);
}

TEST_CASE("who has waited for a product finds all four warps' shares done") {
  unsigned begun = 0, early = 0, early_for_older = 0;
  CHECK(said(128, [&](unsigned, std::byte*) {
          ++begun;
          simt::ptx::push_product();
          simt::ptx::warpgroup_commit();
          ++begun;
          simt::ptx::push_product();
          simt::ptx::warpgroup_commit();
          simt::ptx::warpgroup_wait(1);
          if (begun < 256) ++early_for_older;
          simt::ptx::warpgroup_wait(0);
          if (begun < 256) ++early;
          simt::ptx::warpgroup_wait(0);  // for nothing
        }) == "");
  CHECK(early_for_older == 0);
  CHECK(early == 0);
  // Without a product there is nobody to wait for.
  CHECK(said(128, [](unsigned thread, std::byte*) {
          if (thread < 32) simt::ptx::warpgroup_wait(0);
        }) == "");
}

TEST_CASE("clusters have 1 to 8 blocks, and fit the grid") {
  const auto launch = [](unsigned blocks, unsigned cluster) {
    simt::LaunchConfig config{blocks, 1, 0, nullptr, false};
    config.cluster = {cluster, 1, 1};
    return run_kernel(config, [](const uint3, const uint3, const dim3, const dim3) {});
  };
  CHECK(launch(8, 8) == cudaSuccess);
  CHECK(launch(9, 8) == cudaErrorInvalidClusterSize);
  CHECK(std::string(simt_refused_launch()).find("gridDim.x is 9") != std::string::npos);
  CHECK(launch(16, 16) == cudaErrorInvalidClusterSize);
  CHECK(std::string(simt_refused_launch()).find("cudaFuncAttributeNonPortableClusterSizeAllowed") !=
        std::string::npos);
}

// What is wrong with a bulk copy, and copies that reduce.
#include "simt/ptx/bulk_copy.hpp"

#include <string>
#include <type_traits>

#include "cluster.hpp"
#include "cuda.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "group_queue.hpp"
#include "mbarrier_state.hpp"
#include "observer.hpp"
#include "pending_read.hpp"
#include "shared_use.hpp"
#include "simt/ptx/memory.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt::ptx {
namespace {

using detail::Block;

/// Sources of copies.
struct SourceRead : detail::PendingRead {
  using PendingRead::PendingRead;
};

[[noreturn]] void refuse_copy(const char* call, const std::string& why, cudaError_t code) {
  detail::refuse_instruction(code, call, "", why);
}

bool is_in_shared(const Block& block, const void* address, std::uint32_t bytes) {
  const auto offset = static_cast<const std::byte*>(address) - block.shared_memory;
  const std::size_t used = std::max(block.shared_used, block.dynamic_size);
  return offset >= 0 && static_cast<std::size_t>(offset) + bytes <= used;
}

void require_shared(const void* address, std::uint32_t bytes, const char* call) {
  const Block& block = detail::owner_of(address);
  if (is_in_shared(block, address, bytes)) return;
  refuse_copy(call,
              std::to_string(bytes) + " bytes from " +
                  detail::describe_shared(block, address).text + " on leave what the block has",
              cudaErrorIllegalAddress);
}

void require_multiple(const void* address, std::uintptr_t multiple, const char* what,
                      const char* call) {
  if (reinterpret_cast<std::uintptr_t>(address) % multiple == 0) return;
  refuse_copy(call,
              std::string(what) + ", " +
                  detail::describe_shared(*detail::current_block, address).text +
                  ", is no multiple of " + std::to_string(multiple) + " bytes",
              cudaErrorMisalignedAddress);
}

/// *to = what the operation makes of it and the value, at once.
template <class T>
void reduce_one(T* to, T value, Reduction operation) {
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case Reduction::inc:
        return static_cast<void>(atomic_inc<order_relaxed>(to, value));
      case Reduction::dec:
        return static_cast<void>(atomic_dec<order_relaxed>(to, value));
      case Reduction::and_:
        return static_cast<void>(atomic_and<order_relaxed>(to, value));
      case Reduction::or_:
        return static_cast<void>(atomic_or<order_relaxed>(to, value));
      case Reduction::xor_:
        return static_cast<void>(atomic_xor<order_relaxed>(to, value));
      default:
        break;
    }
  }
  if (operation == Reduction::min) {
    atomic_min<order_relaxed>(to, value);
  } else if (operation == Reduction::max) {
    atomic_max<order_relaxed>(to, value);
  } else {
    atomic_add<order_relaxed>(to, value);
  }
}

/// one(place, value) for all elements of type T.
template <class T, class One>
void reduce_all(void* to, const void* from, std::uint32_t bytes, One one) {
  auto* target = static_cast<T*>(to);
  const auto* source = static_cast<const T*>(from);
  for (std::uint32_t i = 0; i < bytes / sizeof(T); ++i) one(target + i, source[i]);
}

}  // namespace

void push_source(const void* from, std::uint32_t bytes) {
  SourceRead read(detail::remember(detail::call_site()));
  for (std::uint32_t done = 0; done < bytes; done += kPieceBytes) {
    read.begin(static_cast<const std::byte*>(from) + done);
  }
  detail::own_queue<SourceRead>().push(std::move(read));
}

void tell_sent(const void* from, std::uint32_t bytes, const void* barrier) {
  if (detail::Observer* const watching = detail::observer()) {
    watching->copy_sent(from, bytes, barrier, watching->remember(detail::call_site()));
  }
}

void close_sources() { detail::own_queue<SourceRead>().close(); }

void wait_for_sources(std::uint32_t pending) {
  detail::GroupQueue<SourceRead>& queue = detail::own_queue<SourceRead>();
  SourceRead read;
  if (!queue.pop(read, pending)) return;
  detail::let_others_run(detail::require_fiber("cp.async.bulk.wait_group"));
  do {
    read.end(true);
  } while (queue.pop(read, pending));
}

void require_bulk(const void* to, bool to_shared, const void* from, bool from_shared,
                  std::uint32_t bytes) {
  constexpr const char* kCall = "cp.async.bulk";
  if (bytes % kPieceBytes != 0) {
    refuse_copy(kCall, std::to_string(bytes) + " bytes; expected a multiple of 16",
                cudaErrorMisalignedAddress);
  }
  require_multiple(to, kPieceBytes, "its destination", kCall);
  require_multiple(from, kPieceBytes, "its source", kCall);
  if (to_shared) require_shared(to, bytes, kCall);
  if (from_shared) require_shared(from, bytes, kCall);
}

void require_same_block(const void* to, const void* barrier, const char* call) {
  if (&detail::owner_of(to) == &detail::owner_of(barrier)) return;
  refuse_copy(call, "its destination and its mbarrier lie in different blocks of the cluster",
              cudaErrorIllegalAddress);
}

namespace {

/// The filter's corner has to lie in the bounding box, and an offset in as many bits as there are.
void require_columns(const TensorMap& map, const TensorPlace& place, const char* call) {
  constexpr unsigned kOffsetBits[] = {16, 8, 5};
  for (int d = 1; d + 1 < map.rank; ++d) {
    const std::string dimension = std::string(1, "CWHD"[d]);
    const std::int64_t first = map.lower[d - 1], last = map.last_corner(d);
    if (place.at[d] < first || place.at[d] > last) {
      refuse_copy(call,
                  "its coordinate along " + dimension + " is " + std::to_string(place.at[d]) +
                      "; the map's bounding box has " + std::to_string(first) + " to " +
                      std::to_string(last),
                  cudaErrorIllegalInstruction);
    }
    const unsigned end = 1U << kOffsetBits[map.rank - 3];
    if (place.offsets[d - 1] >= end) {
      refuse_copy(call,
                  "its offset along " + dimension + " is " + std::to_string(place.offsets[d - 1]) +
                      "; expected less than " + std::to_string(end) + " with " +
                      std::to_string(map.rank) + " dimensions",
                  cudaErrorIllegalInstruction);
    }
  }
}

}  // namespace

const TensorMap& require_tensor(const void* map, const void* shared, const TensorPlace& place) {
  constexpr const char* kCall = "cp.async.bulk.tensor";
  constexpr std::uintptr_t kMapAlignment = 64, kSharedAlignment = 128;
  const auto& tensor = *static_cast<const TensorMap*>(map);
  if (reinterpret_cast<std::uintptr_t>(map) % kMapAlignment != 0 ||
      tensor.mark != TensorMap::kMark) {
    refuse_copy(kCall,
                "there is no tensor map; expected one that cuTensorMapEncodeTiled or "
                "cuTensorMapEncodeIm2col has made",
                cudaErrorIllegalInstruction);
  }
  if (tensor.is_columns != (place.offsets != nullptr)) {
    refuse_copy(kCall,
                tensor.is_columns
                    ? "its map is one of columns, and it copies a box: expected .im2col"
                    : "its map is one of boxes, and it copies columns: expected .tile",
                cudaErrorIllegalInstruction);
  }
  if (tensor.rank != place.rank) {
    refuse_copy(kCall,
                "it has " + std::to_string(place.rank) + " coordinates, and its map " +
                    std::to_string(tensor.rank) + " dimensions",
                cudaErrorIllegalInstruction);
  }
  if (tensor.is_columns) require_columns(tensor, place, kCall);
  require_multiple(shared, kSharedAlignment, "its place in shared memory", kCall);
  require_shared(shared, tensor.bytes(), kCall);
  return tensor;
}

Reduced reduced_type(const TensorMap& map) {
  switch (map.type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
      return Reduced::u32;
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
      return Reduced::s32;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
      return Reduced::u64;
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
      return Reduced::s64;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
      return Reduced::f16;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return Reduced::bf16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
      return Reduced::f32;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return Reduced::f64;
    default:
      refuse_copy("cp.reduce.async.bulk.tensor", "elements of this type cannot be reduced",
                  cudaErrorIllegalInstruction);
  }
}

void reduce_bytes(void* to, const void* from, std::uint32_t bytes, Reduction operation,
                  Reduced type) {
  const auto one = [=](auto* place, auto value) { reduce_one(place, value, operation); };
  const auto narrow = [=](auto widen, auto round) {
    return [=](std::uint16_t* place, std::uint16_t value) {
      update<order_relaxed>(place, [=](std::uint16_t old) {
        const float a = widen(old), b = widen(value);
        return round(operation == Reduction::min   ? min<f32>(a, b)
                     : operation == Reduction::max ? max<f32>(a, b)
                                                   : a + b);
      });
    };
  };
  switch (type) {
    case Reduced::f16:
      return reduce_all<std::uint16_t>(
          to, from, bytes,
          narrow([](std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); },
                 [](float value) { return __half_as_ushort(__float2half_rn(value)); }));
    case Reduced::bf16:
      return reduce_all<std::uint16_t>(
          to, from, bytes,
          narrow([](std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); },
                 [](float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); }));
    case Reduced::f32:
      return reduce_all<float>(to, from, bytes, one);
    case Reduced::f64:
      return reduce_all<double>(to, from, bytes, one);
    case Reduced::s32:
      return reduce_all<std::int32_t>(to, from, bytes, one);
    case Reduced::s64:
      return reduce_all<std::int64_t>(to, from, bytes, one);
    case Reduced::b32:
    case Reduced::u32:
      return reduce_all<std::uint32_t>(to, from, bytes, one);
    case Reduced::b64:
    case Reduced::u64:
      return reduce_all<std::uint64_t>(to, from, bytes, one);
  }
}

}  // namespace simt::ptx

simt::detail::LeftOver simt::detail::copy_left_over(const Block& block) {
  return left_over<ptx::SourceRead>(block);
}

#include "copy.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "enqueue.hpp"
#include "interface.hpp"
#include "memory.hpp"
#include "observer.hpp"
#include "progress.hpp"
#include "start_order.hpp"
#include "stream.hpp"

namespace simt::detail {

namespace {

// Where an address range can be used.
struct Reach {
  bool valid = false;
  bool host = false;
  bool device = false;
};

Reach reach_of(const void* address, std::size_t size) {
  if (address == nullptr) return {};
  Memory& memory = Memory::instance();
  const auto range = memory.find(address);
  if (!range) return {!memory.is_reserved(address), true, false};
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - range->base;
  if (size > range->size - offset) return {};
  const bool device_only = range->kind == MemoryKind::device || range->kind == MemoryKind::symbol;
  return {true, !device_only, true};
}

}  // namespace

cudaError_t check_copy(const void* to, std::size_t to_size, const void* from, std::size_t from_size,
                       cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (to_size == 0 || from_size == 0) return cudaSuccess;
  const Reach target = reach_of(to, to_size);
  const Reach source = reach_of(from, from_size);
  bool fits = target.valid && source.valid;
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) fits = fits && target.host;
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) fits = fits && source.host;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) {
    fits = fits && target.device;
  }
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) {
    fits = fits && source.device;
  }
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t check_fill(const void* to, std::size_t size) {
  if (size == 0) return cudaSuccess;
  const Reach target = reach_of(to, size);
  return target.valid && target.device ? cudaSuccess : cudaErrorInvalidValue;
}

namespace {

// Bytes from the first to the last of `height` rows.
std::size_t span_of(std::size_t pitch, std::size_t width, std::size_t height) {
  return width == 0 || height == 0 ? 0 : (height - 1) * pitch + width;
}

/// The copies between the host's memory and the device's that the program asked for.
class NotedCopies {
 public:
  static NotedCopies& instance() {
    static auto& copies = *new NotedCopies;
    return copies;
  }

  void start(bool on) {
    const std::lock_guard lock(mutex_);
    on_ = on;
    noted_.clear();
  }

  void add(const void* to, const void* from, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (!on_) return;
    const Reach target = reach_of(to, size), source = reach_of(from, size);
    if (target.host == source.host) return;
    const auto under_way = std::ranges::count_if(
        noted_, [](const Noted& one) { return !is_known_done(one.operation); });
    const bool pinned = target.host ? target.device : source.device;
    noted_.push_back({{target.host ? to : from, size, pinned, static_cast<unsigned>(under_way) + 1},
                      running_operation()});
  }

  std::size_t get(SimtCopy* copies, std::size_t most) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < std::min(most, noted_.size()); ++i) copies[i] = noted_[i].copy;
    return noted_.size();
  }

 private:
  struct Noted {
    SimtCopy copy;
    Operation operation;
  };

  std::mutex mutex_;
  bool on_ = false;
  std::vector<Noted> noted_;
};

/// touch(first, count) for the bytes of a copy or fill that are copied or filled: all of them;
/// where launches run only their ends (simt_run_ends), of very many only those at the ends.
template <class Touch>
void touch_bytes(std::size_t size, const Touch& touch) {
  constexpr std::size_t kEnd = std::size_t{64} << 20;
  if (size <= 2 * kEnd || !only_ends_run()) return touch(0, size);
  touch(0, kEnd);
  touch(size - kEnd, kEnd);
}

void note_copy(const void* to, const void* from, std::size_t size) {
  NotedCopies::instance().add(to, from, size);
  Observer* watching = observer();
  if (watching == nullptr) return;
  watching->read(from, size);
  watching->written(to, size);
}

void copy_row(void* to, const void* from, std::size_t size) {
  touch_bytes(size, [&](std::size_t first, std::size_t count) {
    std::byte* const to_part = static_cast<std::byte*>(to) + first;
    const std::byte* const from_part = static_cast<const std::byte*>(from) + first;
    std::memmove(to_part, from_part, count);
    note_copy(to_part, from_part, count);
  });
}

cudaError_t copy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  const cudaError_t error = check_copy(to, size, from, size, kind);
  if (error == cudaSuccess && size != 0) copy_row(to, from, size);
  return error;
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (height > 1 && (to_pitch < width || from_pitch < width)) return cudaErrorInvalidPitchValue;
  const cudaError_t error = check_copy(to, span_of(to_pitch, width, height), from,
                                       span_of(from_pitch, width, height), kind);
  if (error != cudaSuccess || width == 0) return error;
  for (std::size_t row = 0; row < height; ++row) {
    std::byte* const to_row = static_cast<std::byte*>(to) + row * to_pitch;
    const std::byte* const from_row = static_cast<const std::byte*>(from) + row * from_pitch;
    copy_row(to_row, from_row, width);
  }
  return cudaSuccess;
}

std::byte* element(const cudaPitchedPtr& area, const cudaPos& position) {
  return static_cast<std::byte*>(area.ptr) + (position.z * area.ysize + position.y) * area.pitch +
         position.x;
}

cudaError_t copy_box(const cudaMemcpy3DParms& box) {
  if (box.srcArray != nullptr || box.dstArray != nullptr) return cudaErrorNotSupported;
  const cudaExtent extent = box.extent;
  for (std::size_t slice = 0; slice < extent.depth; ++slice) {
    cudaPos from = box.srcPos;
    cudaPos to = box.dstPos;
    from.z += slice;
    to.z += slice;
    const cudaError_t error =
        copy_rows(element(box.dstPtr, to), box.dstPtr.pitch, element(box.srcPtr, from),
                  box.srcPtr.pitch, extent.width, extent.height, box.kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill_rows(void* to, std::size_t pitch, int value, std::size_t width,
                      std::size_t height) {
  if (height > 1 && pitch < width) return cudaErrorInvalidPitchValue;
  const cudaError_t error = check_fill(to, span_of(pitch, width, height));
  if (error != cudaSuccess || width == 0) return error;
  for (std::size_t row = 0; row < height; ++row) {
    std::byte* const to_row = static_cast<std::byte*>(to) + row * pitch;
    touch_bytes(width, [&](std::size_t first, std::size_t count) {
      std::memset(to_row + first, value, count);
      if (Observer* watching = observer()) watching->written(to_row + first, count);
    });
  }
  return cudaSuccess;
}

cudaError_t fill_box(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  for (std::size_t slice = 0; slice < extent.depth; ++slice) {
    const cudaError_t error =
        fill_rows(element(to, {0, 0, slice}), to.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill_elements(const cudaMemsetParams& fill) {
  if (fill.elementSize != 1 && fill.elementSize != 2 && fill.elementSize != 4) {
    return cudaErrorInvalidValue;
  }
  const std::size_t width = fill.width * fill.elementSize;
  const cudaError_t error = check_fill(fill.dst, span_of(fill.pitch, width, fill.height));
  if (error != cudaSuccess) return error;
  for (std::size_t row = 0; row < fill.height; ++row) {
    std::byte* const to_row = static_cast<std::byte*>(fill.dst) + row * fill.pitch;
    touch_bytes(width, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; i += fill.elementSize) {
        std::memcpy(to_row + i, &fill.value, fill.elementSize);
      }
      if (Observer* watching = observer()) watching->written(to_row + first, count);
    });
  }
  return cudaSuccess;
}

/// Of a copy of rows, as CUDA gives them for a node that was captured.
cudaMemcpy3DParms parameters_of(void* to, std::size_t to_pitch, const void* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  copy.dstPtr = {to, to_pitch, width, height};
  copy.extent = {width, height, 1};
  copy.kind = kind;
  return copy;
}

}  // namespace

Work copy_work(const cudaMemcpy3DParms& copy) {
  return {cudaGraphNodeTypeMemcpy, [copy] { return copy_box(copy); }, "3D", {}, copy};
}

Work copy_work(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  return {cudaGraphNodeTypeMemcpy,
          [=] { return copy(to, from, size, kind); },
          std::to_string(size) + " bytes",
          {},
          parameters_of(to, size, from, size, size, 1, kind)};
}

Work copy_work(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return {cudaGraphNodeTypeMemcpy,
          [=] { return copy_rows(to, to_pitch, from, from_pitch, width, height, kind); },
          "2D",
          {},
          parameters_of(to, to_pitch, from, from_pitch, width, height, kind)};
}

Work fill_work(const cudaMemsetParams& fill) {
  return {cudaGraphNodeTypeMemset, [fill] { return fill_elements(fill); },
          std::to_string(fill.width * fill.elementSize * fill.height) + " bytes"};
}

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::enqueue;

namespace {

using simt::detail::Memory;
using simt::detail::MemoryKind;

// Memory that is the device's alone.
bool is_on_device(const void* address) {
  const auto range = Memory::instance().find(address);
  return range && (range->kind == MemoryKind::device || range->kind == MemoryKind::symbol);
}

// The host waits for a copy or fill that touches its memory. Source: CUDA Runtime API, "API
// synchronization behavior".
bool host_waits_for(std::initializer_list<const void*> places) {
  return !std::all_of(places.begin(), places.end(), is_on_device);
}

// For an asynchronous copy it waits only if that leaves the device for pageable memory.
bool is_pageable(const void* address) { return !Memory::instance().find(address); }

// A copy or fill on the legacy default stream, which no capture may be in the way of.
template <class Action>
cudaError_t sync_call(std::initializer_list<const void*> places, Action action,
                      const char* name = __builtin_FUNCTION()) {
  const auto call = [&] {
    const cudaError_t legacy = simt::detail::check_legacy_stream();
    if (legacy != cudaSuccess) return legacy;
    const cudaError_t error = [&] {
      const simt::detail::RunningOperation running(nullptr);
      return action();
    }();
    if (host_waits_for(places)) simt::detail::wait_for_stream(nullptr);
    return error;
  };
  return api_call(call, name);
}

}  // namespace

void simt_note_copies(bool on) { simt::detail::NotedCopies::instance().start(on); }

std::size_t simt_noted_copies(SimtCopy* copies, std::size_t most) {
  return simt::detail::NotedCopies::instance().get(copies, most);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  return sync_call({to, from}, [&] { return simt::detail::copy(to, from, size, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const cudaError_t error = enqueue(stream, simt::detail::copy_work(to, from, size, kind));
  const bool waits = error == cudaSuccess && !simt::detail::is_capturing(stream) &&
                     is_pageable(to) && is_on_device(from);
  if (waits) simt::detail::wait_for_stream(stream);
  return error;
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return sync_call({to, from}, [&] {
    return simt::detail::copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return enqueue(stream,
                 simt::detail::copy_work(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) {
  if (copy == nullptr) return api_call([] { return cudaErrorInvalidValue; });
  return sync_call({copy->dstPtr.ptr, copy->srcPtr.ptr},
                   [&] { return simt::detail::copy_box(*copy); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
  if (copy == nullptr) return api_call([] { return cudaErrorInvalidValue; });
  return enqueue(stream, simt::detail::copy_work(*copy));
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t size) {
  return sync_call({pointer},
                   [&] { return simt::detail::fill_rows(pointer, size, value, size, 1); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t size, cudaStream_t stream) {
  return enqueue(stream, cudaGraphNodeTypeMemset,
                 [=] { return simt::detail::fill_rows(pointer, size, value, size, 1); });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return sync_call({pointer},
                   [&] { return simt::detail::fill_rows(pointer, pitch, value, width, height); });
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return enqueue(stream, cudaGraphNodeTypeMemset,
                 [=] { return simt::detail::fill_rows(pointer, pitch, value, width, height); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return sync_call({pointer.ptr}, [&] { return simt::detail::fill_box(pointer, value, extent); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return enqueue(stream, cudaGraphNodeTypeMemset,
                 [=] { return simt::detail::fill_box(pointer, value, extent); });
}

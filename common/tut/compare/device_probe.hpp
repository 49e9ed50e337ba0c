/// \file
/// One-hot probes of functions on the device.
#pragma once

#include <utility>
#include <vector>

#include "tut/compare/probe.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut {

/// What an input of FP32 holds on the device, dense, and the output that `call(inputs, output,
/// stream)` is to write there.
template <class Call>
Probe::Function probe_on_device(const ProbeTensor& output, Call call) {
  return [size = output.size(), call = std::move(call)](const std::vector<Probe::Values>& inputs) {
    std::vector<DeviceBuffer<float>> buffers;
    std::vector<const float*> pointers;
    for (const Probe::Values& values : inputs) {
      buffers.emplace_back(std::vector<float>(values.begin(), values.end()));
      pointers.push_back(buffers.back().data());
    }
    const DeviceBuffer<float> out(std::vector<float>(size, 0.0f));
    run_to_end([&](cudaStream_t stream) { call(pointers, out.data(), stream); });
    const std::vector<float> values = out.to_host();
    return Probe::Values(values.begin(), values.end());
  };
}

}  // namespace tut

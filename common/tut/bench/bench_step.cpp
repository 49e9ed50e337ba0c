#include "tut/bench/bench_step.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "tut/bench/bench.hpp"
#include "tut/bench/bench_journal.hpp"
#include "tut/bench/bench_json.hpp"
#include "tut/bench/bench_progress.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut {
namespace {

void time_step(benchmark::State& state, BenchWork& work, const std::string& label) {
  const std::string row = row_name(work.step);
  state.SetLabel(label);
  BenchJournal::begin_row(row, label);
  if (!work.error().empty()) {
    BenchJournal::add_error(row, work.error());
    return state.SkipWithError(work.error().c_str());
  }
  const BenchCost& cost = work.step.cost;
  const double seconds = work.on_host ? measure_host(state, cost, work.batch, work.on_host)
                                      : measure_device(state, cost, work.batch, work.on_device);
  BenchJournal::add_time(row, state.max_iterations, seconds);
  BenchProgress::measured(work.step.row, state.max_iterations);
}

void add(BenchWork work) {
  BenchStep& step = work.step;
  if (step.ladder.empty() || step.size.empty() || step.name.empty()) {
    throw std::invalid_argument("a row of a benchmark has ladder '" + step.ladder + "', size '" +
                                step.size + "' and name '" + step.name + "'; expected all three");
  }
  if (step.row.empty()) step.row = step.ladder + "/" + step.size + "/" + step.name;
  auto& works = bench_works();
  const auto has_its_name = [&](const auto& other) { return other->step.row == step.row; };
  if (std::ranges::any_of(works, has_its_name)) {
    throw std::invalid_argument("two rows of a benchmark are called " + step.row);
  }
  const std::string label = step_json(step, works.size()).dump();
  const auto shared = std::make_shared<BenchWork>(std::move(work));
  works.push_back(shared);
  benchmark::RegisterBenchmark(
      shared->step.row.c_str(),
      [shared, label](benchmark::State& state) { time_step(state, *shared, label); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

std::vector<std::function<void()>>& waiting_rows() {
  static std::vector<std::function<void()>> rows;
  return rows;
}

}  // namespace

BenchRows::BenchRows(std::function<void()> add) { waiting_rows().push_back(std::move(add)); }

void add_bench_rows() {
  const auto rows = std::exchange(waiting_rows(), {});
  for (const auto& add : rows) add();
}

const std::string& BenchWork::error() {
  if (known_error) return *known_error;
  try {
    known_error = verify ? verify() : "";
  } catch (const std::exception& exception) {
    known_error = exception.what();
  }
  return *known_error;
}

std::vector<std::shared_ptr<BenchWork>>& bench_works() {
  static std::vector<std::shared_ptr<BenchWork>> works;
  return works;
}

std::string& bench_chapter() {
  static std::string folder;
  return folder;
}

std::vector<BenchRoof>& bench_roofs() {
  static std::vector<BenchRoof> roofs;
  return roofs;
}

void add_bench_step(BenchStep step, BenchVerify verify, DeviceCall call) {
  add({std::move(step), std::move(verify), std::move(call), nullptr});
}

void add_host_bench_step(BenchStep step, BenchVerify verify, HostCall call) {
  add({std::move(step), std::move(verify), nullptr, std::move(call)});
}

void add_copy_rival(const std::string& ladder, const std::string& size, double bytes) {
  const auto half = static_cast<std::size_t>(bytes / 2);
  const auto from = made_once<DeviceBuffer<unsigned char>>(half);
  const auto to = made_once<DeviceBuffer<unsigned char>>(half);
  add_bench_step(
      {.ladder = ladder,
       .size = size,
       .name = "cudaMemcpy",
       .cost = {.bytes = bytes},
       .rival = true},
      [=] {
        from().fill_bytes(1);
        return std::string();
      },
      [=](std::int64_t, cudaStream_t stream) {
        check(cudaMemcpyAsync(to().data(), from().data(), half, cudaMemcpyDeviceToDevice, stream));
      });
}

void add_roof(std::string name, std::function<double()> measure) {
  bench_roofs().push_back({std::move(name), std::move(measure)});
}

}  // namespace tut

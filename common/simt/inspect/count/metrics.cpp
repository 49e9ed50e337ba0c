#include "report.hpp"

namespace simt::inspect {
namespace {

/// The names follow NVIDIA's Nsight Compute documentation, "Profiling Guide", "Metrics Reference"
/// and the table that leads from nvprof's names to these.
class Metrics {
 public:
  explicit Metrics(const TrafficCounts& total) : total_(total) {}

  void add_global(Traffic traffic, const std::string& operation) {
    const Counts& c = of(total_, traffic);
    if (c.requests == 0) return;
    const std::string pipe = "pipe_lsu_mem_global_op_" + operation;
    add("l1tex__t_requests_" + pipe + ".sum", c.requests);
    add("l1tex__t_sectors_" + pipe + ".sum", c.sectors);
    add("l1tex__average_t_sectors_per_request_" + pipe + ".ratio", c.each(c.sectors));
    add("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + operation + ".pct",
        100.0 * static_cast<double>(c.bytes) / static_cast<double>(c.moved()));
  }

  /// A GPU runs atomics whose result is not used as reductions (`op_red`).
  void add_global_atomics() {
    const Counts& c = of(total_, Traffic::global_atomic);
    if (c.requests == 0) return;
    add("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + ..._op_red.sum", c.requests);
    add("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum + ..._op_red.sum", c.sectors);
  }

  void add_shared(Traffic traffic, const std::string& operation) {
    const Counts& c = of(total_, traffic);
    if (c.requests == 0) return;
    add("smsp__inst_executed_op_shared_" + operation + ".sum", c.requests);
    const std::string memory = "mem_shared_op_" + operation + ".sum";
    add("l1tex__data_pipe_lsu_wavefronts_" + memory, c.wavefronts);
    add("l1tex__data_bank_conflicts_pipe_lsu_" + memory, c.conflicts);
  }

  std::vector<Metric> take() { return std::move(metrics_); }

 private:
  void add(std::string name, double value) { metrics_.push_back({std::move(name), value}); }
  void add(std::string name, std::uint64_t value) {
    add(std::move(name), static_cast<double>(value));
  }

  const TrafficCounts& total_;
  std::vector<Metric> metrics_;
};

}  // namespace

std::vector<Metric> metrics_of(const TrafficCounts& total) {
  Metrics metrics(total);
  metrics.add_global(Traffic::global_load, "ld");
  metrics.add_global(Traffic::global_store, "st");
  metrics.add_global_atomics();
  metrics.add_shared(Traffic::shared_load, "ld");
  metrics.add_shared(Traffic::shared_store, "st");
  metrics.add_shared(Traffic::shared_atomic, "atom");
  return metrics.take();
}

}  // namespace simt::inspect

#include "tut/bench/bench_journal.hpp"

#include <benchmark/benchmark.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tut {
namespace {

using Json = nlohmann::ordered_json;

std::ofstream& journal() {
  static std::ofstream file;
  return file;
}

/// A whole line in one write: a run that is killed leaves whole lines.
void write(const Json& line) {
  if (!journal().is_open()) return;
  journal() << line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" << std::flush;
  if (!journal()) throw std::runtime_error("cannot write the journal of this benchmark");
}

}  // namespace

void BenchJournal::open(const std::filesystem::path& file) {
  close();
  journal().open(file, std::ios::trunc);
  if (!journal()) throw std::runtime_error("cannot write " + file.string());
}

void BenchJournal::add_context(const std::string& key, const std::string& value) {
  benchmark::AddCustomContext(key, value);
  write({{"context", {{key, value}}}});
}

void BenchJournal::begin_row(const std::string& row, const std::string& label) {
  write({{"row", row}, {"label", label}});
}

void BenchJournal::add_time(const std::string& row, std::int64_t iterations, double seconds) {
  write({{"row", row}, {"iterations", iterations}, {"seconds", seconds}});
}

void BenchJournal::add_error(const std::string& row, const std::string& error) {
  write({{"row", row}, {"error", error}});
}

void BenchJournal::close() {
  journal().close();
  journal().clear();
}

}  // namespace tut

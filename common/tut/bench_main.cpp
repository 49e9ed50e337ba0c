// The main program of every chapter's benchmarks: Google Benchmark with the project's defaults,
// the device's facts in its context, and no result under settings that would falsify it.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tut/bench_settings.hpp"

int main(int argc, char** argv) {
  const std::string unfair = tut::unfair_setting();
  if (!unfair.empty()) {
    std::fprintf(stderr, "%s\n", unfair.c_str());
    return 1;
  }
  std::vector<std::string> arguments = tut::with_default_arguments(argc, argv);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  for (const auto& [key, value] : tut::device_facts()) benchmark::AddCustomContext(key, value);
  try {
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  benchmark::Shutdown();
  return 0;
}

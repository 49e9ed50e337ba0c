#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/manifest.hpp"
#include "learn/doctor/facts.hpp"

namespace tut::learn {
namespace {

struct Report {
  DoctorFacts facts;
  std::vector<Problem> problems;
  std::vector<std::pair<Chapter, std::string>> chapters;  ///< each with how it runs
};

Report make_report(const Context& context) {
  Report report;
  report.facts = gather_facts(context);
  report.problems = find_problems(report.facts);
  const Course course = load_course(context.root);
  for (const Chapter& chapter : find_chapters(context.root)) {
    const auto found = course.chapter_needs.find(chapter.number);
    const std::string needs = found == course.chapter_needs.end() ? "any" : found->second;
    report.chapters.emplace_back(chapter, how_it_runs(needs, report.facts));
  }
  return report;
}

nlohmann::json tool_json(const Tool& tool) {
  if (!tool.found()) return nullptr;
  return {{"path", tool.path}, {"version", to_string(tool.version)}};
}

nlohmann::json report_json(const Report& report) {
  const DoctorFacts& facts = report.facts;
  nlohmann::json gpus = nlohmann::json::array();
  for (const Gpu& gpu : facts.gpus) {
    gpus.push_back({{"name", gpu.name},
                    {"compute_capability", gpu.capability / 10.0},
                    {"memory_mib", gpu.memory_mib},
                    {"power_limit_watts", gpu.power_limit_watts},
                    {"driver", gpu.driver}});
  }
  nlohmann::json problems = nlohmann::json::array();
  for (const Problem& problem : report.problems) {
    problems.push_back(
        {{"what", problem.what}, {"cure", problem.cure}, {"blocks", problem.blocks}});
  }
  nlohmann::json chapters = nlohmann::json::array();
  for (const auto& [chapter, runs] : report.chapters) {
    chapters.push_back({{"number", chapter.number}, {"name", chapter.name()}, {"runs", runs}});
  }
  const auto optional = [](const auto& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  return {{"backend", facts.backend},
          {"system", facts.machine.system},
          {"processor", facts.machine.processor},
          {"cores", facts.machine.cores},
          {"instruction_sets", facts.machine.instruction_sets},
          {"memory_gib", facts.machine.memory_gib},
          {"disk_free_gib", facts.machine.disk_free_gib},
          {"compiler", tool_json(facts.compiler)},
          {"cmake", tool_json(facts.cmake)},
          {"ninja", tool_json(facts.ninja)},
          {"nvcc", tool_json(facts.nvcc)},
          {"gpus", gpus},
          {"driver_cuda",
           facts.driver_cuda ? nlohmann::json(to_string(*facts.driver_cuda)) : nlohmann::json()},
          {"counters_for_all_users", optional(facts.counters_for_all)},
          {"mnist", {{"folder", facts.mnist_folder.string()}, {"present", facts.mnist}}},
          {"chapters", chapters},
          {"problems", problems}};
}

std::string describe(const Tool& tool) {
  return tool.found() ? fmt::format("{}  {}", to_string(tool.version), tool.path) : "not found";
}

void print_facts(const DoctorFacts& facts) {
  const Machine& machine = facts.machine;
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<13} {}\n", name, value);
  };
  row("system", machine.system);
  row("processor", fmt::format("{}, {} cores usable", machine.processor, machine.cores));
  row("instructions", fmt::format("{}", fmt::join(machine.instruction_sets, " ")));
  row("memory", fmt::format("{:.1f} GiB", machine.memory_gib));
  row("disk free", fmt::format("{:.1f} GiB", machine.disk_free_gib));
  row("g++", describe(facts.compiler));
  row("cmake", describe(facts.cmake));
  row("ninja", describe(facts.ninja));
  row("CUDA toolkit", describe(facts.nvcc));
  if (facts.gpus.empty()) row("GPU", "none");
  for (const Gpu& gpu : facts.gpus) {
    row("GPU", fmt::format("{}, compute capability {}.{}, {:.1f} GiB, power limit {:.0f} W",
                           gpu.name, gpu.capability / 10, gpu.capability % 10,
                           gpu.memory_mib / 1024.0, gpu.power_limit_watts));
  }
  if (!facts.gpus.empty()) {
    row("driver", fmt::format("{}, runs CUDA up to {}", facts.gpus[0].driver,
                              facts.driver_cuda ? to_string(*facts.driver_cuda) : "unknown"));
  }
  row("MNIST", facts.mnist
                   ? facts.mnist_folder.string()
                   : "not downloaded; './learn data mnist' gets it (the course draws its own "
                     "digits without it)");
  row("backend", facts.backend);
}

void print_problems(const Context& context, const std::vector<Problem>& problems) {
  const Style& style = context.style;
  if (problems.empty()) {
    fmt::print("\n{}\n", style.green("No problems found."));
    return;
  }
  fmt::print("\n{}\n", style.bold("Problems"));
  for (const Problem& problem : problems) {
    const std::string what = problem.blocks ? style.red(problem.what) : style.yellow(problem.what);
    fmt::print("  {}\n    fix: {}\n", what, problem.cure);
  }
}

}  // namespace

int doctor_command(const Context& context, bool json) {
  const Report report = make_report(context);
  if (json) {
    fmt::print("{}\n",
               report_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", context.style.bold("This machine"));
    print_facts(report.facts);
    fmt::print("\n{}\n", context.style.bold("Chapters"));
    for (const auto& [chapter, runs] : report.chapters) {
      fmt::print("  {:02} {:<24} {}\n", chapter.number, chapter.name(), runs);
    }
    print_problems(context, report.problems);
  }
  for (const Problem& problem : report.problems) {
    if (problem.blocks) return exit_usage;
  }
  return exit_ok;
}

}  // namespace tut::learn

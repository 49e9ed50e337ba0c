#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "learn/core/machine.hpp"
#include "learn/doctor/facts.hpp"

using namespace tut::learn;

namespace {

/// A machine on which nothing is wrong.
DoctorFacts sound() {
  DoctorFacts facts;
  facts.machine.memory_gib = 16;
  facts.machine.disk_free_gib = 50;
  facts.compiler = {"/usr/bin/g++", {12, 2}};
  facts.cmake = {"/usr/bin/cmake", {3, 25}};
  facts.ninja = {"/usr/bin/ninja", {1, 11}};
  facts.nvcc = {"/usr/local/cuda/bin/nvcc", {12, 8}};
  facts.nvcc_on_path = true;
  facts.gpu_device = true;
  facts.gpus = {{"H100", 90, 81559, 700, "570.86"}};
  facts.driver_cuda = Version{12, 8};
  facts.counters_for_all = true;
  return facts;
}

/// The only problem of these facts, as "what / cure".
std::string only_problem(const DoctorFacts& facts) {
  const std::vector<Problem> problems = find_problems(facts);
  REQUIRE(problems.size() == 1);
  CHECK_FALSE(problems[0].cure.empty());
  return problems[0].what + " / " + problems[0].cure;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a sound machine has no problems, with a GPU and without") {
  CHECK(find_problems(sound()).empty());
  DoctorFacts facts = sound();
  facts.gpus.clear();
  facts.gpu_device = false;
  facts.driver_cuda.reset();
  facts.counters_for_all.reset();
  CHECK(find_problems(facts).empty());
  facts.nvcc = {};
  CHECK(find_problems(facts).empty());
}

TEST_CASE("each mismatch is found and has a cure") {
  DoctorFacts facts = sound();
  facts.nvcc.version = {13, 0};
  CHECK(mentions(only_problem(facts),
                 "CUDA toolkit 13.0 is newer than the driver, which runs up to CUDA 12.8"));

  facts = sound();
  facts.nvcc.version = {12, 2};
  CHECK(mentions(only_problem(facts), "CUDA toolkit 12.2 is too old; 12.4 or newer"));

  facts = sound();
  facts.gpus.clear();
  CHECK(mentions(only_problem(facts), "nvidia-smi does not report it"));

  facts = sound();
  facts.nvcc = {};
  CHECK(mentions(only_problem(facts), "there is a GPU but no CUDA toolkit"));
  CHECK(mentions(only_problem(facts), "at most 12.x"));

  facts = sound();
  facts.nvcc.version = {13, 0};
  facts.driver_cuda = Version{13, 0};
  facts.gpus[0] = {"V100", 70, 0, 0, ""};
  CHECK(mentions(only_problem(facts), "no longer builds for the V100 (compute capability 7.0)"));

  facts = sound();
  facts.nvcc_complaint = "unsupported GNU version";
  CHECK(mentions(only_problem(facts), "unsupported GNU version"));

  facts = sound();
  facts.nvcc_on_path = false;
  CHECK(mentions(only_problem(facts), "not on PATH"));

  facts = sound();
  facts.counters_for_all = false;
  CHECK(mentions(only_problem(facts), "NVreg_RestrictProfilingToAdminUsers=0"));

  facts = sound();
  facts.tf32_override = "1";
  CHECK(mentions(only_problem(facts), "unset NVIDIA_TF32_OVERRIDE"));

  facts = sound();
  facts.machine.disk_free_gib = 0.4;
  CHECK(mentions(only_problem(facts), "0.4 GiB of disk free"));
}

TEST_CASE("what blocks every build says so") {
  DoctorFacts facts = sound();
  facts.compiler = {};
  CHECK(mentions(only_problem(facts), "g++ is not installed"));
  CHECK(find_problems(facts)[0].blocks);
  facts = sound();
  facts.cmake.version = {3, 22};
  CHECK(mentions(only_problem(facts), "cmake 3.22 is too old; 3.25 or newer"));
  CHECK(find_problems(facts)[0].blocks);
}

TEST_CASE("how_it_runs never promises a GPU that is not there") {
  DoctorFacts facts = sound();
  CHECK(how_it_runs("any", facts) == "on the GPU");
  CHECK(how_it_runs("sm_90a", facts) == "on the GPU");
  CHECK(how_it_runs("cpu", facts) == "on the CPU, as it is meant to");
  CHECK(how_it_runs("gpus_2", facts) ==
        "on the CPU backend; natively it needs 2 GPUs; this machine has 1");
  facts.nvcc = {};
  CHECK(how_it_runs("any", facts) == "on the CPU backend");
  CHECK(how_it_runs("sm_90a", facts) ==
        "on the CPU backend; natively it needs a CUDA toolkit that works");
  facts.gpus.clear();
  CHECK(how_it_runs("sm_90a", facts) ==
        "on the CPU backend; natively it needs a GPU of compute capability 9.0 exactly (sm_90a); "
        "this machine has none");
}

TEST_CASE("find_version finds the first number with a point") {
  CHECK(find_version("cmake version 3.25.1\n") == Version{3, 25});
  CHECK(find_version("12.2.0") == Version{12, 2});
  CHECK(find_version("| NVIDIA-SMI 570 CUDA Version: 12.8 |") == Version{12, 8});
  CHECK(find_version("no version here, 2024") == std::nullopt);
}

TEST_CASE("machine facts are read from the system's files") {
  const std::string cpuinfo =
      "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu avx2 fma avx sse4_2 avx512f\n";
  CHECK(field_value(cpuinfo, "model name", ':') == "Some CPU");
  CHECK(field_value("NAME=x\nPRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME", '=') == "Debian 12");
  CHECK(field_value(cpuinfo, "name", ':') == "");
  CHECK(instruction_sets(cpuinfo) ==
        std::vector<std::string>{"sse4_2", "avx", "avx2", "fma", "avx512f"});
  const Machine machine = inspect_machine("/");
  CHECK(machine.cores >= 1);
  CHECK(machine.memory_gib > 0);
  CHECK(machine.disk_free_gib > 0);
}

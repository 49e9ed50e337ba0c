#include "learn/core/machine_code.hpp"

#include <doctest/doctest.h>

#include "learn/core/error.hpp"
#include "learn/core/kernel_files.hpp"
#include "scratch_folder.hpp"

namespace tut::learn {
namespace {

using Names = std::vector<std::string>;

// As nvdisasm writes it: two kernels, one with code of a header that was inlined at line 4.
constexpr const char* kSass = R"(
.text._Z3addPf:
_Z3addPf:
	//## File "/my/add.cu", line 3
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/my/helper.hpp", line 90 inlined at "/my/add.cu", line 4
	//## File "/my/add.cu", line 4
        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/              @!P0 LDG.E R5, desc[UR4][R2.64] ;
	//## File "/my/helper.hpp", line 91
        /*0030*/                   LDS.64 R8, [R9] ;
.L_x_0:
        /*0040*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
        /*0050*/                   LDGSTS.E.BYPASS.128 [R3], desc[UR4][R2.64] ;
        /*0060*/                   LDSM.16.M88.4 R8, [R9] ;
        /*0070*/                   STL [R1], R4 ;
        /*0080*/                   LD.E R4, desc[UR4][R2.64] ;
.text._Z5otherILi4EEvv:
        /*0000*/                   EXIT ;
)";

TEST_CASE("machine code: SASS stands at the learner's lines") {
  const std::vector<KernelCode> kernels = parse_sass(kSass, "/my/add.cu");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "add");
  CHECK(kernels[1].kernel == "other<4>");
  CHECK(kernels[0].lines[0].source_line == 3);
  CHECK(kernels[0].lines[1].source_line == 4);
  CHECK(kernels[0].lines[3].source_line == 0);  // of the header alone
  CHECK(kernels[1].lines[0].source_line == 0);
  const std::string text = listing(kernels[0], "/my/add.cu", "a\nb\nvoid add()\n  x = *p;\n");
  CHECK(
      text.starts_with("add.cu:3: void add()\n        LDC R1, c[0x0][0x28]\nadd.cu:4: x = *p;\n"));
}

TEST_CASE("machine code: what a kernel loads, by width") {
  const Names table = instruction_table(parse_sass(kSass, "/my/add.cu")[0]);
  CHECK(table ==
        Names{"asynchronous copies    LDGSTS.E.BYPASS.128 1",
              "tensor cores           HMMA.16816.F32 1",
              "global memory          LDG.E 1, LDG.E.128 1", "generic addresses      LD.E 1",
              "shared memory          LDS.64 1, LDSM.16.M88.4 1", "local memory (spilled) STL 1"});
  CHECK(instruction_table(parse_sass(kSass, "/my/add.cu")[1]).empty());
}

TEST_CASE("machine code: PTX") {
  const auto kernels = parse_ptx(
      ".visible .entry _Z3addPf(\n\t.param .u64 _Z3addPf_param_0\n)\n{\n\t.reg .f32 %f<2>;\n"
      "\t.loc\t2 7 3\n\tld.param.u64 %rd1, [_Z3addPf_param_0];\n"
      "\t.loc\t1 90 1, function_name $L__info0, inlined_at 2 8 5\n"
      "\tld.global.nc.v4.f32 \t{%f1}, [%rd1];\n\tst.shared.f32 [%r1], %f1;\n$L__BB0_1:\n"
      "\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n\tret;\n}\n"
      "\t.file\t1 \"/my/helper.hpp\"\n\t.file\t2 \"/my/add.cu\"\n",
      "/my/add.cu");
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].lines[0].source_line == 7);
  CHECK(kernels[0].lines[0].text == "ld.param.u64 %rd1, [add_param_0];");
  CHECK(kernels[0].lines[1].source_line == 8);
  CHECK(instruction_table(kernels[0]) == Names{"asynchronous copies    cp.async.cg.shared.global 1",
                                               "global memory          ld.global.nc.v4.f32 1",
                                               "shared memory          st.shared.f32 1"});
}

TEST_CASE("machine code: what ptxas says") {
  const auto all = parse_resources(
      "ptxas info    : Compiling entry function '_Z3addPf' for 'sm_90a'\n"
      "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 30 registers, used 1 barriers, 8320 bytes smem\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0].symbol == "_Z3addPf");
  CHECK(all[0].registers == 30);
  CHECK(all[0].spill_bytes == 28);
  CHECK(all[0].shared_bytes == 8320);
}

TEST_CASE("machine code: of the CPU backend only what runs threads") {
  const auto kernels = parse_cpu_assembly(
      "\t.file 0 \"/my\" \"add.cu\"\n\t.file 1 \"/my/add.cu\"\n_Z3addPf:\n\tcall "
      "nothing\n\t.size\t_Z3addPf, .-_Z3addPf\n"
      "_ZN4simt6detail11run_threadsIZ3addPfEUl5uint3S3_4dim3S4_E_EEvPKvRNS0_5BlockE:\n.LFB3:\n"
      "\t.loc 1 5 3\n\tmovss (%rax), %xmm0\n.L4:\n\tret\n\t.size\tx, .-x\n",
      "/my/add.cu");
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].kernel == "add");
  REQUIRE(kernels[0].lines.size() == 3);
  CHECK(kernels[0].lines[0].source_line == 5);
  CHECK(kernels[0].lines[1].text == ".L4:");
}

TEST_CASE("machine code: a kernel's name in a symbol") {
  CHECK(kernel_in("void tut::ch05::(anonymous namespace)::tiles_kernel<(bool)1, (int)32>"
                  "(tut::MatrixView<float const>)") == "tiles_kernel<1, 32>");
  CHECK(kernel_in("void simt::detail::run_loops<false, ns::k<ns::T>(int)::{lambda(uint3)#1}>"
                  "(void const*)") == "k<ns::T>");
  CHECK(kernel_in("plain") == "plain");
}

TEST_CASE("kernel files: the names of a source's kernels") {
  CHECK(kernel_names("template <int N>\n__global__ void __launch_bounds__(N, 2)\ntiles(float* p);\n"
                     "// __global__ void not_this()\n/* __global__ void nor_this() */\n"
                     "static __global__ void last() {}\n__global__ void last(int) {}") ==
        Names{"tiles", "last"});
  CHECK(kernel_names("int main() {}").empty());
}

TEST_CASE("kernel files: a name that several files have, or none") {
  const std::vector<KernelFile> kernels = {
      {"add_kernel", "a.cu"}, {"twice", "a.cu"}, {"twice", "b.cu"}};
  CHECK(pick_kernel(kernels, "add").file == "a.cu");
  CHECK(pick_kernel(kernels, "add_kernel").file == "a.cu");
  CHECK_THROWS_WITH_AS(pick_kernel(kernels, "twice"),
                       "several files have a kernel 'twice': a.cu, b.cu; name one of them",
                       UsageError);
  CHECK_THROWS_WITH_AS(pick_kernel(kernels, "ad_kernel"),
                       "no exercise, kernel or file 'ad_kernel'; did you mean add_kernel?",
                       UsageError);
}

}  // namespace
}  // namespace tut::learn

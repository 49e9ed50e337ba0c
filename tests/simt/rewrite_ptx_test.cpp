// The rewriter on PTX's instructions for matrices and copies: what is refused, and what is said
// then.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ptx/instruction.hpp"

namespace {

using simt::rewrite::ptx::parse;
using simt::rewrite::ptx::translate;

/// The C++ of one instruction; what is there instead in brackets.
std::string translated(std::string_view text) {
  const auto instructions = parse(text);
  REQUIRE(instructions.size() == 1);
  const auto done = translate(instructions.front());
  return done.text.empty() ? '[' + done.why + ']' : done.text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::string_view kOperands = " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};";

std::string product(const std::string& parts) {
  return translated("mma.sync.aligned." + parts + std::string(kOperands));
}

}  // namespace

TEST_CASE("ptx: a product's form is an argument, its registers are arrays") {
  const std::string text = product("m16n8k16.row.col.f32.f16.f16.f32");
  CHECK(has(text,
            "mma<::simt::ptx::Mma{16, 16, ::simt::ptx::Element::f32, ::simt::ptx::Element::f16, "
            "::simt::ptx::Element::f16, ::simt::ptx::Element::f32, false}>(simt__d, simt__a, "
            "simt__b, simt__c);"));
  CHECK(has(text, "::simt::ptx::put(simt_3, simt__d[3]);"));
  CHECK(has(product("m16n8k32.row.col.satfinite.s32.s8.u8.s32"), "Element::s32, true}>"));
}

TEST_CASE("ptx: operands may follow an opcode without a space, on any number of lines") {
  const std::string spaced = product("m16n8k16.row.col.f32.f16.f16.f32");
  CHECK(translated("\n\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32{%0,\n\t%1, %2 , %3},\n"
                   "{%4, %5,\t%6,%7},{%8 ,%9} , \n{%10,%11,%12,%13};\n") == spaced);
  const std::string load = translated("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+64];");
  CHECK(translated("ldmatrix.sync.aligned.x2.m8n8.shared::cta.b16{%0, %1},[ %2 + 64 ];") == load);
  CHECK(has(load, "::simt::ptx::ldmatrix<false>(::__cvta_shared_to_generic((simt_2 + 64)), "));
  CHECK(has(translated("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};"),
            "::simt::ptx::stmatrix<true>(::__cvta_shared_to_generic(simt_0), "));
}

TEST_CASE("ptx: what there is no product for is told with what there is") {
  CHECK(product("m16n8k32.row.col.f32.f16.f16.f32") ==
        "[factors of f16 are multiplied in m16n8k8 and m16n8k16]");
  CHECK(product("m8n8k4.row.col.f32.f16.f16.f32") ==
        "[factors of f16 are multiplied in m16n8k8 and m16n8k16]");
  CHECK(product("m16n8k16.row.col.s32.s8.f16.s32") ==
        "[factors of s8 and u8 go with their own kind]");
  CHECK(product("m16n8k16.row.col.f16.bf16.bf16.f16") ==
        "[products of bf16 add up in f32, C as D]");
  CHECK(product("m16n8k16.row.row.f32.f16.f16.f32") == "[A is .row and B is .col]");
  CHECK(product("m16n8k256.row.col.s32.b1.b1.s32") ==
        "[factors are f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4 and f64]");
  CHECK(product("m16n8k16.row.col.satfinite.f32.f16.f16.f32") ==
        "[.satfinite, of sums in s32, is all that may stand before the types]");
  CHECK(product("m16n8k8.row.col.f32.f16.f16.f32") ==
        "[A of m16n8k8 is 2 registers of each lane, and here 4]");
  CHECK(translated("mma.sync.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%3};") ==
        "[mma.sync.aligned is the form that there is]");
}

TEST_CASE("ptx: other forms of ldmatrix and of cp.async are told likewise") {
  CHECK(translated("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];") ==
        "[there are .m8n8 with .x1, .x2 or .x4, .trans or not, of .b16]");
  CHECK(translated("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%2];") ==
        "[.x4 is 4 registers of each lane, and here 2]");
  CHECK(translated("cp.async.shared.global [%0], [%1], 16;") == "[it is .ca or .cg]");
  CHECK(translated("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;") ==
        "::simt::ptx::copy_async<16, true>(::__cvta_shared_to_generic(simt_0), "
        "::simt::ptx::generic(simt_1));");
  CHECK(translated("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;") ==
        "::simt::ptx::copy_async<simt_2, false>(::__cvta_shared_to_generic(simt_0), "
        "::simt::ptx::generic(simt_1), simt_3);");
}

TEST_CASE("ptx: labels and branches; a branch back lets others run") {
  const auto instructions =
      parse("again: mbarrier.test_wait.shared.b64 p, [%0], %1; @!p bra again;");
  REQUIRE(instructions.size() == 3);
  CHECK(translate(instructions[0]).text == "simt_label_again:;");
  CHECK(translate(instructions[2]).text ==
        "if (!simt_p) { ::simt::yield(); goto simt_label_again; }");
  CHECK(translate(parse("bra.uni DONE; DONE:").front()).text == "goto simt_label_DONE;");
  // Parts of an opcode are no labels.
  CHECK(parse("ld.shared::cta.u32 %0, [%1];").size() == 1);
}

TEST_CASE("ptx: barriers at which a thread waits, or only arrives") {
  CHECK(translated("bar.sync 1, 64;") == "::simt::ptx::barrier(1, 64);");
  CHECK(translated("barrier.cta.arrive.aligned %0, %1;") ==
        "::simt::ptx::barrier_arrive(simt_0, simt_1);");
}

TEST_CASE("ptx: mbarriers, bulk and tensor copies that there are, and what of others is told") {
  CHECK(has(translated("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"),
            "mbarrier_arrive(::__cvta_shared_to_generic(simt_0), 1, simt_1)"));
  CHECK(has(translated("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 1;"),
            "mbarrier_try_wait(::__cvta_shared_to_generic(simt_0), 1)"));
  CHECK(translated("mbarrier.wait.b64 p, [%0];").starts_with("[there are init, inval, "));
  CHECK(has(translated("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                       "bytes [%0], [%1, {%2, %3}], [%4];"),
            "tensor_to_shared(::__cvta_shared_to_generic(simt_0), ::simt::ptx::generic(simt_1), "
            "simt__at, "));
  CHECK(translated("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                   "bytes [%0], [%1, {%2}], [%4];") == "[a coordinate for each dimension]");
  CHECK(translated("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                   "[%0], [%1], %2;") == "[it has fewer operands]");
}

TEST_CASE("ptx: columns of images") {
  const std::string read =
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes";
  CHECK(has(translated(read + " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, 1};"),
            "u16 simt__from[] = {::simt::ptx::as<::simt::ptx::u16>(simt_7), "));
  CHECK(has(translated(read + ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, "
                              "%9;"),
            "{simt__at, simt__from}, ::__cvta_shared_to_generic(simt_6), simt_9)"));
  CHECK(has(translated("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group "
                       "[%0, {%1, %2, %3}], [%4];"),
            "tensor_to_global(::simt::ptx::generic(simt_0), {simt__at, simt__from}, "));
  CHECK(translated(read + " [%0], [%1, {%2, %3, %4, %5}], [%6];") == "[its offsets are missing]");
  CHECK(translated(read + " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7};") ==
        "[an offset for each of W, H and D]");
  CHECK(translated("cp.async.bulk.tensor.4d.global.shared::cta.im2col.bulk_group "
                   "[%0, {%1, %2, %3, %4}], [%5];") ==
        "[it is .im2col to shared memory, else .im2col_no_offs]");
  CHECK(translated("cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group "
                   "[%0, {%1, %2}], [%3];") == "[images have .3d to .5d]");
  CHECK(translated("cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx"
                   "::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};") ==
        "[there are .tile and .im2col; compute capability 10 has the others]");
}

TEST_CASE("ptx: stores and reductions that an mbarrier tells of") {
  const std::string tail = ".shared::cluster.mbarrier::complete_tx::bytes.";
  CHECK(has(translated("st.async.weak" + tail + "v2.b32 [%0], {%1, %2}, [%3];"),
            "store_async(::__cvta_shared_to_generic(simt_0), simt__v, "
            "::__cvta_shared_to_generic(simt_3))"));
  CHECK(translated("st.async.weak" + tail + "b16 [%0], %1, [%2];") ==
        "[it stores b32, b64 and other types of 4 and 8 bytes]");
  CHECK(translated("st.async.release.gpu.global.b32 [%0], %1;") ==
        "[it is .shared::cluster.mbarrier::complete_tx::bytes [to], value, [barrier]]");
  CHECK(has(translated("red.async.relaxed.cluster" + tail + "add.u32 [%0], %1, [%2];"),
            "atomic_add<::simt::ptx::order_relaxed>(to, value)"));
  for (const char* form : {"add.f32", "inc.s32", "max.u64", "and.u32"}) {
    CHECK(translated("red.async.relaxed.cluster" + tail + form + " [%0], %1, [%2];")
              .starts_with("[there are .inc, .dec, "));
  }
}

TEST_CASE("ptx: wgmma's forms") {
  constexpr std::string_view kHead = "wgmma.mma_async.sync.aligned.";
  const auto told = [&](const std::string& parts, const std::string& operands) {
    return translated(std::string(kHead) + parts + ' ' + operands + ';');
  };
  CHECK(
      has(told("m64n8k16.f32.f16.f16", "{%0, %1, %2, %3}, %4, %5, p, 1, -1, 0, 1"),
          "warpgroup_multiply<::simt::ptx::Wgmma{8, 16, ::simt::ptx::Element::f32, "
          "::simt::ptx::Element::f16, ::simt::ptx::Element::f16, false}>(simt__d, simt_4, simt_5, "
          "{(simt_p) != 0, (1) < 0, (-1) < 0, (0) != 0, (1) != 0});"));
  CHECK(told("m64n8k16.f32.f16.f16", "{%0, %1}, %4, %5, p, 1, 1, 0, 0") ==
        "[D of m64n8k16 is 4 registers of each thread, and here 2]");
  CHECK(told("m64n8k8.f32.f16.f16", "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0") ==
        "[with A of f16 K is 16]");
  CHECK(told("m64n12k16.f32.f16.f16", "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0") ==
        "[its shape is m64nN, with N a multiple of 8 up to 256]");
  CHECK(told("m64n8k16.f16.bf16.bf16", "{%0, %1}, %4, %5, p, 1, 1, 0, 0") ==
        "[with A of bf16 sums are f32]");
  CHECK(told("m64n8k32.s32.s8.s8", "{%0, %1, %2, %3}, %4, %5, p, 1, 1") ==
        "[it has 1 flags after B, and here 3]");
  CHECK(translated("wgmma.fence.sync.aligned;") == "::simt::ptx::warpgroup_fence();");
}

TEST_CASE("ptx: halves of the cluster's barrier, and the fence behind mbarrier.init") {
  CHECK(translated("barrier.cluster.arrive.release.aligned;") == "::simt::cluster_arrive(true);");
  CHECK(translated("barrier.cluster.arrive.relaxed;") == "::simt::cluster_arrive(false, true);");
  CHECK(translated("barrier.cluster.wait.acquire;") == "::simt::cluster_wait(false);");
  CHECK(translated("fence.mbarrier_init.release.cluster;") ==
        "::simt::ptx::mbarrier_init_fence();");
}

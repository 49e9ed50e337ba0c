// wgmma: products by four warps, of matrices in shared memory. Source: PTX ISA, "Asynchronous
// Warpgroup Level Matrix Instructions".
#include <algorithm>
#include <array>

#include "ptx/operands.hpp"

namespace simt::rewrite::ptx {
namespace {

/// What may be multiplied: A, what B and D may be, elements of k.
struct WarpgroupProduct {
  std::string_view a;
  std::string_view b;  ///< between spaces
  std::string_view d;  ///< between spaces
  int k;
  bool transposes;  ///< matrices in shared memory may be stored either way
};

constexpr auto kWarpgroupProducts = std::to_array<WarpgroupProduct>({
    {"f16", " f16 ", " f16 f32 ", 16, true},
    {"bf16", " bf16 ", " f32 ", 16, true},
    {"tf32", " tf32 ", " f32 ", 8, false},
    {"e4m3", " e4m3 e5m2 ", " f16 f32 ", 32, false},
    {"e5m2", " e4m3 e5m2 ", " f16 f32 ", 32, false},
    {"s8", " s8 u8 ", " s32 ", 32, false},
    {"u8", " s8 u8 ", " s32 ", 32, false},
});

class Warpgroup : Operands {
 public:
  explicit Warpgroup(const Instruction& instruction) : Operands(instruction) {}

  Translation run() {
    const std::string& what = in_.parts.size() > 1 ? in_.parts[1] : in_.parts[0];
    if (!in_.has("sync") || !in_.has("aligned")) {
      return {{}, "wgmma." + what + ".sync.aligned is the form that there is"};
    }
    Translation done;
    if (what == "fence") {
      done.text = "::simt::ptx::warpgroup_fence();";
    } else if (what == "commit_group") {
      done.text = "::simt::ptx::warpgroup_commit();";
    } else if (what == "wait_group" && count(1)) {
      done.text = std::string(kSpace) + "warpgroup_wait(" + value(0) + ");";
    } else if (what == "mma_async") {
      done = product();
    } else {
      done.why = "there are fence, mma_async, commit_group and wait_group";
    }
    if (!known()) done = {{}, "an operand has no form here"};
    return done;
  }

 private:
  /// `wgmma.mma_async.sync.aligned.m64nNkK{.satfinite}.D.A.B {d}, a, b-descriptor, add, ...;`
  Translation product() {
    const std::vector<std::string>& parts = in_.parts;
    if (parts.size() < 8 || in_.has("sp")) {
      return {{}, "it is .m64nNkK with the types of D, A and B"};
    }
    const std::string &shape = parts[4], &d = parts[parts.size() - 3], &a = parts[parts.size() - 2],
                      &b = parts.back();
    const auto* const found =
        std::find_if(kWarpgroupProducts.begin(), kWarpgroupProducts.end(),
                     [&](const WarpgroupProduct& product) { return product.a == a; });
    if (found == kWarpgroupProducts.end()) {
      return {{}, "factors are f16, bf16, tf32, e4m3, e5m2, s8 and u8"};
    }
    const std::string of = "with A of " + a;
    if (!is_word_of(found->b, b)) return {{}, of + " B is " + spoken(found->b)};
    if (!is_word_of(found->d, d)) return {{}, of + " sums are " + spoken(found->d)};
    const int n = extent(shape, 'n');
    const bool whole = found->k == 32 && d == "s32";
    if (!shape.starts_with("m64n") || n < 8 || n > 256 || n % 8 != 0 ||
        (whole && n > 32 && n % 16 != 0)) {
      return {{},
              "its shape is m64nN, with N a multiple of " +
                  std::string(whole ? "16 (or 8 or 24)" : "8") + " up to 256"};
    }
    if (extent(shape, 'k') != found->k) return {{}, of + " K is " + std::to_string(found->k)};
    const bool saturates = parts[5] == "satfinite";
    if (parts.size() != (saturates ? 9u : 8u) || (saturates && d != "s32")) {
      return {{}, ".satfinite, of sums in s32, is all that may stand before the types"};
    }

    if (in_.operands.size() < 3) return {{}, "its operands are D, A, B and flags"};
    const Words sums = list(in_.operands[0]);
    const std::size_t wanted = static_cast<std::size_t>(n) / (d == "f16" ? 4 : 2);
    if (sums.size() != wanted) {
      return {{},
              "D of " + shape + " is " + std::to_string(wanted) +
                  " registers of each thread, and here " + std::to_string(sums.size())};
    }
    const bool in_registers = in_.operands[1].front() == '{';
    const Words factor = list(in_.operands[1]);
    if (in_registers && factor.size() != 4) {
      return {{}, "A is 4 registers of each thread, and here " + std::to_string(factor.size())};
    }
    // add, then of floating types the signs of A and B, then how matrices in shared memory lie.
    const std::size_t flags =
        1 + (whole ? 0 : 2) + (found->transposes ? (in_registers ? 1 : 2) : 0);
    if (!count(3 + flags)) {
      return {
          {},
          "it has " + std::to_string(flags) + " flags after B, and here " +
              std::to_string(in_.operands.size() - std::min<std::size_t>(3, in_.operands.size()))};
    }
    const std::string word = std::string(kSpace) + (d == "f32" ? "f32" : "b32");
    std::string text = "{ ::simt::watch_registers(true); " + array("d", word, sums);
    if (in_registers) text += "const " + array("a", std::string(kSpace) + "b32", factor);
    text += "::simt::watch_registers(false); ";
    Words all = {std::to_string(n), std::to_string(found->k),    element(d), element(a),
                 element(b),        saturates ? "true" : "false"};
    text += std::string(kSpace) + "warpgroup_multiply<" + std::string(kSpace) + "Wgmma{" +
            joined(all, ", ") + "}>(simt__d, " + (in_registers ? "simt__a" : value(1)) + ", " +
            value(2) + ", {" + flags_text(whole, found->transposes, in_registers) + "});";
    return {text + " ::simt::watch_registers(true);" + results("d", sums) +
                " ::simt::watch_registers(false); }",
            {}};
  }

  /// The arguments of a WgmmaFlags: add, negate A, negate B, transpose A, transpose B.
  std::string flags_text(bool whole, bool transposes, bool in_registers) {
    const auto flag = [&](std::size_t i) { return '(' + value(i) + ") != 0"; };
    const auto sign = [&](std::size_t i) { return '(' + value(i) + ") < 0"; };
    Words all = {flag(3), "false", "false", "false", "false"};
    if (!whole) {
      all[1] = sign(4);
      all[2] = sign(5);
    }
    if (transposes) {
      if (!in_registers) all[3] = flag(6);
      all[4] = flag(in_registers ? 6 : 7);
    }
    return joined(all, ", ");
  }
};

}  // namespace

std::vector<std::size_t> factors_of(const Instruction& product) {
  std::vector<std::size_t> numbers;
  if (product.operands.size() < 2 || !product.operands[1].starts_with('{')) return numbers;
  for (const std::string& word : list(product.operands[1])) {
    const bool is_number = word.size() > 1 && word.size() < 6 && word.front() == '%' &&
                           word.find_first_not_of("0123456789", 1) == std::string::npos;
    if (is_number) numbers.push_back(std::stoul(word.substr(1)));
  }
  return numbers;
}

Translation translate_warpgroup(const Instruction& instruction) {
  return Warpgroup(instruction).run();
}

}  // namespace simt::rewrite::ptx

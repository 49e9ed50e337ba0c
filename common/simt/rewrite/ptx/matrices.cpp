// The instructions of PTX by which a warp loads, multiplies and stores matrices. Their fragments
// are arrays of registers here. Source: PTX ISA, "Warp-level Matrix Instructions".
#include <algorithm>
#include <array>

#include "ptx/operands.hpp"

namespace simt::rewrite::ptx {
namespace {

/// The shapes in which elements of some types are multiplied, and the types of their sums.
struct Products {
  std::string_view factors;  ///< between spaces
  std::string_view shapes;
  std::string_view sums;
  int bits;  ///< of an element of a factor
};

constexpr auto kProducts = std::to_array<Products>({
    {" f16 ", " m16n8k8 m16n8k16 ", " f16 f32 ", 16},
    {" bf16 ", " m16n8k8 m16n8k16 ", " f32 ", 16},
    {" tf32 ", " m16n8k4 m16n8k8 ", " f32 ", 32},
    {" e4m3 e5m2 ", " m16n8k16 m16n8k32 ", " f16 f32 ", 8},
    {" s8 u8 ", " m8n8k16 m16n8k16 m16n8k32 ", " s32 ", 8},
    {" s4 u4 ", " m8n8k32 m16n8k32 m16n8k64 ", " s32 ", 4},
    {" f64 ", " m8n8k4 m16n8k4 m16n8k8 m16n8k16 ", " f64 ", 64},
});

class Matrices : Operands {
 public:
  explicit Matrices(const Instruction& instruction) : Operands(instruction) {}

  Translation run() {
    if (!in_.has("sync") || !in_.has("aligned")) {
      return {{}, in_.parts.front() + ".sync.aligned is the form that there is"};
    }
    Translation done = in_.parts.front() == "mma" ? product() : transfer();
    if (!known()) done = {{}, "an operand has no form here"};
    return done;
  }

 private:
  /// `mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C {d}, {a}, {b}, {c};`
  Translation product() {
    const std::vector<std::string>& parts = in_.parts;
    if (parts.size() < 10) return {{}, "its opcode ends in four types, of D, A, B and C"};
    const std::string &shape = parts[3], &d = parts[parts.size() - 4], &a = parts[parts.size() - 3],
                      &b = parts[parts.size() - 2], &c = parts.back();
    const auto found =
        std::find_if(kProducts.begin(), kProducts.end(),
                     [&](const Products& products) { return is_word_of(products.factors, a); });
    if (found == kProducts.end()) {
      return {{}, "factors are f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4 and f64"};
    }
    const std::string of = "factors of " + spoken(found->factors);
    if (!is_word_of(found->factors, b)) return {{}, of + " go with their own kind"};
    if (!is_word_of(found->shapes, shape)) {
      return {{}, of + " are multiplied in " + spoken(found->shapes)};
    }
    if (!is_word_of(found->sums, d) || !is_word_of(found->sums, c) || !is_sum_pair(d, c, a)) {
      return {{},
              "products of " + spoken(found->factors) + " add up in " + spoken(found->sums) +
                  (a == "f16" ? "" : ", C as D")};
    }
    if (parts[4] != "row" || parts[5] != "col") return {{}, "A is .row and B is .col"};
    const bool saturates = parts[6] == "satfinite";
    if (parts.size() != (saturates ? 11u : 10u) || (saturates && d != "s32")) {
      return {{}, ".satfinite, of sums in s32, is all that may stand before the types"};
    }
    const int m = extent(shape, 'm'), k = extent(shape, 'k');
    const std::array<int, 4> words = {sum_words(d, m), factor_words(m, k, *found),
                                      factor_words(8, k, *found), sum_words(c, m)};
    if (!count(4)) return {{}, "its operands are D, A, B and C"};
    std::array<Words, 4> registers;
    for (std::size_t i = 0; i < 4; ++i) {
      registers[i] = list(in_.operands[i]);
      if (static_cast<int>(registers[i].size()) != words[i]) {
        return {{},
                std::string(1, "DABC"[i]) + " of " + shape + " is " + std::to_string(words[i]) +
                    " registers of each lane, and here " + std::to_string(registers[i].size())};
      }
    }
    const std::string word = std::string(kSpace) + (a == "f64" ? "f64" : "b32");
    const Words names = {element(d), element(a), element(b), element(c)};
    std::string text =
        "{ const " + array("a", word, registers[1]) + "const " + array("b", word, registers[2]) +
        "const " + array("c", word, registers[3]) + word + " simt__d[" + std::to_string(words[0]) +
        "]; " + std::string(kSpace) + "mma<" + std::string(kSpace) + "Mma{" + std::to_string(m) +
        ", " + std::to_string(k) + ", " + joined(names, ", ") + (saturates ? ", true" : ", false") +
        "}>(simt__d, simt__a, simt__b, simt__c);";
    return {text + results("d", registers[0]) + " }", {}};
  }

  /// D and C may be of two types only where factors are f16.
  static bool is_sum_pair(const std::string& d, const std::string& c, const std::string& a) {
    return d == c || a == "f16";
  }
  static int sum_words(const std::string& type, int m) { return m / 8 * (type == "f16" ? 1 : 2); }
  static int factor_words(int lines, int k, const Products& products) {
    const int per_word = products.bits == 64 ? 1 : 32 / products.bits;
    return lines * k / 32 / per_word;
  }

  /// `ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {r}, [p];` and
  /// `stmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 [p], {r};`, the parts in any order.
  Translation transfer() {
    const bool loads = in_.parts.front() == "ldmatrix";
    int matrices = 0;
    bool in_shared = false;
    for (std::size_t i = 1; i < in_.parts.size(); ++i) {
      const std::string& part = in_.parts[i];
      if (part == "x1" || part == "x2" || part == "x4") {
        matrices = part[1] - '0';
      } else if (part == "shared" || part == "shared::cta") {
        in_shared = true;
      } else if (!is_word_of(" sync aligned m8n8 trans b16 ", part)) {
        matrices = -1;
        break;
      }
    }
    if (matrices <= 0 || !in_.has("m8n8") || !in_.has("b16")) {
      return {{}, "there are .m8n8 with .x1, .x2 or .x4, .trans or not, of .b16"};
    }
    if (!count(2)) return {{}, "its operands are registers and an address"};
    const std::string& address = in_.operands[loads ? 1 : 0];
    const Words registers = list(in_.operands[loads ? 0 : 1]);
    if (static_cast<int>(registers.size()) != matrices) {
      return {{},
              ".x" + std::to_string(matrices) + " is " + std::to_string(matrices) +
                  " registers of each lane, and here " + std::to_string(registers.size())};
    }
    const std::string call = std::string(kSpace) + in_.parts.front() + '<' +
                             (in_.has("trans") ? "true" : "false") + ">(" +
                             (in_shared ? shared(address) : generic(address)) + ", simt__r);";
    const std::string word = std::string(kSpace) + "b32";
    if (!loads) return {"{ const " + array("r", word, registers) + call + " }", {}};
    return {"{ " + word + " simt__r[" + std::to_string(matrices) + "]; " + call +
                results("r", registers) + " }",
            {}};
  }
};

}  // namespace

Translation translate_matrices(const Instruction& instruction) {
  return Matrices(instruction).run();
}

}  // namespace simt::rewrite::ptx

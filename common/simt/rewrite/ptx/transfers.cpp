// mbarrier objects and the copies that arrive at them: those of many bytes, and of boxes of
// tensors. Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier",
// "Data Movement and Conversion Instructions: Bulk copy", "... Tensor copy".
#include <algorithm>
#include <array>

#include "ptx/operands.hpp"

namespace simt::rewrite::ptx {
namespace {

constexpr auto kReductions =
    std::to_array<std::string_view>({"add", "min", "max", "inc", "dec", "and", "or", "xor"});

class Transfers : Operands {
 public:
  explicit Transfers(const Instruction& instruction) : Operands(instruction) {}

  Translation run() {
    std::string text;
    const std::string& base = in_.parts.front();
    if (base == "st" || base == "red") {
      text = one_element(base == "red");
    } else if (base == "mbarrier") {
      text = barrier();
    } else if (in_.has("mbarrier")) {
      text = arrival_of_copies();
    } else {
      text = bulk();
    }
    if (!known()) return {{}, "an operand has no form here"};
    return {text, text.empty() ? why_ : ""};
  }

 private:
  std::string because(const char* why) {
    why_ = why;
    return {};
  }
  static std::string call(std::string_view name, const Words& arguments) {
    return std::string(kSpace) + std::string(name) + '(' + joined(arguments, ", ") + ')';
  }

  bool is_shared() const {
    return in_.has("shared") || in_.has("shared::cta") || in_.has("shared::cluster");
  }
  /// The barrier that an operand is the address of.
  std::string barrier_at(std::size_t i) {
    return is_shared() ? shared(in_.operands[i]) : generic(in_.operands[i]);
  }

  std::string barrier() {
    const std::string& what = in_.parts.size() > 1 ? in_.parts[1] : in_.parts[0];
    if (what == "pending_count" && count(2)) {
      return put(0, call("mbarrier_pending_count", {value(1)}));
    }
    if (what == "init" && count(2)) {
      return call("mbarrier_init", {barrier_at(0), value(1)}) + ';';
    }
    if (what == "inval" && count(1)) return call("mbarrier_invalidate", {barrier_at(0)}) + ';';
    if (what == "expect_tx" && count(2)) {
      return call("mbarrier_expect", {barrier_at(0), value(1)}) + ';';
    }
    if (what == "complete_tx" && count(2)) {
      return call("mbarrier_complete", {barrier_at(0), value(1)}) + ';';
    }
    if (what == "arrive" || what == "arrive_drop") return arrival(what == "arrive_drop");
    if (what == "test_wait" || what == "try_wait") return wait(what);
    return because(
        "there are init, inval, expect_tx, complete_tx, arrive, arrive_drop, test_wait, try_wait "
        "and pending_count");
  }

  /// `mbarrier.arrive{.expect_tx} state, [barrier]{, count | bytes};`
  std::string arrival(bool drops) {
    const bool expects = in_.has("expect_tx");
    if (!count(3) && (expects || !count(2))) return because("its operands are state, [barrier], n");
    const std::string number = count(3) ? value(2) : "1";
    const Words numbers = expects ? Words{"1", number} : Words{number, "0"};
    return put(0, call(drops ? "mbarrier_arrive_drop" : "mbarrier_arrive",
                       {barrier_at(1), numbers[0], numbers[1]}));
  }

  /// `mbarrier.try_wait{.parity} done, [barrier], state | parity{, nanoseconds};`
  std::string wait(const std::string& what) {
    if (!count(3) && !(what == "try_wait" && count(4))) {
      return because("its operands are done, [barrier], state or parity");
    }
    const std::string parity = in_.has("parity") ? value(2) : call("mbarrier_parity", {value(2)});
    return put(0, call("mbarrier_" + what, {barrier_at(1), parity}));
  }

  /// `cp.async.mbarrier.arrive{.noinc}.shared.b64 [barrier];`
  std::string arrival_of_copies() {
    if (!in_.has("arrive") || !count(1)) return {};
    return std::string(kSpace) + "mbarrier_arrive_after_copies<" +
           (in_.has("noinc") ? "true" : "false") + ">(" + barrier_at(0) + ");";
  }

  /// `st.async.shared::cluster.mbarrier::complete_tx::bytes{.v2}.b32 [to], value, [barrier];`, and
  /// `red.async` with an operation, of one element.
  std::string one_element(bool reduces) {
    if (!in_.has("shared::cluster") || !in_.has("mbarrier::complete_tx::bytes") || !count(3)) {
      return because("it is .shared::cluster.mbarrier::complete_tx::bytes [to], value, [barrier]");
    }
    const std::string& type = in_.parts.back();
    const Words values = list(in_.operands[1]);
    const std::string element = std::string(kSpace) + type;
    const std::string to = shared(in_.operands[0]), at = shared(in_.operands[2]);
    if (!reduces) {
      if (!is_word_of(" b32 u32 s32 f32 b64 u64 s64 f64 ", type)) {
        return because("it stores b32, b64 and other types of 4 and 8 bytes");
      }
      return "{ " + array("v", element, values) + call("store_async", {to, "simt__v", at}) + "; }";
    }
    const std::string operation = reduction();
    if (operation.empty()) return {};
    const auto takes = [&](std::string_view types, std::string_view operations) {
      const auto is_one = [&](const std::string& part) { return is_word_of(operations, part); };
      return is_word_of(types, type) && std::any_of(in_.parts.begin(), in_.parts.end(), is_one);
    };
    if (values.size() != 1 ||
        !(takes(" u32 ", " inc dec min max add ") || takes(" s32 ", " min max add ") ||
          takes(" b32 ", " and or xor ") || takes(" u64 ", " add "))) {
      return because(
          "there are .inc, .dec, .min, .max and .add of u32, .min, .max and .add of s32, .and, .or "
          "and .xor of b32, .add of u64");
    }
    const std::string name = operation.substr(operation.rfind(':') + 1);
    const std::string stem = name.back() == '_' ? name.substr(0, name.size() - 1) : name;
    return std::string(kSpace) + "reduce_async(" + to + ", " + std::string(kSpace) + "as<" +
           element + ">(" + operand(values[0]) + "), " + at +
           ", [](auto* to, auto value) { return " + std::string(kSpace) + "atomic_" + stem + '<' +
           std::string(kSpace) + "order_relaxed>(to, value); });";
  }

  std::string bulk() {
    if (in_.has("commit_group")) return "::simt::ptx::bulk_commit();";
    if (in_.has("wait_group") && count(1)) return call("bulk_wait", {value(0)}) + ';';
    if (in_.has("prefetch")) return ";";
    Words spaces;
    for (const std::string& part : in_.parts) {
      if (part == "global" || part.starts_with("shared::")) spaces.push_back(part);
    }
    if (spaces.size() != 2) {
      return because("it goes .shared::cluster.global, .global.shared::cta or between shared ones");
    }
    const bool to_shared = spaces[0] != "global";
    if (in_.has("tensor")) return tensor(to_shared);
    if (in_.operands.size() < (to_shared ? 4u : 3u)) return because("it has fewer operands");
    const std::string from =
        spaces[1] == "global" ? generic(in_.operands[1]) : shared(in_.operands[1]);
    if (!to_shared) {
      if (in_.has("cp_mask")) return because("without .cp_mask");
      const Words arguments = {generic(in_.operands[0]), from, value(2)};
      if (in_.parts[1] != "reduce") return call("bulk_to_global", arguments) + ';';
      const std::string form = typed_reduction();
      if (form.empty()) return {};
      return std::string(kSpace) + "bulk_reduce<" + form + ">(" + joined(arguments, ", ") + ");";
    }
    if (in_.parts[1] == "reduce") return because("it reduces to .global.shared::cta");
    Words arguments = {shared(in_.operands[0]), from, value(2), shared(in_.operands[3])};
    if (in_.has("multicast::cluster")) {
      if (in_.operands.size() < 5) return because("its mask of blocks is missing");
      arguments.push_back(value(4));
      return call("bulk_to_cluster", arguments) + ';';
    }
    return call(spaces[1] == "global" ? "bulk_to_shared" : "shared_to_shared", arguments) + ';';
  }

  /// `[map, {x, y}]` with the tensor's coordinates, the innermost first.
  std::string tensor(bool to_shared) {
    int rank = 0;
    for (const std::string& part : in_.parts) {
      if (part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5') {
        rank = part[0] - '0';
      }
      if (part.starts_with("im2col::") || part.starts_with("tile::")) {
        return because("there are .tile and .im2col; compute capability 10 has the others");
      }
    }
    if (rank == 0 || in_.operands.size() < (to_shared ? 3u : 2u)) {
      return because("it has .1d to .5d, a map with coordinates, and addresses");
    }
    const std::string& source = in_.operands[to_shared ? 1 : 0];
    const std::size_t brace = source.find('{');
    const std::size_t comma = source.find(',');
    if (brace == std::string::npos || comma > brace) return because("its source is [map, {x, y}]");
    const Words places = list(source.substr(brace, source.find('}') - brace + 1));
    if (static_cast<int>(places.size()) != rank) return because("a coordinate for each dimension");
    std::string text = "{ " + constants("s32", "simt__at", places);
    std::string place = "simt__at";
    const bool has_offsets = in_.has("im2col");
    if (has_offsets || in_.has("im2col_no_offs")) {
      if (has_offsets != to_shared)
        return because("it is .im2col to shared memory, else .im2col_no_offs");
      if (rank < 3) return because("images have .3d to .5d");
      Words offsets(static_cast<std::size_t>(rank) - 2, "0");
      if (has_offsets) {
        if (in_.operands.size() < 4) return because("its offsets are missing");
        offsets = list(in_.operands[3]);
      }
      if (static_cast<int>(offsets.size()) != rank - 2)
        return because("an offset for each of W, H and D");
      text += constants("u16", "simt__from", offsets);
      place = "{simt__at, simt__from}";
    }
    const std::string map = generic(source.substr(0, comma) + ']');
    if (!to_shared) {
      const Words arguments = {map, place, shared(in_.operands[1])};
      if (in_.parts[1] != "reduce") return text + call("tensor_to_global", arguments) + "; }";
      const std::string operation = reduction();
      if (operation.empty()) return {};
      return text + std::string(kSpace) + "tensor_reduce<" + operation + ">(" +
             joined(arguments, ", ") + "); }";
    }
    Words arguments = {shared(in_.operands[0]), map, place, shared(in_.operands[2])};
    if (!in_.has("multicast::cluster")) return text + call("tensor_to_shared", arguments) + "; }";
    const std::size_t mask = has_offsets ? 4 : 3;
    if (in_.operands.size() <= mask) return because("its mask of blocks is missing");
    arguments.push_back(value(mask));
    return text + call("tensor_to_cluster", arguments) + "; }";
  }

  /// An array of that name and type with the values of operands.
  std::string constants(const char* type, const char* name, const Words& all) {
    Words values;
    for (const std::string& one : all) {
      values.push_back(std::string(kSpace) + "as<" + std::string(kSpace) + type + ">(" +
                       operand(one) + ')');
    }
    return "const " + std::string(kSpace) + type + ' ' + name + "[] = {" + joined(values, ", ") +
           "}; ";
  }

  /// `.add` and the like, as a simt::ptx::Reduction.
  std::string reduction() {
    const auto found = std::find_first_of(in_.parts.begin() + 1, in_.parts.end(),
                                          kReductions.begin(), kReductions.end());
    if (found == in_.parts.end()) {
      return because("it is .add, .min, .max, .inc, .dec, .and, .or or .xor");
    }
    const bool is_word = *found == "and" || *found == "or" || *found == "xor";
    return std::string(kSpace) + "Reduction::" + *found + (is_word ? "_" : "");
  }

  /// `.add.noftz.f16`: the last part is the type.
  std::string typed_reduction() {
    constexpr auto types = std::to_array<std::string_view>(
        {"f16", "bf16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"});
    if (std::find(types.begin(), types.end(), in_.parts.back()) == types.end()) {
      return because("it ends in a type");
    }
    const std::string operation = reduction();
    if (operation.empty()) return {};
    return operation + ", " + std::string(kSpace) + "Reduced::" + in_.parts.back();
  }

  std::string why_;
};

}  // namespace

bool is_transfer(const Instruction& instruction) {
  const std::vector<std::string>& parts = instruction.parts;
  return parts.front() == "mbarrier" ||
         ((parts.front() == "st" || parts.front() == "red") && instruction.has("async")) ||
         (parts.front() == "cp" && (instruction.has("bulk") || instruction.has("mbarrier")));
}

Translation translate_transfer(const Instruction& instruction) {
  return Transfers(instruction).run();
}

}  // namespace simt::rewrite::ptx

// The instructions of PTX that the CPU backend knows, as calls of simt/ptx.hpp.
#include <algorithm>
#include <array>
#include <map>

#include "ptx/instruction.hpp"
#include "ptx/operands.hpp"

namespace simt::rewrite::ptx {
namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr auto kTypes =
    std::to_array<std::string_view>({"u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32",
                                     "u64", "s64", "b64", "f32", "f64"});
bool is_type(std::string_view word) { return contains(kTypes, word); }

/// Parts of an opcode that change nothing here.
constexpr auto kIgnored =
    std::to_array<std::string_view>({"rn",      "ftz",         "approx",
                                     "weak",    "cta",         "cluster",
                                     "gpu",     "sys",         "gl",
                                     "nc",      "ca",          "cg",
                                     "cs",      "lu",          "cv",
                                     "wb",      "wt",          "relaxed",
                                     "release", "acq_rel",     "acquire",
                                     "sc",      "volatile",    "global",
                                     "shared",  "shared::cta", "shared::cluster",
                                     "local",   "const",       "sync",
                                     "aligned", "async"});

bool is_ignored(std::string_view word) {
  return contains(kIgnored, word) || word.starts_with("L1::") || word.starts_with("L2::");
}

/// Instructions that compute one value of so many others, by opcode without type.
const std::map<std::string_view, std::size_t> kValues = {
    {"add", 2},      {"sub", 2},    {"mul", 2},      {"mul.lo", 2},     {"mul.hi", 2},
    {"mul.wide", 2}, {"mad.lo", 3}, {"mad.hi", 3},   {"mad.wide", 3},   {"fma", 3},
    {"mad", 3},      {"div", 2},    {"div.full", 2}, {"rem", 2},        {"min", 2},
    {"max", 2},      {"and", 2},    {"or", 2},       {"xor", 2},        {"not", 1},
    {"neg", 1},      {"abs", 1},    {"shl", 2},      {"shr", 2},        {"bfe", 3},
    {"bfi", 4},      {"brev", 1},   {"popc", 1},     {"clz", 1},        {"bfind", 1},
    {"prmt", 3},     {"lop3", 4},   {"sad", 3},      {"sqrt", 1},       {"rsqrt", 1},
    {"rcp", 1},      {"ex2", 1},    {"lg2", 1},      {"sin", 1},        {"cos", 1},
    {"tanh", 1},     {"mov", 1},    {"ldu", 0},      {"shf.l.wrap", 3}, {"shf.r.wrap", 3},
    {"copysign", 2}};

constexpr auto kComparisons =
    std::to_array<std::string_view>({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"});

constexpr auto kAtomics = std::to_array<std::string_view>(
    {"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"});

std::string call(std::string_view name, std::string_view type, const Words& arguments) {
  std::string text(kSpace);
  text += name;
  std::replace(text.begin() + static_cast<std::ptrdiff_t>(kSpace.size()), text.end(), '.', '_');
  if (name == "and" || name == "or" || name == "xor" || name == "not") text += '_';
  if (!type.empty()) text.append("<").append(kSpace).append(type).append(">");
  return text + '(' + joined(arguments, ", ") + ')';
}

class Translator : Operands {
 public:
  explicit Translator(const Instruction& instruction) : Operands(instruction) {
    for (const std::string& part : in_.parts) {
      if (is_type(part)) {
        type_ = part;
      } else if (!is_ignored(part)) {
        name_ += name_.empty() ? part : '.' + part;
      }
    }
  }

  Translation run() {
    if (in_.opcode == "{" || in_.opcode == "}") return {in_.opcode, {}};
    if (in_.is_label()) return {label_name(in_.operands.front()) + ":;", {}};
    Translation done = unguarded();
    if (done.text.empty() || !known()) return {{}, done.why};
    const std::string guard = condition();
    if (!known()) return {};
    return {guard + done.text, {}};
  }

  /// `if (p) ` for a guard, or nothing.
  std::string condition() {
    if (in_.guard.empty()) return {};
    const bool inverted = in_.guard.front() == '!';
    return "if (" + std::string(inverted ? "!" : "") +
           operand(inverted ? in_.guard.substr(1) : in_.guard) + ") ";
  }

 private:
  Translation unguarded() {
    const std::string& base = in_.parts.front();
    if (base == "mma" || base == "ldmatrix" || base == "stmatrix") return translate_matrices(in_);
    if (base == "wgmma") return translate_warpgroup(in_);
    if (is_transfer(in_)) return translate_transfer(in_);
    return {statement(), why_};
  }

  std::string statement() {
    const std::string& base = in_.parts.front();
    if (base.empty()) return declaration();
    if (base == "ld" || base == "ldu") return load();
    if (base == "st") return store();
    if (base == "atom" || base == "red") return atomic(base == "atom");
    if (base == "cp") return asynchronous();
    if (base == "setp") return comparison();
    if (base == "selp" && count(4)) {
      return put(0, call("select", type_, {value(1), value(2), value(3)}));
    }
    if (base == "cvt") return conversion();
    if (base == "cvta") return address_conversion();
    if (base == "fence" && in_.has("proxy")) {
      return in_.has("async") ? "::simt::watch_proxy_fence();" : ";";
    }
    if (base == "fence" && in_.has("mbarrier_init"))
      return call("mbarrier_init_fence", {}, {}) + ';';
    if (base == "membar" || base == "fence") {
      return in_.has("cta") ? "::__threadfence_block();" : "::__threadfence();";
    }
    if (base == "bar" || base == "barrier") return barrier();
    if (base == "mapa" || base == "getctarank") return other_block(base == "mapa");
    if (base == "bra") return branch();
    if (base == "elect") return election();
    if (base == "prefetch" || base == "prefetchu" || base == "griddepcontrol") return ";";
    if (base == "setmaxnreg") return register_limit();
    // A hint for caches, which there are none of.
    if (base == "createpolicy" && !in_.operands.empty()) return put(0, "0ull");
    if (base == "nanosleep" && count(1)) return "::__nanosleep(" + value(0) + ");";
    if (base == "trap") return "::__trap();";
    if (std::string text = warp(base); !text.empty()) return text;
    if (base == "mov" && count(2) && in_.operands[0].front() == '{') return unpack();
    if (base == "mov" && count(2) && in_.operands[1].front() == '{') return pack();
    return plain();
  }

  std::string plain() {
    const auto found = kValues.find(name_ == "bfind.shiftamt" ? "bfind" : name_);
    if (found == kValues.end() || type_.empty() || !count(found->second + 1)) return {};
    return put(0, call(name_, type_, values(1)));
  }

  /// `.reg .u32 a, b;`
  std::string declaration() {
    if (in_.operands.empty() || in_.parts[1] != "reg") return {};
    std::string text;
    for (std::string name : in_.operands) {
      const std::size_t space = name.find(' ');
      if (text.empty()) {
        if (space == std::string::npos) return {};
        const std::string type = name.substr(1, space - 1);
        if (type != "pred" && !is_type(type)) return {};
        text = "[[maybe_unused]] " + std::string(kSpace) + type + ' ';
        name = name.substr(name.find_first_not_of(' ', space));
      } else {
        text += ", ";
      }
      // A branch may jump over a declaration only if it gives no value.
      text += operand(name) + (in_.has_labels ? "" : "{}");
    }
    return text + ';';
  }

  /// `bra LABEL;`. A loop lets other threads run, for one of which it may wait.
  std::string branch() {
    if (in_.target == Instruction::Target::none) return {};
    const std::string jump = "goto " + label_name(in_.operands[0]) + ';';
    const bool is_loop = in_.target == Instruction::Target::back;
    return is_loop ? "{ ::simt::yield(); " + jump + " }" : jump;
  }

  /// `elect.sync lane|predicate, mask;`
  std::string election() {
    if (!in_.has("sync") || !count(2)) return {};
    const std::string& targets = in_.operands[0];
    const std::size_t bar = targets.find('|');
    if (bar == std::string::npos) {
      why_ = "its results are lane|predicate";
      return {};
    }
    return "{ const auto simt__leader = " + call("leader", {}, {value(1)}) + "; " +
           assign(targets.substr(0, bar), "simt__leader") + ' ' +
           assign(targets.substr(bar + 1), "(simt__leader == ::simt::lane_id())") + " }";
  }

  /// `setmaxnreg.inc.sync.aligned.u32 count;`: only the count can be wrong here.
  std::string register_limit() {
    if (!count(1) || in_.has("inc") == in_.has("dec")) return {};
    return std::string(kSpace) + "set_max_registers<" + value(0) + ">();";
  }

  std::string load() {
    if (!count(2) || type_.empty() || in_.has("param")) return {};
    const Words targets = list(in_.operands[0]);
    if (!known_name({"ld", "ldu", "ld.v2", "ld.v4"})) return {};
    const bool fresh = in_.has("volatile") || in_.has("relaxed") || in_.has("acquire");
    const std::string function =
        std::string(kSpace) + (fresh ? "load_atomic<" + order() + ">(" : "load(");
    std::string text = "{ const auto* simt_from = " + address(in_.operands[1]) + ";";
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::string got = function + "simt_from + " + std::to_string(i) + ')';
      text += ' ' + assign(targets[i], got);
    }
    return text + " }";
  }

  std::string store() {
    if (!count(2) || type_.empty() || !known_name({"st", "st.v2", "st.v4"})) return {};
    const bool fresh = in_.has("volatile") || in_.has("relaxed") || in_.has("release");
    const std::string function =
        std::string(kSpace) + (fresh ? "store_atomic<" + order() + ">(" : "store(");
    const Words sources = list(in_.operands[1]);
    std::string text = "{ auto* simt_to = " + address(in_.operands[0]) + ";";
    for (std::size_t i = 0; i < sources.size(); ++i) {
      text += ' ' + (fresh ? narrowed() : "") + function + "simt_to + " + std::to_string(i) + ", " +
              operand(sources[i]) + ");";
    }
    return text + " }";
  }

  std::string atomic(bool gives) {
    const std::size_t first = gives ? 1 : 0;
    const std::string operation = name_.substr(std::min(name_.size(), name_.find('.') + 1));
    if (!contains(kAtomics, operation) || type_.empty() ||
        !count(first + (operation == "cas" ? 3 : 2))) {
      return {};
    }
    Words arguments = {address(in_.operands[first])};
    for (std::size_t i = first + 1; i < in_.operands.size(); ++i) arguments.push_back(value(i));
    const std::string old = std::string(kSpace) + "atomic_" + operation + '<' + order() + ">(" +
                            joined(arguments, ", ") + ')';
    return "{ " + narrowed() + (gives ? put(0, old) : old + ';') + " }";
  }

  /// What the instruction orders besides its own word.
  std::string order() const {
    for (const char* order : {"acquire", "release", "acq_rel"}) {
      if (in_.has(order)) return std::string(kSpace) + "order_" + order;
    }
    return std::string(kSpace) + "order_relaxed";
  }
  /// Before an instruction of a scope no wider than the block.
  std::string narrowed() const { return in_.has("cta") ? "::simt::watch_block_scope(); " : ""; }

  std::string asynchronous() {
    if (in_.has("commit_group")) return "::simt::async_commit();";
    if (in_.has("wait_all")) return "::simt::ptx::wait_for_copies();";
    if (in_.has("wait_group") && count(1)) return "::simt::ptx::wait_for_copies(" + value(0) + ");";
    if (name_ != "cp") return {};
    // [to], [from], size{, how many of them are copied | whether none is}{, a cache's policy}
    const std::size_t least = in_.has("L2::cache_hint") ? 4 : 3;
    if (!in_.has("shared") && !in_.has("shared::cta")) return {};
    if (!count(least) && !count(least + 1)) return {};
    if (in_.has("cg") == in_.has("ca")) {
      why_ = "it is .ca or .cg";
      return {};
    }
    Words arguments = {shared(in_.operands[0]), generic(in_.operands[1])};
    if (count(least + 1)) arguments.push_back(value(3));
    const std::string size = value(2) + (in_.has("cg") ? ", true" : ", false");
    return std::string(kSpace) + "copy_async<" + size + ">(" + joined(arguments, ", ") + ");";
  }

  std::string comparison() {
    const std::string test = in_.parts.size() > 1 ? in_.parts[1] : "";
    if (!contains(kComparisons, test) || !count(3) || type_.empty()) return {};
    return put(0, call("is_" + test, type_, {value(1), value(2)}));
  }

  /// cvt.D.S: the last part is what is converted from.
  std::string conversion() {
    const std::size_t parts = in_.parts.size();
    if (parts < 3 || !count(2)) return {};
    const std::string &to = in_.parts[parts - 2], &from = in_.parts[parts - 1];
    if (to == "tf32" && from == "f32") return put(0, call("round_tf32", {}, {value(1)}));
    const std::string rounding = parts > 3 ? in_.parts[1] : "";
    const bool whole = to.front() != 'f' && from.front() == 'f';
    if (!is_type(to) || !is_type(from) || parts > 4 ||
        (whole ? rounding != "rzi" && rounding != "rni" : !rounding.empty() && rounding != "rn")) {
      return {};
    }
    return put(0, std::string(kSpace) + (rounding == "rni" ? "convert_nearest<" : "convert<") +
                      std::string(kSpace) + to + ", " + std::string(kSpace) + from + ">(" +
                      value(1) + ')');
  }

  std::string address_conversion() {
    if (!count(2)) return {};
    if (!in_.has("shared")) return put(0, value(1));
    return put(0, call(in_.has("to") ? "to_shared" : "from_shared", {}, {value(1)}));
  }

  /// `mapa{.shared::cluster}.u32 to, address, rank;`, `getctarank{...}.u32 rank, address;`
  std::string other_block(bool maps) {
    if (!count(maps ? 3 : 2)) return {};
    const bool is_offset = in_.has("shared::cluster");
    const std::string address = is_offset ? "::__cvta_shared_to_generic(" + value(1) + ')'
                                          : call("generic", {}, {value(1)});
    if (!maps) return put(0, "::simt::rank_of_shared(" + address + ')');
    const std::string there =
        "::simt::map_to_rank(static_cast<::std::byte*>(" + address + "), " + value(2) + ')';
    return put(0, is_offset ? "::__cvta_generic_to_shared(" + there + ')'
                            : "reinterpret_cast<::std::uintptr_t>(" + there + ')');
  }

  std::string barrier() {
    if (in_.has("cluster")) {
      const std::string aligned = in_.has("aligned") ? "true" : "false";
      const std::string relaxed = in_.has("relaxed") ? ", true" : "";
      return in_.has("arrive") ? "::simt::cluster_arrive(" + aligned + relaxed + ");"
             : in_.has("wait") ? "::simt::cluster_wait(" + aligned + ");"
                               : "";
    }
    if (in_.has("warp") && count(1)) return "::__syncwarp(" + value(0) + ");";
    if (known_name({"bar.arrive", "barrier.arrive"}) && count(2)) {
      return call("barrier_arrive", {}, values(0)) + ';';
    }
    if (!known_name({"bar", "barrier"}) || in_.operands.empty() || in_.operands.size() > 2 ||
        !in_.has("sync")) {
      return {};
    }
    return call("barrier", {}, values(0)) + ';';
  }

  std::string warp(std::string_view base) {
    if (base == "activemask" && count(1)) return put(0, "::__activemask()");
    if (name_ == "vote.ballot" && count(3)) {
      return put(0, "::__ballot_sync(" + value(2) + ", " + value(1) + ')');
    }
    if ((name_ == "vote.any.pred" || name_ == "vote.all.pred") && count(3)) {
      return put(0, "::__" + in_.parts[2] + "_sync(" + value(2) + ", " + value(1) + ')');
    }
    if (name_ == "match.any" && count(3)) {
      return put(0, "::__match_any_sync(" + value(2) + ", " + value(1) + ')');
    }
    if (base == "shfl" && in_.has("sync") && in_.parts.size() == 4 && count(5)) {
      return put(0, call("shuffle_" + in_.parts[2], {}, values(1)));
    }
    if (base == "redux" && in_.parts.size() == 4 && count(3)) {
      return put(0, "::__reduce_" + in_.parts[2] + "_sync(" + value(2) + ", " +
                        call("as", type_, {value(1)}) + ')');
    }
    return {};
  }

  std::string unpack() {
    const Words targets = list(in_.operands[0]);
    if (targets.size() != 2) return {};
    return assign(targets[0], call("low", {}, {value(1)})) + ' ' +
           assign(targets[1], call("high", {}, {value(1)}));
  }
  std::string pack() {
    const Words sources = list(in_.operands[1]);
    if (sources.size() != 2) return {};
    return put(0, call("packed", type_, {operand(sources[0]), operand(sources[1])}));
  }

  bool known_name(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), name_) != names.end();
  }

  std::string address(const std::string& text) {
    const bool is_shared =
        in_.has("shared") || in_.has("shared::cta") || in_.has("shared::cluster");
    return std::string(kSpace) + "pointer<" + std::string(kSpace) + type_ + ">(" +
           (is_shared ? shared(text) : generic(text)) + ')';
  }

  std::string name_;  ///< the parts that matter, without the type
  std::string type_;
  std::string why_;  ///< there is no statement
};

}  // namespace

Translation translate(const Instruction& instruction) { return Translator(instruction).run(); }

std::string condition_of(const Instruction& instruction) {
  return Translator(instruction).condition();
}

}  // namespace simt::rewrite::ptx

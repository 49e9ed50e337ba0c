#include "split.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "../analysis.hpp"
#include "carriers.hpp"
#include "checks.hpp"
#include "hoist.hpp"
#include "phase.hpp"
#include "phase_text.hpp"

namespace simt::rewrite::split {
namespace {

class Splitter {
 public:
  /// With `hoist`, loops of run-time length that are the same for all threads are run once for the
  /// block, as if they had barriers inside: what is left to do for the threads is without loops,
  /// and the compiler vectorises it.
  Splitter(const TokenList& list, const KernelContext& context, bool hoist)
      : list_(list),
        context_(context),
        hoist_(hoist),
        body_(prepared_body(list, context, hoist, guards_)),
        variables_(list, context, body_),
        checks_(list, context, variables_, body_, guards_),
        writer_(list, context, variables_) {}

  Pieces run() {
    checks_.run();
    choose_carriers(list_, body_, checks_, variables_, hoist_);
    writer_.find_linear_variables(
        std::min(guards_.empty() ? kNone : guards_.front().first, first_return(body_)));
    open_lambda();
    // What stands before the guards is declarations, and guards may need them.
    const std::span<const Statement> statements(body_.children);
    std::size_t before = 0;
    while (!guards_.empty() && before < statements.size() &&
           statements[before].first < guards_.back().first) {
      ++before;
    }
    write_list(statements.first(before));
    if (!guards_.empty()) {
      declare_deferred();
      for (const Guard& guard : guards_) confirm(guard.first, guard.last);
      writer_.write_guards(guards_, out_);
    }
    write_list(statements.subspan(before));
    close_phase();
    add(out_, " }");
    return std::move(out_);
  }

 private:
  /// Where a thread may first end before others.
  static Index first_return(const Statement& s) {
    if (s.kind == StatementKind::return_statement) return s.first;
    Index first = kNone;
    for (const Statement& child : s.children) first = std::min(first, first_return(child));
    return first;
  }

  static Statement prepared_body(const TokenList& list, const KernelContext& context, bool hoist,
                                 std::vector<Guard>& guards) {
    Statement body = parse_statements(list, context.body_open);
    if (hoist) {
      if (!body.has_barrier) guards = take_guards(list, body);
      require(mark_long_loops(list, context, body), body.first,
              "no loop that is the same for all threads");
    }
    return body;
  }

  /// Where no parameter of the block's is modified, the lambda's copies are const and the compiler
  /// proves it.
  bool modifies_parameters() const {
    return std::any_of(variables_.all().begin(), variables_.all().end(), [](const Variable& v) {
      return v.is_parameter && v.carrier == Carrier::uniform && v.is_modified();
    });
  }

  /// g++ wants `mutable` before the attribute, clang after it.
  std::string lambda_specifiers() const {
    std::string attribute = " __attribute__((always_inline))";
    if (!modifies_parameters()) return attribute;
    return context_.clang ? attribute + " mutable" : " mutable" + attribute;
  }

  void open_lambda() {
    add(out_,
        "[=]([[maybe_unused]] ::simt::BlockRun& simt_block, const bool simt_small_grid)" +
            lambda_specifiers() +
            " {"
            " const ::std::ptrdiff_t simt_nx = simt_block.dim.x, simt_ny = simt_block.dim.y, "
            "simt_nz = simt_block.dim.z;"
            " [[maybe_unused]] const ::uint3 blockIdx = simt_block.index;"
            // What the compiler needs to know of the ranges to see that indices do not wrap around.
            " if (simt_nx < 1 || simt_nx > 1024 || simt_ny < 1 || simt_ny > 1024 || simt_nz < 1 ||"
            " simt_nz > 64 || (simt_small_grid && blockIdx.x >= ::simt::detail::kSmallGrid) ||"
            " blockIdx.y > 65535 || blockIdx.z > 65535) __builtin_unreachable();"
            " [[maybe_unused]] const ::dim3 blockDim = simt_block.dim;"
            " [[maybe_unused]] const ::dim3 gridDim = simt_block.grid; ");
    out_.insert(out_.end(), context_.prologue.begin(), context_.prologue.end());
    for (const auto& [first, last] : variables_.value_types()) {
      add(out_, " static_assert(::simt::kIsSplitValue<");
      add(out_, first, last);
      add(out_, std::string(">") + kConfirmed);
    }
    confirm_memory();
    for (const Variable& variable : variables_.all()) {
      if (!variable.is_parameter || variable.carrier != Carrier::per_thread) continue;
      const std::string name(variable.name);
      add(out_, " auto simt_given_" + name + " = " + name + ";");
      declare_storage(variable);
      pending_.push_back({nullptr, &variable});
    }
  }

  /// That memory holds no addresses matters where the address of a variable is passed on that does
  /// not stay in its place.
  void confirm_memory() {
    const auto& all = variables_.all();
    if (std::none_of(all.begin(), all.end(),
                     [](const Variable& v) { return v.is_kept() && !v.stable; })) {
      return;
    }
    for (const auto& [first, last, pointed_at] : variables_.memory_types(body_)) {
      add(out_, " static_assert(::simt::holds_no_address<");
      if (pointed_at) add(out_, "::std::remove_pointer_t<");
      add(out_, first, last);
      add(out_, std::string(pointed_at ? ">>()" : ">()") + kConfirmed);
    }
  }

  /// Has the compiler confirm what the tokens of an expression do not tell.
  void confirm(Index first, Index last) {
    for (const Variables::Confirmation& c : variables_.confirmations(first, last)) {
      if (c.kind == Variables::Confirmation::constant) {
        add(out_, " { constexpr auto simt_constant = (");
        add(out_, c.first, c.last);
        add(out_, "); static_assert(::simt::kIsSplitConstant<decltype(simt_constant)>" +
                      std::string(kConfirmed) + " }");
        continue;
      }
      const bool type = c.kind == Variables::Confirmation::number_type;
      add(out_, type ? " static_assert(::simt::kIsSplitNumber<"
                     : " static_assert(::simt::kIsSplitNumber<decltype(");
      add(out_, c.first, c.last);
      add(out_, std::string(type ? ">" : ")>") + kConfirmed);
    }
  }

  void write_list(std::span<const Statement> statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      // A pragma before a loop that becomes a loop over phases says nothing any more.
      const bool before_control = statements[i].kind == StatementKind::pragma &&
                                  i + 1 < statements.size() && statements[i + 1].has_barrier;
      if (!before_control) write_statement(statements[i]);
    }
  }

  void write_statement(const Statement& s) {
    if (s.kind == StatementKind::barrier) {
      close_phase();
    } else if (s.has_barrier) {
      close_phase();
      write_control(s);
    } else if (s.kind == StatementKind::shared || s.kind == StatementKind::fixed) {
      add(out_, " ");
      add(out_, s.first, s.last);
    } else if (checks_.is_block_level(s)) {
      close_phase();
      confirm(s.first, s.last - 1);
      add(out_, " ");
      add(out_, s.first, s.last);
    } else if (s.kind == StatementKind::declaration) {
      write_declaration(s);
    } else {
      pending_.push_back({&s, nullptr});
    }
  }

  void write_control(const Statement& s) {
    if (s.strided) {
      const StridedHeader header = strided_header(list_, s);
      confirm(header.variable.init_first + 1, header.variable.init_last);
      confirm(header.condition_first + 2, header.condition_last);
      confirm(header.step_first, header.step_last);
      writer_.enter({&checks_.strided_variable(s), header}, out_);
      write_braced(s.children[0]);
      writer_.leave();
      add(out_, " } }");
      return;
    }
    add(out_, " ");
    if (s.kind == StatementKind::block) {
      write_braced(s);
      return;
    }
    confirm_header(s);
    Index keyword = s.first;
    while (list_.tokens[keyword].kind == TokenKind::directive) ++keyword;
    add(out_, keyword, s.close + 1);
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      if (i > 0) add(out_, " else");
      write_braced(s.children[i], i == 0 ? &s : nullptr);
    }
  }

  /// The initialisers in a for header; what names its variables is confirmed inside of the loop.
  void confirm_header(const Statement& s) {
    if (s.kind != StatementKind::for_statement) return confirm(s.open + 1, s.close);
    const ForHeader header = for_header(list_, s);
    for (const Declarator& d : parse_declarators(list_, s.open + 1, header.first_semicolon)) {
      const auto [first, last] = initial_value(list_, d);
      confirm(first, last);
    }
  }

  void write_braced(const Statement& s, const Statement* control = nullptr) {
    add(out_, " {");
    if (control != nullptr && control->kind == StatementKind::for_statement) {
      const ForHeader header = for_header(list_, *control);
      for (const Declarator& d :
           parse_declarators(list_, control->open + 1, header.first_semicolon)) {
        confirm_number(d);
      }
      confirm(header.first_semicolon + 1, header.second_semicolon);
      confirm(header.second_semicolon + 1, control->close);
    }
    if (s.kind == StatementKind::block) {
      write_list(s.children);
    } else {
      write_statement(s);
    }
    close_phase();
    add(out_, " }");
  }

  void confirm_number(const Declarator& d) {
    add(out_, " static_assert(::simt::kIsSplitNumber<decltype(");
    add(out_, d.name, d.name + 1);
    add(out_, std::string(")>") + kConfirmed);
  }

  void write_declaration(const Statement& s) {
    for (const Variable& variable : variables_.all()) {
      const Index name = variable.declarator.name;
      if (variable.is_parameter || name < s.first || name >= s.last) continue;
      if (variable.carrier == Carrier::uniform || variable.carrier == Carrier::recomputed ||
          variable.pure) {
        const auto [first, last] = initial_value(list_, variable.declarator);
        confirm(first, last);
      }
      writer_.confirm_linear(variable, deferred_, out_);
      if (variable.carrier == Carrier::uniform) {
        write_uniform(variable);
      } else if (variable.carrier == Carrier::per_thread) {
        declare_storage(variable);
        pending_.push_back({nullptr, &variable});
      } else {
        pending_.push_back({nullptr, &variable});
      }
    }
  }

  /// One for the block. Nothing moves over what the open phase has to do: a variable that is never
  /// modified is declared in the phase, where it stands, and again behind it.
  void write_uniform(const Variable& variable) {
    if (variable.is_modified()) close_phase();
    if (!does_anything(pending_)) return declare_uniform(variable);
    pending_.push_back({nullptr, &variable});
    deferred_.push_back(&variable);
  }

  void declare_uniform(const Variable& variable) {
    add(out_, " [[maybe_unused]]");
    writer_.write_declaration(variable, out_);
    confirm_number(variable.declarator);
  }

  void declare_deferred() {
    for (const Variable* variable : deferred_) declare_uniform(*variable);
    deferred_.clear();
  }

  void declare_storage(const Variable& variable) {
    const Declarator& d = variable.declarator;
    const std::string name(variable.name);
    if (variable.has_type(list_, "auto")) {
      add(out_, " using simt_type_" + name + " = ::std::decay_t<decltype(");
      add(out_, d.init_first + 1, d.init_last);
      add(out_, ")");
    } else {
      // A parameter declared as an array is a pointer.
      add(out_, " using simt_type_" + name +
                    (variable.is_parameter ? " = ::std::decay_t<" : " = ::std::remove_cv_t<"));
      add(out_, d.type_first, d.type_last);
      add(out_, d.pointer_first, d.name);
      add(out_, d.dims_first, d.dims_last);
    }
    add(out_, ">; static_assert(::std::is_trivially_destructible_v<simt_type_" + name + ">" +
                  kConfirmed + " simt_type_" + name + "* const simt_all_" + name +
                  " = simt_block.per_thread<simt_type_" + name + ">(" +
                  std::to_string(&variable - variables_.all().data()) + ");");
  }

  void close_phase() {
    writer_.write(pending_, out_);
    // Who ended in the phase did not come to its declarations, and no phase is behind it.
    const bool ends = std::any_of(pending_.begin(), pending_.end(), [](const PhaseItem& item) {
      return item.statement != nullptr && first_return(*item.statement) != kNone;
    });
    if (ends) deferred_.clear();
    pending_.clear();
    declare_deferred();
  }

  const TokenList& list_;
  const KernelContext& context_;
  bool hoist_;
  std::vector<Guard> guards_;
  Statement body_;
  Variables variables_;
  Checks checks_;
  PhaseWriter writer_;
  std::vector<PhaseItem> pending_;
  std::vector<const Variable*> deferred_;  ///< uniform variables declared in the open phase
  Pieces out_;
};

}  // namespace

std::variant<Pieces, Obstacle> split_kernel(const TokenList& list, const KernelContext& context) {
  Obstacle obstacle{context.body_open, ""};
  for (const bool hoist : {true, false}) {
    try {
      return Splitter(list, context, hoist).run();
    } catch (const NotSplittable& what) {
      obstacle = {what.at, what.why};
    }
  }
  return obstacle;
}

}  // namespace simt::rewrite::split

#include "split.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

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
    choose_carriers();
    open_lambda();
    // What stands before the guards is declarations, and guards may need them.
    const std::span<const Statement> statements(body_.children);
    std::size_t before = 0;
    while (!guards_.empty() && before < statements.size() &&
           statements[before].first < guards_.back().first) {
      ++before;
    }
    write_list(statements.first(before));
    if (!guards_.empty()) writer_.write_guards(guards_, out_);
    write_list(statements.subspan(before));
    close_phase();
    add(out_, " }");
    return std::move(out_);
  }

 private:
  static Statement prepared_body(const TokenList& list, const KernelContext& context, bool hoist,
                                 std::vector<Guard>& guards) {
    Statement body = parse_statements(list, context.body_open);
    if (hoist) {
      if (!body.has_barrier) guards = take_guards(list, body);
      require(mark_long_loops(list, context, body));
    }
    return body;
  }

  // How each variable gets over the barriers.

  void choose_carriers() {
    for (Variable& variable : variables_.all()) {
      if (variable.carrier == Carrier::uniform || variable.carrier == Carrier::strided) continue;
      const int home = variable.is_parameter ? -1 : checks_.phase_of(variable.declarator.name);
      const bool stays = std::all_of(variable.uses.begin(), variable.uses.end(),
                                     [&](Index use) { return checks_.phase_of(use) == home; });
      if (home >= 0 && stays) {
        variable.carrier = Carrier::local;
      } else {
        carry(variable);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Variable& variable : variables_.all()) {
        if (variable.carrier == Carrier::recomputed) changed |= carry_operands(variable);
      }
    }
  }

  void carry(Variable& variable) const {
    if ((variable.pure && operands_stay(variable)) || is_lambda(variable)) {
      variable.carrier = Carrier::recomputed;
      return;
    }
    variable.carrier = Carrier::per_thread;
    require(!variable.in_for_header && !variable.is_reference(list_));
    require(!variable.type_has(list_, "auto") && !variable.type_has(list_, "static"));
    require(!hoist_ || !variable.declarator.is_array());
  }

  /// What is computed again in another phase needs its operands there.
  bool carry_operands(const Variable& variable) {
    bool changed = false;
    const Declarator& d = variable.declarator;
    for (Index i = d.init_first; i < d.init_last; ++i) {
      const Variable* operand = variables_.find(i);
      if (operand == nullptr || operand->carrier != Carrier::local) continue;
      carry(variables_.all()[operand - variables_.all().data()]);
      changed = true;
    }
    return changed;
  }

  /// Is nothing that the initialiser mentions modified while the variable lives?
  bool operands_stay(const Variable& variable) const {
    const Declarator& d = variable.declarator;
    for (Index i = d.init_first; i < d.init_last; ++i) {
      const Variable* operand = variables_.find(i);
      if (operand == nullptr) continue;
      for (const Index at : operand->modifications) {
        if (variable.scope_first <= at && at < variable.scope_last) return false;
      }
      if (operand->pure && !operands_stay(*operand)) return false;
    }
    return true;
  }

  /// `auto f = [&](...) {...};` can be written again in every phase.
  bool is_lambda(const Variable& variable) const {
    const Declarator& d = variable.declarator;
    return variable.modifications.empty() && d.has_init() && list_.is(d.init_first, "=") &&
           list_.is(d.init_first + 1, "[") && list_.is(d.init_first + 2, "&") &&
           list_.is(d.init_first + 3, "]");
  }

  // Writing.

  /// Where none is modified, the lambda's copies are const and the compiler proves it.
  bool modifies_parameters() const {
    return std::any_of(variables_.all().begin(), variables_.all().end(), [](const Variable& v) {
      return v.is_parameter && v.carrier == Carrier::uniform && !v.modifications.empty();
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
    for (const Variable& variable : variables_.all()) {
      if (!variable.is_parameter || variable.carrier != Carrier::per_thread) continue;
      const std::string name(variable.name);
      add(out_, " auto simt_given_" + name + " = " + name + ";");
      declare_storage(variable);
      pending_.push_back({nullptr, &variable});
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
      writer_.enter({&checks_.strided_variable(s), strided_header(list_, s)}, out_);
      write_braced(s.children[0]);
      writer_.leave();
      add(out_, " } }");
      return;
    }
    add(out_, " ");
    if (s.kind != StatementKind::block) {
      Index keyword = s.first;
      while (list_.tokens[keyword].kind == TokenKind::directive) ++keyword;
      add(out_, keyword, s.close + 1);
    }
    if (s.kind == StatementKind::block) {
      write_braced(s);
      return;
    }
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      if (i > 0) add(out_, " else");
      write_braced(s.children[i]);
    }
  }

  void write_braced(const Statement& s) {
    add(out_, " {");
    if (s.kind == StatementKind::block) {
      write_list(s.children);
    } else {
      write_statement(s);
    }
    close_phase();
    add(out_, " }");
  }

  void write_declaration(const Statement& s) {
    for (const Variable& variable : variables_.all()) {
      const Index name = variable.declarator.name;
      if (name < s.first || name >= s.last) continue;
      if (variable.carrier == Carrier::uniform) {
        // It may use what the open phase has no part in, and nothing of the phase's own.
        add(out_, " [[maybe_unused]]");
        writer_.write_declaration(variable, out_);
      } else if (variable.carrier == Carrier::per_thread) {
        declare_storage(variable);
        pending_.push_back({nullptr, &variable});
      } else if (variable.carrier == Carrier::local) {
        pending_.push_back({nullptr, &variable});
      }
    }
  }

  void declare_storage(const Variable& variable) {
    const Declarator& d = variable.declarator;
    const std::string name(variable.name);
    // A parameter declared as an array is a pointer.
    add(out_, " using simt_type_" + name +
                  (variable.is_parameter ? " = ::std::decay_t<" : " = ::std::remove_cv_t<"));
    add(out_, d.type_first, d.type_last);
    add(out_, d.pointer_first, d.name);
    add(out_, d.dims_first, d.dims_last);
    add(out_, ">; simt_type_" + name + "* const simt_all_" + name +
                  " = simt_block.per_thread<simt_type_" + name + ">(" +
                  std::to_string(&variable - variables_.all().data()) + ");");
  }

  void close_phase() {
    writer_.write(pending_, out_);
    pending_.clear();
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
  Pieces out_;
};

}  // namespace

std::optional<Pieces> split_kernel(const TokenList& list, const KernelContext& context) {
  for (const bool hoist : {true, false}) {
    try {
      return Splitter(list, context, hoist).run();
    } catch (const NotSplittable&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace simt::rewrite::split

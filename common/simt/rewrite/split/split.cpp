#include "split/split.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "frontend/analysis.hpp"
#include "split/call_writer.hpp"
#include "split/carriers.hpp"
#include "split/checks.hpp"
#include "split/confirmations.hpp"
#include "split/function_form.hpp"
#include "split/phase.hpp"
#include "split/phase_text.hpp"
#include "split/prepare.hpp"
#include "split/storage.hpp"

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
        last_meeting_(!context.is_function),
        body_(prepared_body(list, context, hoist, guards_)),
        variables_(list, context, body_),
        checks_(list, context, variables_, body_, guards_),
        confirmations_(list, variables_, body_),
        writer_(list, context, variables_),
        calls_(list, context, variables_, body_, confirmations_, writer_) {}

  Pieces run() {
    checks_.run();
    choose_carriers(list_, body_, checks_, variables_, hoist_);
    writer_.find_linear_variables(
        std::min(guards_.empty() ? kNone : guards_.front().first, first_return(body_)));
    if (context_.is_function) {
      writer_.mask_by_inside();
      open_function();
    } else {
      open_lambda();
    }
    const bool leaves = std::any_of(body_.children.begin(), body_.children.end(),
                                    [](const Statement& s) { return s.leaves; });
    if (leaves) {
      add(out_, " bool* const simt_inside = simt_block.per_thread<bool>(" +
                    std::to_string(variables_.all().size()) +
                    "); ::simt::copy_flags(simt_inside, nullptr, simt_nx * simt_ny * simt_nz);"
                    " simt_block.alive = simt_inside;");
      writer_.mask_by_inside();
    }
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
      for (const Guard& guard : guards_) confirmations_.write(guard.first, guard.last, out_);
      writer_.write_guards(guards_, out_);
    }
    write_list(statements.subspan(before));
    close_phase();
    add(out_, " }");
    return with_names(variables_, std::move(out_));
  }

 private:
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
    add(out_, "[=]([[maybe_unused]] ::simt::BlockRun& simt_block, const bool simt_small_grid)" +
                  lambda_specifiers() + " {");
    open_body();
    for (const Variable& variable : variables_.all()) {
      if (!variable.is_parameter || variable.carrier != Carrier::per_thread) continue;
      const std::string name(variable.name);
      add(out_, " auto simt_given_" + name + " = " + name + ";");
      declare_storage(list_, variables_, variable, out_);
      pending_.push_back({nullptr, &variable});
    }
  }

  /// The body of a function, whose parameters are an array each.
  void open_function() {
    add(out_,
        " { ::simt::BlockRun simt_block = simt_caller.inside();"
        " [[maybe_unused]] constexpr bool simt_small_grid = false;");
    open_body();
    for (const Variable& variable : variables_.all()) {
      if (!variable.is_parameter || variable.is_reference) continue;
      if (variable.carrier != Carrier::per_thread) {
        pending_.push_back({nullptr, &variable});
        continue;
      }
      if (is_only_read(variable)) {
        declare_lent(list_, variables_, variable, out_);
      } else {
        declare_storage(list_, variables_, variable, out_);
        pending_.push_back({nullptr, &variable});
      }
      confirm_given(variable, out_);
    }
  }

  /// Whether the caller's copy can be used: nothing changes the variable, and its address is not
  /// taken.
  static bool is_only_read(const Variable& variable) {
    return variable.carrier == Carrier::per_thread && !variable.is_modified() &&
           !variable.is_kept() && !variable.is_pinned();
  }

  void open_body() {
    add(out_,
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
    confirmations_.write_types(out_);
  }

  void write_list(std::span<const Statement> statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      // A pragma before a loop that becomes a loop over phases says nothing any more.
      const bool before_control = statements[i].kind == StatementKind::pragma &&
                                  i + 1 < statements.size() && statements[i + 1].has_barrier;
      if (before_control) continue;
      const bool around =
          std::exchange(last_meeting_, last_meeting_ && !meet_again(statements.subspan(i + 1)));
      write_statement(statements[i]);
      last_meeting_ = around;
    }
  }

  static bool meet_again(std::span<const Statement> statements) {
    return std::any_of(statements.begin(), statements.end(),
                       [](const Statement& s) { return s.has_barrier; });
  }

  void write_statement(const Statement& s) {
    if (s.kind == StatementKind::barrier) {
      close_phase();
    } else if (s.leaves) {
      close_phase();
      writer_.write_leaving(s, out_);
    } else if (s.collective) {
      write_collective(s);
    } else if (s.has_barrier) {
      close_phase();
      write_control(s);
    } else if (s.kind == StatementKind::shared || s.kind == StatementKind::fixed) {
      add(out_, " ");
      add(out_, s.first, s.last);
      if (s.kind == StatementKind::shared) confirmations_.write_shared(s, out_);
    } else if (checks_.is_block_level(s)) {
      close_phase();
      const bool jump = s.kind == StatementKind::if_statement;
      confirmations_.write(jump ? s.open + 1 : s.first, jump ? s.close : s.last - 1, out_);
      add(out_, " ");
      add(out_, s.first, s.last);
    } else if (s.kind == StatementKind::declaration) {
      write_declaration(s);
    } else {
      pending_.push_back({&s, nullptr});
    }
  }

  /// Its calls are made for the whole block; the rest of it is part of the phase behind them.
  void write_collective(const Statement& s) {
    const std::vector<CollectiveCall> calls = checks_.calls(s);
    for (const CollectiveCall& call : calls) {
      close_phase();
      calls_.write(call, out_);
    }
    if (s.kind == StatementKind::return_statement && calls_.is_returned(calls.back())) {
      add(out_, " if constexpr (!" + calls_.has_results_in_place(calls.back()) + ") {");
      pending_.push_back({&s, nullptr});
      close_phase();
      add(out_, " }");
      return;
    }
    if (s.kind == StatementKind::declaration) {
      write_declaration(s);
    } else {
      pending_.push_back({&s, nullptr});
    }
  }

  void write_control(const Statement& s) {
    if (s.masked && !is_asked_once(s)) return write_masked(s);
    if (s.strided) {
      const StridedHeader header = strided_header(list_, s);
      confirmations_.write(header.variable.init_first + 1, header.variable.init_last, out_);
      confirmations_.write(header.condition_first + 2, header.condition_last, out_);
      confirmations_.write(header.step_first, header.step_last, out_);
      writer_.enter({&checks_.strided_variable(s), header}, out_);
      tell_alive();
      const bool around = std::exchange(last_meeting_, false);
      write_braced(s.children[0]);
      last_meeting_ = around;
      writer_.leave();
      add(out_, " } }");
      return;
    }
    add(out_, " ");
    if (s.kind == StatementKind::block) {
      write_braced(s);
      return;
    }
    const bool loop = s.kind != StatementKind::if_statement;
    const bool around = std::exchange(last_meeting_, last_meeting_ && !loop);
    confirmations_.write_header(s, out_);
    Index keyword = s.first;
    while (list_.tokens[keyword].kind == TokenKind::directive) ++keyword;
    writer_.tokens(keyword, s.close + 1, out_);
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      if (i > 0) add(out_, " else");
      write_braced(s.children[i], i == 0 ? &s : nullptr);
    }
    last_meeting_ = around;
  }

  /// Is the condition of an if the same for all threads, beyond what the compiler has confirmed by
  /// now? Then no thread needs a flag, and if the compiler had more to confirm and did not, the
  /// kernel would not be split at all.
  bool is_asked_once(const Statement& s) const {
    return !s.lifted && variables_.is_uniform(s.open + 1, s.close) &&
           variables_.confirmations(s.open + 1, s.close).empty();
  }

  void write_masked(const Statement& s) {
    const int number = calls_.next_slot();
    calls_.next_slot();
    const bool one_branch =
        s.children.size() == 1 || s.children[0].has_barrier != s.children[1].has_barrier;
    const bool around = std::exchange(last_meeting_, last_meeting_ && one_branch);
    if (s.lifted) writer_.omit(s.open, s.close);
    writer_.enter_if(s, number, out_);
    add(out_, " {");
    if (s.children[0].has_barrier) tell_alive();
    write_braced(s.children[0]);
    add(out_, " }");
    writer_.leave_if();
    if (s.children.size() > 1) {
      writer_.enter_else(number, out_);
      add(out_, " {");
      if (s.children[1].has_barrier) tell_alive();
      write_braced(s.children[1]);
      add(out_, " }");
      writer_.leave_if();
    }
    add(out_, " }");
    last_meeting_ = around;
  }

  /// Where threads meet for the last time, those that do not come only have their end before them,
  /// which is as good.
  void tell_alive() {
    if (last_meeting_) add(out_, " simt_block.alive = " + writer_.mask() + ";");
  }

  void write_braced(const Statement& s, const Statement* control = nullptr) {
    add(out_, " {");
    if (control != nullptr) confirmations_.write_inside(*control, out_);
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
      if (variable.is_parameter || name < s.first || name >= s.last) continue;
      if (variable.carrier == Carrier::uniform || variable.carrier == Carrier::recomputed ||
          variable.pure) {
        const auto [first, last] = initial_value(list_, variable.declarator);
        confirmations_.write(first, last, out_);
      }
      writer_.confirm_linear(variable, deferred_, out_);
      if (variable.carrier == Carrier::uniform) {
        write_uniform(variable);
      } else if (variable.carrier == Carrier::per_thread) {
        declare_storage(list_, variables_, variable, out_);
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
    confirmations_.write_number(variable.declarator, out_);
  }

  void declare_deferred() {
    for (const Variable* variable : deferred_) declare_uniform(*variable);
    deferred_.clear();
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
  bool last_meeting_;  ///< no thread meets others behind what is written now
  std::vector<Guard> guards_;
  Statement body_;
  Variables variables_;
  Checks checks_;
  ConfirmationWriter confirmations_;
  PhaseWriter writer_;
  CallWriter calls_;
  std::vector<PhaseItem> pending_;
  std::vector<const Variable*> deferred_;  ///< uniform variables declared in the open phase
  Pieces out_;
};

}  // namespace

std::variant<Pieces, Obstacle> split_function(const TokenList& list, const KernelContext& context,
                                              const Function& function, bool overloaded) {
  try {
    Pieces out = form_head(list, context, function, overloaded);
    Pieces body = Splitter(list, context, false).run();
    out.insert(out.end(), std::make_move_iterator(body.begin()),
               std::make_move_iterator(body.end()));
    add(out, " }");
    return out;
  } catch (const NotSplittable& what) {
    return Obstacle{what.at, what.why};
  }
}

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

#include "split/split.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "frontend/analysis.hpp"
#include "split/carriers.hpp"
#include "split/checks.hpp"
#include "split/function_form.hpp"
#include "split/hoist.hpp"
#include "split/phase.hpp"
#include "split/phase_text.hpp"
#include "split/words.hpp"

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
        writer_(list, context, variables_) {}

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
      for (const Guard& guard : guards_) confirm(guard.first, guard.last);
      writer_.write_guards(guards_, out_);
    }
    write_list(statements.subspan(before));
    close_phase();
    add(out_, " }");
    return with_names(std::move(out_));
  }

 private:
  /// Where a variable has another name than in the source, the rest of it behind each mention.
  Pieces with_names(Pieces pieces) const {
    const auto& all = variables_.all();
    if (std::none_of(all.begin(), all.end(), [](const Variable& v) { return v.is_renamed(); })) {
      return pieces;
    }
    Pieces result;
    for (Piece& piece : pieces) {
      if (piece.first == kNone) {
        result.push_back(std::move(piece));
        continue;
      }
      Index first = piece.first;
      for (Index i = first; i < piece.last; ++i) {
        const Variable* variable = variables_.find(i);
        if (variable == nullptr || !variable->is_renamed()) continue;
        add(result, first, i + 1);
        add(result, std::string(variable->name.substr(variable->spelled.size())));
        first = i + 1;
      }
      add(result, first, piece.last);
    }
    return result;
  }

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
    const bool meets = context.collectives != nullptr;
    if (context.is_function) nest_behind_returns(body);
    if (meets) {
      lift_conditions(list, *context.collectives, body);
      mark_collectives(list, *context.collectives, body);
    }
    if (hoist) {
      require(!body.has_barrier || !meets || body.block_barrier, body.first,
              "calls in which threads meet");
      if (!body.has_barrier) guards = take_guards(list, body);
      require(mark_long_loops(list, context, body), body.first,
              "no loop that is the same for all threads");
    } else if (meets) {
      // Threads that have ended count as arrived at all barriers.
      if (!context.is_function) mark_leaving(body);
      mark_loops_of_warps(list, body);
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
    add(out_, "[=]([[maybe_unused]] ::simt::BlockRun& simt_block, const bool simt_small_grid)" +
                  lambda_specifiers() + " {");
    open_body();
    for (const Variable& variable : variables_.all()) {
      if (!variable.is_parameter || variable.carrier != Carrier::per_thread) continue;
      const std::string name(variable.name);
      add(out_, " auto simt_given_" + name + " = " + name + ";");
      declare_storage(variable);
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
      if (is_only_read(variable)) {
        declare_type(variable);
        const std::string name(variable.name);
        add(out_, " const auto& simt_all_" + name + " = simt_given_" + name + ";");
        continue;
      }
      if (variable.carrier == Carrier::per_thread) declare_storage(variable);
      pending_.push_back({nullptr, &variable});
    }
  }

  /// May it lie where other code has it? Nobody changes it, nor has its address.
  static bool is_only_read(const Variable& variable) {
    return variable.carrier == Carrier::per_thread && !variable.is_modified() &&
           !variable.is_kept() && !variable.stable && !variable.is_placed;
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
    for (const auto& [first, last] : variables_.value_types()) {
      add(out_, " static_assert(::simt::kIsSplitValue<");
      add(out_, first, last);
      add(out_, std::string(">") + kConfirmed);
    }
    confirm_memory();
  }

  /// That memory holds no addresses matters where the address of a variable is passed on that does
  /// not stay in its place, as a parameter does that the whole block shares.
  bool relies_on_memory() const {
    const auto& all = variables_.all();
    return std::any_of(all.begin(), all.end(), [](const Variable& v) {
      return v.is_kept() && !v.stable && !(v.is_parameter && v.carrier == Carrier::uniform);
    });
  }

  void confirm_memory() {
    if (!relies_on_memory()) return;
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
      if (s.kind == StatementKind::fixed || !relies_on_memory()) return;
      for (const Index alias : variables_.aliases_in_shared(s)) {
        add(out_, " static_assert(::simt::holds_no_address<");
        add(out_, alias, alias + 1);
        add(out_, std::string(">()") + kConfirmed);
      }
    } else if (checks_.is_block_level(s)) {
      close_phase();
      const bool jump = s.kind == StatementKind::if_statement;
      confirm(jump ? s.open + 1 : s.first, jump ? s.close : s.last - 1);
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
    for (const CollectiveCall& call : checks_.calls(s)) {
      close_phase();
      write_call(call);
    }
    if (s.kind == StatementKind::declaration) {
      write_declaration(s);
    } else {
      pending_.push_back({&s, nullptr});
    }
  }

  void write_call(const CollectiveCall& call) {
    const std::string number = std::to_string(call.first - body_.first);
    const std::string result = "simt_result_" + number, type = result + "_type";
    std::string declared, given;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const std::string name = "simt_argument_" + number + "_" + std::to_string(i);
      write_argument(call, i, name);
      const bool place = context_.collectives->is_reference(list_.view(call.name), i);
      declared += i == 0 ? "" : ", ";
      declared += (place ? "*::std::declval<" : "::std::declval<") + name + "_type&>()";
      given += ", " + name;
    }
    add(out_, " using " + type + " = decltype(");
    add(out_, call.first, call.callee_last);
    add(out_, "(" + declared + ")); ::simt::Result<" + type + ">* const " + result +
                  " = simt_block.per_thread<::simt::Result<" + type + ">>(" +
                  std::to_string(next_slot()) + "); ");
    add(out_, call.first, call.name);
    add(out_, "simt_all_" + std::string(list_.view(call.name)));
    add(out_, call.name + 1, call.callee_last);
    const std::string flags = writer_.mask();
    add(out_, "(simt_block, " + (flags.empty() ? "::simt::detail::kAllInside.data()" : flags) +
                  ", " + result + given + ");");
    writer_.replace_call(call, "::simt::result_of<" + type + ">(" + result + kOwn + ")");
  }

  /// Declares NAME, which has an argument's value for each thread t as NAME[t], or the address of
  /// what a reference refers to, and its type NAME_type.
  void write_argument(const CollectiveCall& call, std::size_t number, const std::string& name) {
    const auto [first, last] = call.arguments[number];
    const std::string_view callee = list_.view(call.name);
    const bool intrinsic = collective_intrinsics().contains(callee);
    const bool place = context_.collectives->is_reference(callee, number);
    const bool may_be_shared =
        intrinsic || context_.collectives->takes_shared_argument(callee, number);
    const Variable* variable = last == first + 1 ? variables_.find(first) : nullptr;
    if (may_be_shared && !place && variables_.is_uniform(first, last)) {
      if (variable != nullptr) {
        // Only copied: an enumeration will do.
        add(out_, " static_assert(::simt::kIsSplitConstant<decltype(");
        add(out_, first, last);
        add(out_, std::string(")>") + kConfirmed);
      } else {
        confirm(first, last);
      }
      add(out_, " const ::simt::SameForAll " + name + "{");
      add(out_, first, last);
      add(out_, "}; using " + name + "_type = ::std::decay_t<decltype(" + name + ".value)>;");
    } else if (intrinsic && place && writer_.is_stored(first, last)) {
      writer_.write_places(name, first, last, out_);
    } else if (!place && variable != nullptr && is_lent(*variable, callee)) {
      add(out_, " const auto& " + name + " = simt_all_" + std::string(variable->name) + "; using " +
                    name + "_type = ::std::decay_t<decltype(" + name + "[0])>;");
    } else {
      writer_.write_argument(name, first, last, place, next_slot(), out_);
    }
  }

  /// May a call read a variable where it lies? It changes none, and nobody has the address of this.
  bool is_lent(const Variable& variable, std::string_view callee) const {
    return variable.carrier == Carrier::per_thread && !variable.is_reference &&
           !variable.declarator.is_array() && !variable.stable && !variable.is_placed &&
           (collective_intrinsics().contains(callee) ||
            !context_.collectives->has_references(callee));
  }

  /// Slots of variables come first, and the flags of strided loops.
  int next_slot() {
    const auto slot = static_cast<int>(2 * variables_.all().size()) + 2 + more_slots_++;
    require(slot < kMostSlots, body_.first, "too many calls in which threads meet");
    return slot;
  }

  void write_control(const Statement& s) {
    if (s.masked) return write_masked(s);
    if (s.strided) {
      const StridedHeader header = strided_header(list_, s);
      confirm(header.variable.init_first + 1, header.variable.init_last);
      confirm(header.condition_first + 2, header.condition_last);
      confirm(header.step_first, header.step_last);
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
    confirm_header(s);
    Index keyword = s.first;
    while (list_.tokens[keyword].kind == TokenKind::directive) ++keyword;
    writer_.tokens(keyword, s.close + 1, out_);
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      if (i > 0) add(out_, " else");
      write_braced(s.children[i], i == 0 ? &s : nullptr);
    }
    last_meeting_ = around;
  }

  void write_masked(const Statement& s) {
    const int number = next_slot();
    next_slot();
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
      confirm(header.first_semicolon + 1, header.condition_last);
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
    declare_type(variable);
    const std::string name(variable.name);
    add(out_, " simt_type_" + name + "* const simt_all_" + name +
                  " = simt_block.per_thread<simt_type_" + name + ">(" +
                  std::to_string(&variable - variables_.all().data()) + ");");
  }

  /// What an element of its array is.
  void declare_type(const Variable& variable) {
    const Declarator& d = variable.declarator;
    const std::string name(variable.name);
    if (variable.is_reference) {
      const bool deduced = variable.has_type(list_, "auto");
      const bool constant = variable.has_type(list_, "const");
      add(out_, " using simt_type_" + name + " = ::std::add_pointer_t<" +
                    (deduced && constant ? "const " : "") +
                    (deduced ? "::std::remove_reference_t<decltype((" : ""));
      if (deduced) {
        add(out_, d.init_first + 1, d.init_last);
        add(out_, "))>");
      } else {
        add(out_, d.type_first, d.type_last);
        add(out_, d.dims_first, d.dims_last);
      }
    } else if (variable.has_type(list_, "auto")) {
      add(out_, " using simt_type_" + name + " = ::std::decay_t<decltype(");
      add(out_, d.init_first + 1, d.init_last);
      add(out_, ")");
    } else {
      // A parameter declared as an array is a pointer.
      add(out_, " using simt_type_" + name +
                    (variable.is_parameter ? " = ::simt::unrestricted_t<::std::decay_t<"
                                           : " = ::simt::unrestricted_t<::std::remove_cv_t<"));
      add(out_, d.type_first, d.type_last);
      add(out_, d.pointer_first, d.name);
      add(out_, d.dims_first, d.dims_last);
      add(out_, ">");
    }
    add(out_,
        ">; static_assert(::std::is_trivially_destructible_v<simt_type_" + name + ">" + kConfirmed);
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

  static constexpr int kMostSlots = 1024;  // of simt::BlockRun

  const TokenList& list_;
  const KernelContext& context_;
  bool hoist_;
  int more_slots_ = 0;
  bool last_meeting_;  ///< no thread meets others behind what is written now
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

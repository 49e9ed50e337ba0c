// Inline PTX in device code, and clock(), which is another function there.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "passes/passes.hpp"
#include "ptx/instruction.hpp"

namespace simt::rewrite {
namespace {

bool is_asm(std::string_view word) { return word == "asm" || word == "__asm__" || word == "__asm"; }

/// One operand: its constraint, such as "+r", and its expression.
struct Operand {
  std::string constraint;
  Index first = kNone;
  Index last = kNone;
};

/// `asm volatile ("text" : outputs : inputs : clobbers)`.
struct Statement {
  Index open = kNone;
  std::string text;
  std::vector<Operand> operands;
  std::vector<ptx::Instruction> instructions;
  bool is_held = false;           ///< check mode looks at the registers of its products
  std::set<std::size_t> factors;  ///< operands that are such registers of A
};

/// What a string literal says, with its escapes done.
std::string content(std::string_view literal) {
  const bool raw = literal.front() == 'R';
  literal = literal.substr(literal.find('"') + 1);
  literal = literal.substr(0, literal.rfind('"'));
  if (raw) {
    literal = literal.substr(literal.find('(') + 1);
    return std::string(literal.substr(0, literal.rfind(')')));
  }
  std::string text;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    const char c = literal[++i];
    text += c == 'n' ? '\n' : c == 't' || c == 'r' ? ' ' : c;
  }
  return text;
}

Index open_of_asm(const TokenList& list, Index i) {
  Index open = i + 1;
  while (list.is_identifier(open)) ++open;
  return list.is(open, "(") && list.match[open] != kNone ? open : kNone;
}

std::string text_of_asm(const TokenList& list, Index open) {
  std::string text;
  for (Index k = open + 1; k < list.size() && list[k].kind == TokenKind::string; ++k) {
    text += content(list.view(k));
  }
  // A number that no other statement has: names belong to their statement here.
  for (std::size_t at; (at = text.find("%=")) != std::string::npos;) text.erase(at, 2);
  return text;
}

bool says_nothing(std::string_view text) {
  return text.find_first_not_of(" \t\n;") == std::string_view::npos;
}

/// The C++ type of the register that a constraint names; empty if it is none.
std::string_view register_type(char constraint) {
  switch (constraint) {
    case 'h':
      return "::simt::ptx::u16";
    case 'r':
      return "::simt::ptx::u32";
    case 'l':
      return "::simt::ptx::u64";
    case 'f':
      return "float";
    case 'd':
      return "double";
    default:
      return {};
  }
}

class Assembly {
 public:
  explicit Assembly(const Context& context) : context_(context), list_(context.list) {}

  void run() {
    mark_device_code();
    for (const Function& function : context_.source.functions) own_.insert(function.name);
    for (Index i = 0; i < list_.size(); ++i) {
      if (list_.is_system(i) || !list_.is_identifier(i)) continue;
      if (is_asm(list_.view(i))) {
        assembly(i);
      } else if (list_.is(i, "clock") && in_device_code_[i]) {
        clock(i);
      }
    }
  }

 private:
  void mark_device_code() {
    in_device_code_.assign(list_.size(), false);
    is_compiled_if_used_.assign(list_.size(), false);
    for (const Function& function : context_.source.functions) {
      if (!function.has_body()) continue;
      const auto mark = [&](std::vector<bool>& marks) {
        std::fill(marks.begin() + function.body_open, marks.begin() + function.body_close, true);
      };
      if (function.is_device_code()) mark(in_device_code_);
      if (is_compiled_if_used(list_, function)) mark(is_compiled_if_used_);
    }
  }

  void clock(Index i) {
    const bool call = list_.is(i + 1, "(") && list_.is(i + 2, ")");
    const bool member = list_.is(i - 1, ".") || list_.is(i - 1, "->") || list_.is(i - 1, "::");
    if (call && !member && own_.count(list_.view(i)) == 0) {
      context_.edits.replace(i, "::simt::device_clock");
    }
  }

  void assembly(Index i) {
    Statement statement;
    statement.open = open_of_asm(list_, i);
    if (statement.open == kNone) return;
    statement.text = text_of_asm(list_, statement.open);
    // An empty instruction string orders memory accesses and means the same here.
    if (says_nothing(statement.text)) return;
    if (!in_device_code_[i] && !looks_like_ptx(statement.text)) return;
    read_operands(statement);
    statement.instructions = ptx::parse(statement.text);
    if (context_.options.watched) find_held(i, statement);
    Pieces pieces = translate(i, statement);
    if (!pieces.empty()) {
      context_.edits.replace(i, list_.match[statement.open] + 1, std::move(pieces));
    }
  }

  /// For functions that the host may run too, whose assembly may be the host's: of that no
  /// instruction has a dot within its name, of PTX nearly all have.
  static bool looks_like_ptx(std::string_view text) {
    const std::vector<ptx::Instruction> instructions = ptx::parse(text);
    return std::any_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
      const std::size_t dot = instruction.opcode.find('.');
      return dot != std::string::npos && dot > 0;
    });
  }

  /// `: "=r"(a), "+l"(b) : "r"(c)`; what follows the second colon's list is clobbered.
  void read_operands(Statement& statement) const {
    const Index close = list_.match[statement.open];
    int colons = 0;
    for (Index k = statement.open + 1; k < close; ++k) {
      if (list_.is(k, ":")) {
        ++colons;
      } else if (list_.is(k, "::")) {
        colons += 2;
      } else if (colons > 0 && colons < 3 && list_[k].kind == TokenKind::string &&
                 list_.is(k + 1, "(") && list_.match[k + 1] != kNone) {
        const Index end = list_.match[k + 1];
        statement.operands.push_back({content(list_.view(k)), k + 2, end});
        k = end;
      }
    }
  }

  /// `why` may say what is supported. A header's function that is compiled only where it is used is
  /// refused there: headers wrap all instructions that there are.
  Pieces refuse(Index i, const std::string& what, const std::string& why = {}) const {
    const std::string reason = why.empty() ? "" : ": " + why;
    const std::string message = what + " is not supported on the CPU backend" + reason;
    if (is_compiled_if_used_[i]) {
      return {new_text_at(i, "do { [[gnu::error(\"" + message + "\")]] void simt_instruction(); " +
                                 "simt_instruction(); } while (false)")};
    }
    context_.error(i, message);
    return {};
  }

  Pieces translate(Index i, const Statement& statement) const {
    Pieces pieces = {new_text("do { ")};
    if (const Operand* const unknown = declare_operands(statement, pieces)) {
      return refuse(i, "the PTX constraint '" + unknown->constraint + "'");
    }
    declare_labels(statement.instructions, pieces);
    Pieces refused;
    bool is_refused = false;
    for (const ptx::Instruction& instruction : statement.instructions) {
      const ptx::Translation done = ptx::translate(instruction);
      if (done.text.empty()) {
        is_refused = true;
        for (Piece& piece : refuse(i, "PTX instruction '" + instruction.opcode + "'", done.why)) {
          refused.push_back(std::move(piece));
        }
        continue;
      }
      pieces.push_back(new_text_at(i, done.text + ' '));
      if (statement.is_held && starts_product(instruction)) {
        hold_registers(i, statement, instruction, pieces);
      }
    }
    if (is_refused) return refused;
    give_results(statement, pieces);
    pieces.push_back(new_text("} while (false)"));
    return pieces;
  }

  /// Check mode does not look at copies between the registers of a product and its variables.
  static Piece look_away(bool begins) {
    return new_text(std::string("::simt::watch_registers(") + (begins ? "true); " : "false); "));
  }

  /// Returns the first that has no form here, or null. Outputs come before the others.
  static const Operand* declare_operands(const Statement& statement, Pieces& pieces) {
    if (statement.is_held) pieces.push_back(look_away(true));
    bool looks_away = statement.is_held;
    for (std::size_t number = 0; number < statement.operands.size(); ++number) {
      const Operand& operand = statement.operands[number];
      if (looks_away && !is_output(operand)) {
        pieces.push_back(look_away(false));
        looks_away = false;
      }
      const bool is_factor = statement.factors.contains(number);
      if (!declare(operand, number, is_factor, pieces)) return &operand;
    }
    if (looks_away) pieces.push_back(look_away(false));
    return nullptr;
  }

  static void give_results(const Statement& statement, Pieces& pieces) {
    if (statement.is_held) pieces.push_back(look_away(true));
    for (std::size_t number = 0; number < statement.operands.size(); ++number) {
      const Operand& operand = statement.operands[number];
      if (!is_output(operand)) continue;
      pieces.push_back(new_text("::simt::ptx::out("));
      pieces.push_back(source(operand.first, operand.last));
      pieces.push_back(new_text(", simt_" + std::to_string(number) + "); "));
    }
    if (statement.is_held) pieces.push_back(look_away(false));
  }

  static bool is_output(const Operand& operand) {
    return operand.constraint.find_first_of("=+") != std::string::npos;
  }
  static bool starts_product(const ptx::Instruction& instruction) {
    return instruction.opcode.starts_with("wgmma.mma_async");
  }

  /// Finds out whether a statement has products, and which operands are registers of their A.
  void find_held(Index i, Statement& statement) const {
    for (const ptx::Instruction& instruction : statement.instructions) {
      if (!starts_product(instruction)) continue;
      statement.is_held = true;
      for (const std::size_t number : ptx::factors_of(instruction)) {
        if (number >= statement.operands.size()) continue;
        const Operand& operand = statement.operands[number];
        if (operand.constraint == "r" && !is_own_copy(i, operand)) {
          statement.factors.insert(number);
        }
      }
    }
  }

  /// Is it a parameter by value, or a variable, of a function that multiplies for a kernel? Such a
  /// copy is no more than a name for a register of the caller's.
  bool is_own_copy(Index i, const Operand& operand) const {
    const Function* const function = enclosing_function(context_.source, i);
    if (function == nullptr || function->specifiers.global) return false;
    for (Index name = operand.first; name < operand.last; ++name) {
      if (!list_.is_identifier(name)) continue;
      for (Index k = function->params_open + 1; k < i; ++k) {
        if (list_.view(k) == list_.view(name) && is_declared_by_value(*function, k)) return true;
      }
    }
    return false;
  }

  /// Is the name at k one of a declaration: behind a type, and not a pointer or reference?
  bool is_declared_by_value(const Function& function, Index k) const {
    const std::string_view before = list_.view(k - 1), behind = list_.view(k + 1);
    const bool follows_type = before == ">" || (list_.is_identifier(k - 1) && before != "return");
    const bool is_array = behind == "[" && k > function.params_close;
    return follows_type && (is_array || behind == "=" || behind == ";" || behind == "," ||
                            behind == ")" || behind == "{");
  }

  /// Tells which variables the registers of a product are, until it is waited for.
  static void hold_registers(Index i, const Statement& statement, const ptx::Instruction& product,
                             Pieces& pieces) {
    std::size_t sums = 0, factors = 0;
    pieces.push_back(new_text(ptx::condition_of(product) +
                              "{ ::simt::watch_registers(true); void* const simt__sums[] = {"));
    for (const Operand& operand : statement.operands) {
      const char type = operand.constraint.back();
      if (!is_output(operand) || (type != 'f' && type != 'r')) continue;
      pieces.push_back(new_text(std::string(sums++ == 0 ? "" : ", ") + "::simt::ptx::place("));
      pieces.push_back(source(operand.first, operand.last));
      pieces.push_back(new_text(")"));
    }
    std::string text = sums == 0 ? "nullptr}; " : "}; ";
    text += "const void* const simt__factors[] = {";
    for (const std::size_t number : ptx::factors_of(product)) {
      if (!statement.factors.contains(number)) continue;
      const std::string name = reference_name(number);
      text += factors++ == 0 ? "" : ", ";
      text += "::simt::ptx::factor_place<decltype(" + name + ")>(" + name + ')';
    }
    text += factors == 0 ? "nullptr}; " : "}; ";
    const std::string shape = product.parts.size() > 4 ? product.parts[4] : "";
    pieces.push_back(
        new_text_at(i, text + "::simt::watch_registers(false); ::simt::ptx::hold_registers({\"" +
                           shape + "\", simt__sums, " + std::to_string(sums) + ", simt__factors, " +
                           std::to_string(factors) + "}); } "));
  }

  /// Of what an operand is, as no register of PTX is called here.
  static std::string reference_name(std::size_t number) {
    return "simt__at" + std::to_string(number);
  }

  /// Labels belong to their statement: a function may have them twice.
  static void declare_labels(const std::vector<ptx::Instruction>& instructions, Pieces& pieces) {
    std::string labels;
    for (const ptx::Instruction& instruction : instructions) {
      if (!instruction.is_label()) continue;
      labels +=
          (labels.empty() ? "__label__ " : ", ") + ptx::label_name(instruction.operands.front());
    }
    if (!labels.empty()) pieces.insert(pieces.begin() + 1, new_text(labels + "; "));
  }

  /// A variable for the register of an operand, with its value where it is read.
  static bool declare(const Operand& operand, std::size_t number, bool is_factor, Pieces& pieces) {
    const std::string name = "simt_" + std::to_string(number);
    const char letter = operand.constraint.back();
    const bool read = operand.constraint.find('=') == std::string::npos;
    const std::string_view type = register_type(letter);
    if (type.empty() && letter != 'n') return false;
    std::string head = "[[maybe_unused]] ";
    head += letter == 'n' ? "const auto" : std::string(type);
    head += ' ' + name;
    if (!read) {
      pieces.push_back(new_text(head + "{}; "));
      return true;
    }
    head += letter == 'n' ? " = (" : " = ::simt::ptx::in<" + std::string(type) + ">(";
    if (is_factor) {
      pieces.push_back(new_text("auto&& " + reference_name(number) + " = ("));
      pieces.push_back(source(operand.first, operand.last));
      pieces.push_back(new_text("); " + head + reference_name(number) + "); "));
      return true;
    }
    pieces.push_back(new_text(head));
    pieces.push_back(source(operand.first, operand.last));
    pieces.push_back(new_text("); "));
    return true;
  }

  const Context& context_;
  const TokenList& list_;
  std::vector<bool> in_device_code_;       ///< tokens of bodies that only the device runs
  std::vector<bool> is_compiled_if_used_;  ///< tokens of bodies of such functions
  NameSet own_;
};

}  // namespace

bool is_instruction(const TokenList& list, Index i) {
  if (!is_asm(list.view(i))) return false;
  const Index open = open_of_asm(list, i);
  return open != kNone && !says_nothing(text_of_asm(list, open));
}

void rewrite_assembly(const Context& context) { Assembly(context).run(); }

}  // namespace simt::rewrite

// What the compiler's messages about a program with marks mean: see sides.hpp.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

#include "passes/host_functions.hpp"
#include "passes/merge.hpp"
#include "passes/sides.hpp"

namespace simt::rewrite {
namespace {

/// `FILE:LINE:COLUMN: KIND: TEXT`.
struct Message {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string kind;
  std::string text;
};

bool parse_message(const std::string& text, Message& message) {
  for (const char* kind : {": warning: ", ": error: ", ": note: "}) {
    const std::size_t at = text.find(kind);
    if (at == std::string::npos) continue;
    const std::size_t column = text.rfind(':', at - 1);
    const std::size_t line = column == std::string::npos ? column : text.rfind(':', column - 1);
    if (line == std::string::npos || line == 0) return false;
    message.file = text.substr(0, line);
    message.line = static_cast<unsigned>(std::strtoul(text.c_str() + line + 1, nullptr, 10));
    message.column = static_cast<unsigned>(std::strtoul(text.c_str() + column + 1, nullptr, 10));
    message.kind = std::string(kind).substr(2, std::string(kind).size() - 4);
    message.text = text.substr(at + std::string(kind).size());
    return true;
  }
  return false;
}

class Judge {
 public:
  Judge(const Source& source) : source_(source), list_(*source.list), sides_(code_sides(source)) {}

  /// False if the message says that the program does not compile.
  bool judge(const Message& message) {
    if (message.kind == "note") {
      if (std::exchange(lambda_used_, false)) lambda(token_at(message));
      return true;
    }
    const bool initialiser = message.text.find("constant initializer") != std::string::npos;
    // The compiler reports an initial value that is no constant twice.
    const bool constant = message.text.find("constant expression") != std::string::npos ||
                          message.text.find("call to non-") != std::string::npos;
    if (message.kind == "error" && !initialiser) return constant;
    const Index i = token_at(message);
    if (i == kNone || list_.is_system(i)) return true;
    const Side side = sides_[i];
    if (initialiser) {
      refuse(i,
             "a variable of device code whose initial value is no constant; give it its value in "
             "a kernel, or with cudaMemcpyToSymbol");
    } else if (message.text.find("variable length array") != std::string::npos) {
      if (side != Side::host) {
        refuse(i,
               "an array whose size is known only at run time, in device code; make the size a "
               "constant or a template argument");
      }
    } else if (!is_unevaluated(i)) {
      used(i, side, message.text);
    }
    return true;
  }

  std::vector<std::string> errors() && { return std::move(errors_); }

 private:
  void used(Index i, Side side, const std::string& text) {
    // 'int f(int)' is deprecated: simt:host [-Wdeprecated-declarations]
    const std::string what = text.substr(0, text.find(" is deprecated"));
    const auto is = [&](const char* mark) { return text.find(mark) != std::string::npos; };
    if (side == Side::device && is("simt:host")) {
      refuse(i, "the host function " + what +
                    " in device code; make it __device__ (__host__ __device__ if the host calls it "
                    "too)");
    } else if (side == Side::device && is("simt:lambda")) {
      lambda_used_ = true;  // the note that comes next says where it is
    } else if (side == Side::device && is("simt:variable")) {
      refuse(i, "the host's variable " + what +
                    " in device code; pass its value to the kernel, or make it __device__ or "
                    "__constant__");
    } else if (side != Side::device && is("simt:device") && is_call(i, what) && is_one_sided(i)) {
      refuse(i, "the device function " + what +
                    " in code of the host; make it __host__ __device__, or call it in a kernel");
    }
  }

  void lambda(Index i) {
    if (i == kNone) return;
    refuse(i, "a lambda of the host's that device code calls; write `[=] __device__ (...) {...}`");
  }

  /// A function's name alone may be an address for the device. Constructors, destructors and
  /// operators are called without it.
  bool is_call(Index i, const std::string& what) const {
    // The compiler points at the name, or at the parenthesis behind it.
    if (list_.is(i, "(")) {
      const Index open = list_.is(i - 1, ">") ? find_template_open(list_, i - 1) : i;
      i = (open == kNone ? i : open) - 1;
    }
    if (what.find("<lambda") != std::string::npos) return list_.is(i + 1, "(");
    const std::string head = what.substr(0, what.find('('));
    const std::size_t before = head.find_last_of(" :'");
    const std::string name = before == std::string::npos ? head : head.substr(before + 1);
    if (head.find("operator") != std::string::npos || name.starts_with("~")) return true;
    if (head.ends_with(name + "::" + name)) return true;
    return list_.is(i, name) && (list_.is(i + 1, "(") || list_.is(i + 1, "<"));
  }

  /// Not so in a template for both sides, or one whose body differs.
  bool is_one_sided(Index i) const {
    const Function* function = enclosing_function(source_, i);
    if (function == nullptr || sides_[i] == Side::host) return function != nullptr;
    if (function->is_template || function->scope.in_template || function->specifiers.is_constexpr) {
      return false;
    }
    for (Index k = function->body_open; k < function->body_close; ++k) {
      if (list_.is(k, "on_device") && list_.is(k - 1, "::")) return false;
    }
    return true;
  }

  bool is_unevaluated(Index i) const {
    for (Index k = i; k-- > 1;) {
      if ((list_.is(k, ")") || list_.is(k, "}")) && list_.match[k] != kNone) {
        k = list_.match[k];
      } else if (list_.is(k, "(")) {
        const std::string_view before = list_.view(k - 1);
        if (before == "sizeof" || before == "decltype" || before == "noexcept" ||
            before == "alignof" || before == "requires" || before == "static_assert") {
          return true;
        }
      } else if (list_.is(k, ";") || list_.is(k, "{")) {
        return false;
      }
    }
    return false;
  }

  unsigned column_of(Index i) const {
    const std::size_t before = list_.text.rfind('\n', list_[i].begin);
    return list_[i].begin - (before == std::string_view::npos ? 0 : before + 1) + 1;
  }

  /// The token at a place, or the last before it in its line.
  Index token_at(const Message& message) const {
    Index found = kNone;
    unsigned nearest = 0;
    for (Index i = 0; i < list_.size(); ++i) {
      if (list_[i].line != message.line || list_.origins[list_[i].origin].name != message.file) {
        continue;
      }
      const unsigned column = column_of(i);
      if (column <= message.column && column >= nearest) {
        found = i;
        nearest = column;
      }
    }
    return found;
  }

  void refuse(Index i, const std::string& what) {
    const std::string place = list_.place(i);
    if (places_.insert(place).second) errors_.push_back(place + ": error: nvcc refuses: " + what);
  }

  const Source& source_;
  const TokenList& list_;
  std::vector<Side> sides_;
  bool lambda_used_ = false;
  std::set<std::string> places_;
  std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> find_wrong_sides(std::string_view host, std::string_view device,
                                          const std::string& messages) {
  const std::string merged = device.empty() ? std::string() : merge_passes(host, device);
  const TokenList list = lex(device.empty() ? host : merged);
  const Source source = parse(list);
  Judge judge(source);
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    Message message;
    if (parse_message(line, message) && !judge.judge(message)) return {};
  }
  return std::move(judge).errors();
}

}  // namespace simt::rewrite

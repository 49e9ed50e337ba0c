#include "split/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "frontend/analysis.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

struct NotUnderstood {};

/// How tightly a binary operator binds; 0 for anything else.
int precedence(std::string_view op) {
  static constexpr std::array<std::pair<std::string_view, int>, 18> table{{
      {"||", 1},
      {"&&", 2},
      {"|", 3},
      {"^", 4},
      {"&", 5},
      {"==", 6},
      {"!=", 6},
      {"<", 7},
      {">", 7},
      {"<=", 7},
      {">=", 7},
      {"<<", 8},
      {">>", 8},
      {"+", 9},
      {"-", 9},
      {"*", 10},
      {"/", 10},
      {"%", 10},
  }};
  for (const auto& [name, level] : table) {
    if (name == op) return level;
  }
  return 0;
}

bool is_assignment(std::string_view op) {
  return any_of(op, {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});
}

/// How many tokens an operator takes.
Index width(std::string_view op) { return op.starts_with(">") ? static_cast<Index>(op.size()) : 1; }

class Parser {
 public:
  Parser(const TokenList& list, Index last, const KindOfName& kind_of_name)
      : list_(list), last_(last), kind_of_name_(kind_of_name) {}

  Node whole(Index first) {
    at_ = first;
    Node node = comma();
    if (at_ != last_) throw NotUnderstood{};
    return node;
  }

 private:
  bool is(std::string_view word) const { return at_ < last_ && list_.is(at_, word); }
  std::string_view op() const { return at_ < last_ ? operator_at(list_, at_) : ""; }
  bool identifier() const { return at_ < last_ && list_.is_identifier(at_); }

  void expect(std::string_view word) {
    if (!is(word)) throw NotUnderstood{};
    ++at_;
  }

  Node made(NodeKind kind, Index first, Index token, std::vector<Node> children) const {
    return {kind, first, at_, token, kNone, kNone, std::move(children)};
  }

  Node comma() {
    const Index first = at_;
    Node left = assignment();
    while (is(",")) {
      const Index token = at_++;
      Node right = assignment();
      left = made(NodeKind::comma, first, token, {std::move(left), std::move(right)});
    }
    return left;
  }

  Node assignment() {
    const Index first = at_;
    if (is("{")) return braces(NodeKind::braces, first);
    Node left = binary(1);
    if (is("?")) {
      const Index token = at_++;
      Node middle = comma();
      expect(":");
      Node right = assignment();
      return made(NodeKind::conditional, first, token,
                  {std::move(left), std::move(middle), std::move(right)});
    }
    if (!is_assignment(op())) return left;
    const Index token = at_;
    at_ += width(op());
    Node right = assignment();
    return made(NodeKind::assign, first, token, {std::move(left), std::move(right)});
  }

  Node binary(int level) {
    const Index first = at_;
    Node left = prefix();
    while (true) {
      const std::string_view word = op();
      const int tightness = precedence(word);
      if (tightness == 0 || tightness < level) return left;
      const Index token = at_;
      at_ += width(word);
      Node right = binary(tightness + 1);
      left = made(NodeKind::binary, first, token, {std::move(left), std::move(right)});
    }
  }

  Node prefix() {
    if (at_ >= last_) throw NotUnderstood{};
    const Index first = at_;
    const std::string_view word = list_.view(at_);
    if (any_of(word, {"+", "-", "!", "~", "*", "&", "++", "--"})) {
      ++at_;
      Node child = prefix();
      return made(NodeKind::prefix, first, first, {std::move(child)});
    }
    if (any_of(word, {"sizeof", "alignof", "noexcept"})) {
      ++at_;
      if (is("...")) ++at_;
      if (!is("(")) throw NotUnderstood{};
      at_ = list_.match[at_] + 1;
      return made(NodeKind::unevaluated, first, first, {});
    }
    if (word == "(" && is_cast()) {
      const Index close = list_.match[at_];
      at_ = close + 1;
      Node child = is("{") ? throw NotUnderstood{} : prefix();
      Node node = made(NodeKind::cast, first, first, {std::move(child)});
      node.type_first = first + 1;
      node.type_last = close;
      return node;
    }
    return postfix();
  }

  bool is_value(Index i) const { return kind_of_name_(i) != NameKind::unknown; }

  /// Does the parenthesis here hold a type? What could be either is not understood.
  bool is_cast() const {
    const Index close = list_.match[at_];
    if (close == kNone || close >= last_ || close == at_ + 1) return false;
    bool keyword = false, words = true, mark = false;
    Index names = 0;
    for (Index i = at_ + 1; i < close; ++i) {
      if (list_.is(i, "<")) {
        const Index end = skip_template_arguments(list_, i);
        if (end == kNone || end > close) return false;
        i = end - 1;
      } else if (list_.is_identifier(i)) {
        if (is_value(i)) return false;
        keyword = keyword || is_type_keyword(list_.view(i)) || list_.is(i, "const");
        ++names;
      } else if (any_of(list_.view(i), {"*", "&", "&&"})) {
        mark = true;
      } else if (!list_.is(i, "::")) {
        words = false;
      }
    }
    if (!words || names == 0) return false;
    if (keyword) return true;
    const Index next = close + 1;
    if (mark) {  // `(a * b)` of constants, or `(T*)p`
      const bool ends_in_mark = any_of(list_.view(close - 1), {"*", "&", "&&"});
      if (!ends_in_mark) return false;
    }
    if (next >= last_) return false;
    if (list_.is_identifier(next) || list_[next].kind == TokenKind::number ||
        list_[next].kind == TokenKind::character || list_.is(next, "!") || list_.is(next, "~")) {
      return true;
    }
    if (mark) return true;
    if (any_of(list_.view(next), {"(", "+", "-", "*", "&", "{", "++", "--"})) {
      throw NotUnderstood{};
    }
    return false;
  }

  Node postfix() {
    const Index first = at_;
    Node node = primary();
    while (at_ < last_) {
      const std::string_view word = list_.view(at_);
      if (word == "(" || word == "[") {
        const bool call = word == "(";
        const Index token = at_;
        std::vector<Node> children = list(std::move(node));
        node = made(call ? NodeKind::call : NodeKind::subscript, first, token, std::move(children));
      } else if (word == "." || word == "->") {
        ++at_;
        if (is("template")) ++at_;
        if (!identifier() || list_.is(at_ + 1, "::")) throw NotUnderstood{};
        const Index token = at_++;
        skip_arguments();
        node =
            made(word == "." ? NodeKind::member : NodeKind::arrow, first, token, {std::move(node)});
      } else if (word == "++" || word == "--") {
        const Index token = at_++;
        node = made(NodeKind::postfix, first, token, {std::move(node)});
      } else {
        break;
      }
    }
    return node;
  }

  /// The parts between the bracket here and its partner, behind what stands before it.
  std::vector<Node> list(Node head) {
    std::vector<Node> children;
    children.push_back(std::move(head));
    elements(children);
    return children;
  }

  void elements(std::vector<Node>& children) {
    const Index close = list_.match[at_];
    if (close == kNone || close >= last_) throw NotUnderstood{};
    ++at_;
    const Index outer = std::exchange(last_, close);
    while (at_ < close) {
      children.push_back(assignment());
      if (at_ == close) break;
      expect(",");
    }
    last_ = outer;
    at_ = close + 1;
  }

  Node braces(NodeKind kind, Index first) {
    std::vector<Node> children;
    elements(children);
    return made(kind, first, first, std::move(children));
  }

  Node primary() {
    const Index first = at_;
    if (at_ >= last_) throw NotUnderstood{};
    const TokenKind kind = list_[at_].kind;
    if (kind == TokenKind::number || kind == TokenKind::character) {
      if (!has_own_suffix(at_)) throw NotUnderstood{};
      ++at_;
      return made(NodeKind::literal, first, first, {});
    }
    if (kind == TokenKind::string) {
      for (; at_ < last_ && list_[at_].kind == TokenKind::string; ++at_) {
        if (!has_own_suffix(at_)) throw NotUnderstood{};
      }
      return made(NodeKind::literal, first, first, {});
    }
    if (is("(")) {
      std::vector<Node> children;
      const Index close = list_.match[at_];
      if (close == kNone || close >= last_ || list_.is(at_ + 1, "{")) throw NotUnderstood{};
      ++at_;
      const Index outer = std::exchange(last_, close);
      children.push_back(comma());
      if (at_ != close) throw NotUnderstood{};
      last_ = outer;
      ++at_;
      return made(NodeKind::paren, first, first, std::move(children));
    }
    if (is("[")) return lambda();
    if (is("::") || identifier()) return named();
    throw NotUnderstood{};
  }

  /// Is the literal at i the language's own? Any other suffix is a call of the source's function.
  bool has_own_suffix(Index i) const {
    const std::string_view word = list_.view(i);
    if (list_[i].kind != TokenKind::number) return word.ends_with('"') || word.ends_with('\'');
    if (word.find('_') != std::string_view::npos) return false;
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    std::string suffix;
    for (const char c : word) {
      const auto letter = static_cast<unsigned char>(c);
      const bool digit = hexadecimal ? std::isxdigit(letter) != 0 : std::isalpha(letter) == 0;
      suffix = digit ? "" : suffix + static_cast<char>(std::tolower(letter));
    }
    // "p" and "." of a hexadecimal number have digits behind them, as "e" of a decimal one has.
    return any_of(suffix, {"", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu", "f"});
  }

  Node lambda() {
    const Index first = at_;
    if (!begins_lambda(list_, first)) throw NotUnderstood{};
    const Index open = lambda_body(list_, first);
    if (open == kNone || open >= last_) throw NotUnderstood{};
    at_ = list_.match[open] + 1;
    return made(NodeKind::lambda, first, open, {});
  }

  Node named() {
    const Index first = at_;
    const std::string_view word = list_.view(at_);
    if (any_of(word, {"true", "false", "nullptr"})) {
      ++at_;
      return made(NodeKind::literal, first, first, {});
    }
    if (any_of(word, {"static_cast", "reinterpret_cast", "const_cast"})) return word_cast();
    if (is_type_keyword(word)) return keyword_construct();
    if (any_of(word,
               {"this",       "new",      "delete",        "throw",        "co_await",  "co_yield",
                "typeid",     "decltype", "requires",      "dynamic_cast", "operator",  "typeof",
                "__typeof__", "typename", "__extension__", "return",       "case",      "goto",
                "if",         "else",     "for",           "while",        "do",        "switch",
                "asm",        "__asm__",  "struct",        "class",        "union",     "enum",
                "auto",       "const",    "volatile",      "static",       "constexpr", "register",
                "template",   "using",    "inline",        "mutable",      "extern",    "void",
                "break",      "continue", "default"})) {
      throw NotUnderstood{};
    }
    if (is_builtin_variable(word) && list_.is(at_ + 1, ".") && list_.is_identifier(at_ + 2)) {
      at_ += 3;
      return made(NodeKind::builtin, first, first, {});
    }
    if (is("::")) ++at_;
    Index token = kNone;
    while (true) {
      if (!identifier()) throw NotUnderstood{};
      token = at_++;
      if (!is_value(token)) skip_arguments();
      if (!is("::")) break;
      ++at_;
      if (is("template")) ++at_;
    }
    if (is("{") && !is_value(token)) {
      const Index type_last = at_;
      Node node = braces(NodeKind::construct, first);
      node.type_first = first;
      node.type_last = type_last;
      return node;
    }
    return made(NodeKind::name, first, token, {});
  }

  /// Template arguments that mention no variable.
  void skip_arguments() {
    if (!is("<")) return;
    const Index end = skip_template_arguments(list_, at_);
    if (end == kNone || end > last_) return;
    // `a < b > (c)` of constants would be read wrongly, and is no form that people write.
    if (end < last_ && !any_of(list_.view(end), {"(", "{", "::", ")", ",", ";", "]", "}"})) return;
    for (Index i = at_; i < end; ++i) {
      if (list_.is_identifier(i) && kind_of_name_(i) == NameKind::variable) {
        if (end < last_ && any_of(list_.view(end), {"(", "{", "::"})) throw NotUnderstood{};
        return;
      }
    }
    at_ = end;
  }

  Node word_cast() {
    const Index first = at_++;
    if (!is("<")) throw NotUnderstood{};
    const Index end = skip_template_arguments(list_, at_);
    if (end == kNone || !list_.is(end, "(")) throw NotUnderstood{};
    const Index type_first = at_ + 1;
    const Index type_last = end - 1;
    at_ = end;
    std::vector<Node> children;
    elements(children);
    if (children.size() != 1) throw NotUnderstood{};
    Node node = made(NodeKind::cast, first, first, std::move(children));
    node.type_first = type_first;
    node.type_last = type_last;
    return node;
  }

  /// `float(x)`, `unsigned{}`.
  Node keyword_construct() {
    const Index first = at_;
    while (identifier() && is_type_keyword(list_.view(at_))) ++at_;
    const Index type_last = at_;
    if (!is("(") && !is("{")) throw NotUnderstood{};
    const bool cast = is("(");
    std::vector<Node> children;
    elements(children);
    if (children.size() > 1) throw NotUnderstood{};
    Node node = made(cast && children.size() == 1 ? NodeKind::cast : NodeKind::construct, first,
                     first, std::move(children));
    node.type_first = first;
    node.type_last = type_last;
    return node;
  }

  const TokenList& list_;
  Index last_;
  const KindOfName& kind_of_name_;
  Index at_ = 0;
};

}  // namespace

std::optional<Node> parse_expression(const TokenList& list, Index first, Index last,
                                     const KindOfName& kind_of_name) {
  if (first >= last) return std::nullopt;
  try {
    return Parser(list, last, kind_of_name).whole(first);
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace simt::rewrite::split

#include "passes/shared_reads.hpp"

#include <array>

#include "frontend/analysis.hpp"

namespace simt::rewrite {

SharedReads::SharedReads(const Source& source)
    : source_(source), list_(*source.list), device_lambdas_(rewrite::device_lambdas(list_)) {
  for (const Function& function : source.functions) functions_.insert(function.name);
  find_volatile_names();
  find_readers();
}

bool SharedReads::in(Range range) const {
  if (operators_ && range.first != range.last) return true;
  for (Index i = range.first; i < range.last; ++i) {
    if (functors_ && is_call(i)) return true;
    if (list_.is_identifier(i) && (is_read(i) || readers_.count(list_.view(i)) != 0)) return true;
  }
  return false;
}

/// Variables and parameters declared volatile, or as pointers to volatile.
void SharedReads::find_volatile_names() {
  for (Index i = 0; i < list_.size(); ++i) {
    if (!list_.is(i, "volatile") || list_.is_system(i) || list_.is(i + 1, "(")) continue;
    const Index stop = find_top_level(list_, i, list_.size(), {";", ",", ")", "=", "[", "("});
    if (stop > i + 1 && list_.is_identifier(stop - 1)) {
      volatile_names_.emplace(list_.view(stop - 1));
    }
  }
}

/// Functions and lambdas for the device that read, themselves or by others. What has no name where
/// it is called, a functor or an operator, may be meant by any call or by anything.
void SharedReads::find_readers() {
  for (std::size_t known = std::string::npos; known != readers_.size();) {
    known = readers_.size();
    for (const Function& function : source_.functions) {
      const Specifiers& words = function.specifiers;
      const bool device = words.global || words.device || words.is_constexpr;
      if (!device || !function.has_body()) continue;
      if (!in({function.body_open, function.body_close})) continue;
      readers_.insert(function.name);
      if (function.name == "operator()") {
        functors_ = true;
      } else if (function.name.starts_with("operator")) {
        operators_ = true;
      }
    }
    for (const Function& function : source_.functions) {
      const bool device = function.specifiers.global || function.specifiers.device;
      if (!device || !function.has_body()) continue;
      for (Index i = function.body_open; i < function.body_close; ++i) {
        if (list_.is(i, "[")) lambda(i);
      }
    }
    for (const Index i : device_lambdas_) lambda(i);
  }
}

void SharedReads::lambda(Index i) {
  if (!begins_lambda(list_, i)) return;
  const Index open = lambda_body(list_, i);
  if (open == kNone || !in({open, list_.match[open]})) return;
  if (list_.is(i - 1, "=") && list_.is_identifier(i - 2)) {
    readers_.emplace(list_.view(i - 2));
  } else {
    functors_ = true;
  }
}

/// Does something at i that is no function of the source, nor a keyword, stand before arguments?
bool SharedReads::is_call(Index i) const {
  static constexpr auto keywords = std::to_array<std::string_view>(
      {"if", "for", "while", "switch", "return", "sizeof", "alignof", "decltype", "static_cast",
       "int", "float", "double", "unsigned", "char", "long", "bool", "void"});
  const bool callee = list_.is_identifier(i) || list_.is(i, "]") || list_.is(i, ")");
  return callee && list_.is(i + 1, "(") && !contains(keywords, list_.view(i)) &&
         functions_.count(list_.view(i)) == 0;
}

bool SharedReads::is_read(Index i) const {
  static constexpr auto words = std::to_array<std::string_view>(
      {"volatile", "__nanosleep", "ld_acquire", "__ldcg", "__ldcv"});
  static constexpr auto members =
      std::to_array<std::string_view>({"load", "test", "test_and_set", "exchange",
                                       "compare_exchange_weak", "compare_exchange_strong"});
  const std::string_view word = list_.view(i);
  const bool assembly = word == "volatile" || word == "__volatile__" || word.find("asm") < 3;
  if (assembly && list_.is(i + 1, "(")) return asks(i + 1);
  if (contains(words, word) || volatile_names_.count(word) != 0) return true;
  if (word.starts_with("__threadfence")) return true;  // what stands behind it is read anew
  if (list_.is(i - 1, ".") || list_.is(i - 1, "->")) {
    return contains(members, word) || word.starts_with("fetch_") || word.starts_with("try_");
  }
  const bool atomic = word.starts_with("atomic") || word.starts_with("__atomic_") ||
                      word.starts_with("__nv_atomic_");
  return atomic && list_.is(i + 1, "(") && !is_statement(i);
}

/// PTX between the brackets that reads memory.
bool SharedReads::asks(Index open) const {
  for (Index i = open; i < list_.match[open]; ++i) {
    if (list_[i].kind != TokenKind::string) continue;
    for (const char* word : {"atom", "ld.", "mbarrier", "nanosleep"}) {
      if (list_.view(i).find(word) != std::string_view::npos) return true;
    }
  }
  return false;
}

/// Is the call at i a statement, so that nobody sees its result?
bool SharedReads::is_statement(Index i) const {
  const Index close = list_.match[i + 1];
  if (close == kNone || !list_.is(close + 1, ";")) return false;
  if (list_.is(i - 1, "::")) --i;
  const Index before = i - 1;
  if (!list_.is(before, ")")) {
    return list_.is(before, ";") || list_.is(before, "{") || list_.is(before, "}") ||
           list_.is(before, "else") || list_[before].kind == TokenKind::directive;
  }
  const Index open = list_.match[before];
  return open != kNone && open > 0 &&
         (list_.is(open - 1, "if") || list_.is(open - 1, "for") || list_.is(open - 1, "while") ||
          list_.is(open - 1, "constexpr"));
}

}  // namespace simt::rewrite

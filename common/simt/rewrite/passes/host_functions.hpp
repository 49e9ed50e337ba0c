/// \file
/// Which calls of device code reach functions of the host that are named by their namespace or
/// class, as far as that is certain without types.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/analysis.hpp"
#include "frontend/source.hpp"

namespace simt::rewrite {

/// Words in front of an expression; any other word in front of a name says that it is declared.
inline constexpr auto kBeforeExpression = std::to_array<std::string_view>(
    {"return", "else", "do", "case", "throw", "and", "or", "not", "co_return", "delete", "new"});

/// May the name at i be declared there?
bool is_declared_at(const TokenList& list, Index i);

/// May tokens (first, last) declare the name?
bool declares(const TokenList& list, Index first, Index last, std::string_view name);

class HostFunctions {
 public:
  explicit HostFunctions(const Source& source);

  /// Does the name at i call a function of the host, by `space::name(...)`, `Class::name(...)`,
  /// `object.name(...)` or, among members, `name(...)`? Every function that it may mean is the
  /// host's.
  bool is_called(const Function& within, Index i) const;

  /// Does the name at i construct an object of its class, all of whose constructors are the host's?
  /// A copy is made by one that the class has without saying so.
  bool is_constructed(const Function& within, Index i) const;

 private:
  /// What a variable of a function is declared as.
  struct Type {
    std::string_view name;
    int stars = 0;
    bool array = false;
    bool operator==(const Type&) const = default;
  };

  void note_classes();
  void note_other_meanings(Index i);
  bool is_class(std::string_view name) const;
  bool is_method(std::string_view class_name, std::string_view name) const;
  bool is_free(std::string_view space, std::string_view name) const;
  bool is_qualified_call(Index i) const;
  bool is_member_call(const Function& within, Index i) const;
  std::string_view class_of(const Function& within) const;
  Type type_of(const Function& within, std::string_view name) const;
  Type type_at(Index i) const;
  bool is_variable(const Function& within, std::string_view name) const;
  bool is_statement(const Function& within, Index i) const;
  bool takes_no_copy(const Function& within, Index open, bool names_variable) const;

  const Source& source_;
  const TokenList& list_;
  std::map<std::string, std::vector<const Function*>, std::less<>> functions_;
  std::map<std::string, int, std::less<>> classes_;  ///< how often each is defined
  NameSet other_meanings_;  ///< of names of classes and namespaces: aliases, template parameters
  NameSet imported_;        ///< by `using space::name;`
};

}  // namespace simt::rewrite

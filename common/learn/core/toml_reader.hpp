/// \file
/// Reads the tables of a TOML file that a person writes, and says where a field is wrong.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/error.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {

/// Reads the fields of one table, and says where in the file a field is wrong.
class TableReader {
 public:
  /// @param source named in errors; it and the table must outlive the reader
  TableReader(const toml::table& table, const std::string& source)
      : table_(table), source_(source) {}

  /// @throws UsageError always: `SOURCE:LINE: message`, with the line of the node
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw UsageError(fmt::format("{}:{}: {}", source_, node.source().begin.line, message));
  }

  void allow_only(const std::set<std::string>& keys) const {
    for (const auto& [key, value] : table_) {
      if (keys.contains(std::string(key.str()))) continue;
      const std::vector<std::string> names(keys.begin(), keys.end());
      const auto near = nearest_name(key.str(), names);
      fail(value, fmt::format("unknown field '{}'{}", key.str(),
                              near ? fmt::format("; did you mean {}?", *near) : ""));
    }
  }

  template <class T>
  T required(const char* key, const char* expected) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) fail(table_, fmt::format("'{}' is missing; expected {}", key, expected));
    return convert<T>(*node, key, expected);
  }

  template <class T>
  T optional(const char* key, T fallback, const char* expected) const {
    const toml::node* node = table_.get(key);
    return node == nullptr ? fallback : convert<T>(*node, key, expected);
  }

  template <class T>
  T convert(const toml::node& node, const char* key, const char* expected) const {
    if (const auto value = node.value<T>()) return *value;
    fail(node, fmt::format("'{}' has the wrong type; expected {}", key, expected));
  }

  const toml::table& table() const { return table_; }
  const std::string& source() const { return source_; }

 private:
  const toml::table& table_;
  const std::string& source_;
};

/// Calls `read` with a TableReader for each table of the array of tables `key`.
/// @throws UsageError where it is anything else
template <class Read>
void for_each_table(const toml::table& document, const char* key, const std::string& source,
                    Read read) {
  const toml::node* node = document.get(key);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  const TableReader top(document, source);
  if (array == nullptr) top.fail(*node, fmt::format("'{0}' must be written [[{0}]]", key));
  for (const toml::node& entry : *array) {
    if (entry.as_table() == nullptr)
      top.fail(entry, fmt::format("'{0}' must be written [[{0}]]", key));
    read(TableReader(*entry.as_table(), source));
  }
}

/// Parses a document and hands it to `read`.
/// @throws UsageError `SOURCE:LINE: what is wrong` where it is no TOML
template <class Read>
auto read_document(std::string_view toml, const std::string& source, Read read) {
  try {
    const toml::table document = toml::parse(toml, source);
    return read(document);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", source, error.source().begin.line, error.description()));
  }
}

}  // namespace tut::learn

#include "passes/merge.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/edits.hpp"
#include "frontend/source.hpp"

namespace simt::rewrite {
namespace {

struct Pass {
  explicit Pass(std::string_view text) : list(lex(text)), source(parse(list)) {}
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  const Function& function(const Item& item) const { return source.functions[item.number]; }

  TokenList list;
  Source source;
};

/// Tokens [first, last) with one space between any two.
std::string normalised(const TokenList& list, Index first, Index last) {
  std::string text;
  for (Index i = first; i < last; ++i) {
    text += list.view(i);
    text += ' ';
  }
  return text;
}

/// What makes two declarations the same one.
std::string key(const Pass& pass, const Item& item) {
  switch (item.kind) {
    case ItemKind::function: {
      const Function& function = pass.function(item);
      const Index end = function.has_body() ? function.body_open : item.last;
      Index tail = function.params_close + 1;
      const bool is_const = tail < end && pass.list.is(tail, "const");
      return (function.has_body() ? "define " : "declare ") + function.name + ' ' +
             normalised(pass.list, function.name_token, function.params_close + 1) +
             (is_const ? "const" : "");
    }
    case ItemKind::scope:
      return "scope " + normalised(pass.list, item.first, item.body_open);
    default:
      return normalised(pass.list, item.first, item.last);
  }
}

/// The name that a declaration other than a function or a scope introduces, as far as it shows.
std::string declared_name(const TokenList& list, const Item& item) {
  const Index stop = find_top_level(list, item.first, item.last, {"=", ";", "[", "{", "("});
  for (Index i = stop; i-- > item.first;) {
    if (list.is_identifier(i)) return std::string(list.view(i));
  }
  return {};
}

/// Pairs of equal keys in order (longest common subsequence), as indices into both.
std::vector<std::pair<std::size_t, std::size_t>> align(const std::vector<std::string>& a,
                                                       const std::vector<std::string>& b) {
  std::size_t prefix = 0;
  while (prefix < a.size() && prefix < b.size() && a[prefix] == b[prefix]) ++prefix;
  std::size_t suffix = 0;
  while (suffix < a.size() - prefix && suffix < b.size() - prefix &&
         a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix]) {
    ++suffix;
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < prefix; ++i) pairs.emplace_back(i, i);
  const std::size_t rows = a.size() - prefix - suffix;
  const std::size_t columns = b.size() - prefix - suffix;
  std::vector<std::vector<int>> length(rows + 1, std::vector<int>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      length[i][j] = a[prefix + i] == b[prefix + j] ? length[i + 1][j + 1] + 1
                                                    : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (a[prefix + i] == b[prefix + j]) {
      pairs.emplace_back(prefix + i++, prefix + j++);
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  for (std::size_t i = suffix; i > 0; --i) pairs.emplace_back(a.size() - i, b.size() - i);
  return pairs;
}

class Merger {
 public:
  Merger(std::string_view host, std::string_view device)
      : host_(host), device_(device), edits_(host_.list) {}

  std::string run() {
    items(host_.source.items, device_.source.items, host_.list.size());
    return edits_.apply();
  }

 private:
  /// Merges two lists of declarations; `end` is the host token that follows the list.
  void items(const std::vector<Item>& host, const std::vector<Item>& device, Index end) {
    const auto pairs = align(keys(host_, host), keys(device_, device));
    std::size_t h = 0;
    std::size_t d = 0;
    for (const auto& [paired_h, paired_d] : pairs) {
      gap(host, h, paired_h, device, d, paired_d, host[paired_h].first);
      pair(host[paired_h], device[paired_d]);
      h = paired_h + 1;
      d = paired_d + 1;
    }
    gap(host, h, host.size(), device, d, device.size(), end);
  }

  static std::vector<std::string> keys(const Pass& pass, const std::vector<Item>& items) {
    std::vector<std::string> result;
    for (const Item& item : items) result.push_back(key(pass, item));
    return result;
  }

  /// Declarations without a partner, between two that have one.
  void gap(const std::vector<Item>& host, std::size_t h, std::size_t h_end,
           const std::vector<Item>& device, std::size_t d, std::size_t d_end, Index place) {
    std::vector<std::string> names;
    for (; h < h_end; ++h) {
      const Item& item = host[h];
      const bool device_code =
          item.kind == ItemKind::function &&
          (host_.function(item).device_only() || host_.function(item).specifiers.global);
      if (device_code) {
        edits_.erase(item.first, item.last);
      } else if (item.kind != ItemKind::function) {
        names.push_back(declared_name(host_.list, item));
      }
    }
    std::string added;
    for (; d < d_end; ++d) {
      const Item& item = device[d];
      const bool wanted =
          item.kind == ItemKind::function
              ? device_.function(item).specifiers.device || device_.function(item).specifiers.global
              : std::find(names.begin(), names.end(), declared_name(device_.list, item)) ==
                    names.end();
      if (wanted) added += device_text(item.first, item.last);
    }
    if (added.empty()) return;
    if (place < host_.list.size()) {
      edits_.insert_before(place, added);
    } else {
      edits_.insert_after(host_.list.size() - 1, added);
    }
  }

  void pair(const Item& host, const Item& device) {
    if (host.kind == ItemKind::scope) {
      items(host.children, device.children, host_.list.match[host.body_open]);
      return;
    }
    if (host.kind != ItemKind::function || same_tokens(host, device)) return;
    const Function& h = host_.function(host);
    const Function& d = device_.function(device);
    if (d.device_only() || d.specifiers.global) {
      edits_.replace(host.first, host.last, {new_text(device_text(device.first, device.last))});
    } else if (d.specifiers.device && h.has_body() && d.has_body()) {
      const bool folded = h.specifiers.is_constexpr;
      edits_.insert_before(h.body_open,
                           std::string("{ if (") +
                               (folded ? "__builtin_is_constant_evaluated() || " : "") +
                               "!::simt::on_device()) ");
      edits_.insert_after(h.body_close,
                          " else " + device_text(d.body_open, d.body_close + 1) + " }");
    }
  }

  bool same_tokens(const Item& host, const Item& device) const {
    if (host.last - host.first != device.last - device.first) return false;
    for (Index i = 0; i < host.last - host.first; ++i) {
      if (host_.list.view(host.first + i) != device_.list.view(device.first + i)) return false;
    }
    return true;
  }

  /// Tokens of the device pass, marked with their place in the learner's file.
  std::string device_text(Index first, Index last) const {
    const TokenList& list = device_.list;
    const Token& token = list[first];
    const Origin& origin = list.origins[token.origin];
    const std::size_t line_begin = list.text.rfind('\n', token.begin) + 1;
    return "\n# " + std::to_string(token.line) + ' ' + origin.quoted_name +
           (origin.flags.empty() ? "" : ' ' + origin.flags) + '\n' +
           std::string(token.begin - line_begin, ' ') + std::string(list.view(first, last)) + '\n';
  }

  Pass host_;
  Pass device_;
  Edits edits_;
};

}  // namespace

std::string merge_passes(std::string_view host, std::string_view device) {
  return Merger(host, device).run();
}

}  // namespace simt::rewrite

#include "frontend/spacing.hpp"

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace simt::rewrite {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The lines of a file; none if it cannot be read.
std::vector<std::string> read_lines(const std::string& name) {
  std::vector<std::string> lines;
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class Restorer {
 public:
  explicit Restorer(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string run() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t newline = text_.find('\n', at);
      const std::size_t end = newline == std::string_view::npos ? text_.size() : newline;
      line(text_.substr(at, end - at));
      if (newline != std::string_view::npos) out_ += '\n';
      at = end + 1;
    }
    return std::move(out_);
  }

 private:
  void line(std::string_view line) {
    if (line.starts_with("# ") && line.size() > 2 &&
        std::isdigit(static_cast<unsigned char>(line[2])) != 0) {
      marker(line);
      out_ += line;
      return;
    }
    std::string restored;
    // In preprocessed source a directive is one in the first column only.
    if (source_ != nullptr && number_ >= 1 && number_ <= source_->size() && !line.empty() &&
        line[0] != '#') {
      restored = respace(line, (*source_)[number_ - 1]);
    }
    if (restored.empty()) {
      out_ += line;
    } else {
      out_ += restored;
    }
    ++number_;
  }

  /// `# 12 "file.cu" 3`: system headers are left alone.
  void marker(std::string_view line) {
    number_ = std::strtoul(std::string(line.substr(2)).c_str(), nullptr, 10);
    source_ = nullptr;
    const std::size_t open = line.find('"');
    const std::size_t close = line.rfind('"');
    if (open == std::string_view::npos || close <= open ||
        line.find('3', close) != std::string_view::npos) {
      return;
    }
    const std::string name(line.substr(open + 1, close - open - 1));
    if (name.starts_with("<")) return;
    auto found = files_.find(name);
    if (found == files_.end()) found = files_.emplace(name, read_lines(name)).first;
    source_ = &found->second;
  }

  std::string_view text_;
  std::string out_;
  std::map<std::string, std::vector<std::string>> files_;
  const std::vector<std::string>* source_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace

std::string respace(std::string_view line, std::string_view source) {
  std::string result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i == line.size()) return result;
    if (j == source.size()) return {};
    if (is_blank(source[j])) {
      result += source[j++];
    } else if (source.substr(j, 2) == "/*" && line.substr(i, 2) != "/*") {
      const std::size_t close = source.find("*/", j + 2);
      if (close == std::string_view::npos) return {};
      result.append(close + 2 - j, ' ');
      j = close + 2;
    } else if (source[j] == line[i]) {
      result += line[i];
      ++i;
      ++j;
    } else {
      return {};
    }
  }
}

std::string restore_spacing(std::string_view preprocessed) { return Restorer(preprocessed).run(); }

}  // namespace simt::rewrite

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "learn/classroom/submissions.hpp"
#include "learn/core/error.hpp"

#ifdef LEARN_HAS_ARCHIVES
#include <archive.h>
#include <archive_entry.h>

#include <memory>
#endif

namespace tut::learn {

namespace {

constexpr auto kArchiveEndings = std::to_array<std::string_view>(
    {".zip", ".7z", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tar"});
constexpr auto kUnreadableEndings = std::to_array<std::string_view>(
    {".rar", ".zipx", ".tar.lz", ".tar.lzma", ".tar.z", ".lzh", ".arj", ".gz", ".bz2", ".xz"});

/// The one of some endings that a name has, whatever its case; empty if it has none.
template <std::size_t N>
std::string_view ending_of(std::string_view name, const std::array<std::string_view, N>& endings) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found =
      std::ranges::find_if(endings, [&](std::string_view end) { return lower.ends_with(end); });
  return found == endings.end() ? "" : *found;
}

}  // namespace

bool is_archive_name(std::string_view name) { return !ending_of(name, kArchiveEndings).empty(); }

bool is_unreadable_archive_name(std::string_view name) {
  return !is_archive_name(name) && !ending_of(name, kUnreadableEndings).empty();
}

std::string without_archive_endings(std::string name) {
  while (true) {
    const std::string_view known = ending_of(name, kArchiveEndings);
    const std::string_view ending = known.empty() ? ending_of(name, kUnreadableEndings) : known;
    if (ending.empty() || ending.size() == name.size()) return name;
    name.resize(name.size() - ending.size());
  }
}

#ifndef LEARN_HAS_ARCHIVES

bool can_read_archives() { return false; }

std::vector<FoundEntry> read_archive(const std::filesystem::path&, const std::vector<std::string>&,
                                     const IntakeLimits&, std::vector<std::string>&) {
  throw UsageError(
      "this build cannot read archives: install libarchive (apt-get install libarchive-dev) and "
      "run the command again, or unpack them");
}

#else

bool can_read_archives() { return true; }

namespace {

struct Closer {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Closer>;

[[noreturn]] void refuse(const std::string& what) { throw UsageError(what); }

std::string why(archive* reader) {
  const char* text = archive_error_string(reader);
  return text == nullptr ? "unknown format" : printable(text);
}

/// Only formats that hold files and nothing but files: others can name files of this machine.
Reader open_archive(const std::filesystem::path& file) {
  Reader reader(archive_read_new());
  if (!reader) refuse("no memory to read an archive");
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  archive_read_support_format_7zip(reader.get());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  if (archive_read_open_filename(reader.get(), file.c_str(), 65536) != ARCHIVE_OK) {
    refuse("it cannot be read as an archive: " + why(reader.get()));
  }
  return reader;
}

std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  return name == nullptr ? "" : name;
}

/// Why an entry of a wanted name is none to be read; empty if it is.
std::string problem_of(archive_entry* entry, const std::string& path, const IntakeLimits& limits) {
  if (path.starts_with('/')) return "its name in the archive is absolute";
  if (("/" + path + "/").find("/../") != std::string::npos) {
    return "its name in the archive leads out of it";
  }
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) == AE_IFLNK) {
    return "it is a link; expected a regular file";
  }
  if (archive_entry_filetype(entry) != AE_IFREG) return "it is no regular file";
  if (archive_entry_size_is_set(entry) != 0 &&
      archive_entry_size(entry) > static_cast<la_int64_t>(limits.file_bytes)) {
    return fmt::format("it has {} bytes; expected {} at most", archive_entry_size(entry),
                       limits.file_bytes);
  }
  return "";
}

/// One byte more than the limit at most: that is enough to see that it is too long.
std::string read_text(archive* reader, const IntakeLimits& limits) {
  std::string text(limits.file_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const la_ssize_t count = archive_read_data(reader, text.data() + size, text.size() - size);
    if (count < 0) refuse("it is damaged: " + why(reader));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

}  // namespace

std::vector<FoundEntry> read_archive(const std::filesystem::path& file,
                                     const std::vector<std::string>& wanted,
                                     const IntakeLimits& limits,
                                     std::vector<std::string>& ignored) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) refuse("it cannot be read: " + error.message());
  if (size > limits.archive_bytes) {
    refuse(fmt::format("it has {} bytes; expected {} at most", size, limits.archive_bytes));
  }
  const Reader reader = open_archive(file);
  std::vector<FoundEntry> found;
  std::size_t entries = 0, total = 0;
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
      refuse("it is damaged: " + why(reader.get()));
    if (++entries > limits.entries) {
      refuse(fmt::format("it has more than {} entries", limits.entries));
    }
    // What is skipped is unpacked, too: so it is its size that counts, before that.
    if (archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) > 0) {
      total += static_cast<std::size_t>(archive_entry_size(entry));
    }
    if (total > limits.total_bytes ||
        archive_filter_bytes(reader.get(), 0) > static_cast<la_int64_t>(2 * limits.total_bytes)) {
      refuse(fmt::format("it has more than {} bytes, unpacked", limits.total_bytes));
    }
    const std::string path = name_of(entry);
    const std::string base = path.substr(path.rfind('/') + 1);
    if (std::ranges::find(wanted, base) == wanted.end()) {
      if (archive_entry_filetype(entry) != AE_IFDIR) ignored.push_back(path);
      continue;
    }
    FoundEntry one{path, std::nullopt, problem_of(entry, path, limits), ""};
    if (one.problem.empty()) one.text = read_text(reader.get(), limits);
    found.push_back(std::move(one));
  }
  return found;
}

#endif

}  // namespace tut::learn

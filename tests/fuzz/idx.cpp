// The readers of IDX files, plain and gzip.

#include "tut/data/idx.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "fuzz.hpp"

namespace {

using namespace tut;

// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size)
      : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    fuzz::demand(file_ >= 0 && write(file_, data, size) == static_cast<ssize_t>(size),
                 "a file in memory");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

void read_images(const std::string& path) {
  try {
    const data::IdxImages images = data::load_idx_images(path);
    fuzz::demand(images.count > 0 && images.rows > 0 && images.cols > 0, "no empty dimension");
    fuzz::demand(images.pixels.size() == std::size_t{1} * images.count * images.rows * images.cols,
                 "a pixel for each place");
    ++fuzz::accepted;
  } catch (const data::DataError& error) {
    fuzz::demand_one_line(error.what(), path + ": ");
  }
}

void read_labels(const std::string& path) {
  try {
    const std::vector<std::uint8_t> labels = data::load_idx_labels(path);
    fuzz::demand(!labels.empty(), "at least one label");
    fuzz::demand(std::all_of(labels.begin(), labels.end(), [](int label) { return label < 10; }),
                 "labels from 0 to 9");
    ++fuzz::accepted;
  } catch (const data::DataError& error) {
    fuzz::demand_one_line(error.what(), path + ": ");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  read_images(file.path());
  read_labels(file.path());
  return 0;
}

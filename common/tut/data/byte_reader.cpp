#include "tut/data/byte_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tut/data/dataset.hpp"

namespace tut::data {

namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr int kGzipOnly = 15 + 16;  // zlib: largest window, gzip header and checksum required

bool is_gzip(const std::uint8_t* bytes, std::size_t count) {
  return count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

}  // namespace

struct ByteReader::Inflater {
  z_stream stream{};
  bool member_ended = false;

  Inflater() {
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw DataError("zlib could not be started");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

ByteReader::ByteReader(const std::filesystem::path& path)
    : name_(path.string()), buffer_(kBufferBytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw DataError(name_ + ": expected a file, found a folder");
  }
  errno = 0;
  file_.open(path, std::ios::binary);
  if (!file_) {
    throw DataError(name_ + ": cannot be opened: " + std::strerror(errno ? errno : EIO));
  }
  refill();
  if (is_gzip(buffer_.data(), end_)) inflater_ = std::make_unique<Inflater>();
}

ByteReader::~ByteReader() = default;

void ByteReader::refill() {
  file_.read(reinterpret_cast<char*>(buffer_.data()), static_cast<std::streamsize>(buffer_.size()));
  if (file_.bad()) throw DataError(name_ + ": reading failed");
  begin_ = 0;
  end_ = static_cast<std::size_t>(file_.gcount());
}

std::size_t ByteReader::read(std::span<std::uint8_t> out) {
  if (inflater_) return read_packed(out);
  std::size_t done = 0;
  while (done < out.size()) {
    if (begin_ == end_) refill();
    if (begin_ == end_) break;
    const std::size_t step = std::min(out.size() - done, end_ - begin_);
    std::memcpy(out.data() + done, buffer_.data() + begin_, step);
    begin_ += step;
    done += step;
  }
  return done;
}

std::size_t ByteReader::read_packed(std::span<std::uint8_t> out) {
  z_stream& stream = inflater_->stream;
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const auto done = [&] { return out.size() - stream.avail_out; };
  const auto found = [&] { return " after " + std::to_string(unpacked_ + done()) + " bytes"; };
  while (stream.avail_out > 0) {
    if (begin_ == end_) refill();
    if (begin_ == end_ && inflater_->member_ended) break;
    if (begin_ == end_) {
      throw DataError(name_ + ": the gzip data ends early," + found() + ": expected its checksum");
    }
    if (inflater_->member_ended) {
      // A gzip file may hold several members one after another, and nothing else.
      if (buffer_[begin_] != 0x1f) {
        throw DataError(name_ + ": expected the end of the file, found more" + found() +
                        " of gzip data");
      }
      inflateReset(&stream);
      inflater_->member_ended = false;
    }
    stream.next_in = buffer_.data() + begin_;
    stream.avail_in = static_cast<uInt>(end_ - begin_);
    const int status = inflate(&stream, Z_NO_FLUSH);
    begin_ = end_ - stream.avail_in;
    if (status == Z_STREAM_END) {
      inflater_->member_ended = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError(name_ + ": damaged gzip data" + found() + ": " +
                      (stream.msg ? stream.msg : "it needs a dictionary"));
    }
  }
  unpacked_ += done();
  return done();
}

}  // namespace tut::data

#include "learn/core/file_watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "learn/core/files.hpp"

namespace tut::learn {
namespace {

constexpr int poll_interval_ms = 150;
constexpr int settle_ms = 30;

int watch_folder(const std::filesystem::path& folder) {
  const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) return -1;
  const auto events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MODIFY | IN_CREATE;
  if (inotify_add_watch(fd, folder.c_str(), events) >= 0) return fd;
  close(fd);
  return -1;
}

void drain(int fd) {
  std::array<char, 4096> events{};
  while (read(fd, events.data(), events.size()) > 0) {
  }
}

}  // namespace

FileWatch::FileWatch(std::filesystem::path file, bool poll)
    : file_(std::move(file)), content_(read_file(file_)) {
  if (!poll) inotify_ = watch_folder(file_.parent_path());
}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) close(inotify_);
}

bool FileWatch::content_changed() {
  // Editors write in steps: wait until two readings agree.
  auto now = read_file(file_);
  while (now != content_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(settle_ms));
    auto again = read_file(file_);
    if (again == now) break;
    now = std::move(again);
  }
  if (!now || now == content_) return false;
  content_ = std::move(now);
  return true;
}

FileWatch::Event FileWatch::wait(int timeout_ms, int input) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    if (content_changed()) return Event::changed;
    int left = -1;
    if (timeout_ms >= 0) {
      left = static_cast<int>(
          std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count());
      if (left <= 0) return Event::timed_out;
    }
    if (inotify_ < 0) left = left < 0 ? poll_interval_ms : std::min(left, poll_interval_ms);
    std::array<pollfd, 2> ready = {pollfd{inotify_, POLLIN, 0}, pollfd{input, POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), left) < 0 && errno == EINTR) return Event::interrupted;
    if (inotify_ >= 0 && (ready[0].revents & POLLIN) != 0) drain(inotify_);
    if (ready[1].revents != 0) return Event::input;
  }
}

}  // namespace tut::learn

/// @file
/// Handles that the API gives out: pointers that are followed only while they live.
#ifndef SIMT_RUNTIME_HANDLES_HPP
#define SIMT_RUNTIME_HANDLES_HPP

#include <mutex>
#include <unordered_set>

namespace simt::detail {

/// The live objects of one type.
template <class T>
class Handles {
 public:
  T* make() {
    const std::lock_guard lock(mutex_);
    return *live_.insert(new T).first;
  }

  T* add(const T& value) {
    const std::lock_guard lock(mutex_);
    return *live_.insert(new T(value)).first;
  }

  bool has(T* handle) {
    const std::lock_guard lock(mutex_);
    return live_.count(handle) != 0;
  }

  bool remove(T* handle) {
    {
      const std::lock_guard lock(mutex_);
      if (live_.erase(handle) == 0) return false;
    }
    delete handle;  // which may remove others that it owns
    return true;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    for (T* handle : live_) delete handle;
    live_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_set<T*> live_;
};

}  // namespace simt::detail

#endif

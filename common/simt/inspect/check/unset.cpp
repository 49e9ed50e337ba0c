// What variables of threads hold that are declared without a value, until something is assigned to
// them. It is chosen, so that a program can be run with one content and with another.
#include <mutex>
#include <string>
#include <vector>

#include "interface.hpp"
#include "simt/watching.hpp"
#include "source_lines.hpp"

namespace simt::inspect {
namespace {

/// The declarations that kernels have come to.
class UnsetVariables {
 public:
  static UnsetVariables& instance() {
    static UnsetVariables variables;
    return variables;
  }

  unsigned char byte_of(UnsetVariable& variable) {
    if (!__atomic_load_n(&variable.reached, __ATOMIC_ACQUIRE)) {
      const std::lock_guard lock(mutex_);
      if (!variable.reached) {
        variable.byte = byte_of_new_;
        reached_.push_back(&variable);
        __atomic_store_n(&variable.reached, true, __ATOMIC_RELEASE);
      }
    }
    return variable.byte;
  }

  int count() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(reached_.size());
  }

  void fill(int number, unsigned char byte) {
    const std::lock_guard lock(mutex_);
    if (number >= 0) {
      reached_[static_cast<std::size_t>(number)]->byte = byte;
      return;
    }
    byte_of_new_ = byte;
    for (UnsetVariable* const one : reached_) one->byte = byte;
  }

  std::string text(int number) {
    const std::lock_guard lock(mutex_);
    const UnsetVariable& variable = *reached_[static_cast<std::size_t>(number)];
    const SourceLine line{variable.file, variable.line};
    return "`" + std::string(variable.name) + "`, declared at " + line.text();
  }

 private:
  std::mutex mutex_;
  std::vector<UnsetVariable*> reached_;
  unsigned char byte_of_new_ = 0xFF;  ///< NaN, and -1
};

}  // namespace
}  // namespace simt::inspect

using simt::inspect::UnsetVariables;

extern "C" unsigned char simt_watch_unset(void* declaration) {
  return UnsetVariables::instance().byte_of(*static_cast<simt::UnsetVariable*>(declaration));
}

int simt_check_unset() { return UnsetVariables::instance().count(); }

void simt_check_fill_unset(int number, unsigned char byte) {
  UnsetVariables::instance().fill(number, byte);
}

const char* simt_check_unset_text(int number) {
  static std::string text;
  text = UnsetVariables::instance().text(number);
  return text.c_str();
}

#include "16_cnn_trainer/trainer/formats/number_format.hpp"

namespace tut::ch16 {

std::string_view to_string(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return "fp32";
    case NumberFormat::tf32:
      return "tf32";
    case NumberFormat::fp16:
      return "fp16";
    case NumberFormat::bf16:
      return "bf16";
  }
  return "";
}

}  // namespace tut::ch16

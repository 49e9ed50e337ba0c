#include "learn/classroom/hand_in_times.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "learn/core/error.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

using namespace std::chrono;

std::optional<sys_seconds> parse_moment(const std::string& text) {
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0, used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &y, &mo, &d, &h, &mi, &s,
                  &used) != 6) {
    return std::nullopt;
  }
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)},
                            day{static_cast<unsigned>(d)}};
  if (!date.ok() || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 60) return std::nullopt;
  const std::string zone = text.substr(static_cast<std::size_t>(used));
  minutes offset{0};
  if (zone != "Z") {
    char sign = 0;
    int hours = 0, rest = 0, end = 0;
    if (std::sscanf(zone.c_str(), "%c%2d:%2d%n", &sign, &hours, &rest, &end) != 3 ||
        static_cast<std::size_t>(end) != zone.size() || (sign != '+' && sign != '-') ||
        hours > 23 || rest > 59) {
      return std::nullopt;
    }
    offset = minutes{(60 * hours + rest) * (sign == '+' ? 1 : -1)};
  }
  return sys_days{date} + hours{h} + minutes{mi} + seconds{s} - offset;
}

}  // namespace

std::map<std::string, sys_seconds> parse_times(std::string_view text, const std::string& source) {
  std::map<std::string, sys_seconds> times;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    const std::string words(trim(line));
    if (words.empty() || words.starts_with('#')) continue;
    const std::size_t comma = words.rfind(',');
    const std::string student(trim(std::string_view(words).substr(0, comma)));
    const auto moment = comma == std::string::npos
                            ? std::nullopt
                            : parse_moment(std::string(trim(words.substr(comma + 1))));
    if (!moment || student.empty()) {
      throw UsageError(fmt::format("{}:{}: '{}'; expected STUDENT,2027-02-12T23:59:00+01:00",
                                   source, number, words));
    }
    if (!times.emplace(student, *moment).second) {
      throw UsageError(fmt::format("{}:{}: {} is there twice; expected one time for each student",
                                   source, number, student));
    }
  }
  return times;
}

}  // namespace tut::learn

#include "learn/classroom/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "learn/core/files.hpp"
#include "learn/core/sha256.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kParts = std::to_array<const char*>({"values", "safety", "budget"});

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Numbers that are whole are shown so: 4, not 4.0.
Json number(double value) {
  const double rounded = std::round(value * 100) / 100;
  if (rounded == std::floor(rounded)) return static_cast<std::int64_t>(rounded);
  return rounded;
}

/// For XML 1.0, which has no control characters at all.
std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
      case '\t':
        result += c;
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
  }
  return result;
}

std::string why(const ExerciseMark& exercise, const PartMark& part) {
  return part.message.empty() ? exercise.message : part.message;
}

std::string end_line(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool has_whole_points(const StudentMark& mark) {
  const auto whole = [](double value) { return value == std::floor(value); };
  return whole(mark.points) && std::ranges::all_of(mark.exercises, [&](const ExerciseMark& one) {
           return std::ranges::all_of(one.parts, [&](const PartMark& part) {
             return whole(part.points) && whole(part.max);
           });
         });
}

/// "submit/2027-02-12T22-59-00Z-abc1234" has the moment of the submission.
std::string moment_of(const std::string& tag) {
  std::string digits;
  for (const char c : tag) {
    if (is_digit(c) && digits.size() < 14) digits += c;
  }
  if (digits.size() < 14) return "";
  return fmt::format("{}-{}-{}T{}:{}:{}Z", digits.substr(0, 4), digits.substr(4, 2),
                     digits.substr(6, 2), digits.substr(8, 2), digits.substr(10, 2),
                     digits.substr(12, 2));
}

}  // namespace

std::string folder_name(std::string_view student) {
  std::string name;
  for (const char c : student) {
    const bool plain = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '_' || ((c == '-' || c == '.') && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  constexpr std::size_t kMost = 150;
  if (name.size() > kMost) name = name.substr(0, kMost) + "%" + sha256(student).substr(0, 16);
  return name.empty() ? "%" : name;
}

std::string csv_field(std::string text) {
  constexpr std::string_view kFormula = "=+-@\t";
  if (!text.empty() && kFormula.find(text[0]) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"\n\r;") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

std::string marks_csv(const Assignment& assignment, const std::vector<StudentMark>& marks) {
  std::string text = "student";
  for (const AssignedExercise& exercise : assignment.exercises) text += "," + exercise.name;
  text += ",before_penalty,total,max,late,notes\n";
  for (const StudentMark& mark : marks) {
    text += csv_field(mark.student);
    for (const ExerciseMark& exercise : mark.exercises) text += "," + points_text(exercise.points);
    std::string notes;
    const auto add = [&](const std::string& note) { notes += (notes.empty() ? "" : "; ") + note; };
    for (const std::string& note : mark.notes) add(note);
    for (const ExerciseMark& exercise : mark.exercises) {
      if (const std::string why = why_unusable(exercise); !why.empty()) {
        add(exercise.exercise + ": " + why);
      }
    }
    text += fmt::format(",{},{},{},{},{}\n", points_text(mark.earned), points_text(mark.points),
                        points_text(mark.max), csv_field(mark.lateness), csv_field(notes));
  }
  return text;
}

std::string marks_json(const Assignment& assignment, const std::vector<StudentMark>& marks) {
  Json students = Json::array();
  for (const StudentMark& mark : marks) {
    Json exercises = Json::array();
    for (const ExerciseMark& exercise : mark.exercises) {
      Json parts = Json::array();
      for (const PartMark& part : exercise.parts) {
        parts.push_back({{"name", part.name},
                         {"points", number(part.points)},
                         {"max", number(part.max)},
                         {"message", part.points < part.max ? why(exercise, part) : ""}});
      }
      exercises.push_back({{"name", exercise.exercise},
                           {"points", number(exercise.points)},
                           {"max", number(exercise.max)},
                           {"verdict", exercise.verdict},
                           {"message", exercise.message},
                           {"parts", parts}});
    }
    students.push_back({{"student", mark.student},
                        {"before_penalty", number(mark.earned)},
                        {"points", number(mark.points)},
                        {"max", number(mark.max)},
                        {"late", mark.lateness},
                        {"notes", mark.notes},
                        {"exercises", exercises}});
  }
  return dumped({{"title", assignment.title}, {"students", students}});
}

std::string junit_xml(const Assignment& assignment, const std::vector<StudentMark>& marks) {
  std::string suites;
  int tests = 0, failures = 0;
  for (const StudentMark& mark : marks) {
    std::string cases;
    int own_tests = 0, own_failures = 0;
    for (const ExerciseMark& exercise : mark.exercises) {
      for (const PartMark& part : exercise.parts) {
        ++own_tests;
        cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                             xml_text(exercise.exercise), part.name);
        if (part.points >= part.max) {
          cases += "/>\n";
          continue;
        }
        ++own_failures;
        cases += fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                             xml_text(exercise.verdict), xml_text(why(exercise, part)));
      }
    }
    suites +=
        fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}  </testsuite>\n",
                    xml_text(mark.student), own_tests, own_failures, cases);
    tests += own_tests;
    failures += own_failures;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
      xml_text(assignment.title), tests, failures, suites);
}

std::string gradescope_json(const StudentMark& mark) {
  std::string output = mark.lateness;
  for (const std::string& note : mark.notes) output += (output.empty() ? "" : "\n") + note;
  Json tests = Json::array();
  for (const ExerciseMark& exercise : mark.exercises) {
    for (const PartMark& part : exercise.parts) {
      const bool full = part.points >= part.max;
      Json test = {{"name", fmt::format("{}: {}", exercise.exercise, part.name)},
                   {"score", number(part.points)},
                   {"max_score", number(part.max)},
                   {"status", full ? "passed" : "failed"}};
      if (!full) test["output"] = why(exercise, part);
      tests.push_back(std::move(test));
    }
  }
  Json json = {{"score", number(mark.points)}};
  if (!output.empty()) json["output"] = output;
  json["tests"] = tests;
  return dumped(json);
}

std::optional<ClassroomRun> classroom_run() {
  ClassroomRun run{environment("CLASSROOM"),       environment("ASSIGNMENT"),
                   environment("ASSIGNMENT_TYPE"), environment("OWNER"),
                   environment("SUBMISSION_TAG"),  environment("COMMIT_URL"),
                   environment("RELEASE_URL"),     environment("REVIEW_URL")};
  if (run.owner.empty()) run.owner = environment("USERNAME");
  if (run.assignment_type.empty()) run.assignment_type = "individual";
  if (run.review.empty()) run.review = run.commit;
  if (run.classroom.empty() || run.assignment.empty() || run.submission.empty()) {
    return std::nullopt;
  }
  return run;
}

std::string classroom_json(const StudentMark& mark, const std::optional<ClassroomRun>& run) {
  const double unit = has_whole_points(mark) ? 1 : 100;
  const auto whole = [&](double points) {
    return static_cast<std::int64_t>(std::floor(points * unit + 1e-6));
  };
  Json json = {{"schema", "classroom50/result/v1"}};
  if (run) {
    json["classroom"] = run->classroom;
    json["assignment"] = run->assignment;
    json["assignment_type"] = run->assignment_type;
    json["owner"] = run->owner;
    json["submission"] = run->submission;
    json["commit"] = run->commit;
    json["release"] = run->release;
    json["review"] = run->review;
    const std::string moment = moment_of(run->submission);
    if (!moment.empty()) json["datetime"] = moment;
  }
  Json tests = Json::array();
  for (const ExerciseMark& exercise : mark.exercises) {
    for (const PartMark& part : exercise.parts) {
      const bool full = part.points >= part.max;
      Json test = {{"test-name", fmt::format("{}: {}", exercise.exercise, part.name)},
                   {"passed", full},
                   {"score", whole(part.points)},
                   {"max-score", whole(part.max)}};
      if (!full) test["output"] = why(exercise, part);
      tests.push_back(std::move(test));
    }
  }
  json["score"] = whole(mark.points);
  json["max-score"] = whole(mark.max);
  json["tests"] = tests;
  return dumped(json);
}

std::string feedback_text(const Assignment& assignment, const StudentMark& mark) {
  std::string text = fmt::format("{}\n{}: {} of {} points\n", assignment.title, mark.student,
                                 points_text(mark.points), points_text(mark.max));
  if (!mark.lateness.empty()) {
    text += fmt::format("{}; before that it was {}\n", mark.lateness, points_text(mark.earned));
  }
  for (const std::string& note : mark.notes) text += note + "\n";
  for (const ExerciseMark& exercise : mark.exercises) {
    text += fmt::format("\n{}: {} of {} points, {}\n", exercise.exercise,
                        points_text(exercise.points), points_text(exercise.max), exercise.verdict);
    text += end_line(exercise.message);
    for (const PartMark& part : exercise.parts) {
      text += fmt::format("  {}: {} of {}\n", part.name, points_text(part.points),
                          points_text(part.max));
      if (part.points >= part.max) continue;
      for (const std::string& line : split_lines(part.message)) {
        text += line.empty() ? "\n" : "    " + line + "\n";
      }
    }
  }
  return text;
}

std::string marks_table(const Assignment& assignment, const std::vector<StudentMark>& marks) {
  const std::string head = "student";
  auto name_width = static_cast<int>(head.size());
  for (const StudentMark& mark : marks) name_width = std::max(name_width, columns_of(mark.student));
  const auto padded = [&](const std::string& text, int width, bool right) {
    const std::string blanks(static_cast<std::size_t>(std::max(0, width - columns_of(text))), ' ');
    return right ? blanks + text : text + blanks;
  };
  std::string text = padded(head, name_width, false);
  for (const AssignedExercise& exercise : assignment.exercises) text += "  " + exercise.name;
  text += "  total\n";
  for (const StudentMark& mark : marks) {
    text += padded(mark.student, name_width, false);
    for (const ExerciseMark& exercise : mark.exercises) {
      text += "  " + padded(points_text(exercise.points),
                            static_cast<int>(exercise.exercise.size()), true);
    }
    text += fmt::format("  {} of {}{}\n", points_text(mark.points), points_text(mark.max),
                        mark.lateness.empty() ? "" : ", late");
  }
  return text;
}

std::vector<PassedCount> count_passed(const Assignment& assignment,
                                      const std::vector<StudentMark>& marks) {
  std::vector<PassedCount> counts;
  for (const AssignedExercise& exercise : assignment.exercises) {
    PassedCount count{exercise.name, 0, {}};
    for (const StudentMark& mark : marks) {
      const auto own = std::ranges::find(mark.exercises, exercise.name, &ExerciseMark::exercise);
      if (own == mark.exercises.end() || own->verdict == kNotHandedIn) continue;
      ++count.handed_in;
      for (const PartMark& part : own->parts) {
        count.parts[part.name] += part.points > 0 && part.points >= part.max ? 1 : 0;
      }
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

std::string passed_table(const std::vector<PassedCount>& counts) {
  std::size_t width = 0;
  for (const PassedCount& count : counts) width = std::max(width, count.exercise.size());
  std::string text = fmt::format("{:{}}  handed in", "passed", width);
  for (const char* part : kParts) text += fmt::format("  {:>6}", part);
  text += "\n";
  for (const PassedCount& count : counts) {
    text += fmt::format("{:{}}  {:>9}", count.exercise, width, count.handed_in);
    for (const char* part : kParts) {
      const auto found = count.parts.find(part);
      text +=
          fmt::format("  {:>6}", found == count.parts.end() ? "-" : fmt::to_string(found->second));
    }
    text += "\n";
  }
  return text;
}

std::string passed_csv(const std::vector<PassedCount>& counts) {
  std::string text = "exercise,handed_in,values,safety,budget\n";
  for (const PassedCount& count : counts) {
    text += fmt::format("{},{}", count.exercise, count.handed_in);
    for (const char* part : kParts) {
      const auto found = count.parts.find(part);
      text += found == count.parts.end() ? "," : fmt::format(",{}", found->second);
    }
    text += "\n";
  }
  return text;
}

void write_outputs(const std::filesystem::path& folder, const Assignment& assignment,
                   const std::vector<StudentMark>& marks) {
  const std::optional<ClassroomRun> run = classroom_run();
  for (const StudentMark& mark : marks) {
    const std::filesystem::path own = folder / "students" / folder_name(mark.student);
    write_file_atomically(own / "results.json", gradescope_json(mark));
    write_file_atomically(own / "result.json", classroom_json(mark, run));
    write_file_atomically(own / "feedback.txt", feedback_text(assignment, mark));
  }
  write_file_atomically(folder / "junit.xml", junit_xml(assignment, marks));
  write_file_atomically(folder / "marks.json", marks_json(assignment, marks));
  write_file_atomically(folder / "passed.csv", passed_csv(count_passed(assignment, marks)));
  write_file_atomically(folder / "marks.csv", marks_csv(assignment, marks));
}

}  // namespace tut::learn

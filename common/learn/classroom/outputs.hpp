/// \file
/// Marks in the formats that others read. The same marks give the same bytes, and no file has a
/// time in it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learn/classroom/marks.hpp"

namespace tut::learn {

/// A student's name as that of a folder: what is not a letter, digit, "_", "-" or "." becomes %XX,
/// so that no two names become one, none leads elsewhere and none is hidden.
std::string folder_name(std::string_view student);

/// A text as a field of a CSV file. One that a spreadsheet would take for a formula has a ' before
/// it.
std::string csv_field(std::string text);

/// A line for each student: points of each exercise and in all.
std::string marks_csv(const Assignment& assignment, const std::vector<StudentMark>& marks);

std::string marks_json(const Assignment& assignment, const std::vector<StudentMark>& marks);

/// JUnit's XML: a suite for each student, a case for each part of an exercise.
std::string junit_xml(const Assignment& assignment, const std::vector<StudentMark>& marks);

/// Gradescope's results.json.
/// Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format
std::string gradescope_json(const StudentMark& mark);

/// What Classroom 50's runner tells an autograder of the submission, by environment variables.
struct ClassroomRun {
  std::string classroom, assignment, assignment_type, owner, submission, commit, release, review;
};

/// From CLASSROOM, ASSIGNMENT, ASSIGNMENT_TYPE, OWNER, USERNAME, SUBMISSION_TAG, COMMIT_URL,
/// RELEASE_URL and REVIEW_URL; nothing unless the runner has set them.
std::optional<ClassroomRun> classroom_run();

/// Classroom 50's result.json (classroom50/result/v1), in which points are whole numbers: with
/// parts that are not, a hundredth of a point each. `run`: without it, fields that only the runner
/// knows are left out.
/// Source: https://github.com/foundation50/classroom50, schemas/result-v1.schema.json
std::string classroom_json(const StudentMark& mark, const std::optional<ClassroomRun>& run);

/// What a student gets to read: the marks, and for each deduction why.
std::string feedback_text(const Assignment& assignment, const StudentMark& mark);

/// The table for the instructor's terminal.
std::string marks_table(const Assignment& assignment, const std::vector<StudentMark>& marks);

/// How many passed the parts of an exercise, of those who handed it in.
struct PassedCount {
  std::string exercise;
  int handed_in = 0;
  std::map<std::string, int> parts;  ///< values, safety, budget: those that it has
};

std::vector<PassedCount> count_passed(const Assignment& assignment,
                                      const std::vector<StudentMark>& marks);

/// The same as a table for the terminal, and for a spreadsheet.
std::string passed_table(const std::vector<PassedCount>& counts);
std::string passed_csv(const std::vector<PassedCount>& counts);

/// Writes all of them: marks.csv, passed.csv, marks.json and junit.xml in the folder, and
/// results.json, result.json and feedback.txt in students/NAME.
/// @throws UsageError naming the file and the reason
void write_outputs(const std::filesystem::path& folder, const Assignment& assignment,
                   const std::vector<StudentMark>& marks);

}  // namespace tut::learn

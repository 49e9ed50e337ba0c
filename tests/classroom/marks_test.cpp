#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "../learn/scratch_folder.hpp"
#include "learn/classroom/hand_in_times.hpp"
#include "learn/classroom/journal.hpp"
#include "learn/classroom/outputs.hpp"
#include "learn/classroom/seed.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

using namespace tut::learn;
namespace fs = std::filesystem;

namespace {

const PartResult kPassed{true, true, ""};
const PartResult kNone{false, false, ""};

PartResult failed(const std::string& message) { return {true, false, message}; }

AssignedExercise worth(double points) { return {"reverse", points, {60, 20, 20}}; }

Assignment homework() {
  Assignment a;
  a.title = "Homework <1>";
  a.exercises = {worth(10)};
  return a;
}

StudentMark marked(const std::string& student, const ExerciseResult& result) {
  Submission submission;
  submission.student = student;
  return mark_student(homework(), submission, {result}, std::nullopt);
}

}  // namespace

TEST_CASE("each part is worth its share, and safety and budget count where the values are right") {
  const auto points = [](PartResult values, PartResult safety, PartResult budget) {
    return mark_exercise(worth(10),
                         {"", "", std::move(values), std::move(safety), std::move(budget)})
        .points;
  };
  CHECK(points(kPassed, kPassed, kPassed) == 10);
  CHECK(points(kPassed, failed("a race"), kPassed) == 8);
  CHECK(points(kPassed, kPassed, failed("too many bytes")) == 8);
  CHECK(points(failed("wrong"), kPassed, kPassed) == 0);
  CHECK(points(kPassed, failed(""), kNone) == 8);  // the budget's share is the values'
  CHECK(points(kPassed, kNone, kNone) == 10);
  CHECK(points(failed("wrong"), kNone, kNone) == 0);
}

TEST_CASE("where nothing was tested no part says why it does not count") {
  const auto message_of_safety = [](const std::string& message) {
    return mark_exercise(worth(10), {"v", message, failed("m"), failed("s"), failed("b")})
        .parts[1]
        .message;
  };
  CHECK(message_of_safety("") == "It counts once the values are right.");
  CHECK(message_of_safety("it calls fork\n").empty());
}

TEST_CASE("parts add up to the points, whatever these are") {
  for (const double all : {1.0, 0.1, 3.33, 7.0}) {
    const ExerciseMark mark = mark_exercise(worth(all), {"", "", kPassed, kPassed, kPassed});
    double sum = 0;
    for (const PartMark& part : mark.parts) sum += part.max;
    CHECK(sum == doctest::Approx(all));
    CHECK(mark.points == doctest::Approx(all));
  }
  CHECK(points_text(4) == "4");
  CHECK(points_text(2.5) == "2.5");
  CHECK(points_text(1.0 / 3) == "0.33");
}

TEST_CASE("late work keeps what the assignment says, and says so") {
  Assignment a = homework();
  a.due = std::chrono::sys_seconds(std::chrono::seconds(1000000));
  a.late = {15, 10, 3, true};
  Submission submission;
  submission.student = "ann";
  const auto mark = [&](int seconds) {
    return mark_student(a, submission, {{"", "", kPassed, kPassed, kPassed}},
                        *a.due + std::chrono::seconds(seconds));
  };
  CHECK(mark(0).lateness.empty());
  CHECK(mark(60).points == 10);
  CHECK(mark(15 * 60).lateness.empty());  // the time of grace is no lateness
  CHECK_FALSE(mark(15 * 60 + 1).lateness.empty());
  CHECK(mark(3600).points == 9);
  CHECK(mark(3600).earned == 10);
  CHECK(mark(3600).lateness.starts_with("handed in 1 h 00 min after the deadline: 90 %"));
  CHECK(mark(5 * 86400).points == 0);
  CHECK(mark(5 * 86400).earned == 10);
  CHECK(marks_csv(a, {mark(3600)}).find("\nann,10,10,9,10,handed in 1 h") != std::string::npos);
  CHECK(feedback_text(a, mark(3600)).find("points count; before that it was 10\n") !=
        std::string::npos);
  CHECK(feedback_text(a, mark(0)).find("before") == std::string::npos);
  a.late = {};  // late work is marked, and counts in full
  CHECK(mark(60).lateness.ends_with("100 % of the points count"));
  CHECK(mark(60).points == 10);
}

TEST_CASE("how many passed each part is counted of those who handed in something") {
  const ExerciseResult right{"passed", "", kPassed, kPassed, kNone};
  const ExerciseResult racy{"safety: race", "", kPassed, failed("a race"), kNone};
  const ExerciseResult wrong{"values: wrong", "", failed("m"), kPassed, kNone};
  const ExerciseResult none{kNotHandedIn, "", failed(""), kNone, kNone};
  const auto counts = count_passed(
      homework(), {marked("a", right), marked("b", racy), marked("c", wrong), marked("d", none)});
  CHECK(passed_csv(counts) == "exercise,handed_in,values,safety,budget\nreverse,3,2,1,\n");
  CHECK(passed_table(counts) ==
        "passed   handed in  values  safety  budget\n"
        "reverse          3       2       1       -\n");
}

TEST_CASE("times are read with their offset") {
  const auto times =
      parse_times("# when\nann,2027-02-12T23:59:00+01:00\n\nb, c,2027-02-12T22:59:00Z\n", "t");
  CHECK(times.at("ann") == times.at("b, c"));
  for (const char* bad :
       {"ann", "ann,yesterday", "ann,2027-02-30T00:00:00Z", ",2027-02-12T22:59:00Z",
        "ann,2027-02-12T22:59:00", "a,2027-02-12T22:59:00Z\na,2027-02-12T22:59:00Z"}) {
    CHECK_THROWS_AS((void)parse_times(bad, "t"), UsageError);
  }
}

TEST_CASE("a student's name is no path, and no other student's folder") {
  CHECK(folder_name("ann-1.x") == "ann-1.x");
  CHECK(folder_name("..") == "%2E.");
  CHECK(folder_name("a/b") == "a%2Fb");
  CHECK(folder_name("-rf") == "%2Drf");
  CHECK(folder_name("a b") != folder_name("a_b"));
  CHECK(folder_name("a%20b") != folder_name("a b"));
  CHECK(folder_name(std::string(1000, 'x')).size() < 200);
  CHECK(folder_name(std::string(1000, 'x')) != folder_name(std::string(999, 'x')));
}

TEST_CASE("the marks are a table for spreadsheets, which takes no name for a formula") {
  const ExerciseResult result{"values: wrong", "", failed("m"), kPassed, kPassed};
  CHECK(marks_csv(homework(), {marked("=1+1", result), marked("a, \"b\"", result)}) ==
        "student,reverse,before_penalty,total,max,late,notes\n"
        "'=1+1,0,0,0,10,,\n"
        "\"a, \"\"b\"\"\",0,0,0,10,,\n");
  const ExerciseResult refused{"not usable", "reverse.cu: it is a link\nmore", kNone, kNone, kNone};
  CHECK(marks_csv(homework(), {marked("ann", refused)}) ==
        "student,reverse,before_penalty,total,max,late,notes\n"
        "ann,0,0,0,10,,reverse: reverse.cu: it is a link\n");
}

TEST_CASE("files for other programs are well-formed, whatever a program printed") {
  const ExerciseResult result{"values: <wrong>", "", failed("got \x01 & \"\xff\"\n]]>"), kPassed,
                              kNone};
  const StudentMark mark = marked("ann", result);
  const auto all = nlohmann::json::parse(marks_json(homework(), {mark}));
  CHECK(all["students"][0]["exercises"][0]["parts"][0]["points"] == 0);
  const auto scope = nlohmann::json::parse(gradescope_json(mark));
  CHECK(scope["score"] == 0);
  CHECK(scope["tests"][0]["max_score"] == 8);
  CHECK(scope["tests"][0]["status"] == "failed");
  CHECK(scope["tests"][0]["name"] == "reverse: values");
  const auto fifty = nlohmann::json::parse(classroom_json(mark, std::nullopt));
  CHECK(fifty["schema"] == "classroom50/result/v1");
  CHECK(fifty["max-score"] == 10);
  CHECK(fifty["tests"][1]["passed"] == false);
  const std::string xml = junit_xml(homework(), {mark});
  CHECK(xml.find("Homework &lt;1&gt;") != std::string::npos);
  CHECK(xml.find('\x01') == std::string::npos);
  CHECK(xml.find("&amp; &quot;") != std::string::npos);
}

TEST_CASE("a class room's points are whole numbers, in hundredths where need be") {
  Assignment a = homework();
  a.exercises = {{"reverse", 1, {60, 20, 20}}};
  Submission submission;
  submission.student = "ann";
  const StudentMark mark =
      mark_student(a, submission, {{"", "", kPassed, failed("x"), kPassed}}, {});
  const auto json = nlohmann::json::parse(classroom_json(
      mark,
      ClassroomRun{"c", "a", "individual", "ann", "submit/2027-02-12T225900Z-abc", "u", "r", "v"}));
  CHECK(json["score"] == 80);
  CHECK(json["max-score"] == 100);
  CHECK(json["datetime"] == "2027-02-12T22:59:00Z");
  CHECK(json["owner"] == "ann");
}

TEST_CASE("feedback says why points are missing") {
  const ExerciseResult result{"safety: 1 race", "", kPassed, failed("lines 3 and 4 race\n"),
                              kPassed};
  CHECK(feedback_text(homework(), marked("ann", result)) ==
        "Homework <1>\nann: 8 of 10 points\n\nreverse: 8 of 10 points, safety: 1 race\n"
        "  values: 6 of 6\n  safety: 0 of 2\n    lines 3 and 4 race\n  budget: 2 of 2\n");
}

TEST_CASE("the journal gives back what was written, for that text, exercise and course only") {
  const ScratchFolder folder;
  const Journal journal(folder.path() / "j");
  const ExerciseResult result{"safety: 1 race", "", kPassed, failed("x"), kNone};
  CHECK_FALSE(journal.find("key", "reverse", "text"));
  journal.add("key", "reverse", "text", result);
  CHECK(journal.find("key", "reverse", "text") == result);
  CHECK_FALSE(journal.find("key2", "reverse", "text"));
  CHECK_FALSE(journal.find("key", "clamp", "text"));
  CHECK_FALSE(journal.find("key", "reverse", "texts"));
  for (const auto& entry : fs::directory_iterator(folder.path() / "j")) {
    write_file_atomically(entry.path(), "{\"verdict\": \"passed\"");  // damaged: graded again
  }
  CHECK_FALSE(journal.find("key", "reverse", "text"));
}

TEST_CASE("seeds come of the secret") {
  // RFC 4231, test cases 2 and 6.
  CHECK(hmac_sha256("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac_sha256(std::string(131, '\xaa'),
                    "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(seed_of("", "reverse").empty());
  CHECK(seed_of("a", "reverse") != seed_of("b", "reverse"));
  CHECK(seed_of("a", "reverse") != seed_of("a", "clamp"));
}

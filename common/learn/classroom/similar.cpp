#include "learn/classroom/similar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "learn/classroom/outputs.hpp"
#include "learn/classroom/submissions.hpp"
#include "learn/core/assignment.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/stub_source.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

constexpr int kWidth = 100;
/// Of more, nobody reads them all.
constexpr std::size_t kMostTold = 40;
/// Where half of all pairs are so much alike, likeness says little.
constexpr double kLittleChoice = 0.6;

/// Whole percents, rounded down, so that 100 says that all of it is alike.
int whole_percent(double share) { return static_cast<int>(std::floor(100 * share + 1e-9)); }

int whole_percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : whole_percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string lines_text(const LineRange& lines) {
  return lines.first == lines.last ? fmt::format("{}", lines.first)
                                   : fmt::format("{}-{}", lines.first, lines.last);
}

std::string count_text(std::size_t count, const char* one, const char* more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string joined_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "97 %  ann and ben: ...", and the lines that are alike.
std::string entry_text(const Likeness& one, const std::string& left, const std::string& right,
                       std::size_t left_own, std::size_t right_own) {
  std::string text =
      wrap(fmt::format(
               "{:3} %  {} and {}: {} tokens are alike, of {} and {}; {} of them are spelled the "
               "same, {} are rare",
               whole_percent(one.share), left, right, one.alike, left_own, right_own,
               one.same_spelling, one.rare),
           kWidth, 2, 7);
  std::vector<std::string> places;
  for (const AlikeLines& lines : one.lines) {
    places.push_back(lines_text(lines.left) + " = " + lines_text(lines.right));
  }
  return text + wrap("lines " + joined_names(places), kWidth, 9, 2);
}

std::string entry_text(const ComparedExercise& exercise, const Likeness& one, bool is_solution) {
  const ClassLikeness& all = exercise.likeness;
  return entry_text(one, exercise.students[one.left],
                    is_solution ? "the solution" : exercise.students[one.right], all.own[one.left],
                    is_solution ? all.solution_own : all.own[one.right]);
}

/// The likenesses that stand out, the most alike first. Of several files that are alike, each pair
/// that connects one with the others is told, and not what follows from them.
std::string list_text(const ComparedExercise& exercise, const LikenessList& list,
                      bool is_solution) {
  std::vector<std::size_t> group(exercise.students.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::string text;
  std::size_t shown = 0, connected = 0;
  for (std::size_t i = 0; i < std::min(list.outstanding, list.most.size()); ++i) {
    const Likeness& one = list.most[i];
    if (!is_solution) {
      const std::size_t left = group[one.left], right = group[one.right];
      connected += left == right ? 1 : 0;
      if (left == right) continue;
      std::ranges::replace(group, right, left);
    }
    if (shown == kMostTold) break;
    text += entry_text(exercise, one, is_solution);
    ++shown;
  }
  const std::size_t rest = list.outstanding - shown - connected;
  if (connected > 0) {
    text += fmt::format("  and {} of files that are connected by these\n",
                        count_text(connected, "more pair", "more pairs"));
  }
  if (rest > 0) text += fmt::format("  and {} more, less alike\n", rest);
  return text;
}

/// "Half of all pairs are alike by 41 % at most; 2 of 703 pairs stand out, from 70 % on."
std::string summary(const LikenessList& list, const char* half_of, const char* one,
                    const char* more) {
  std::string text;
  if (list.usual) {
    text =
        fmt::format("half of {} are alike by {} % at most{}; ", half_of, whole_percent(*list.usual),
                    *list.usual < kLittleChoice
                        ? ""
                        : ", so the exercise leaves little choice and likeness says little");
  }
  return text + fmt::format("{} of {} {} out, from {:.0f} % on.",
                            list.outstanding == 0 ? "none" : fmt::format("{}", list.outstanding),
                            count_text(list.all, one, more),
                            list.outstanding > 1 ? "stand" : "stands",
                            std::ceil(100 * list.least - 1e-9));
}

std::string paragraph(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return wrap(text, kWidth);
}

std::string pairs_text(const ComparedExercise& exercise) {
  const ClassLikeness& all = exercise.likeness;
  if (all.pairs.all == 0) return "";
  std::string text = summary(all.pairs, "all pairs", "pair", "pairs");
  if (all.like_solution > 0) {
    text += fmt::format(
        " {} left out: both files stand out beside the solution, below, and have nothing rare in "
        "common.",
        count_text(all.like_solution, "more is", "more are"));
  }
  return paragraph(text) + list_text(exercise, all.pairs, false);
}

std::string solution_text(const ComparedExercise& exercise) {
  const ClassLikeness& all = exercise.likeness;
  if (all.compared == 0) return "";
  if (all.solution.all == 0) {
    return "The solution is not compared: it is not here, or has too little of its own.\n";
  }
  return paragraph("beside the solution: " + summary(all.solution, "the files", "file", "files")) +
         list_text(exercise, all.solution, true);
}

std::string exercise_text(const ComparedExercise& exercise) {
  const ClassLikeness& all = exercise.likeness;
  std::string text = fmt::format("\n== {}: {} compared\n", exercise.name,
                                 count_text(all.compared, "file", "files"));
  std::vector<std::string> short_ones, long_ones;
  for (std::size_t i = 0; i < all.own.size(); ++i) {
    if (all.own[i] < kLeastOwn) short_ones.push_back(exercise.students[i]);
    if (all.own[i] == kMostOwn) long_ones.push_back(exercise.students[i]);
  }
  if (!short_ones.empty()) {
    text += paragraph(fmt::format("not compared, with fewer than {} tokens of their own: {}",
                                  kLeastOwn, joined_names(short_ones)));
  }
  if (!long_ones.empty()) {
    text += paragraph(
        fmt::format("compared up to their first {} tokens: {}", kMostOwn, joined_names(long_ones)));
  }
  for (const std::string& line : exercise.unusable) text += paragraph("not compared: " + line);
  if (all.compared > 0 && all.own.size() > 1) {
    text += fmt::format("Rare is what at most {} files have, and the solution has not.\n", all.few);
  }
  return text + pairs_text(exercise) + solution_text(exercise);
}

void add_row(std::string& text, const ComparedExercise& exercise, const Likeness& one,
             bool stands_out, bool is_solution) {
  const ClassLikeness& all = exercise.likeness;
  std::vector<std::string> left, right;
  for (const AlikeLines& lines : one.lines) {
    left.push_back(lines_text(lines.left));
    right.push_back(lines_text(lines.right));
  }
  text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", exercise.name,
                      csv_field(exercise.students[one.left]),
                      is_solution ? "(solution)" : csv_field(exercise.students[one.right]),
                      whole_percent(one.share), stands_out ? "yes" : "no", one.alike,
                      whole_percent(one.alike, all.own[one.left]),
                      whole_percent(one.alike, is_solution ? all.solution_own : all.own[one.right]),
                      one.same_spelling, one.rare, fmt::join(left, " "), fmt::join(right, " "));
}

ComparedExercise compare_exercise(const Context& context, const Exercise& exercise,
                                  const std::vector<Submission>& submissions) {
  ComparedExercise result;
  result.name = exercise.name;
  std::vector<std::string_view> files;
  for (const Submission& submission : submissions) {
    const HandedIn& file = submission.files.at(exercise.name);
    if (file.problem.empty()) {
      result.students.push_back(submission.student);
      files.push_back(file.text);
    } else if (file.is_there) {
      result.unusable.push_back(submission.student + ": " + file.problem);
    }
  }
  const std::optional<std::string> solution = read_file(context.root / exercise.solution());
  result.likeness = compare_class(files, stub_text(context.root, exercise), solution);
  return result;
}

}  // namespace

std::string similar_text(const std::string& title, const std::vector<ComparedExercise>& exercises) {
  std::string text = title + ": files that are alike\n\n";
  text += paragraph(
      "This is a list of places to look at, and no verdict. Files are alike where an exercise "
      "leaves "
      "little choice, where two people worked together as far as they were allowed to or learned "
      "from the same text, and where one has taken the other's. Which of these it is, only the "
      "lines "
      "and the people can tell.");
  text += "\n" + paragraph(fmt::format(
                     "Compared is what each file has beyond the given code, without comments and "
                     "layout, with all "
                     "names as one name and all numbers as one number. Pieces of {} tokens or more "
                     "that two files "
                     "have in common are alike, in whatever order they stand. A pair stands out "
                     "from {} % on, or "
                     "from halfway between what is usual in the class and 100 %, if that is more.",
                     kLeastPiece, whole_percent(kLeastOutstanding)));
  for (const ComparedExercise& exercise : exercises) text += exercise_text(exercise);
  return text;
}

std::string similar_csv(const std::vector<ComparedExercise>& exercises) {
  std::string text =
      "exercise,student,other,alike_percent,stands_out,alike_tokens,percent_of_student,"
      "percent_of_other,same_spelling,rare,lines_of_student,lines_of_other\n";
  for (const ComparedExercise& exercise : exercises) {
    for (const bool is_solution : {false, true}) {
      const LikenessList& list = is_solution ? exercise.likeness.solution : exercise.likeness.pairs;
      for (std::size_t i = 0; i < list.most.size(); ++i) {
        if (list.most[i].alike == 0) break;
        add_row(text, exercise, list.most[i], i < list.outstanding, is_solution);
      }
    }
  }
  return text;
}

int similar_command(const Context& context, const SimilarOptions& options) {
  const Course course = load_course(context.root);
  const Assignment assignment = load_assignment(options.assignment, course);
  std::vector<const Exercise*> assigned;
  for (const AssignedExercise& one : assignment.exercises) {
    assigned.push_back(&pick_exercise(course, one.name));
  }
  if (!options.out.empty()) require_writable_folder(options.out);
  const Intake intake = take_in(options.submissions, assigned);
  for (const std::string& note : intake.notes) fmt::print(stderr, "learn: {}\n", note);
  std::vector<ComparedExercise> compared;
  {
    StatusLine status;
    for (const Exercise* exercise : assigned) {
      status.show("comparing " + exercise->name);
      compared.push_back(compare_exercise(context, *exercise, intake.students));
    }
  }
  const std::string text = similar_text(assignment.title, compared);
  if (options.out.empty()) {
    fmt::print("{}", text);
    return exit_ok;
  }
  write_file_atomically(options.out / "similar.txt", text);
  write_file_atomically(options.out / "similar.csv", similar_csv(compared));
  for (const ComparedExercise& one : compared) {
    fmt::print("{}: {} compared; {} of {} pairs and {} of {} beside the solution stand out\n",
               one.name, count_text(one.likeness.compared, "file", "files"),
               one.likeness.pairs.outstanding, one.likeness.pairs.all,
               one.likeness.solution.outstanding, one.likeness.solution.all);
  }
  fmt::print("What is alike, and where, is in {}; it is no verdict\n",
             (options.out / "similar.txt").string());
  return exit_ok;
}

}  // namespace tut::learn

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <csignal>
#include <exception>

#include "learn/classroom/bundle.hpp"
#include "learn/classroom/grade.hpp"
#include "learn/classroom/similar.hpp"
#include "learn/core/error.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut::learn;

std::string named(const std::string& word) { return word.empty() ? "it is empty" : ""; }

void add_grade(CLI::App& app, GradeOptions& options) {
  CLI::App* grade = app.add_subcommand(
      "grade", "grade what was handed in, in a sandbox: marks, feedback and files for others");
  grade->add_option("--assignment", options.assignment, "the assignment's file, assignment.toml")
      ->required()
      ->check(named);
  grade
      ->add_option("submission", options.submissions,
                   "a source file, a student's folder or archive, or a folder of these")
      ->required()
      ->check(named);
  grade
      ->add_option("--out", options.out, "the folder for marks and feedback; grading goes on there")
      ->check(named);
  grade->add_option("--times", options.times, "a file of lines STUDENT,2027-02-12T23:59:00+01:00")
      ->check(named);
  grade->add_option("--jobs", options.jobs, "how many at a time; default: the cores")
      ->check(CLI::Range(1, 1024));
  grade
      ->add_option("--compile-seconds", options.compile_seconds,
                   "processor time for a compilation; default 120")
      ->check(CLI::Range(1.0, 3600.0));
  grade
      ->add_option(
          "--run-seconds", options.run_seconds,
          "most processor time for each test of a submission, and as much waiting; default: "
          "what the course gives the exercise, which is the most there is")
      ->check(CLI::Range(1.0, 3600.0));
  grade->add_option("--memory", options.memory_gib, "GiB for each submission; default 4")
      ->check(CLI::Range(0.25, 1024.0));
  grade->add_flag("--unsafe", options.unsafe,
                  "grade where nothing keeps submissions from this machine");
}

void add_similar(CLI::App& app, SimilarOptions& options) {
  CLI::App* similar = app.add_subcommand(
      "similar", "list which files of a class are alike, and where; nothing of them is run");
  similar->add_option("--assignment", options.assignment, "the assignment's file, assignment.toml")
      ->required()
      ->check(named);
  similar
      ->add_option("submission", options.submissions,
                   "a source file, a student's folder or archive, or a folder of these")
      ->required()
      ->check(named);
  similar->add_option("--out", options.out, "the folder for similar.txt and similar.csv")
      ->check(named);
}

void add_bundle(CLI::App& app, BundleOptions& options) {
  CLI::App* bundle = app.add_subcommand(
      "bundle", "pack the course for students, without the solutions of what is assigned");
  CLI::Option* file =
      bundle->add_option("--assignment", options.assignment, "the assignment's file")->check(named);
  bundle->add_option("--exercises", options.exercises, "what is assigned: NAME,NAME")
      ->delimiter(',')
      ->check(named)
      ->excludes(file);
  bundle->add_option("--out", options.out, "FILE.tar.gz or FILE.zip")->required()->check(named);
}

int run(int argc, char** argv) {
  CLI::App app{"From Loops to Tensor Cores: for who teaches", "./learn"};
  GradeOptions grade;
  add_grade(app, grade);
  SimilarOptions similar;
  add_similar(app, similar);
  BundleOptions bundle;
  add_bundle(app, bundle);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    fmt::print("{}", chosen.empty() ? app.help() : chosen[0]->help("./learn"));
    return exit_ok;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (app.got_subcommand("bundle")) return bundle_command(find_context(""), bundle);
  if (app.got_subcommand("similar")) return similar_command(find_context(""), similar);
  return grade_command(find_context(""), grade);
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const int code = run(argc, argv);
    return tut::flush_output("learn") || code != exit_ok ? code : exit_usage;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "learn: {}\n", error.what());
    return exit_usage;
  }
}

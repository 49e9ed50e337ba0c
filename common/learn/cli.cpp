#include "learn/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "learn/cli_arguments.hpp"
#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

/// Where the parser puts what it read. The command that is chosen keeps it.
struct Parsed {
  CheckOptions check;
  RunOptions run;
  AsmOptions assembly;
  BenchOptions bench;
  DebugOptions debug;
  PlotOptions plot;
  SolutionOptions solution;
  DataOptions data;
  ListOptions list;
  SubmitOptions submit;
  std::string exercise;
  std::vector<std::string> rest;
  bool json = false;
};

/// An empty word would mean the next exercise, which is not what `./learn check "$NAME"` with an
/// empty NAME asks for.
std::string named(const std::string& word) { return word.empty() ? "it is empty" : ""; }

constexpr const char* gpu_help =
    "h200, h100, a100, rtx4090 or t4: show the bounds that this GPU's data sheet sets for what is "
    "counted; no GPU is needed";

/// A program's options, with what followed them as its arguments.
template <class Options>
Options with_rest(Options options, const Parsed& parsed) {
  options.arguments = parsed.rest;
  return options;
}

struct Parser {
  CLI::App app{"From Loops to Tensor Cores: the course's command line", "./learn"};
  Invocation invocation;
  std::shared_ptr<Parsed> parsed = std::make_shared<Parsed>();
};

/// Adds a command that does `action` with what was parsed.
template <class Action>
CLI::App* add(Parser& parser, const char* name, const char* help, Action action) {
  CLI::App* command = parser.app.add_subcommand(name, help);
  command->callback([&parser, action] {
    parser.invocation.command = [parsed = parser.parsed, action](const Context& context) {
      return action(context, *parsed);
    };
  });
  return command;
}

void add_exercise_commands(Parser& parser) {
  CLI::App* check = add(
      parser, "check",
      "check an exercise: the named one, else the one you edited last or the next unsolved one. "
      "Or look for races and other bugs in a .cu file of your own; what follows it is passed to "
      "the program, flags after --",
      [](const Context& c, const Parsed& p) {
        CheckOptions options = p.check;
        options.exercises.insert(options.exercises.end(), p.rest.begin(), p.rest.end());
        return check_command(c, options);
      });
  check
      ->add_option("exercise", parser.parsed->check.exercises,
                   "names or files of exercises, or FILE.cu")
      ->check(named);
  check->add_flag("--all", parser.parsed->check.all, "check every exercise");
  check
      ->add_option("--part", parser.parsed->check.part,
                   "check every exercise of this part: I, II, ...")
      ->check(named);
  check->add_flag("--full", parser.parsed->check.full, "print all that the test reports");
  check->add_flag("--json", parser.parsed->check.json, "print the results as JSON");

  CLI::App* watch =
      add(parser, "watch", "check an exercise again whenever its file is saved",
          [](const Context& c, const Parsed& p) { return watch_command(c, p.exercise); });
  CLI::App* hint =
      add(parser, "hint", "print the next hint of an exercise",
          [](const Context& c, const Parsed& p) { return hint_command(c, p.exercise); });
  for (CLI::App* command : {watch, hint}) {
    command
        ->add_option("exercise", parser.parsed->exercise,
                     "default: the one you edited last, or the next unsolved one")
        ->check(named);
  }

  CLI::App* solution =
      add(parser, "solution", "print the solution of an exercise that you have solved",
          [](const Context& c, const Parsed& p) { return solution_command(c, p.solution); });
  solution->add_option("exercise", parser.parsed->solution.exercise)->required()->check(named);
  solution->add_flag("--give-up", parser.parsed->solution.give_up,
                     "print it although the exercise is not solved");
  solution->add_flag("--diff", parser.parsed->solution.diff, "compare its kernels with yours");

  CLI::App* reset =
      add(parser, "reset", "start an exercise afresh; your file is kept under another name",
          [](const Context& c, const Parsed& p) { return reset_command(c, p.exercise); });
  reset->add_option("exercise", parser.parsed->exercise)->required()->check(named);
}

void add_debug_command(Parser& parser) {
  CLI::App* debug = add(
      parser, "debug",
      "run an exercise, or a .cu file of your own, in gdb, and stop at the first launch "
      "of one of its kernels (in an exercise in plain C++, at the first line of its "
      "function); arguments for the program come after --",
      [](const Context& c, const Parsed& p) { return debug_command(c, with_rest(p.debug, p)); });
  DebugOptions& options = parser.parsed->debug;
  debug
      ->add_option("exercise-or-file", options.what,
                   "default: the exercise you edited last, or the next unsolved one")
      ->check(named);
  debug->add_flag("--check", options.check, "stop at each finding of check mode");
  debug->add_flag(
      "--prepare", options.prepare,
      "only build it, and link build/BACKEND/debug/program to it, for an editor's debugger");
  debug->add_flag("--batch", options.batch, "gdb's own option: end after the commands");
  debug->add_option("-x", options.command_files, "gdb's own option: a file of commands")
      ->check(named)
      ->take_all();
  debug->add_option("--ex", options.commands, "gdb's own option -ex: a command")
      ->check(named)
      ->take_all();
}

void add_asm_command(Parser& parser) {
  CLI::App* command =
      add(parser, "asm",
          "show what each line of a kernel is compiled to: PTX and SASS if there is a CUDA "
          "toolkit, with a table of registers, loads and stores; else the CPU backend's x86 code",
          [](const Context& c, const Parsed& p) { return asm_command(c, p.assembly); });
  AsmOptions& options = parser.parsed->assembly;
  command->add_option("what", options.what, "an exercise, the name of a kernel, or FILE.cu")
      ->required()
      ->check(named);
  std::vector<CLI::Option*> flags;
  const auto add_choice = [&](const char* name, AsmLanguage language, const char* help) {
    flags.push_back(command->add_flag_callback(
        name, [&options, language] { options.language = language; }, help));
  };
  add_choice("--ptx", AsmLanguage::ptx, "show only PTX");
  add_choice("--sass", AsmLanguage::sass, "show only SASS");
  add_choice("--cpu", AsmLanguage::cpu, "show the CPU backend's code even if there is a toolkit");
  for (CLI::Option* one : flags) {
    for (CLI::Option* other : flags) {
      if (one != other) one->excludes(other);
    }
  }
}

void add_program_commands(Parser& parser) {
  CLI::App* run =
      add(parser, "run",
          "run a chapter's example, or a .cu file of your own; what follows is passed to the "
          "program, flags after --",
          [](const Context& c, const Parsed& p) { return run_command(c, with_rest(p.run, p)); });
  run->add_option("chapter-or-file", parser.parsed->run.what,
                  "5, ch05, 05_shared_memory_tiling or FILE.cu")
      ->required()
      ->check(named);

  CLI::App* count =
      add(parser, "count",
          "count the memory traffic of a .cu file of your own; what follows is passed to the "
          "program, flags after --",
          [](const Context& c, const Parsed& p) { return count_command(c, with_rest(p.run, p)); });
  count->add_option("file", parser.parsed->run.what, "FILE.cu")->required()->check(named);

  CLI::App* bench = add(
      parser, "bench",
      "compare a chapter's kernels, step by step, with libraries: their times, or without a GPU "
      "the bytes they move. Takes Google Benchmark's flags, such as --benchmark_filter=REGEX",
      [](const Context& c, const Parsed& p) { return bench_command(c, with_rest(p.bench, p)); });
  BenchOptions& options = parser.parsed->bench;
  bench->add_option("chapter", options.chapter, "5, ch05 or 05_shared_memory_tiling")
      ->required()
      ->check(named);
  bench->add_option("--json", options.json, "write the results to this file")->check(named);
  bench->add_option("--read", options.read, "show the results in this file instead of measuring")
      ->check(named);
  bench->add_flag("--counts", options.counts, "count bytes, as is done without a GPU");
  bench->add_flag("--times", options.times, "measure times on the CPU backend as well");
  bench->add_option("--gpu", options.gpu, gpu_help)->check(named);
  bench->add_flag("--guard", options.guard,
                  "fail if a step is worse than in the results of this device in docs/results");

  CLI::App* plot = add(parser, "plot", "draw a chapter's ladder and roofline as SVG pictures",
                       [](const Context& c, const Parsed& p) { return plot_command(c, p.plot); });
  plot->add_option("chapter", parser.parsed->plot.chapter, "default: all that have results")
      ->check(named);
  plot->add_option("--json", parser.parsed->plot.json,
                   "file of results; default: those of the last run")
      ->check(named);
  plot->add_option("--gpu", parser.parsed->plot.gpu, gpu_help)->check(named);
  plot->add_option("--out", parser.parsed->plot.out,
                   "folder for the pictures; default: in the build folder")
      ->check(named);

  add(parser, "cucc", "run the CPU backend's compiler, which is used like nvcc",
      [](const Context& c, const Parsed& p) { return cucc_command(c, p.rest); });

  add(parser, "author", "for authors of exercises: lay one out, and see what it lacks",
      [](const Context& c, const Parsed& p) { return author_command(c, p.rest); });

  add(parser, "test", "build everything and run every test; what follows is passed to ctest",
      [](const Context& c, const Parsed& p) { return test_command(c, p.rest); });

  add(parser, "tour", "show what the course builds",
      [](const Context& c, const Parsed&) { return tour_command(c); });
}

void add_homework_commands(Parser& parser) {
  CLI::App* submit =
      add(parser, "submit", "pack your files of an assignment's exercises, and say what is missing",
          [](const Context& c, const Parsed& p) { return submit_command(c, p.submit); });
  SubmitOptions& options = parser.parsed->submit;
  submit
      ->add_option("--assignment", options.assignment,
                   "default: assignment.toml in the course's folder")
      ->check(named);
  submit->add_option("--out", options.out, "FILE.tar.gz or FILE.zip; default: submission.tar.gz")
      ->check(named);
  submit->add_flag("--anyway", options.anyway, "pack although something is missing");
  add(parser, "update", "take the course's new version; your files stay as they are",
      [](const Context& c, const Parsed&) { return update_command(c); });
}

void add_list_command(Parser& parser) {
  CLI::App* list = add(
      parser, "list",
      "the chapters and exercises, and how far you are; with words those that have them in their "
      "names or titles",
      [](const Context& c, const Parsed& p) { return list_command(c, p.list); });
  ListOptions& options = parser.parsed->list;
  list->add_option("words", options.words, "none: the whole course")->check(named);
  list->add_option("--chapter", options.chapter, "5, ch05 or 05_shared_memory_tiling")
      ->check(named);
  list->add_option("--part", options.part, "I, II, ...")->check(named);
  list->add_flag("--unsolved", options.unsolved, "what is still to be solved");
  list->add_flag("--json", options.json, "print it as JSON");
}

void add_classroom_commands(Parser& parser) {
  add(parser, "grade", "for instructors: grade what was handed in, in a sandbox",
      [](const Context& c, const Parsed& p) { return classroom_command(c, "grade", p.rest); });
  add(parser, "similar", "for instructors: list which files of a class are alike, and where",
      [](const Context& c, const Parsed& p) { return classroom_command(c, "similar", p.rest); });
  add(parser, "bundle", "for instructors: pack the course with an assignment, for students",
      [](const Context& c, const Parsed& p) { return classroom_command(c, "bundle", p.rest); });
}

void add_machine_commands(Parser& parser) {
  CLI::App* status =
      add(parser, "status", "print where you stand, as without a command",
          [](const Context& c, const Parsed& p) { return status_command(c, p.json); });
  add_list_command(parser);
  add_homework_commands(parser);
  CLI::App* doctor =
      add(parser, "doctor", "show what this machine has, what runs here, and what to fix",
          [](const Context& c, const Parsed& p) { return doctor_command(c, p.json); });
  for (CLI::App* command : {status, doctor}) {
    command->add_flag("--json", parser.parsed->json, "print it as JSON");
  }
  CLI::App* data = add(parser, "data", "download a data set: mnist",
                       [](const Context& c, const Parsed& p) { return data_command(c, p.data); });
  data->add_option("name", parser.parsed->data.name, "mnist; without a name: list what is there");
  data->add_option("--mirror", parser.parsed->data.mirror, "a URL or folder to try first");
}

Invocation mistake(const std::string& message) {
  return {{},
          nullptr,
          fmt::format("learn: {}; './learn --help' shows every command\n", message),
          exit_usage};
}

/// CLI11's message as one line that starts in lower case.
std::string one_line(std::string message) {
  message = message.substr(0, message.find('\n'));
  if (!message.empty()) message[0] = static_cast<char>(std::tolower(message[0]));
  return message;
}

/// What is wrong with the command's name; empty when nothing is. CLI11 would only say that the
/// argument was not expected.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments,
                            std::size_t command) {
  if (command >= arguments.size() || arguments[command].starts_with("-")) return "";
  std::vector<std::string> names;
  for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  if (std::ranges::find(names, arguments[command]) != names.end()) return "";
  const auto near = nearest_name(arguments[command], names);
  return fmt::format("no command '{}'{}", arguments[command],
                     near ? fmt::format(", did you mean {}?", *near) : "");
}

}  // namespace

Invocation parse_command_line(std::vector<std::string> arguments) {
  Parser parser;
  CLI::App& app = parser.app;
  app.footer(
      "Without a command it shows your progress and the next exercise.\n"
      "Exit codes: 0 done, 1 a check or test failed, 2 wrong usage or environment;\n"
      "run, count, bench and cucc return their program's own code; check FILE.cu returns 86\n"
      "if it finds something.");
  app.add_option("--backend", parser.invocation.backend,
                 "cpu or cuda; default: cuda if there is a GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  add_machine_commands(parser);
  add_exercise_commands(parser);
  add_program_commands(parser);
  add_debug_command(parser);
  add_asm_command(parser);
  add_classroom_commands(parser);
  app.require_subcommand(0, 1);
  parser.invocation.command = [](const Context& context) { return status_command(context, false); };

  const std::size_t command = command_index(arguments);
  const std::string unknown = unknown_command(app, arguments, command);
  if (!unknown.empty()) return mistake(unknown);
  const std::string misplaced = misplaced_flag(arguments, command);
  if (!misplaced.empty()) return mistake(misplaced);
  parser.parsed->rest = take_program_arguments(arguments, command);
  // gdb spells it with one dash, which here would be two options.
  std::ranges::replace(arguments, "-ex", "--ex");
  try {
    std::ranges::reverse(arguments);
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return {{}, nullptr, chosen.empty() ? app.help() : chosen[0]->help("./learn"), exit_ok};
  } catch (const CLI::ParseError& error) {
    return mistake(one_line(error.what()));
  }
  return parser.invocation;
}

}  // namespace tut::learn

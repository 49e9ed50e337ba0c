#include "learn/classroom/grader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "learn/classroom/channel.hpp"
#include "learn/core/checker.hpp"
#include "learn/core/cpp_source.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/report.hpp"
#include "learn/core/text.hpp"
#include "tut/testing/verdict.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::vector<std::pair<std::string, std::string>> plain_environment() {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"HOME", "/tmp"},
          {"TMPDIR", "/tmp"},
          {"LC_ALL", "C.UTF-8"},
          {"CCACHE_DISABLE", "1"}};
}

std::set<std::string> exports_of(const fs::path& program, const std::set<std::string>* known) {
  const Outcome outcome = run_captured({{"nm", "-D", "--defined-only", program.string()}, {}, {}},
                                       {.bytes = std::size_t{64} << 20});
  std::set<std::string> names;
  for (const std::string& line : split_lines(outcome.output)) {
    if (line.size() < 20 || line[16] != ' ') continue;
    std::string name = line.substr(19);
    name.resize(std::min(name.find('@'), name.size()));
    const bool shared =
        name.starts_with("_Z") && (line[17] == 'W' || line[17] == 'V' || line[17] == 'u');
    if (!shared && (known == nullptr || !known->contains(name))) names.insert(name);
  }
  return names;
}

/// Files that a compiler makes for itself have other names each time: what it says of one is said
/// of its kind, so that the same text gets the same message.
std::string without_temporaries(std::string_view text) {
  constexpr std::string_view kFolder = "/tmp/";
  std::string result;
  for (std::size_t at = text.find(kFolder); at != std::string_view::npos; at = text.find(kFolder)) {
    result += text.substr(0, at + kFolder.size());
    text.remove_prefix(at + kFolder.size());
    std::size_t end = 0;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > 0) result += '*';
    text.remove_prefix(end);
  }
  return result.append(text);
}

constexpr const char* kNotItsOwn = "refused: it uses or defines what an answer may not";

/// Whether it was stopped: then nothing that takes as long is tried again.
bool stopped(const PartResult& part) { return part.message.find("Stopped") != std::string::npos; }

Words names_of(const std::vector<Symbol>& symbols) {
  Words names;
  for (const Symbol& symbol : symbols) {
    const bool shared = symbol.kind == 'W' || symbol.kind == 'V' || symbol.kind == 'u';
    if (symbol.kind != 'U' && symbol.kind != 'w' && !shared) names.push_back(symbol.name);
  }
  return names;
}

}  // namespace

ExerciseGrader::ExerciseGrader(const Isolation& isolation, ExerciseRecipe recipe, std::string seed,
                               const GradeLimits& limits)
    : isolation_(isolation), recipe_(std::move(recipe)), seed_(std::move(seed)), limits_(limits) {}

void ExerciseGrader::prepare() {
  const Context& context = isolation_.context();
  for (const std::string& input : recipe_.plain->inputs) {
    if (!input.ends_with(".o")) continue;
    const Outcome outcome = run_captured(
        {{"nm", "--demangle", "--extern-only", (context.build_folder / input).string()}, {}, {}},
        {.bytes = std::size_t{64} << 20});
    for (std::string& name : names_of(parse_symbols(outcome.output))) {
      elsewhere_.push_back(std::move(name));
    }
  }
  std::ranges::sort(elsewhere_);
  for (const auto* program : {&recipe_.plain, &recipe_.checked, &recipe_.counted}) {
    if (!*program) continue;
    for (const std::string& input : (*program)->inputs) {
      names_elsewhere_.merge(raw_names_of(context.build_folder / input));
    }
  }
  const auto solution = read_file(context.root / recipe_.exercise->solution());
  if (!solution) {
    throw UsageError(fmt::format("{} is missing: without it {} cannot be graded",
                                 recipe_.exercise->solution().string(), recipe_.exercise->name));
  }
  const ExerciseResult result = try_text(*solution, reference_, nullptr);
  for (const PartResult* part : {&result.values, &result.safety, &result.budget}) {
    if (!part->there || part->passed) continue;
    throw UsageError(
        fmt::format("the course's own solution of {} does not pass here ({}), so "
                    "nothing can be graded by it:\n{}",
                    recipe_.exercise->name, result.verdict, part->message));
  }
}

ExerciseResult ExerciseGrader::grade(const std::string& text) const {
  Build made;
  return try_text(text, made, &reference_);
}

ExerciseResult ExerciseGrader::try_text(const std::string& text, Build& made,
                                        const Build* reference) const {
  ExerciseResult result;
  result.values.there = true;
  result.safety.there = recipe_.checked.has_value();
  result.budget.there = recipe_.counted.has_value();
  const auto refuse = [&](std::string verdict, std::string message) {
    result.verdict = std::move(verdict);
    result.message = std::move(message);
    return result;
  };
  const Words words = wrong_words(text);
  if (reference != nullptr && !words.empty()) return refuse(kNotItsOwn, broken_rules(words));

  const Sandbox box(isolation_, recipe_.exercise->file, text);
  struct Step {
    const std::optional<ProgramRecipe>& recipe;
    const char* program;
    const char* argument;
    PartResult& part;
  };
  const std::vector<Step> steps = {
      {recipe_.plain, "values", "--test-case-exclude=budget", result.values},
      {recipe_.checked, "safety", "--test-case-exclude=budget", result.safety},
      {recipe_.counted, "budget", "--test-case=budget", result.budget}};
  for (const Step& step : steps) {
    // Where values are wrong, check mode may say why; a budget does not. Nothing is built that is
    // not run, which is most of the time.
    const bool wrong = &step.part != &result.values && !result.values.passed;
    if (!step.recipe || (wrong && &step.part == &result.budget) || stopped(result.values)) continue;
    std::string verdict;
    std::string message = build(box, text, *step.recipe, step.program, made, reference, verdict);
    if (!message.empty()) {
      for (PartResult* part : {&result.values, &result.safety, &result.budget}) {
        *part = {part->there, false, ""};
      }
      return refuse(std::move(verdict), std::move(message));
    }
    step.part = run_part(box, step.program, step.argument, verdict);
    if (!step.part.passed && result.verdict.empty()) {
      result.verdict = verdict.starts_with(step.program)
                           ? verdict
                           : fmt::format("{}: {}", step.program, verdict);
    }
  }
  if (!result.values.passed && result.safety.there && !result.safety.message.empty() &&
      result.safety.message != result.values.message) {
    result.values.message += "In check mode:\n" + result.safety.message;
  }
  // Where a right answer says little, it is right only if nothing else is wrong.
  if (recipe_.exercise->watched && result.safety.there && !result.safety.passed &&
      result.values.passed) {
    result.values.passed = false;
    result.values.message =
        "Its answers are right, which here says little:\n" + result.safety.message;
  }
  if (result.verdict.empty()) result.verdict = "passed";
  return result;
}

std::string ExerciseGrader::build(const Sandbox& box, const std::string& text,
                                  const ProgramRecipe& recipe, const std::string& program,
                                  Build& made, const Build* reference, std::string& verdict) const {
  const std::string object = recipe.watched ? "watched.o" : "plain.o";
  if (!made.objects.contains(object)) {
    std::string message = compile(box, recipe, object, made, verdict);
    if (!message.empty()) return message;
    if (reference != nullptr) {
      message = broken_rules(object_faults(box, text, object, made, *reference));
    }
    if (!message.empty()) {
      verdict = kNotItsOwn;
      return message;
    }
  }
  SandboxRun run = building(SandboxView::built);
  run.argv = redirected(recipe.link, {{recipe.object, (box.inner() / object).string()},
                                      {recipe.program, (box.inner() / program).string()}});
  const Outcome outcome = box.run(run);
  if (!outcome.ok() || !fs::exists(box.outer() / program)) {
    return said(outcome, run.limits, "link", verdict);
  }
  made.exports[program] = exports_of(box.outer() / program, nullptr);
  if (reference == nullptr) return "";
  Words wrong;
  for (const std::string& name : made.exports[program]) {
    // What it does not define itself is a library's object, std::cerr, that the linker has copied.
    const bool own = made.objects.at(object).raw_names.contains(name);
    if (!own || reference->exports.at(program).contains(name)) continue;
    wrong.push_back(fmt::format(
        "it defines {}, which would stand in for a library's; expected names of its own", name));
  }
  if (!wrong.empty()) verdict = kNotItsOwn;
  return broken_rules(wrong);
}

SandboxRun ExerciseGrader::building(SandboxView view) const {
  return {.argv = {},
          .folder = isolation_.context().build_folder,
          .environment = plain_environment(),
          .view = view,
          .may_write = true,
          .channel = -1,
          .limits = {.seconds = limits_.compile_seconds,
                     .memory_bytes = limits_.memory_bytes,
                     .output_bytes = std::size_t{1} << 20,
                     .address_space = true}};
}

std::string ExerciseGrader::said(const Outcome& outcome, const SandboxLimits& limits,
                                 const char* what, std::string& verdict) const {
  verdict = fmt::format("does not {}", what);
  std::string too_much = excess(outcome, limits);
  // The compiler's driver says so of the compiler that it has started.
  if (too_much.empty() && outcome.output.find("CPU time limit exceeded") != std::string::npos) {
    too_much = fmt::format("more than {:g} s of work", limits.seconds);
  }
  if (!too_much.empty()) return fmt::format("To {} it took {}.\n", what, too_much);
  constexpr std::size_t kMost = 8000;
  std::string text = without_temporaries(with_paths_from(
      isolation_.context().root, with_students_paths(compiler_messages(outcome.output))));
  if (text.size() > kMost) {  // what is wrong stands at its beginning or at its end
    text = text.substr(0, kMost / 2) + "\n...\n" + text.substr(text.size() - kMost / 2);
  }
  if (trim(text).empty()) text = fmt::format("The compiler could not {} it.\n", what);
  return printable_lines(text);
}

std::string ExerciseGrader::with_students_paths(std::string text) const {
  const fs::path& own = recipe_.exercise->course;
  return own.empty() ? text : with_paths_from(own, std::move(text));
}

std::string ExerciseGrader::compile(const Sandbox& box, const ProgramRecipe& recipe,
                                    const std::string& object, Build& made,
                                    std::string& verdict) const {
  const Context& context = isolation_.context();
  const std::string inner = (box.inner() / object).string();
  SandboxRun run = building(SandboxView::sources);
  run.argv = redirected(
      recipe.compile, {{recipe.object, inner},
                       {recipe.object + ".d", inner + ".d"},
                       {(context.root / recipe_.exercise->file).string(), box.source().string()}});
  // What nvcc would refuse is looked for once, which takes as long as to compile: where the kernels
  // are watched, since what breaks a rule does not come so far. And nobody loses points by a
  // warning where who grades is a maintainer.
  if (recipe_.checked && !recipe.watched) std::erase(run.argv, "--strict-device");
  std::erase(run.argv, "-Werror");
  const Outcome outcome = box.run(run);
  const fs::path outer = box.outer() / object;
  if (!outcome.ok() || !fs::exists(outer)) return said(outcome, run.limits, "compile", verdict);
  ObjectFacts facts = facts_of(outer, box.outer() / (object + ".d"));
  std::erase(facts.files, box.source().string());
  made.objects[object] = std::move(facts);
  return "";
}

bool ExerciseGrader::has_host_assembly(const Sandbox& box) const {
  const ProgramRecipe& recipe = *recipe_.plain;
  const bool cuda = recipe_.exercise->file.extension() == ".cu";
  SandboxRun run = building(SandboxView::sources);
  run.may_write = false;
  run.limits.output_bytes = std::size_t{64} << 20;
  const std::string compiler = isolation_.context().tree().cache_variable("CMAKE_CXX_COMPILER");
  if (cuda) {
    run.argv = {(isolation_.context().build_folder / "bin/cucc").string(), "-cuda", "-o", "-"};
  } else {
    run.argv = {compiler, "-E"};
  }
  for (std::size_t i = 0; i < recipe.compile.size(); ++i) {
    const std::string& word = recipe.compile[i];
    const bool apart = word == "-I" || word == "-isystem" || word == "-D" || word == "-include";
    if (apart && i + 1 < recipe.compile.size()) {
      run.argv.push_back(word);
      run.argv.push_back(recipe.compile[++i]);
    } else if (word.starts_with("-I") || word.starts_with("-D") || word.starts_with("-std=")) {
      run.argv.push_back(word);
    }
  }
  run.argv.push_back(box.source().string());
  const Outcome outcome = box.run(run);
  // What cannot be looked at is not taken on trust.
  return !outcome.ok() || has_assembly(outcome.output, box.source().string());
}

Words ExerciseGrader::object_faults(const Sandbox& box, const std::string& text,
                                    const std::string& object, const Build& made,
                                    const Build& reference) const {
  const Context& context = isolation_.context();
  const Exercise& exercise = *recipe_.exercise;
  const std::string solution = read_file(context.root / exercise.solution()).value_or("");
  const ObjectFacts& facts = made.objects.at(object);
  const ObjectFacts& known = reference.objects.at(object);
  Words wrong;
  const auto add = [&](const Words& lines) {
    for (const std::string& line : lines) {
      if (std::ranges::find(wrong, line) == wrong.end()) wrong.push_back(line);
    }
  };
  add(foreign_files(facts.files, context.root, exercise.file));
  if (!exercise.course.empty()) {
    add(foreign_files(facts.files, exercise.course, exercise.place()));
  }
  add(forbidden_files(facts, known, context.root, exercise.file));
  add(foreign_symbols(facts.symbols, exercise.chapter, solution, elsewhere_));
  add(forbidden_calls(facts, known, exercise.needs == "cpu"));
  add(forbidden_definitions(facts, names_elsewhere_));
  // It is one text, whichever way it is compiled.
  if (made.objects.size() == 1 && mentions_assembly(text) && has_host_assembly(box)) {
    add({"it has assembly for the host; expected C++, or PTX in kernels"});
  }
  return wrong;
}

std::string ExerciseGrader::broken_rules(const Words& lines) const {
  std::string report;
  for (const std::string& line : lines) {
    report += fmt::format("{}: {}\n", recipe_.exercise->place().string(), line);
  }
  return printable_lines(report);
}

PartResult ExerciseGrader::run_part(const Sandbox& box, const std::string& program,
                                    const char* argument, std::string& verdict) const {
  const VerdictSocket socket;
  const double seconds =
      std::min(static_cast<double>(recipe_.exercise->timeout_seconds), limits_.run_seconds);
  SandboxRun run{.argv = {(box.inner() / program).string(), "--no-colors=true", argument},
                 .folder = isolation_.context().root,
                 .environment = plain_environment(),
                 .view = SandboxView::sources,
                 .may_write = false,
                 .channel = socket.descriptor(),
                 .limits = {.seconds = seconds, .memory_bytes = limits_.memory_bytes}};
  run.environment.emplace_back(kVerdictVariable, socket.variable());
  run.environment.emplace_back("TUT_STOP_AT_FINDING", "1");
  // The values of a kernel that races are the same in each run, and so is what is said of them.
  run.environment.emplace_back("SIMT_THREADS", "1");
  if (!seed_.empty()) run.environment.emplace_back("TUT_SEED", seed_);
  Outcome outcome = box.run(run);
  const std::string told_text = socket.contents();
  const auto told = read_verdict(told_text, socket.nonce(), socket.nonce_of_cases());

  PartResult part{true, false, ""};
  const std::string too_much = excess(outcome, run.limits);
  const Verdict judged = too_much.empty() ? judge(outcome, told) : Verdict::timed_out;
  if (judged == Verdict::passed) {
    part.passed = true;
    return part;
  }
  const TestReport said =
      read_report(with_students_paths(outcome.output), isolation_.context().root);
  verdict = said.verdict.empty() ? "failed" : said.verdict;
  part.message = said.cause;
  if (!too_much.empty()) {
    verdict = "stopped, since it took " + too_much;
    const std::string where = last_case(told_text, socket.nonce_of_cases());
    part.message += fmt::format("Stopped{}: it took {}.\n",
                                where.empty() ? "" : fmt::format(" in \"{}\"", where), too_much);
  } else if (const int signal = signal_of(outcome); judged == Verdict::crashed && signal > 0) {
    verdict = "crashed";
    part.message += fmt::format("It crashed: {} (signal {}).\n", strsignal(signal), signal);
  } else if (judged == Verdict::crashed || ended_early(told, said)) {
    verdict = "ended in the middle of its test";
    part.message = (judged == Verdict::crashed ? said.cause : "") + kEndedEarly;
  } else if (judged == Verdict::cannot_run) {
    verdict = "not run";
    part.message = "Nothing could be checked on this machine.\n";
  }
  part.message = printable_lines(part.message);
  verdict = printable(verdict);
  return part;
}

}  // namespace tut::learn

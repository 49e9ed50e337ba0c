#include "learn/classroom/grader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "learn/classroom/channel.hpp"
#include "learn/core/checker.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/report.hpp"
#include "learn/core/sha256.hpp"
#include "learn/core/text.hpp"
#include "tut/testing/verdict.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Text of a program that may have printed anything, for files and terminals.
std::string printable_lines(std::string_view text) {
  std::string result;
  for (const std::string& line : split_lines(text)) {
    std::string blanks;
    for (const char c : line) blanks += c == '\t' ? ' ' : c;
    result += printable(blanks) + "\n";
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> plain_environment() {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"HOME", "/tmp"},
          {"TMPDIR", "/tmp"},
          {"LC_ALL", "C.UTF-8"},
          {"CCACHE_DISABLE", "1"}};
}

/// What a program that was stopped had too much of; "" if none stopped it.
std::string excess(const Outcome& outcome, const SandboxLimits& limits) {
  if (outcome.over_memory) {
    return fmt::format("more than {} MiB of memory", limits.memory_bytes >> 20);
  }
  if (outcome.over_processes) return fmt::format("more than {} processes", limits.processes);
  if (outcome.truncated) {
    return fmt::format("more than {} MiB of output", limits.output_bytes >> 20);
  }
  if (outcome.timed_out)
    return fmt::format("more than {:g} s of work, or of waiting", limits.seconds);
  return "";
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

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const auto bytes = [](const std::string& digits) {
    std::string result;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      result += static_cast<char>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16));
    }
    return result;
  };
  constexpr std::size_t kBlock = 64;
  std::string padded = key.size() > kBlock ? bytes(sha256(key)) : std::string(key);
  padded.resize(kBlock, '\0');
  std::string inner = padded, outer = padded;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5C);
  return sha256(outer + bytes(sha256(inner + std::string(message))));
}

std::string seed_of(const std::string& secret, const std::string& exercise) {
  if (secret.empty()) return "";
  const std::string digits = hmac_sha256(secret, exercise).substr(0, 16);
  return fmt::format("{}", std::strtoull(digits.c_str(), nullptr, 16) >> 1U);
}

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
  const std::string file = recipe_.exercise->place().string();
  const Words words = wrong_words(text);
  if (reference != nullptr && !words.empty()) {
    std::string message;
    for (const std::string& line : words) message += file + ": " + line + "\n";
    return refuse("not all of it is its own", message);
  }

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
    if (!step.recipe) continue;
    std::string verdict;
    if (std::string message = build(box, *step.recipe, step.program, made, verdict);
        !message.empty()) {
      return refuse(verdict, std::move(message));
    }
    if (reference == nullptr) continue;
    if (std::string message = rule_breaks(box, text, made, *reference); !message.empty()) {
      return refuse("not all of it is its own", std::move(message));
    }
  }
  for (const Step& step : steps) {
    // Where values are wrong, check mode may say why; a budget does not.
    const bool wrong = &step.part != &result.values && !result.values.passed;
    if (!step.recipe || (wrong && &step.part == &result.budget) || stopped(result.values)) continue;
    std::string verdict;
    step.part = run_part(box, step.program, step.argument, verdict);
    if (!step.part.passed && result.verdict.empty()) {
      result.verdict = fmt::format("{}: {}", step.program, verdict);
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

std::string ExerciseGrader::build(const Sandbox& box, const ProgramRecipe& recipe,
                                  const std::string& program, Build& made,
                                  std::string& verdict) const {
  const Context& context = isolation_.context();
  const std::string object = recipe.watched ? "watched.o" : "plain.o";
  const std::string inner_object = (box.inner() / object).string();
  SandboxRun run{.argv = {},
                 .folder = context.build_folder,
                 .environment = plain_environment(),
                 .view = SandboxView::sources,
                 .may_write = true,
                 .channel = -1,
                 .limits = {.seconds = limits_.compile_seconds,
                            .memory_bytes = limits_.memory_bytes,
                            .output_bytes = std::size_t{1} << 20,
                            .address_space = true}};
  const auto said = [&](const Outcome& outcome, const char* what) {
    verdict = fmt::format("does not {}", what);
    if (const std::string too_much = excess(outcome, run.limits); !too_much.empty()) {
      return fmt::format("To {} it took {}.\n", what, too_much);
    }
    constexpr std::size_t kMost = 8000;
    std::string text = with_paths_from(context.root, compiler_messages(outcome.output));
    if (text.size() > kMost) text = text.substr(0, kMost) + "\n...\n";
    if (trim(text).empty()) text = fmt::format("The compiler could not {} it.\n", what);
    return printable_lines(text);
  };
  if (!made.objects.contains(object)) {
    run.argv =
        redirected(recipe.compile,
                   {{recipe.object, inner_object},
                    {recipe.object + ".d", inner_object + ".d"},
                    {(context.root / recipe_.exercise->file).string(), box.source().string()}});
    const Outcome outcome = box.run(run);
    const fs::path outer = box.outer() / object;
    if (!outcome.ok() || !fs::exists(outer)) return said(outcome, "compile");
    ObjectFacts facts = facts_of(outer, box.outer() / (object + ".d"));
    std::erase(facts.files, box.source().string());
    made.objects[object] = std::move(facts);
  }
  run.view = SandboxView::built;
  run.argv = redirected(recipe.link, {{recipe.object, inner_object},
                                      {recipe.program, (box.inner() / program).string()}});
  const Outcome outcome = box.run(run);
  if (!outcome.ok() || !fs::exists(box.outer() / program)) return said(outcome, "link");
  made.exports[program] = exports_of(box.outer() / program, nullptr);
  return "";
}

bool ExerciseGrader::has_host_assembly(const Sandbox& box) const {
  const ProgramRecipe& recipe = *recipe_.plain;
  const bool cuda = recipe_.exercise->file.extension() == ".cu";
  SandboxRun run{.argv = {},
                 .folder = isolation_.context().build_folder,
                 .environment = plain_environment(),
                 .view = SandboxView::sources,
                 .may_write = false,
                 .channel = -1,
                 .limits = {.seconds = limits_.compile_seconds,
                            .memory_bytes = limits_.memory_bytes,
                            .output_bytes = std::size_t{64} << 20,
                            .address_space = true}};
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

std::string ExerciseGrader::rule_breaks(const Sandbox& box, const std::string& text,
                                        const Build& made, const Build& reference) const {
  const Context& context = isolation_.context();
  const Exercise& exercise = *recipe_.exercise;
  const std::string solution = read_file(context.root / exercise.solution()).value_or("");
  Words wrong;
  const auto add = [&](const Words& lines) {
    for (const std::string& line : lines) {
      if (std::ranges::find(wrong, line) == wrong.end()) wrong.push_back(line);
    }
  };
  for (const auto& [name, facts] : made.objects) {
    const ObjectFacts& known = reference.objects.at(name);
    add(foreign_files(facts.files, context.root, exercise.file));
    if (!exercise.course.empty()) {
      add(foreign_files(facts.files, exercise.course, exercise.place()));
    }
    add(forbidden_files(facts, known, context.root, exercise.file));
    add(foreign_symbols(facts.symbols, exercise.chapter, solution, elsewhere_));
    add(forbidden_calls(facts, known));
    add(forbidden_definitions(facts));
  }
  for (const auto& [program, names] : made.exports) {
    for (const std::string& name : names) {
      if (reference.exports.at(program).contains(name)) continue;
      add(
          {fmt::format("it defines {}, which would stand in for a library's; expected names of its "
                       "own",
                       name)});
    }
  }
  if (mentions_assembly(text) && has_host_assembly(box)) {
    add({"it has assembly for the host; expected C++, or PTX in kernels"});
  }
  std::string report;
  for (const std::string& line : wrong) {
    report += fmt::format("{}: {}\n", exercise.place().string(), line);
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
  if (!seed_.empty()) run.environment.emplace_back("TUT_SEED", seed_);
  Outcome outcome = box.run(run);
  const std::string told_text = socket.contents();
  const auto told = read_verdict(told_text, socket.nonce());

  PartResult part{true, false, ""};
  const std::string too_much = excess(outcome, run.limits);
  const Verdict judged = too_much.empty() ? judge(outcome, told) : Verdict::timed_out;
  if (judged == Verdict::passed) {
    part.passed = true;
    return part;
  }
  const TestReport said = read_report(outcome.output, isolation_.context().root);
  verdict = said.verdict.empty() ? "failed" : said.verdict;
  part.message = said.cause;
  if (!too_much.empty()) {
    verdict = "stopped";
    const std::string where = last_case(told_text, socket.nonce());
    part.message += fmt::format("Stopped{}: it took {}.\n",
                                where.empty() ? "" : fmt::format(" in \"{}\"", where), too_much);
  } else if (judged == Verdict::crashed) {
    verdict = "crashed";
    // Beyond 128 it is the number of a signal, as the sandbox passes it on.
    const int signal = outcome.signal != 0 ? outcome.signal : std::max(0, outcome.exit_code - 128);
    part.message += signal > 0
                        ? fmt::format("It crashed: {} (signal {}).\n", strsignal(signal), signal)
                        : fmt::format("It ended with exit code {} before its test was through.\n",
                                      outcome.exit_code);
  } else if (judged == Verdict::cannot_run) {
    verdict = "not run";
    part.message = "Nothing could be checked on this machine.\n";
  }
  part.message = printable_lines(part.message);
  verdict = printable(verdict);
  return part;
}

}  // namespace tut::learn

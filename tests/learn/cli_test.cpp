#include "learn/cli.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "learn/bench/gpu_sheet.hpp"
#include "learn/core/files.hpp"

using namespace tut::learn;

namespace {

void check_mistake(std::vector<std::string> arguments, const std::string& message) {
  CAPTURE(message);
  const Invocation invocation = parse_command_line(std::move(arguments));
  CHECK(invocation.exit_code == 2);
  CHECK_FALSE(invocation.command);
  CHECK(invocation.text.starts_with("learn: " + message));
  CHECK(invocation.text.find('\n') == invocation.text.size() - 1);
}

/// Whether every CLI11 takes it as a name: words of letters joined by dashes, a comma between two.
/// Newer ones refuse spaces, when the program starts.
bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || letter == '-' || letter == ',';
  });
}

/// What stands between the quotes after each `call` in a source.
std::vector<std::string> first_arguments(const std::string& source, std::string_view call) {
  std::vector<std::string> names;
  for (auto at = source.find(call); at != std::string::npos; at = source.find(call, at + 1)) {
    const auto begin = source.find('"', at) + 1;
    names.push_back(source.substr(begin, source.find('"', begin) - begin));
  }
  return names;
}

}  // namespace

TEST_CASE("names of arguments are plain") {
  const std::string source = read_file(TUT_SOURCE_DIR "/common/learn/cli.cpp").value_or("");
  std::vector<std::string> names = first_arguments(source, "add_option(");
  CHECK(names.size() >= 10);
  std::ranges::copy(first_arguments(source, "add_flag("), std::back_inserter(names));
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(is_plain_name(name));
  }
  CHECK_FALSE(is_plain_name("chapter or file"));
}

TEST_CASE("every command parses") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {},
           {"list"},
           {"list", "--json"},
           {"list", "matmul", "tiled", "--unsolved"},
           {"list", "--chapter", "5", "--part", "II", "--json"},
           {"status"},
           {"status", "--json"},
           {"run", "5"},
           {"run", "5", "--", "--size", "64"},
           {"run", "x.cu", "one", "-3", "-", "--", "-n", "3"},
           {"check", "x.cu", "one", "--", "-n"},
           {"count", "x.cu", "--", "--flag"},
           {"debug"},
           {"debug", "a", "--check"},
           {"debug", "x.cu", "--batch", "-x", "commands", "-ex", "next", "-ex", "bt", "--", "-n"},
           {"debug", "a", "--prepare"},
           {"asm", "a"},
           {"asm", "x.cu", "--sass"},
           {"bench", "ch05"},
           {"bench", "5", "--benchmark_filter=tiled"},
           {"bench", "5", "--json", "x.json", "--guard", "--benchmark_filter=a", "--", "--v=1"},
           {"bench", "5", "--counts"},
           {"bench", "5", "--read", "x.json", "--guard"},
           {"bench", "5", "--gpu", "h100"},
           {"bench", "5", "--gpu=t4", "--read", "x.json"},
           {"plot"},
           {"plot", "--gpu", "a100"},
           {"plot", "5", "--json", "x.json", "--out", "folder"},
           {"bench", "5", "--times", "--json=x.json"},
           {"cucc", "-O2", "-I.", "x.cu", "-o", "x", "--check", "-h"},
           {"author", "new", "8", "a", "--cpu"},
           {"author", "check", "--static", "--all", "--backend"},
           {"author", "--help"},
           {"check"},
           {"check", "a", "b", "--json"},
           {"check", "--all"},
           {"check", "--part", "II", "--json"},
           {"submit"},
           {"submit", "--assignment", "hw1.toml", "--out", "hw1.zip", "--anyway"},
           {"update"},
           {"bundle", "--assignment", "hw1.toml", "--out", "hw1.tar.gz"},
           {"similar", "--assignment", "hw1.toml", "--out", "like", "collected"},
           {"watch"},
           {"hint", "a"},
           {"solution", "a", "--give-up"},
           {"reset", "a"},
           {"doctor", "--json"},
           {"data", "mnist", "--mirror", "/x"},
           {"test", "-L", "05", "-V"},
           {"tour"}}) {
    const Invocation invocation = parse_command_line(arguments);
    CAPTURE(invocation.text);
    CHECK(static_cast<bool>(invocation.command));
  }
}

TEST_CASE("the launcher's help names commands that there are") {
  const std::string launcher = read_file(TUT_SOURCE_DIR "/learn").value_or("");
  const auto begin = launcher.find("Usage: "), end = launcher.find("Without a command", begin);
  REQUIRE(end != std::string::npos);
  std::istringstream lines(launcher.substr(begin, end - begin));
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    CAPTURE(name);
    CHECK(parse_command_line({name, "--help"}).text.find(name) != std::string::npos);
    CHECK(parse_command_line({name, "--help"}).exit_code == 0);
    ++commands;
  }
  CHECK(commands >= 9);
  CHECK(parse_command_line({"tuor", "--help"}).exit_code != 0);
}

TEST_CASE("--backend comes first and takes two values") {
  CHECK(parse_command_line({"--backend", "cuda", "check"}).backend == "cuda");
  CHECK(parse_command_line({"--backend=cpu"}).backend == "cpu");
  check_mistake({"--backend", "gpu", "list"}, "--backend: gpu not in {cpu,cuda}");
}

TEST_CASE("a mistake is one line") {
  check_mistake({"chekc"}, "no command 'chekc', did you mean check?");
  check_mistake({"--backend", "cpu", "hnit"}, "no command 'hnit', did you mean hint?");
  check_mistake({"frobnicate"}, "no command 'frobnicate'; ");
  check_mistake({"check", "--jsn"}, "the following argument was not expected: --jsn");
  check_mistake({"solution"}, "exercise is required");
  check_mistake({"run"}, "chapter-or-file is required");
  check_mistake({"bench"}, "chapter is required");
  check_mistake({"bench", "5", "6"}, "the following argument was not expected: 6");
  check_mistake({"status", "extra"}, "the following argument was not expected: extra");
  check_mistake({"list", ""}, "words: it is empty");
  check_mistake({"debug", "a", "--frob"}, "the following argument was not expected: --frob");
  check_mistake({"asm"}, "what is required");
  check_mistake({"asm", "a", "--ptx", "--cpu"}, "--ptx excludes --cpu");
}

TEST_CASE("flags of a program come after --, and nothing is built for others") {
  check_mistake({"run", "6", "--frob"},
                "run does not know --frob; flags for the program come after --, as in "
                "'./learn run 6 -- --frob'; ");
  check_mistake({"run", "x.cu", "one", "-n", "--", "-m"}, "run does not know -n; ");
  check_mistake({"count", "x.cu", "--frob"}, "count does not know --frob; ");
  check_mistake({"check", "x.cu", "--frob"}, "check does not know --frob; ");
  check_mistake({"bench", "5", "--frob"}, "bench does not know --frob; ");
  check_mistake({"run", "6", "--backend", "cuda"}, "--backend comes before the command");
  check_mistake({"check", "--backend", "cpu", "clamp"}, "--backend comes before the command");
  CHECK(parse_command_line({"run", "6", "--help"}).text.find("FILE.cu") != std::string::npos);
}

TEST_CASE("an empty name is a mistake") {
  for (const char* command :
       {"check", "watch", "hint", "solution", "reset", "run", "bench", "count", "debug", "asm"}) {
    CAPTURE(command);
    const Invocation invocation = parse_command_line({command, ""});
    CHECK(invocation.exit_code == 2);
    CHECK(invocation.text.find("it is empty") != std::string::npos);
  }
  check_mistake({"check", "a", ""}, "exercise: it is empty");
}

TEST_CASE("help is no mistake, for the whole and for a command") {
  const Invocation whole = parse_command_line({"--help"});
  CHECK(whole.exit_code == 0);
  CHECK(whole.text.find("doctor") != std::string::npos);
  const Invocation one = parse_command_line({"check", "--help"});
  CHECK(one.exit_code == 0);
  CHECK(one.text.find("--all") != std::string::npos);
}

TEST_CASE("help names every GPU of which there is a data sheet") {
  for (const char* command : {"bench", "plot"}) {
    const std::string help = parse_command_line({command, "--help"}).text;
    for (const GpuSheet& sheet : load_gpu_sheets(TUT_SOURCE_DIR)) {
      CAPTURE(sheet.name);
      CHECK(help.find(sheet.name) != std::string::npos);
    }
  }
}

#include "learn/core/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/text.hpp"
#include "learn/core/toml_reader.hpp"

namespace tut::learn {
namespace {

/// any, cpu, sm_NN, sm_NNa or gpus_N.
bool is_capability(std::string_view text) {
  if (text == "any" || text == "cpu") return true;
  const bool architecture = text.starts_with("sm_");
  if (!architecture && !text.starts_with("gpus_")) return false;
  text.remove_prefix(architecture ? 3 : 5);
  if (architecture && text.ends_with('a')) text.remove_suffix(1);
  const std::size_t least = architecture ? 2 : 1;
  return text.size() >= least && text.size() <= least + 1 && std::ranges::all_of(text, is_digit);
}

bool names_exercise(std::string_view text) {
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
  });
}

std::string read_needs(const TableReader& reader) {
  auto needs = reader.optional<std::string>("needs", "any",
                                            R"("any", "cpu", "sm_80", "sm_90a" or "gpus_2")");
  if (!is_capability(needs)) {
    reader.fail(*reader.table().get("needs"),
                fmt::format(R"(needs = "{}"; expected "any", "cpu", "sm_80", "sm_90a" or "gpus_2")",
                            needs));
  }
  return needs;
}

std::vector<std::string> read_hints(const TableReader& reader) {
  const char* expected = "two or three strings, from gentle to explicit";
  const toml::node* node = reader.table().get("hints");
  if (node == nullptr)
    reader.fail(reader.table(), fmt::format("'hints' is missing; expected {}", expected));
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() < 2 || array->size() > 3) {
    reader.fail(*node, fmt::format("'hints' needs {}", expected));
  }
  std::vector<std::string> hints;
  for (const toml::node& hint : *array) {
    hints.emplace_back(trim(reader.convert<std::string>(hint, "hints", expected)));
  }
  return hints;
}

std::map<std::string, double> read_budget(const TableReader& reader) {
  std::map<std::string, double> budget;
  const toml::node* node = reader.table().get("budget");
  if (node == nullptr) return budget;
  const toml::table* table = node->as_table();
  if (table == nullptr) reader.fail(*node, "'budget' is a table of metric = maximum");
  for (const auto& [metric, maximum] : *table) {
    const char* expected = "a number, the largest value allowed";
    budget[std::string(metric.str())] = reader.convert<double>(maximum, metric.data(), expected);
  }
  return budget;
}

Exercise read_exercise(const TableReader& reader) {
  reader.allow_only({"chapter", "name", "title", "file", "needs", "points", "hints", "budget",
                     "timeout", "watched", "blank"});
  Exercise exercise;
  exercise.chapter = reader.required<int>("chapter", "the chapter's number, e.g. 5");
  exercise.name = reader.required<std::string>("name", "a string, e.g. \"matmul_padded\"");
  exercise.title = reader.required<std::string>("title", "a string");
  exercise.file = reader.required<std::string>("file", "a path under exercises/");
  exercise.needs = read_needs(reader);
  exercise.points = reader.required<int>("points", "a whole number");
  exercise.hints = read_hints(reader);
  exercise.budget = read_budget(reader);
  exercise.timeout_seconds = reader.optional<int>("timeout", 60, "seconds, a whole number");
  exercise.watched = reader.optional<bool>("watched", false, "true or false");
  exercise.blank = reader.optional<bool>("blank", false, "true or false");
  if (exercise.blank) exercise.points *= 2;

  const auto field = [&](const char* key) -> const toml::node& { return *reader.table().get(key); };
  if (exercise.chapter < 1 || exercise.chapter > 99)
    reader.fail(field("chapter"), "'chapter' is from 1 to 99");
  if (!names_exercise(exercise.name)) {
    reader.fail(field("name"), "'name' is lower case letters, digits and _");
  }
  const std::string folder = fmt::format("exercises/{:02}_", exercise.chapter);
  const std::string file = exercise.file.string();
  if (!file.starts_with(folder) || exercise.file.stem() != exercise.name ||
      file.find("..") != file.npos) {
    reader.fail(field("file"), fmt::format("file = \"{}\"; expected {}CHAPTER/{}.cu", file, folder,
                                           exercise.name));
  }
  if (exercise.points < 0) reader.fail(field("points"), "'points' is not negative");
  if (exercise.timeout_seconds < 1) reader.fail(field("timeout"), "'timeout' is at least 1 second");
  return exercise;
}

Part read_part(const TableReader& reader, const std::vector<Part>& before) {
  reader.allow_only({"name", "title", "chapters"});
  Part part;
  part.name = reader.required<std::string>("name", "a Roman number, e.g. \"II\"");
  part.title = reader.required<std::string>("title", "a string");
  const char* expected = "its first and last chapter, e.g. [3, 8]";
  const toml::node* node = reader.table().get("chapters");
  if (node == nullptr)
    reader.fail(reader.table(), fmt::format("'chapters' is missing; expected {}", expected));
  const toml::array* chapters = node->as_array();
  if (chapters == nullptr || chapters->size() != 2) {
    reader.fail(*node, fmt::format("'chapters' needs {}", expected));
  }
  part.first = reader.convert<int>(*chapters->get(0), "chapters", expected);
  part.last = reader.convert<int>(*chapters->get(1), "chapters", expected);
  const int after = before.empty() ? 0 : before.back().last;
  if (part.first <= after || part.last < part.first) {
    reader.fail(*node, fmt::format("'chapters' is [{}, {}]; expected {}, after chapter {}",
                                   part.first, part.last, expected, after));
  }
  if (std::ranges::find(before, part.name, &Part::name) != before.end()) {
    reader.fail(*node, fmt::format("a second part named '{}'", part.name));
  }
  return part;
}

Course read_course(const toml::table& document, const std::string& source) {
  TableReader(document, source).allow_only({"exercise", "chapter", "part"});
  Course course;
  std::set<std::string> names;
  for_each_table(document, "exercise", source, [&](const TableReader& reader) {
    course.exercises.push_back(read_exercise(reader));
    const std::string& name = course.exercises.back().name;
    if (!names.insert(name).second) {
      reader.fail(reader.table(), fmt::format("a second exercise named '{}'", name));
    }
  });
  for_each_table(document, "chapter", source, [&](const TableReader& reader) {
    reader.allow_only({"number", "needs"});
    const int number = reader.required<int>("number", "the chapter's number, e.g. 11");
    course.chapter_needs[number] = read_needs(reader);
  });
  for_each_table(document, "part", source, [&](const TableReader& reader) {
    course.parts.push_back(read_part(reader, course.parts));
  });
  return course;
}

/// The names of the exercises of the chapter that `word` stands for, by number or folder.
std::vector<std::string> exercises_of_chapter(const Course& course, std::string_view word) {
  while (word.ends_with('/')) word.remove_suffix(1);
  const std::optional<int> number = chapter_number(word);
  const std::string folder = std::filesystem::path(word).filename();
  std::vector<std::string> names;
  for (const Exercise& exercise : course.exercises) {
    const std::string its_folder = exercise.file.parent_path().filename();
    if (number ? exercise.chapter == *number
               : folder == its_folder || folder == its_folder.substr(3))
      names.push_back(exercise.name);
  }
  return names;
}

}  // namespace

std::string Exercise::target(std::string_view version) const {
  return fmt::format("ch{:02}_{}_{}", chapter, name, version);
}

std::string Exercise::missing_text() const {
  return fmt::format("{} is not there; './learn reset {}' brings it back", file.string(), name);
}

std::filesystem::path Exercise::place() const {
  return course.empty() ? file : file.lexically_relative(course);
}

std::filesystem::path Exercise::solution() const {
  return course / "solutions" / place().lexically_relative("exercises");
}

std::filesystem::path Exercise::given() const {
  return course / "exercises/given" / place().lexically_relative("exercises");
}

Course parse_course(std::string_view toml, const std::string& source) {
  return read_document(toml, source,
                       [&](const toml::table& document) { return read_course(document, source); });
}

namespace {

Course load_manifest(const std::filesystem::path& root, const std::string& source) {
  const auto path = root / "exercises" / "course.toml";
  const auto text = read_file(path);
  if (!text) throw UsageError(fmt::format("cannot read {}", path.string()));
  return parse_course(*text, source);
}

void add_own_course(const std::filesystem::path& folder, Course& course) {
  const std::string source = (folder / "exercises" / "course.toml").string();
  Course own = load_manifest(folder, source);
  for (Exercise& exercise : own.exercises) {
    if (std::ranges::find(course.exercises, exercise.name, &Exercise::name) !=
        course.exercises.end()) {
      throw UsageError(
          fmt::format("{}: the course has an exercise '{}', too; expected another name", source,
                      exercise.name));
    }
    exercise.course = folder;
    exercise.file = folder / exercise.file;
  }
  for (Exercise& exercise : own.exercises) {
    const auto later = std::ranges::find_if(
        course.exercises, [&](const Exercise& other) { return other.chapter > exercise.chapter; });
    course.exercises.insert(later, std::move(exercise));
  }
  course.chapter_needs.merge(own.chapter_needs);
}

}  // namespace

Course load_course(const std::filesystem::path& root) {
  Course course = load_manifest(root, "exercises/course.toml");
  if (const auto folder = own_course_folder()) add_own_course(*folder, course);
  return course;
}

const Part& pick_part(const Course& course, std::string_view word) {
  std::string name(trim(word));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  if (name.starts_with("PART ")) name = trim(std::string_view(name).substr(5));
  std::vector<std::string> names;
  for (const Part& part : course.parts) {
    names.push_back(part.name);
    if (part.name == name || std::to_string(names.size()) == name) return part;
  }
  throw UsageError(names.empty()
                       ? fmt::format("no part '{}'; this course has no parts", word)
                       : fmt::format("no part '{}'; expected {}", word, fmt::join(names, ", ")));
}

const Exercise* find_exercise(const Course& course, std::string_view word) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::path(word).has_extension() && fs::is_regular_file(word, error)) {
    const std::string path = fs::weakly_canonical(word, error).string();
    const auto found = std::ranges::find_if(course.exercises, [&](const Exercise& exercise) {
      return exercise.file.is_absolute() ? path == exercise.file
                                         : path.ends_with("/" + exercise.file.string());
    });
    return found == course.exercises.end() ? nullptr : &*found;
  }
  for (const Exercise& exercise : course.exercises) {
    const std::string number = fmt::format("{:02}", exercise.chapter);
    const std::string file = exercise.file.string();
    if (word == exercise.name || word == number + "/" + exercise.name ||
        word == number + "." + exercise.name || word == exercise.target() || word == file ||
        word.ends_with("/" + file) || word == exercise.file.filename().string()) {
      return &exercise;
    }
  }
  return nullptr;
}

const Exercise& pick_exercise(const Course& course, std::string_view word) {
  if (const Exercise* found = find_exercise(course, word)) return *found;
  if (const auto in_chapter = exercises_of_chapter(course, word); !in_chapter.empty()) {
    throw UsageError(fmt::format("'{}' is a chapter; name one of its exercises: {}", word,
                                 fmt::join(in_chapter, ", ")));
  }
  std::vector<std::string> names;
  for (const Exercise& exercise : course.exercises) names.push_back(exercise.name);
  const auto near = nearest_name(word, names);
  throw UsageError(near ? fmt::format("no exercise '{}'; did you mean {}?", word, *near)
                        : fmt::format("no exercise '{}'; './learn list' shows them", word));
}

}  // namespace tut::learn

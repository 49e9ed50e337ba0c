#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "learn/commands/commands.hpp"
#include "learn/core/chapters.hpp"
#include "learn/core/error.hpp"
#include "learn/core/review.hpp"
#include "learn/core/standing.hpp"

namespace tut::learn {
namespace {

bool is_on_gpu(const Exercise& exercise, const Record& record) {
  return exercise.needs != "cpu" && record.passed_on.contains("cuda");
}

/// What the mark in front of an exercise does not say.
std::string state_of(const Exercise& exercise, const Record& record, Standard standard) {
  if (record.passed()) {
    std::string state = is_on_gpu(exercise, record) ? "on a GPU" : "";
    if (standard == Standard::edited) state += state.empty() ? "edited since" : ", edited since";
    if (standard == Standard::failed) state += state.empty() ? "fails now" : ", fails now";
    return state;
  }
  if (record.gave_up) return "solution seen";
  if (record.hints > 0) return fmt::format("{} of {} hints", record.hints, exercise.hints.size());
  return "";
}

nlohmann::json exercise_json(const Exercise& exercise, const Record& record, Standard standard) {
  return {{"name", exercise.name},
          {"title", exercise.title},
          {"file", exercise.file.string()},
          {"needs", exercise.needs},
          {"points", exercise.points},
          {"hints", exercise.hints.size()},
          {"blank", exercise.blank},
          {"hints_seen", record.hints},
          {"gave_up", record.gave_up},
          {"passed_on", record.passed_on},
          {"file_state", standard_name(standard)}};
}

/// ", 2 of them on a GPU": said once, since most lines would have it.
std::string on_gpu_text(const Standing& standing) {
  const auto on_gpu = std::ranges::count_if(standing.course.exercises, [&](const Exercise& e) {
    return is_on_gpu(e, standing.progress.at(e.name));
  });
  const bool any_for_gpu = std::ranges::any_of(standing.course.exercises, [&](const Exercise& e) {
    return e.needs != "cpu" && standing.progress.at(e.name).passed();
  });
  if (!any_for_gpu) return "";
  return on_gpu == 0 ? ", none of them on a GPU" : fmt::format(", {} of them on a GPU", on_gpu);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// A chapter, and those of its exercises that were asked for.
struct Shelf {
  const Chapter* chapter = nullptr;
  std::vector<const Exercise*> exercises;
};

/// What of the course a list shows.
class Filter {
 public:
  Filter(const ListOptions& options, const Standing& standing, const std::vector<Chapter>& chapters)
      : standing_(standing), unsolved_(options.unsolved) {
    if (!options.chapter.empty()) chapter_ = &pick_chapter(chapters, options.chapter);
    if (!options.part.empty()) part_ = &pick_part(standing.course, options.part);
    for (const std::string& word : options.words) words_.push_back(lower_case(word));
  }

  /// Whether single exercises are looked for, not whole chapters.
  bool picks() const { return unsolved_ || !words_.empty(); }
  bool is_set() const { return picks() || chapter_ != nullptr || part_ != nullptr; }

  bool takes(const Chapter& chapter) const {
    return (chapter_ == nullptr || chapter_->number == chapter.number) &&
           (part_ == nullptr || (part_->first <= chapter.number && chapter.number <= part_->last));
  }

  bool takes(const Chapter& chapter, const Exercise& exercise) const {
    if (unsolved_ && standing_.progress.at(exercise.name).passed()) return false;
    const std::string text =
        lower_case(exercise.name + "\n" + exercise.title + "\n" + chapter.title);
    return std::ranges::all_of(
        words_, [&](const std::string& word) { return text.find(word) != std::string::npos; });
  }

 private:
  const Standing& standing_;
  const Chapter* chapter_ = nullptr;
  const Part* part_ = nullptr;
  bool unsolved_;
  std::vector<std::string> words_;
};

std::vector<Shelf> shelves_of(const std::vector<Chapter>& chapters, const Standing& standing,
                              const Filter& filter) {
  std::vector<Shelf> shelves;
  for (const Chapter& chapter : chapters) {
    if (!filter.takes(chapter)) continue;
    Shelf shelf{&chapter, {}};
    for (const Exercise& exercise : standing.course.exercises) {
      if (exercise.chapter == chapter.number && filter.takes(chapter, exercise)) {
        shelf.exercises.push_back(&exercise);
      }
    }
    if (!filter.picks() || !shelf.exercises.empty()) shelves.push_back(std::move(shelf));
  }
  return shelves;
}

void print_json(const Context& context, const std::vector<Shelf>& shelves,
                const Standing& standing) {
  nlohmann::json document = {{"solved", standing.solved()}, {"chapters", nlohmann::json::array()}};
  const Exercise* next = standing.next();
  document["next"] = next == nullptr ? nlohmann::json() : nlohmann::json(next->name);
  for (const Shelf& shelf : shelves) {
    nlohmann::json exercises = nlohmann::json::array();
    for (const Exercise* exercise : shelf.exercises) {
      exercises.push_back(exercise_json(*exercise, standing.progress.at(exercise->name),
                                        standard_now(context, standing, *exercise)));
    }
    document["chapters"].push_back({{"number", shelf.chapter->number},
                                    {"name", shelf.chapter->name()},
                                    {"title", shelf.chapter->title},
                                    {"exercises", exercises}});
  }
  fmt::print("{}\n", document.dump(2));
}

void print_exercise(const Context& context, const Standing& standing, const Exercise& exercise,
                    int width) {
  const Style& style = context.style;
  const Record record = standing.progress.at(exercise.name);
  const std::string state = state_of(exercise, record, standard_now(context, standing, exercise));
  const std::string line =
      fmt::format("{}  {}{}{}", exercise.title,
                  exercise.needs == "any" ? "" : fmt::format("[{}]  ", exercise.needs),
                  exercise.blank ? "[blank file: counts double]  " : "",
                  state.empty() ? "" : style.dim("(" + state + ")"));
  const std::string head = fmt::format("    {} {:{}}  {:2} pts  ", record.passed() ? "[x]" : "[ ]",
                                       exercise.name, width, exercise.points);
  const int columns = columns_of(head);
  std::string text = wrap(std::string(trim(line)), terminal_width(), columns);
  text.replace(0, static_cast<std::size_t>(columns), head);
  if (record.passed()) text.replace(4, 3, style.green("[x]"));
  fmt::print("{}", text);
}

/// @throws UsageError where words were given that no exercise has
void require_match(const ListOptions& options, const Standing& standing) {
  std::vector<std::string> names;
  for (const Exercise& exercise : standing.course.exercises) names.push_back(exercise.name);
  const auto near =
      options.words.size() == 1 ? nearest_name(options.words[0], names) : std::nullopt;
  throw UsageError(
      fmt::format("no exercise{} has '{}' in its name or title; {}",
                  options.words.size() > 1 || options.unsolved || !options.chapter.empty() ||
                          !options.part.empty()
                      ? " of those asked for"
                      : "",
                  fmt::join(options.words, " "),
                  near ? fmt::format("did you mean {}?", *near) : "'./learn list' shows all"));
}

void print_end(const Context& context, const Standing& standing,
               const std::vector<const Exercise*>& shown, const Filter& filter) {
  const std::size_t all = standing.course.exercises.size();
  if (!filter.is_set()) {
    fmt::print("\n{} of {} exercises solved{}.\n", standing.solved(), all, on_gpu_text(standing));
    return;
  }
  const auto solved = std::ranges::count_if(
      shown, [&](const Exercise* e) { return standing.progress.at(e->name).passed(); });
  fmt::print("{}{} of {} exercises shown, {} of them solved.\n", shown.empty() ? "" : "\n",
             shown.size(), all, solved);
  if (shown.size() == 1) fmt::print("\n{}", next_steps(context, standing, *shown[0]));
}

}  // namespace

int list_command(const Context& context, const ListOptions& options) {
  const Standing standing = load_standing(context);
  const std::vector<Chapter> chapters = find_chapters(context.root);
  const Filter filter(options, standing, chapters);
  const std::vector<Shelf> shelves = shelves_of(chapters, standing, filter);
  std::vector<const Exercise*> shown;
  std::size_t width = 0;
  for (const Shelf& shelf : shelves) {
    for (const Exercise* exercise : shelf.exercises) {
      shown.push_back(exercise);
      width = std::max(width, exercise->name.size());
    }
  }
  if (shown.empty() && !options.words.empty()) require_match(options, standing);
  if (options.json) {
    print_json(context, shelves, standing);
    return exit_ok;
  }
  for (const Shelf& shelf : shelves) {
    fmt::print("{:02}  {}\n", shelf.chapter->number, context.style.bold(shelf.chapter->title));
    for (const Exercise* exercise : shelf.exercises) {
      print_exercise(context, standing, *exercise, static_cast<int>(width));
    }
  }
  print_end(context, standing, shown, filter);
  return exit_ok;
}

}  // namespace tut::learn

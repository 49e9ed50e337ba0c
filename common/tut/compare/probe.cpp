#include "tut/compare/probe.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <optional>

#include "tut/numeric/random.hpp"

namespace tut {
namespace {

constexpr std::size_t no_element = static_cast<std::size_t>(-1);

/// Corners, and places whose indices differ.
std::vector<std::size_t> hot_places(std::size_t size) {
  std::vector<std::size_t> places = {0, size - 1, size / 2, random_bits(11, 0) % size,
                                     random_bits(11, 1) % size};
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

/// One run: `hot` has a single 1 at `place`, and the other input's elements have numbers, from the
/// first on or from the last.
struct Run {
  const Probe& probe;
  std::size_t hot = 0, place = 0;
  bool from_last = false;
  Probe::Values got = {}, expected = {};

  const ProbeTensor* other() const {
    return probe.inputs.size() == 2 ? &probe.inputs[1 - hot] : nullptr;
  }
  std::string hot_text() const { return probe.inputs[hot].element(place); }

  /// The element of the other input whose number an output has; no_element if it has none.
  std::size_t decoded(double value) const {
    if (other() == nullptr || other()->size() > probe.exact) return no_element;
    if (!(value >= 1) || value > static_cast<double>(other()->size())) return no_element;
    if (value != std::floor(value)) return no_element;
    const auto number = static_cast<std::size_t>(value);
    return from_last ? other()->size() - number : number - 1;
  }
};

void make_values(Run& run) {
  std::vector<Probe::Values> inputs;
  for (std::size_t i = 0; i < run.probe.inputs.size(); ++i) {
    const std::size_t size = run.probe.inputs[i].size();
    Probe::Values values(size, 0.0);
    if (i == run.hot) {
      values[run.place] = 1;
    } else {
      for (std::size_t e = 0; e < size; ++e) {
        const std::size_t number = run.from_last ? size - 1 - e : e;
        values[e] = 1 + std::fmod(static_cast<double>(number), run.probe.exact);
      }
    }
    inputs.push_back(std::move(values));
  }
  run.expected = run.probe.reference(inputs);
  run.got = run.probe.run(inputs);
}

/// The elements that are not 0: the first two of them, and how many more there are.
std::string places_text(const ProbeTensor& output, const Probe::Values& values) {
  constexpr std::size_t shown = 2;
  std::string text = "to ";
  std::size_t count = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (values[e] == 0) continue;
    if (++count <= shown) text += (count == 1 ? "" : ", ") + output.element(e);
  }
  if (count > shown) text += " and " + std::to_string(count - shown) + " more";
  return count == 0 ? "nowhere" : text;
}

/// An output that is made from another element than it should be. A sum of several has some
/// element's number, too: of one element alone both runs tell the same.
std::string other_element_text(const Run& run) {
  std::optional<Run> back;
  for (std::size_t e = 0; e < run.expected.size(); ++e) {
    if (run.got[e] == run.expected[e]) continue;
    const std::size_t used = run.decoded(run.got[e]), meant = run.decoded(run.expected[e]);
    if (used == no_element || meant == no_element) continue;
    if (!back) {
      back.emplace(Run{run.probe, run.hot, run.place, true});
      make_values(*back);
    }
    if (back->decoded(back->got[e]) != used || back->decoded(back->expected[e]) != meant) continue;
    return run.probe.output.element(e) + " takes " + run.hot_text() + " times " +
           run.other()->element(used) + ", expected times " + run.other()->element(meant);
  }
  return "";
}

/// Outputs that the single 1 reaches and should not, or the other way round.
std::string other_place_text(const Run& run) {
  for (std::size_t e = 0; e < run.expected.size(); ++e) {
    if ((run.got[e] == 0) == (run.expected[e] == 0)) continue;
    return run.hot_text() + " goes " + places_text(run.probe.output, run.got) + ", expected " +
           places_text(run.probe.output, run.expected);
  }
  return "";
}

}  // namespace

std::size_t ProbeTensor::size() const {
  return std::accumulate(
      sizes.begin(), sizes.end(), std::size_t{1},
      [](std::size_t product, int size) { return product * static_cast<std::size_t>(size); });
}

std::string ProbeTensor::element(std::size_t index) const {
  std::string text;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(sizes[i]);
    text = std::to_string(index % size) + (text.empty() ? "" : ", ") + text;
    index /= size;
  }
  return name + "(" + text + ")";
}

std::string probe_one_hot(const Probe& probe) {
  std::vector<std::size_t> inputs(probe.inputs.size());
  std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  // A tap of a filter says more than a pixel.
  std::ranges::stable_sort(inputs, {}, [&](std::size_t i) { return probe.inputs[i].size(); });
  std::string elsewhere;  // is said if no output is made from another element
  try {
    for (const std::size_t hot : inputs) {
      for (const std::size_t place : hot_places(probe.inputs[hot].size())) {
        Run run{probe, hot, place};
        make_values(run);
        if (run.got.size() != run.expected.size()) return "";
        std::string text = other_element_text(run);
        if (!text.empty()) return text;
        if (elsewhere.empty()) elsewhere = other_place_text(run);
      }
    }
  } catch (const std::exception&) {
    return "";  // what it threw has been told, or is no matter of places
  }
  return elsewhere;
}

}  // namespace tut

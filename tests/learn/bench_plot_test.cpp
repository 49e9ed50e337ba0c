#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "learn/bench/plot.hpp"

using namespace tut::learn;

namespace {

ResultRow row_of(const std::string& step, int order, double seconds, bool rival) {
  ResultRow row;
  row.name = row.step = step;
  row.ladder = "matmul";
  row.size = "64x64x64";
  row.order = order;
  row.rival = rival;
  row.flops = 1e9;
  row.bytes = 1e7;
  row.arithmetic = "fp32";
  row.seconds = {seconds};
  return row;
}

Results measured() {
  Results results;
  results.context = {{"roof_memory", "1e12"}, {"roof_fp32", "1e13"}};
  results.rows = {row_of("naive <a> & b", 0, 1e-3, false), row_of("library", 1, 2e-4, true)};
  return results;
}

Results counted() {
  Results results = measured();
  results.context = {{"counted", "true"}};
  results.rows[0].seconds.clear();
  results.rows[0].counted =
      CountedRow{.bytes_moved = 4e7, .flops_per_byte = 25, .requests = 10, .sectors = 40};
  results.rows[1].seconds.clear();
  return results;
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return found;
}

void check_picture(const std::string& picture) {
  CAPTURE(picture);
  CHECK(picture.starts_with("<svg xmlns="));
  CHECK(picture.ends_with("</svg>\n"));
  // Alternative text, and a ground of its own: readable on a dark page, too.
  CHECK(count(picture, "<title>Title.") == 1);
  CHECK(picture.find("fill=\"#fff\"") != picture.npos);
  CHECK(count(picture, "<text") == count(picture, "</text>"));
  CHECK(picture.find("nan") == picture.npos);
  CHECK(picture.find("inf") == picture.npos);
}

}  // namespace

TEST_CASE("a ladder has a bar for each row, and says in words what they show") {
  const std::string picture = ladder_plot(measured(), "Title");
  check_picture(picture);
  CHECK(count(picture, "fill=\"#2171b5\"") == 1);
  CHECK(count(picture, "fill=\"#fdae6b\"") == 1);
  CHECK(picture.find("naive &lt;a&gt; &amp; b") != picture.npos);
  CHECK(picture.find("1.00 TFLOP/s") != picture.npos);
  CHECK(picture == ladder_plot(measured(), "Title"));
}

TEST_CASE("a ladder of counts shows bytes moved beside the least there is") {
  const std::string picture = ladder_plot(counted(), "Title");
  check_picture(picture);
  CHECK(picture.find("40.0 MB; 4 sectors a request; 0 bank conflicts") != picture.npos);
  CHECK(picture.find("the least there is") != picture.npos);
}

TEST_CASE("nothing to plot is an empty picture") { CHECK(ladder_plot({}, "Title").empty()); }

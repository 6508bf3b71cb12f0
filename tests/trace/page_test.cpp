#include <gmock/gmock.h>

#include <cstdint>
#include <evencube/trace/page.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sample_trace.hpp"

namespace evencube::traces {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view about =
    R"({"figures": {}, "sentence": "bound by the work", "what_if": [], "critical": [2]})";

std::string page_of(const trace& shown, std::string_view said = about) {
  std::string page;
  write_page(shown, said, [&](std::span<const std::uint8_t> bytes) {
    page.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return page;
}

/// What stands in the element with that beginning.
std::string element(const std::string& page, const std::string& beginning) {
  const std::size_t begin = page.find(beginning) + beginning.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

// How it looks in a browser is for the test of the command line.
TEST(trace_page, has_the_trace_and_what_is_said_about_it_in_one_file) {
  const std::string page = page_of(sample_trace());
  const json report = json::parse(element(page, R"(<script type="application/json" id="report">)"));
  EXPECT_EQ(report.at("sentence"), "bound by the work");
  EXPECT_EQ(report.at("critical"), json::array({2}));
  EXPECT_EQ(report.at("names"), json(sample_trace().names));
  for (const char* const part : {"tasks", "waits", "moves", "rounds", "regions"}) {
    EXPECT_THAT(page, HasSubstr(std::string(R"(<script type="text/plain" id="packed-)") + part));
  }
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
}

TEST(trace_page, holds_no_name_that_could_end_an_element) {
  trace shown = sample_trace();
  shown.names.front() = "</script><script>alert(1)</script>";
  const std::string page = page_of(shown);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  const json report = json::parse(element(page, R"(<script type="application/json" id="report">)"));
  EXPECT_EQ(report.at("names").front(), shown.names.front());
}

TEST(trace_page, is_refused_without_what_it_needs) {
  for (const std::string_view said : {"", "[]", "{", R"({"figures": {}})"}) {
    EXPECT_THROW(page_of(sample_trace(), said), std::invalid_argument) << said;
  }
}

}  // namespace
}  // namespace evencube::traces

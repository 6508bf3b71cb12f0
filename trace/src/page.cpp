#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <evencube/trace/page.hpp>

#include "page_assets.hpp"
#include "page_columns.hpp"

namespace evencube::traces {
namespace {

using json = nlohmann::ordered_json;

/// Escapes a text so that nothing from the trace ends the element that contains it.
std::string as_script_data(const json& object) {
  std::string text;
  for (const char letter : object.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

/// Escapes a text for the inside of an element.
std::string as_element_text(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '<') {
      made += "&lt;";
    } else if (letter == '&') {
      made += "&amp;";
    } else {
      made += letter;
    }
  }
  return made;
}

/// For each counter its points as [nanoseconds, value], by time. If there are very many points,
/// only every n-th is kept.
json curves_of(const trace& recorded) {
  constexpr std::size_t most_points = 5000;
  std::map<std::uint32_t, std::vector<const trace::count*>> by_name;
  for (const trace::count& c : recorded.counts) by_name[c.name].push_back(&c);
  json curves = json::array();
  for (auto& [name, all] : by_name) {
    std::ranges::stable_sort(all, {}, &trace::count::time);
    const std::size_t step = all.size() / most_points + 1;
    json points = json::array();
    for (std::size_t i = 0; i < all.size(); i += step) {
      points.push_back({all[i]->time, all[i]->value});
    }
    curves.push_back({{"name", name}, {"points", std::move(points)}});
  }
  return curves;
}

json report_of(const trace& shown, std::string_view about) {
  json report = json::parse(about, nullptr, false);
  for (const char* const part : {"figures", "sentence", "what_if", "critical"}) {
    if (!report.is_object() || !report.contains(part)) {
      throw std::invalid_argument(std::string("about: a page needs an object in JSON with \"") +
                                  part + "\"");
    }
  }
  report["names"] = shown.names;
  report["curves"] = curves_of(shown);
  return report;
}

}  // namespace

void write_page(const trace& shown, std::string_view about, const byte_sink& to) {
  const json report = report_of(shown, about);
  const auto put = [&](std::string_view text) {
    to({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  const auto put_data = [&](std::string_view id, std::string_view text) {
    put("<script type=\"text/plain\" id=\"packed-");
    put(id);
    put("\">");
    put(text);
    put("</script>\n");
  };
  // The policy forbids everything that is not in this file.
  put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>");
  put(as_element_text(shown.workload));
  put(" - EvenCube</title>\n<style>\n");
  put(page_style);
  put("</style>\n</head>\n<body>\n");
  put(page_body);
  put("<script type=\"application/json\" id=\"report\">");
  put(as_script_data(report));
  put("</script>\n");
  const page_columns columns = page_columns_of(shown);
  put_data("tasks", columns.tasks);
  put_data("waits", columns.waits);
  put_data("moves", columns.moves);
  put_data("rounds", columns.rounds);
  put_data("regions", columns.regions);
  for (const char* const script : page_scripts) {
    put("<script>\n");
    put(script);
    put("</script>\n");
  }
  put("</body>\n</html>\n");
}

}  // namespace evencube::traces

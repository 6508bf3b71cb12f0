#include "trace_page.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "packed_trace.hpp"
#include "trace_forecasts.hpp"
#include "trace_page_assets.hpp"
#include "trace_summary.hpp"

namespace evencube::cli {
namespace {

/// Nothing that the trace says may end the element it stands in.
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

/// Of each counter its points as [nanoseconds, value], by time; of very many every so many-th.
json curves_of(const traces::trace& recorded) {
  constexpr std::size_t most_points = 5000;
  std::map<std::uint32_t, std::vector<const traces::trace::count*>> by_name;
  for (const traces::trace::count& c : recorded.counts) by_name[c.name].push_back(&c);
  json curves = json::array();
  for (auto& [name, all] : by_name) {
    std::ranges::stable_sort(all, {}, &traces::trace::count::time);
    const std::size_t step = all.size() / most_points + 1;
    json points = json::array();
    for (std::size_t i = 0; i < all.size(); i += step) {
      points.push_back({all[i]->time, all[i]->value});
    }
    curves.push_back({{"name", name}, {"points", std::move(points)}});
  }
  return curves;
}

}  // namespace

void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const traces::byte_sink& to) {
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
      "content=\"width=device-width\">\n<title>EvenCube</title>\n<style>\n");
  put(page_style);
  put("</style>\n</head>\n<body>\n");
  put(page_body);
  put("<script type=\"application/json\" id=\"report\">");
  put(as_script_data({{"figures", to_json(given, figures)},
                      {"sentence", sentence_of(figures.bound)},
                      {"what_if", to_json(usual_forecasts(given))},
                      {"critical", figures.critical_tasks},
                      {"names", given.source.names},
                      {"curves", curves_of(given.source)}}));
  put("</script>\n");
  const packed_trace data = packed(given.source);
  put_data("tasks", data.tasks);
  put_data("waits", data.waits);
  put_data("moves", data.moves);
  put_data("rounds", data.rounds);
  put_data("regions", data.regions);
  for (const char* const script : page_scripts) {
    put("<script>\n");
    put(script);
    put("</script>\n");
  }
  put("</body>\n</html>\n");
}

}  // namespace evencube::cli

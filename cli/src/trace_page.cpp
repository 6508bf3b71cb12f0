#include "trace_page.hpp"

#include <evencube/trace/page.hpp>

#include "trace_forecasts.hpp"
#include "trace_summary.hpp"

namespace evencube::cli {

void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const traces::byte_sink& to) {
  const json about = {{"figures", to_json(given, figures)},
                      {"sentence", sentence_of(figures.bound)},
                      {"what_if", to_json(usual_forecasts(given))},
                      {"critical", figures.critical_tasks}};
  traces::write_page(given.source, about.dump(-1, ' ', false, json::error_handler_t::replace), to);
}

}  // namespace evencube::cli

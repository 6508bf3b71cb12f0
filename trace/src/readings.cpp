#include <algorithm>
#include <evencube/trace/readings.hpp>
#include <numeric>
#include <tuple>

namespace evencube::traces {

std::string_view name_in(const trace& recorded, std::uint32_t name) noexcept {
  return name == no_name ? std::string_view("task") : recorded.names[name];
}

std::vector<load_type> loads_after(const trace::round& round) {
  std::vector<load_type> loads = round.loads;
  for (const phase& one : round.planned.phases) {
    for (const transfer& t : one) {
      loads[t.from] -= t.quanta;
      loads[t.to] += t.quanta;
    }
  }
  return loads;
}

std::vector<std::uint64_t> computing_times(const trace& recorded) {
  std::vector<std::uint64_t> times;
  times.reserve(recorded.tasks.size());
  for (const trace::task& t : recorded.tasks) times.push_back(t.ended - t.started);
  std::vector<std::uint32_t> order(recorded.waits.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    const trace::wait& w = recorded.waits[i];
    return std::tuple(w.waiting, w.began, i);
  });
  // If waits of one task overlap, each moment counts once.
  task_id of = no_task;
  std::uint64_t until = 0;
  for (const std::uint32_t i : order) {
    const trace::wait& w = recorded.waits[i];
    if (w.waiting != of) until = 0;
    of = w.waiting;
    const std::uint64_t from = std::max(until, w.began);
    if (w.ended > from) times[w.waiting] -= w.ended - from;
    until = std::max(until, w.ended);
  }
  return times;
}

}  // namespace evencube::traces

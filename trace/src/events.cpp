#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <evencube/balancers/topology.hpp>
#include <evencube/trace/events.hpp>
#include <evencube/trace/readings.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace evencube::traces {
namespace {

using json = nlohmann::json;

// Perfetto takes thread 0 for the idle thread of a processor, so numbers begin with 1.
constexpr int process_of_workers = 1;
constexpr int process_of_rounds = 2;

/// The largest number of workers whose loads are drawn as curves. More would be unreadable.
constexpr std::size_t most_curves = 64;

/// Events as text, handed on in large pieces.
class event_text {
 public:
  explicit event_text(const byte_sink& to) : to_{to} {}

  template <typename... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    if (text_.size() >= piece) flush();
  }

  void add_plain(std::string_view text) { text_ += text; }

  void flush() {
    to_({reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size()});
    text_.clear();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 16;

  const byte_sink& to_;
  std::string text_;
  bool first_ = true;
};

/// Nanoseconds as microseconds, without loss.
std::string us(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string quoted(const std::string& text) {
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

/// An interval on the track of a worker.
struct slice {
  enum class kind : std::uint8_t { task, region, wait, send, round };
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t index;  // among tasks, regions, waits, migrations or rounds
  kind what;
};

/// Finds the slices of a track that are nested as the format requires. Slices come in the order of
/// their begin, the longer one first.
class nesting {
 public:
  bool takes(std::uint64_t begin, std::uint64_t end) {
    while (!ends_.empty() && ends_.back() <= begin) ends_.pop_back();
    if (!ends_.empty() && ends_.back() < end) return false;
    ends_.push_back(end);
    return true;
  }

 private:
  std::vector<std::uint64_t> ends_;
};

/// The names, as they are between quotation marks.
std::vector<std::string> names_of(const std::vector<std::string>& names) {
  std::vector<std::string> made;
  made.reserve(names.size());
  for (const std::string& name : names) {
    const std::string text = quoted(name);
    made.push_back(text.substr(1, text.size() - 2));
  }
  return made;
}

/// The number of parents between each task and the outside.
std::vector<std::uint32_t> levels_of(const std::vector<trace::task>& tasks) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  std::vector<std::uint32_t> levels(tasks.size(), unknown);
  std::vector<task_id> way;
  for (task_id i = 0; i < tasks.size(); ++i) {
    way.clear();
    task_id at = i;
    for (; at != no_task && levels[at] == unknown; at = tasks[at].parent) {
      way.push_back(at);
    }
    std::uint32_t level = at == no_task ? 0 : levels[at] + 1;
    for (auto back = way.rbegin(); back != way.rend(); ++back) levels[*back] = level++;
  }
  return levels;
}

class writer {
 public:
  writer(const trace& recorded, const byte_sink& to)
      : recorded_{recorded},
        workers_{topology::parse(recorded.topology).nodes()},
        levels_{levels_of(recorded.tasks)},
        names_{names_of(recorded.names)},
        slices_(workers_),
        is_first_move_(recorded.migrations.size()),
        has_moved_(recorded.tasks.size()),
        text_{to} {
    collect();
  }

  void write() {
    text_.add_plain(fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"workload\":{},\"balancer\":{},"
        "\"topology\":{},\"tasks\":{},\"makespan_ns\":{},\"cut\":{}}},\n\"traceEvents\":[",
        quoted(recorded_.workload), quoted(recorded_.balancer), quoted(recorded_.topology),
        recorded_.tasks.size(), recorded_.makespan, recorded_.cut));
    put_names();
    for (std::uint32_t w = 0; w < workers_; ++w) put_track(w);
    put_rounds();
    put_counts();
    text_.add_plain("\n]}\n");
    text_.flush();
  }

 private:
  void collect() {
    for (task_id i = 0; i < recorded_.tasks.size(); ++i) {
      const trace::task& t = recorded_.tasks[i];
      slices_[t.worker].push_back({t.started, t.ended, i, slice::kind::task});
    }
    for (std::uint32_t i = 0; i < recorded_.regions.size(); ++i) {
      const trace::region& r = recorded_.regions[i];
      slices_[recorded_.tasks[r.within].worker].push_back(
          {r.began, r.ended, i, slice::kind::region});
    }
    for (std::uint32_t i = 0; i < recorded_.waits.size(); ++i) {
      const trace::wait& w = recorded_.waits[i];
      slices_[recorded_.tasks[w.waiting].worker].push_back(
          {w.began, w.ended, i, slice::kind::wait});
    }
    std::vector<std::uint32_t> order(recorded_.migrations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) {
      return std::tuple(recorded_.migrations[i].moved, recorded_.migrations[i].time, i);
    });
    for (const std::uint32_t i : order) {
      const trace::migration& m = recorded_.migrations[i];
      // The clocks of two processors may differ. An arrow never leads back in time.
      const std::uint64_t at = std::min(m.time, recorded_.tasks[m.moved].started);
      slices_[m.from].push_back({at, at, i, slice::kind::send});
      is_first_move_[i] = !has_moved_[m.moved];
      has_moved_[m.moved] = true;
    }
    for (auto& of_worker : slices_) {
      std::ranges::sort(of_worker, [](const slice& a, const slice& b) {
        return std::tuple(a.begin, b.end, a.what, a.index) <
               std::tuple(b.begin, a.end, b.what, b.index);
      });
    }
  }

  void put_names() {
    const auto name = [&](const char* kind, int process, std::uint32_t thread,
                          const std::string& text) {
      text_.add(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", kind, process,
                thread, text);
    };
    name("process_name", process_of_workers, 0, quoted("workers: " + recorded_.workload));
    name("process_name", process_of_rounds, 0, quoted("balancer: " + recorded_.balancer));
    for (std::uint32_t w = 0; w < workers_; ++w) {
      name("thread_name", process_of_workers, w + 1, fmt::format("\"worker {}\"", w));
      text_.add(
          R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
          process_of_workers, w + 1, w);
    }
    name("thread_name", process_of_rounds, 1, "\"rounds\"");
  }

  void put_track(std::uint32_t worker) {
    nesting within;
    for (const slice& s : slices_[worker]) {
      put_slice(s, process_of_workers, worker + 1, within.takes(s.begin, s.end), name_of(s),
                arguments_of(s));
      if (s.what == slice::kind::task && has_moved_[s.index]) {
        put_arrow('f', s.begin, worker, s.index);
      }
      if (s.what == slice::kind::send) {
        put_arrow(is_first_move_[s.index] ? 's' : 't', s.begin, worker,
                  recorded_.migrations[s.index].moved);
      }
    }
  }

  /// A slice that is not nested in the slice around it is written as an asynchronous pair, which
  /// viewers draw on a line of its own.
  void put_slice(const slice& s, int process, std::uint32_t thread, bool nested,
                 const std::string& name, const std::string& arguments) {
    if (nested) {
      text_.add(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
                R"("args":{{{}}}}})",
                name, category_of(s), process, thread, us(s.begin), us(s.end - s.begin), arguments);
      return;
    }
    const std::uint64_t number = ++crossing_;
    text_.add(R"({{"ph":"b","name":"{}","cat":"{}","id":{},"pid":{},"tid":{},"ts":{},)"
              R"("args":{{{}}}}})",
              name, category_of(s), number, process, thread, us(s.begin), arguments);
    text_.add(R"({{"ph":"e","name":"{}","cat":"{}","id":{},"pid":{},"tid":{},"ts":{}}})", name,
              category_of(s), number, process, thread, us(s.end));
  }

  void put_arrow(char step, std::uint64_t time, std::uint32_t worker, task_id moved) {
    text_.add(
        R"({{"ph":"{}","name":"move","cat":"migration","id":{},"pid":{},"tid":{},"ts":{}{}}})",
        step, moved, process_of_workers, worker + 1, us(time), step == 's' ? "" : R"(,"bp":"e")");
  }

  [[nodiscard]] static const char* category_of(const slice& s) {
    switch (s.what) {
      case slice::kind::region:
        return "region";
      case slice::kind::wait:
        return "wait";
      case slice::kind::send:
        return "send";
      case slice::kind::round:
        return "round";
      case slice::kind::task:
        break;
    }
    return "task";
  }

  [[nodiscard]] std::string name_of(const slice& s) const {
    if (s.what == slice::kind::wait) return "wait";
    if (s.what == slice::kind::send) {
      const trace::migration& m = recorded_.migrations[s.index];
      return fmt::format("task {} to worker {}", m.moved, m.to);
    }
    if (s.what == slice::kind::region) return names_[recorded_.regions[s.index].name];
    const std::uint32_t name = recorded_.tasks[s.index].name;
    if (name != traces::no_name) return names_[name];
    const std::uint32_t level = levels_[s.index];
    return level == 0 ? "task from outside" : fmt::format("task of level {}", level);
  }

  [[nodiscard]] std::string arguments_of(const slice& s) const {
    if (s.what == slice::kind::wait) {
      const trace::wait& w = recorded_.waits[s.index];
      return w.group == no_group
                 ? fmt::format(R"("task":{},"for":"all that it spawned")", w.waiting)
                 : fmt::format(R"("task":{},"for":"group {}")", w.waiting, w.group);
    }
    if (s.what == slice::kind::send) {
      const trace::migration& m = recorded_.migrations[s.index];
      const std::string why = m.round == trace::migration::unplanned ? "\"pull\""
                              : m.round == trace::migration::rescued ? "\"rescue\""
                                                                     : std::to_string(m.round);
      return fmt::format(R"("task":{},"to":{},"round":{})", m.moved, m.to, why);
    }
    if (s.what == slice::kind::region) {
      return fmt::format(R"("task":{})", recorded_.regions[s.index].within);
    }
    const trace::task& t = recorded_.tasks[s.index];
    const std::string parent = t.parent == no_task ? "\"outside\"" : std::to_string(t.parent);
    return fmt::format(
        R"("task":{},"parent":{},"level":{},"quanta":{},"spawned_by_worker":{},"waited_us":{})",
        s.index, parent, levels_[s.index], t.cost, t.spawned_by, us(t.started - t.spawned));
  }

  /// A round lasts from its plan until the last task that it moved.
  void put_rounds() {
    const auto& rounds = recorded_.rounds;
    std::vector<std::uint64_t> until;
    std::vector<std::uint64_t> moved(rounds.size());
    for (const trace::round& r : rounds) until.push_back(r.time);
    for (const trace::migration& m : recorded_.migrations) {
      if (m.round >= rounds.size()) continue;
      until[m.round] = std::max(until[m.round], m.time);
      ++moved[m.round];
    }
    std::vector<std::uint32_t> order(rounds.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(rounds[a].time, until[b], a) < std::tuple(rounds[b].time, until[a], b);
    });
    nesting within;
    for (const std::uint32_t i : order) {
      const trace::round& r = rounds[i];
      const slice s{r.time, until[i], i, slice::kind::round};
      const std::string leader =
          r.leader ? std::to_string(*r.leader) : std::string{"\"a thread of its own\""};
      put_slice(
          s, process_of_rounds, 1, within.takes(s.begin, s.end), "round",
          fmt::format(R"("round":{},"led_by":{},"before":[{}],"after":[{}],"moved":{})", i, leader,
                      fmt::join(r.loads, ","), fmt::join(loads_after(r), ","), moved[i]));
      if (workers_ <= most_curves) put_loads(r);
    }
  }

  /// Writes a curve for each counter of the program.
  void put_counts() {
    for (const trace::count& c : recorded_.counts) {
      text_.add(
          R"({{"ph":"C","name":"{}","cat":"counter","pid":{},"tid":1,"ts":{},"args":{{"value":{}}}}})",
          names_[c.name], process_of_workers, us(c.time), c.value);
    }
  }

  void put_loads(const trace::round& r) {
    std::string loads;
    for (std::size_t w = 0; w < r.loads.size(); ++w) {
      loads += fmt::format("{}\"worker {}\":{}", w == 0 ? "" : ",", w, r.loads[w]);
    }
    text_.add(R"({{"ph":"C","name":"load","pid":{},"tid":1,"ts":{},"args":{{{}}}}})",
              process_of_rounds, us(r.time), loads);
  }

  const trace& recorded_;
  std::size_t workers_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::string> names_;  // without the quotation marks around them
  std::vector<std::vector<slice>> slices_;
  std::vector<bool> is_first_move_;
  std::vector<bool> has_moved_;
  std::uint64_t crossing_ = 0;
  event_text text_;
};

}  // namespace

void write_events(const trace& recorded, const byte_sink& to) { writer{recorded, to}.write(); }

}  // namespace evencube::traces

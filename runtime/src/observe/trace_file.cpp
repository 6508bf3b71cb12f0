#include "observe/trace_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <evencube/detail/trace_converter.hpp>
#include <evencube/error.hpp>

#include "platform/platform.hpp"

namespace evencube::detail {

namespace {

constexpr std::size_t entries_per_block = 65536;
constexpr std::size_t names_per_block = 4096;
/// Rounds go into blocks of about this many numbers, because rounds differ in size.
constexpr std::size_t numbers_per_block = 65536;
constexpr std::size_t most_names = 65536;

/// The checksum of a block: CRC-32 as in zlib and gzip, polynomial 0xEDB88320, reflected.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) {
      rest = rest >> 1 ^ ((rest & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    table[i] = rest;
  }
  return table;
}();

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const char c : bytes) {
    rest = rest >> 8 ^ crc_table[(rest ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~rest;
}

/// Appends values to a text in CBOR (RFC 8949), each in its shortest form except numbers with a
/// fraction, which take nine bytes.
class cbor_writer {
 public:
  explicit cbor_writer(std::string& text) : text_(text) {}

  void whole(std::uint64_t value) { head(0, value); }
  void text(std::string_view value) {
    head(3, value.size());
    text_.append(value);
  }
  /// `size` values follow.
  void array(std::size_t size) { head(4, size); }
  /// `size` pairs of a key and a value follow.
  void map(std::size_t size) { head(5, size); }
  void flag(bool value) { byte(value ? 0xF5 : 0xF4); }
  void null() { byte(0xF6); }
  void real(double value) {
    byte(0xFB);
    big_endian(std::bit_cast<std::uint64_t>(value), 8);
  }
  template <typename Number>
  void wholes(const std::vector<Number>& values) {
    array(values.size());
    for (const Number value : values) whole(static_cast<std::uint64_t>(value));
  }

 private:
  void byte(unsigned value) { text_.push_back(static_cast<char>(value)); }
  void big_endian(std::uint64_t value, unsigned bytes) {
    for (unsigned i = bytes; i-- > 0;) byte(static_cast<unsigned>(value >> (8 * i) & 0xFFU));
  }
  void head(unsigned kind, std::uint64_t value) {
    const unsigned first = kind << 5;
    if (value < 24) {
      byte(first | static_cast<unsigned>(value));
      return;
    }
    unsigned power = 0;  // of two: the number of bytes that the value takes
    while (power < 3 && value >> (8U << power) != 0) ++power;
    byte(first | (24 + power));
    big_endian(value, 1U << power);
  }

  std::string& text_;
};

/// The blocks of a file.
class block_writer {
 public:
  block_writer() : bytes_("EVCTRACE") { little_endian(3); }  // the version

  /// Appends a block whose payload `fill` writes. `kind` has four letters.
  template <typename Fill>
  void write(const char* kind, Fill&& fill) {
    std::string payload;
    cbor_writer to(payload);
    fill(to);
    bytes_ += kind;
    little_endian(static_cast<std::uint32_t>(payload.size()));
    little_endian(checksum(payload));
    bytes_ += payload;
  }

  /// A column: its name and a function that appends the value of an entry.
  template <typename Entry>
  struct column {
    const char* name;
    void (*append)(cbor_writer&, const Entry&);
  };

  /// Appends as many blocks with these columns as the entries need.
  template <typename Entry, std::size_t Count>
  void write_columns(const char* kind, const std::vector<Entry>& entries,
                     const std::array<column<Entry>, Count>& columns, std::size_t used = Count) {
    for (std::size_t first = 0; first < entries.size(); first += entries_per_block) {
      const std::size_t last = std::min(entries.size(), first + entries_per_block);
      write(kind, [&](cbor_writer& to) {
        to.map(used);
        for (std::size_t c = 0; c < used; ++c) {
          to.text(columns[c].name);
          to.array(last - first);
          for (std::size_t i = first; i < last; ++i) columns[c].append(to, entries[i]);
        }
      });
    }
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void little_endian(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
  }

  std::string bytes_;
};

std::string mode_of(const recorded_runtime& recorded) {
  if (recorded.options.mode == balancer_mode::on_demand) return "on_demand";
  return recorded.idle_leads ? "on_idle" : "thread";
}

void write_head(block_writer& file, const recording& take, const recorded_runtime& recorded,
                std::uint64_t makespan) {
  const runtime_options& options = recorded.options;
  const std::string mode = mode_of(recorded);
  const auto period =
      mode == "thread" ? std::chrono::nanoseconds{options.period}.count() : std::int64_t{0};
  file.write("HEAD", [&](cbor_writer& to) {
    to.map(21);
    const auto text = [&](const char* key, std::string_view value) {
      to.text(key);
      to.text(value);
    };
    const auto whole = [&](const char* key, std::uint64_t value) {
      to.text(key);
      to.whole(value);
    };
    const auto flag = [&](const char* key, bool value) {
      to.text(key);
      to.flag(value);
    };
    text("workload", recorded.program);
    text("balancer", options.balancer.name());
    to.text("options");
    to.map(options.options.size());
    for (const auto& [key, value] : options.options) text(key.c_str(), value);
    text("transmission", options.transmission.text());
    text("mode", mode);
    whole("period", static_cast<std::uint64_t>(period));
    whole("threshold", options.threshold);
    flag("pulls", options.pulls);
    flag("largest_first", options.largest_first);
    text("topology", "cube:" + std::to_string(options.workers));
    to.text("capacities");
    to.array(0);
    // The nominal costs of a trace (<evencube/trace/machine_costs.hpp>): nothing was measured.
    to.text("costs");
    to.map(8);
    whole("workers", 0);
    const auto cost = [&](const char* key, double seconds) {
      to.text(key);
      to.real(seconds);
    };
    cost("measure", 1e-7);
    cost("send", 0);
    cost("receive", 0);
    cost("transfer_send", 2e-8);
    cost("transfer_receive", 2e-8);
    cost("latency", 0);
    cost("per_quantum", 0);
    whole("makespan", makespan);
    flag("cut", take.cut);
    whole("tasks", take.tasks.size());
    whole("waits", take.waits.size());
    whole("migrations", take.migrations.size());
    whole("rounds", take.rounds.size());
    whole("regions", take.regions.size());
    whole("counts", take.counts.size());
    whole("names", take.names.size());
  });
}

void write_round(cbor_writer& to, const recording::round& r) {
  to.map(6 + std::size_t{r.leader.has_value()} + std::size_t{r.initiator.has_value()} +
         std::size_t{r.unit != 1});
  to.text("time");
  to.whole(r.time);
  to.text("loads");
  to.wholes(r.loads);
  to.text("seed");
  to.whole(r.seed);
  to.text("plan");
  to.array(r.planned.phases.size());
  for (const phase& one : r.planned.phases) {
    to.array(one.size());
    for (const transfer& t : one) {
      to.array(3);
      to.whole(t.from);
      to.whole(t.to);
      to.whole(static_cast<std::uint64_t>(t.quanta));
    }
  }
  to.text("capacities");
  to.array(r.capacities.size());
  for (const double speed : r.capacities) to.real(speed);
  to.text("service_times");
  to.array(r.service_times.size());
  for (const double seconds : r.service_times) std::isinf(seconds) ? to.null() : to.real(seconds);
  const auto whole = [&](const char* key, std::uint64_t value) {
    to.text(key);
    to.whole(value);
  };
  if (r.leader) whole("leader", *r.leader);
  if (r.initiator) whole("initiator", *r.initiator);
  if (r.unit != 1) whole("unit", static_cast<std::uint64_t>(r.unit));
}

std::size_t numbers_of(const recording::round& r) {
  std::size_t count = 8 + r.loads.size() + r.capacities.size() + r.service_times.size();
  for (const phase& one : r.planned.phases) count += 1 + 4 * one.size();
  return count;
}

void write_rounds(block_writer& file, const std::vector<recording::round>& rounds) {
  for (std::size_t first = 0, last = 0; first < rounds.size(); first = last) {
    for (std::size_t numbers = 0; last < rounds.size() && numbers < numbers_per_block; ++last) {
      numbers += numbers_of(rounds[last]);
    }
    file.write("RNDS", [&](cbor_writer& to) {
      to.map(1);
      to.text("rounds");
      to.array(last - first);
      for (std::size_t i = first; i < last; ++i) write_round(to, rounds[i]);
    });
  }
}

void write_names(block_writer& file, const std::vector<std::string>& names) {
  for (std::size_t first = 0; first < names.size(); first += names_per_block) {
    const std::size_t last = std::min(names.size(), first + names_per_block);
    file.write("NAME", [&](cbor_writer& to) {
      to.map(1);
      to.text("names");
      to.array(last - first);
      for (std::size_t i = first; i < last; ++i) to.text(names[i]);
    });
  }
}

/// Lets time begin with the first task. Counters of spare workers, and those before the first or
/// after the last task, are left out. Returns the time of the last task.
std::uint64_t begin_with_the_work(recording& take, std::uint32_t workers) {
  if (take.tasks.empty()) {
    const bool cut = take.cut;
    take = {};
    take.cut = cut;
    return 0;
  }
  auto first = (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t last = 0;
  for (const recording::task& t : take.tasks) {
    first = std::min(first, t.spawned);
    last = std::max(last, t.ended);
  }
  std::erase_if(take.counts, [&](const recording::count& one) {
    return one.worker >= workers || one.time < first || one.time > last;
  });
  const auto shift = [first](std::uint64_t& time) { time = time < first ? 0 : time - first; };
  for (recording::task& t : take.tasks) {
    shift(t.spawned);
    shift(t.started);
    shift(t.ended);
  }
  for (recording::wait& w : take.waits) {
    shift(w.began);
    shift(w.ended);
  }
  for (recording::migration& m : take.migrations) shift(m.time);
  for (recording::region& r : take.regions) {
    shift(r.began);
    shift(r.ended);
  }
  for (recording::count& one : take.counts) shift(one.time);
  for (recording::round& r : take.rounds) shift(r.time);
  return last - first;
}

void check(const recording& take, std::uint32_t workers) {
  for (const recording::task& t : take.tasks) {
    const std::uint32_t number = std::max(t.worker, t.spawned_by);
    if (number < workers) continue;
    throw error("spare worker " + std::to_string(number) +
                " had a task, and a trace has no places for spare workers");
  }
  if (take.names.size() > most_names) {
    throw error("the recording has " + std::to_string(take.names.size()) +
                " names of tasks, regions and counters; a trace has at most " +
                std::to_string(most_names));
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw error("cannot write the trace " + file + ": " + reason);
}

[[noreturn]] void refuse(const std::string& file, int code) {
  refuse(file, std::generic_category().message(code));
}

/// Makes pages and Perfetto's files; null in a program that is not linked with `pages`.
std::atomic<trace_converter> converter{nullptr};

std::optional<trace_view> view_in(const std::string& file) {
  if (file.ends_with(".html")) return trace_view::page;
  if (file.ends_with(".json")) return trace_view::events;
  return std::nullopt;
}

/// Refuses a page or Perfetto's file, and says what writes it and what works as it is.
[[noreturn]] void refuse_unlinked(const std::string& file, trace_view view) {
  const bool page = view == trace_view::page;
  const std::string trace = file.substr(0, file.rfind('.')) + ".trace";
  refuse(file, std::string("only programs that link EvenCube::pages (pkg-config: evencube-pages) "
                           "write ") +
                   (page ? "pages" : "Perfetto's files") + "; any program writes " + trace +
                   ", and then run: evencube trace " + trace +
                   (page ? " --html " : " --perfetto ") + file);
}

/// A new file next to `file`. It is removed unless it takes the name of `file`.
class draft {
 public:
  explicit draft(const std::string& file) : file_(file) {
    static std::atomic<unsigned> count{0};
    const std::string begin = file + "." + std::to_string(process_number()) + "-";
    int failed = 0;
    do {
      // Relaxed: the numbers only have to differ.
      name_ = begin + std::to_string(count.fetch_add(1, std::memory_order_relaxed)) + ".part";
      failed = made_.create(name_);
    } while (failed == EEXIST);
    check(failed);
  }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;
  ~draft() {
    made_.close();
    if (!named_) std::remove(name_.c_str());
  }

  void write(std::string_view bytes) { check(made_.write(bytes)); }

  void take_the_name() {
    check(made_.close());
    check(rename_file(name_, file_));
    named_ = true;
  }

 private:
  void check(int failed) const {
    if (failed != 0) refuse(file_, failed);
  }

  const std::string& file_;
  std::string name_;
  new_file made_;
  bool named_ = false;
};

}  // namespace

std::string trace_bytes(recording take, const recorded_runtime& recorded) {
  check(take, recorded.options.workers);
  const std::uint64_t makespan = begin_with_the_work(take, recorded.options.workers);
  block_writer file;
  write_head(file, take, recorded, makespan);
  write_names(file, take.names);
  using one_task = recording::task;
  const std::array<block_writer::column<one_task>, 10> of_tasks{{
      {"parent", [](cbor_writer& to, const one_task& t) { to.whole(t.parent); }},
      {"spawned_by", [](cbor_writer& to, const one_task& t) { to.whole(t.spawned_by); }},
      {"spawned", [](cbor_writer& to, const one_task& t) { to.whole(t.spawned); }},
      {"worker", [](cbor_writer& to, const one_task& t) { to.whole(t.worker); }},
      {"started", [](cbor_writer& to, const one_task& t) { to.whole(t.started); }},
      {"ended", [](cbor_writer& to, const one_task& t) { to.whole(t.ended); }},
      {"home", [](cbor_writer& to, const one_task& t) { to.whole(t.home); }},
      {"group", [](cbor_writer& to, const one_task& t) { to.whole(t.group); }},
      {"name", [](cbor_writer& to, const one_task& t) { to.whole(t.name); }},
      {"cost", [](cbor_writer& to, const one_task& t) { to.whole(t.cost); }},
  }};
  // The last column is written only if some task counts for more than one quantum.
  const bool alike = std::ranges::all_of(take.tasks, [](const one_task& t) { return t.cost == 1; });
  file.write_columns("TASK", take.tasks, of_tasks, of_tasks.size() - std::size_t{alike});
  using one_wait = recording::wait;
  const std::array<block_writer::column<one_wait>, 4> of_waits{{
      {"task", [](cbor_writer& to, const one_wait& w) { to.whole(w.waiting); }},
      {"began", [](cbor_writer& to, const one_wait& w) { to.whole(w.began); }},
      {"ended", [](cbor_writer& to, const one_wait& w) { to.whole(w.ended); }},
      {"group", [](cbor_writer& to, const one_wait& w) { to.whole(w.group); }},
  }};
  file.write_columns("WAIT", take.waits, of_waits);
  using one_migration = recording::migration;
  const std::array<block_writer::column<one_migration>, 5> of_moves{{
      {"task", [](cbor_writer& to, const one_migration& m) { to.whole(m.moved); }},
      {"time", [](cbor_writer& to, const one_migration& m) { to.whole(m.time); }},
      {"from", [](cbor_writer& to, const one_migration& m) { to.whole(m.from); }},
      {"to", [](cbor_writer& to, const one_migration& m) { to.whole(m.to); }},
      {"round", [](cbor_writer& to, const one_migration& m) { to.whole(m.round); }},
  }};
  file.write_columns("MOVE", take.migrations, of_moves);
  write_rounds(file, take.rounds);
  using one_region = recording::region;
  const std::array<block_writer::column<one_region>, 4> of_regions{{
      {"task", [](cbor_writer& to, const one_region& r) { to.whole(r.within); }},
      {"name", [](cbor_writer& to, const one_region& r) { to.whole(r.name); }},
      {"began", [](cbor_writer& to, const one_region& r) { to.whole(r.began); }},
      {"ended", [](cbor_writer& to, const one_region& r) { to.whole(r.ended); }},
  }};
  file.write_columns("REGN", take.regions, of_regions);
  using one_count = recording::count;
  const std::array<block_writer::column<one_count>, 4> of_counts{{
      {"worker", [](cbor_writer& to, const one_count& one) { to.whole(one.worker); }},
      {"name", [](cbor_writer& to, const one_count& one) { to.whole(one.name); }},
      {"time", [](cbor_writer& to, const one_count& one) { to.whole(one.time); }},
      {"value", [](cbor_writer& to, const one_count& one) { to.real(one.value); }},
  }};
  file.write_columns("CNTS", take.counts, of_counts);
  file.write("END.", [](cbor_writer& to) { to.map(0); });
  return file.take();
}

void require_trace_file(const std::string& file) {
  if (file.empty()) refuse("\"\"", "the name is empty");
  const std::optional<trace_view> view = view_in(file);
  if (view && converter.load(std::memory_order_acquire) == nullptr) refuse_unlinked(file, *view);
  if (file.ends_with(".gz")) {
    refuse(file, "a program writes traces unpacked; pack one with: gzip FILE");
  }
  const file_kind kind = kind_of_file(file);
  if (kind == file_kind::folder) refuse(file, "it is a folder");
  if (kind == file_kind::other) refuse(file, "it is not a regular file");
  const draft trial(file);
}

void write_trace_file(const std::string& file, const std::string& bytes) {
  draft made(file);
  if (const std::optional<trace_view> view = view_in(file)) {
    const trace_converter convert = converter.load(std::memory_order_acquire);
    if (convert == nullptr) refuse_unlinked(file, *view);
    try {
      convert(*view, bytes, [&](std::string_view more) { made.write(more); });
    } catch (const error&) {
      throw;  // the file cannot be written
    } catch (const std::exception& problem) {
      refuse(file, problem.what());
    }
  } else {
    made.write(bytes);
  }
  made.take_the_name();
}

std::string how_to_look_at(const std::string& file) {
  const std::optional<trace_view> view = view_in(file);
  if (!view) return "to look at it: evencube trace " + file;
  return *view == trace_view::page ? "open it in any browser"
                                   : "open it in ui.perfetto.dev or chrome://tracing";
}

trace_converter set_trace_converter(trace_converter wanted) noexcept {
  return converter.exchange(wanted, std::memory_order_acq_rel);
}

}  // namespace evencube::detail

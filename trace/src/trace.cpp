#include <evencube/trace/trace.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "packing.hpp"
#include "trace_blocks.hpp"
#include "trace_costs.hpp"

namespace evencube::traces {
namespace {

template <class Entry, class Fill>
void write_columns(trace_block_writer& file, const char* kind, const std::vector<Entry>& entries,
                   Fill&& fill) {
  for (std::size_t first = 0; first < entries.size(); first += entries_per_block) {
    const std::size_t last = std::min(entries.size(), first + entries_per_block);
    json columns = json::object();
    for (std::size_t i = first; i < last; ++i) fill(columns, entries[i]);
    file.write(kind, columns);
  }
}

json json_of(const plan& planned) {
  json phases = json::array();
  for (const phase& one : planned.phases) {
    json transfers = json::array();
    for (const transfer& t : one) transfers.push_back({t.from, t.to, t.quanta});
    phases.push_back(std::move(transfers));
  }
  return phases;
}

/// A value of a damaged trace, for a message. It may be anything.
std::string shown(const json& value) {
  constexpr std::size_t most = 40;
  if (value.is_structured()) return value.is_array() ? "an array" : "a map";
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

/// A whole number in the range of Number. Nothing else is converted silently.
template <class Number>
Number whole(const json& value, const char* name) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw std::invalid_argument(std::string(name) + " is " + shown(value) +
                                ", no whole number from 0 to " + std::to_string(most));
  }
  return static_cast<Number>(value.get<std::uint64_t>());
}

double real(const json& value, const char* name) {
  if (!value.is_number()) {
    throw std::invalid_argument(std::string(name) + " is " + shown(value) + ", no number");
  }
  return value.get<double>();
}

const json::array_t& entries_of(const json& within, const char* name) {
  const json& found = within.at(name);
  if (!found.is_array()) throw std::invalid_argument(std::string(name) + " is no array");
  return found.get_ref<const json::array_t&>();
}

template <class Number>
std::vector<Number> wholes(const json& within, const char* name) {
  std::vector<Number> values;
  const json::array_t& found = entries_of(within, name);
  values.reserve(found.size());
  for (const json& value : found) values.push_back(whole<Number>(value, name));
  return values;
}

std::vector<double> reals(const json& within, const char* name) {
  std::vector<double> values;
  const json::array_t& found = entries_of(within, name);
  values.reserve(found.size());
  for (const json& value : found) values.push_back(real(value, name));
  return values;
}

/// Counts the memory that a trace takes while it is read, so that no file makes it grow without
/// limit. What is charged depends on the file alone, so that programs of 32 and of 64 bits accept
/// the same files.
class memory_account {
 public:
  explicit memory_account(std::uint64_t file_bytes) : left_(allowance + factor * file_bytes) {}

  void charge(std::uint64_t bytes) {
    if (bytes > left_) {
      throw std::invalid_argument("the trace would take more than " + std::to_string(factor) +
                                  " times the bytes of its file and 64 MiB");
    }
    left_ -= bytes;
  }
  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(left_, std::numeric_limits<std::size_t>::max()));
  }

 private:
  static constexpr std::uint64_t allowance = std::uint64_t{64} << 20;
  static constexpr std::uint64_t factor = 8;
  std::uint64_t left_;
};

/// The memory of a phase without its transfers, as it is charged.
constexpr std::uint64_t phase_memory = 24;
static_assert(sizeof(phase) <= phase_memory && sizeof(transfer) == 16);

plan plan_from(const json::array_t& phases, memory_account& memory) {
  plan planned;
  memory.charge(phases.size() * phase_memory);
  planned.phases.reserve(phases.size());
  for (const json& transfers : phases) {
    if (!transfers.is_array()) throw std::invalid_argument("a phase of a plan is no array");
    phase& one = planned.phases.emplace_back();
    memory.charge(transfers.size() * sizeof(transfer));
    one.reserve(transfers.size());
    for (const json& t : transfers) {
      if (!t.is_array() || t.size() != 3) {
        throw std::invalid_argument("a transfer of a plan is not [from, to, quanta]");
      }
      one.push_back({whole<node_id>(t[0], "from"), whole<node_id>(t[1], "to"),
                     whole<load_type>(t[2], "quanta")});
    }
  }
  return planned;
}

// The columns of a block as spans over its arrays, all of one length.
class columns {
 public:
  columns(const json& payload, std::initializer_list<const char*> names,
          std::initializer_list<const char*> younger = {})
      : names_(names) {
    // Columns that are missing in files of an older version come last.
    for (const char* name : younger) {
      if (payload.contains(name)) names_.push_back(name);
    }
    for (const char* name : names_) {
      arrays_.push_back(&entries_of(payload, name));
      if (arrays_.back()->size() != arrays_.front()->size()) {
        throw std::invalid_argument(std::string("column ") + name + " has another length");
      }
    }
    if (size() > entries_per_block) {
      throw std::invalid_argument(std::to_string(size()) + " entries, at most " +
                                  std::to_string(entries_per_block) + " are allowed");
    }
  }
  [[nodiscard]] std::size_t size() const { return arrays_.front()->size(); }
  /// The number of a younger column; none if this file lacks it.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(at - names_.begin());
  }
  [[nodiscard]] double real_at(std::size_t column, std::size_t row) const {
    return real((*arrays_[column])[row], names_[column]);
  }
  template <class Number>
  void get(std::size_t column, std::size_t row, Number& into) const {
    into = whole<Number>((*arrays_[column])[row], names_[column]);
  }

 private:
  std::vector<const char*> names_;
  std::vector<const json::array_t*> arrays_;
};

void read_tasks(const json& payload, trace& into) {
  const columns c(
      payload, {"parent", "spawned_by", "spawned", "worker", "started", "ended", "home", "group"},
      {"name", "cost"});
  const auto name = c.find("name");
  const auto cost = c.find("cost");
  for (std::size_t i = 0; i < c.size(); ++i) {
    trace::task& t = into.tasks.emplace_back();
    c.get(0, i, t.parent);
    c.get(1, i, t.spawned_by);
    c.get(2, i, t.spawned);
    c.get(3, i, t.worker);
    c.get(4, i, t.started);
    c.get(5, i, t.ended);
    c.get(6, i, t.home);
    c.get(7, i, t.group);
    if (name) c.get(*name, i, t.name);
    if (cost) c.get(*cost, i, t.cost);
  }
}

void read_waits(const json& payload, trace& into) {
  const columns c(payload, {"task", "began", "ended", "group"});
  for (std::size_t i = 0; i < c.size(); ++i) {
    trace::wait& w = into.waits.emplace_back();
    c.get(0, i, w.waiting);
    c.get(1, i, w.began);
    c.get(2, i, w.ended);
    c.get(3, i, w.group);
  }
}

void read_migrations(const json& payload, trace& into) {
  const columns c(payload, {"task", "time", "from", "to", "round"});
  for (std::size_t i = 0; i < c.size(); ++i) {
    trace::migration& m = into.migrations.emplace_back();
    c.get(0, i, m.moved);
    c.get(1, i, m.time);
    c.get(2, i, m.from);
    c.get(3, i, m.to);
    c.get(4, i, m.round);
  }
}

void read_regions(const json& payload, trace& into) {
  const columns c(payload, {"task", "name", "began", "ended"});
  for (std::size_t i = 0; i < c.size(); ++i) {
    trace::region& r = into.regions.emplace_back();
    c.get(0, i, r.within);
    c.get(1, i, r.name);
    c.get(2, i, r.began);
    c.get(3, i, r.ended);
  }
}

void read_counts(const json& payload, trace& into) {
  const columns c(payload, {"worker", "name", "time", "value"});
  for (std::size_t i = 0; i < c.size(); ++i) {
    trace::count& one = into.counts.emplace_back();
    c.get(0, i, one.worker);
    c.get(1, i, one.name);
    c.get(2, i, one.time);
    one.value = c.real_at(3, i);
  }
}

void read_names(const json& payload, trace& into, memory_account& memory) {
  const json::array_t& entries = entries_of(payload, "names");
  if (entries.size() > most_trace_names) {
    throw std::invalid_argument(std::to_string(entries.size()) + " names, at most " +
                                std::to_string(most_trace_names) + " are allowed");
  }
  for (const json& entry : entries) {
    if (!entry.is_string()) throw std::invalid_argument("a name is " + shown(entry) + ", no text");
    const auto& text = entry.get_ref<const std::string&>();
    memory.charge(text.size());
    into.names.push_back(text);
  }
}

void read_rounds(const json& payload, trace& into, memory_account& memory) {
  const json::array_t& entries = entries_of(payload, "rounds");
  if (entries.size() > entries_per_block) {
    throw std::invalid_argument(std::to_string(entries.size()) + " entries, at most " +
                                std::to_string(entries_per_block) + " are allowed");
  }
  for (const json& entry : entries) {
    if (!entry.is_object()) throw std::invalid_argument("a round is no map");
    trace::round& r = into.rounds.emplace_back();
    r.time = whole<std::uint64_t>(entry.at("time"), "time");
    r.loads = wholes<load_type>(entry, "loads");
    r.seed = whole<std::uint64_t>(entry.at("seed"), "seed");
    if (entry.contains("initiator")) r.initiator = whole<node_id>(entry["initiator"], "initiator");
    r.planned = plan_from(entries_of(entry, "plan"), memory);
    r.capacities = reals(entry, "capacities");
    for (const json& seconds : entries_of(entry, "service_times")) {
      r.service_times.push_back(seconds.is_null() ? std::numeric_limits<double>::infinity()
                                                  : real(seconds, "service_times"));
    }
    if (entry.contains("leader")) r.leader = whole<node_id>(entry["leader"], "leader");
    if (entry.contains("unit")) r.unit = whole<load_type>(entry["unit"], "unit");
    memory.charge((r.loads.size() + r.capacities.size() + 2 * r.service_times.size()) *
                  sizeof(double));
  }
}

/// A kind of entry whose number the head states, the bytes that an entry takes at least in the
/// file, and the memory that is charged for it.
struct promise {
  const char* name;
  std::uint64_t bytes;
  void (*reserve)(trace&, std::size_t);
  std::size_t (*found)(const trace&);
  std::uint64_t memory;
};

template <auto Member, std::uint64_t Memory>
constexpr promise promise_of(const char* name, std::uint64_t bytes) {
  using entries = std::remove_reference_t<decltype(std::declval<trace&>().*Member)>;
  static_assert(sizeof(typename entries::value_type) <= Memory);
  return {name, bytes, [](trace& t, std::size_t count) { (t.*Member).reserve(count); },
          [](const trace& t) { return (t.*Member).size(); }, Memory};
}

// One byte for each column; for a round, the names of its columns. The memory is that of a 64-bit
// program.
constexpr std::array promises{promise_of<&trace::tasks, 56>("tasks", 8),
                              promise_of<&trace::waits, 32>("waits", 4),
                              promise_of<&trace::migrations, 32>("migrations", 5),
                              promise_of<&trace::rounds, 136>("rounds", 48),
                              promise_of<&trace::regions, 24>("regions", 4),
                              promise_of<&trace::counts, 24>("counts", 4),
                              promise_of<&trace::names, 32>("names", 1)};

/// Older heads, without regions, counts and names, promise none of these.
std::uint64_t promised(const json& head, const promise& p) {
  const bool younger = p.name == std::string_view("regions") ||
                       p.name == std::string_view("counts") || p.name == std::string_view("names");
  if (younger && !head.contains(p.name)) return 0;
  return whole<std::uint64_t>(head.at(p.name), p.name);
}

json head_of(const trace& recorded) {
  machine_costs paid = recorded.costs;
  json costs{{"workers", paid.workers}};
  for (const cost_entry& e : cost_entries) costs[e.name] = e.in(paid);
  json head{{"workload", recorded.workload},
            {"balancer", recorded.balancer},
            {"options",
             std::map<std::string, std::string>(recorded.options.begin(), recorded.options.end())},
            {"transmission", recorded.transmission},
            {"mode", recorded.mode},
            {"period", recorded.period},
            {"threshold", recorded.threshold},
            {"pulls", recorded.pulls},
            {"largest_first", recorded.largest_first},
            {"topology", recorded.topology},
            {"capacities", recorded.capacities},
            {"costs", std::move(costs)},
            {"makespan", recorded.makespan},
            {"cut", recorded.cut},
            {"tasks", recorded.tasks.size()},
            {"waits", recorded.waits.size()},
            {"migrations", recorded.migrations.size()},
            {"rounds", recorded.rounds.size()},
            {"regions", recorded.regions.size()},
            {"counts", recorded.counts.size()},
            {"names", recorded.names.size()}};
  if (!recorded.recorded_at.empty()) head["recorded_at"] = recorded.recorded_at;
  if (!recorded.recorded_on.empty()) head["recorded_on"] = recorded.recorded_on;
  if (!recorded.recorded_by.empty()) head["recorded_by"] = recorded.recorded_by;
  return head;
}

void read_head(const json& payload, std::uint64_t file_bytes, trace& into, memory_account& memory) {
  into.workload = payload.at("workload");
  if (payload.contains("recorded_at")) into.recorded_at = payload["recorded_at"];
  if (payload.contains("recorded_on")) into.recorded_on = payload["recorded_on"];
  if (payload.contains("recorded_by")) into.recorded_by = payload["recorded_by"];
  into.balancer = payload.at("balancer");
  for (const auto& [key, value] : payload.at("options").items()) into.options[key] = value;
  into.transmission = payload.at("transmission");
  // If a file lacks one of these, it is older, and the default holds.
  if (payload.contains("mode")) into.mode = payload["mode"];
  if (payload.contains("period")) into.period = whole<std::uint64_t>(payload["period"], "period");
  if (payload.contains("threshold")) {
    into.threshold = whole<load_type>(payload["threshold"], "threshold");
  }
  if (payload.contains("pulls")) into.pulls = payload["pulls"].get<bool>();
  if (payload.contains("largest_first")) into.largest_first = payload["largest_first"].get<bool>();
  into.topology = payload.at("topology");
  into.capacities = reals(payload, "capacities");
  const json& costs = payload.at("costs");
  into.costs = {.workers = whole<std::uint32_t>(costs.at("workers"), "workers")};
  for (const cost_entry& e : cost_entries) e.in(into.costs) = real(costs.at(e.name), e.name);
  into.makespan = whole<std::uint64_t>(payload.at("makespan"), "makespan");
  into.cut = payload.at("cut").get<bool>();
  for (const promise& p : promises) {
    const auto count = promised(payload, p);
    if (count > file_bytes / p.bytes) {
      throw std::invalid_argument("it promises " + std::to_string(count) + " " + p.name +
                                  ", for which the file is too short");
    }
    memory.charge(count * p.memory);
    p.reserve(into, static_cast<std::size_t>(count));
  }
}

/// More entries than were promised would take memory that was not counted.
void check_promises(const json& head, const trace& made, bool all) {
  for (const promise& p : promises) {
    const auto said = promised(head, p);
    const std::size_t found = p.found(made);
    if (found > said || (all && found < said)) {
      throw std::invalid_argument("there are " + std::to_string(found) + " " + p.name +
                                  (all ? "" : " or more") + ", but the head promises " +
                                  std::to_string(said));
    }
  }
}

/// Rounds go into blocks of about this many numbers, because rounds differ in size.
constexpr std::size_t numbers_per_block = 65536;
constexpr std::size_t names_per_block = 4096;

std::size_t numbers_of(const trace::round& r) {
  std::size_t count = 8 + r.loads.size() + r.capacities.size() + r.service_times.size();
  for (const phase& one : r.planned.phases) count += 1 + 4 * one.size();
  return count;
}

json json_of(const trace::round& r) {
  json entry{{"time", r.time},
             {"loads", r.loads},
             {"seed", r.seed},
             {"plan", json_of(r.planned)},
             {"capacities", r.capacities}};
  entry["service_times"] = json::array();
  for (const double seconds : r.service_times) {
    entry["service_times"].push_back(std::isinf(seconds) ? json(nullptr) : json(seconds));
  }
  if (r.leader) entry["leader"] = *r.leader;
  if (r.initiator) entry["initiator"] = *r.initiator;
  if (r.unit != 1) entry["unit"] = r.unit;
  return entry;
}

void write_rounds(trace_block_writer& file, const std::vector<trace::round>& rounds) {
  json entries = json::array();
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    entries.push_back(json_of(rounds[i]));
    numbers += numbers_of(rounds[i]);
    if (numbers < numbers_per_block && i + 1 < rounds.size()) continue;
    file.write("RNDS", {{"rounds", std::move(entries)}});
    entries = json::array();
    numbers = 0;
  }
}

/// True if a file with this beginning is packed: it begins with the two bytes of gzip (RFC 1952).
bool is_packed(std::istream& from) {
  // Without seeking, which the stream may not support.
  const auto first = from.get();
  const bool packed = first == 0x1F && from.peek() == 0x8B;
  from.clear();
  if (first != std::istream::traits_type::eof()) from.unget();
  return packed;
}

trace read_blocks(std::istream& from, std::uint64_t size, const std::string& name) {
  trace_block_reader file(from, size, name);
  memory_account memory(size);
  trace made;
  json head;
  while (true) {
    const auto block = file.next(memory.left());
    if (head.is_null() != (block.kind == "HEAD")) {
      file.refuse(block.offset, head.is_null() ? "the first block is " + block.kind + ", not HEAD"
                                               : std::string("a second block HEAD"));
    }
    try {
      if (block.kind == "END.") break;
      if (block.kind == "HEAD") {
        head = block.payload;
        read_head(head, size, made, memory);
      } else if (block.kind == "TASK") {
        read_tasks(block.payload, made);
      } else if (block.kind == "WAIT") {
        read_waits(block.payload, made);
      } else if (block.kind == "MOVE") {
        read_migrations(block.payload, made);
      } else if (block.kind == "REGN") {
        read_regions(block.payload, made);
      } else if (block.kind == "CNTS") {
        read_counts(block.payload, made);
      } else if (block.kind == "NAME") {
        read_names(block.payload, made, memory);
      } else if (block.kind == "RNDS") {
        read_rounds(block.payload, made, memory);
      } else {
        file.refuse(block.offset, "unknown kind of block");
      }
      check_promises(head, made, false);
    } catch (const json::exception& problem) {
      file.refuse(block.offset, "block " + block.kind + " lacks something: " + problem.what());
    } catch (const std::invalid_argument& problem) {
      file.refuse(block.offset, "block " + block.kind + ": " + problem.what());
    }
  }
  file.expect_end();
  try {
    check_promises(head, made, true);
    validate(made);
  } catch (const std::invalid_argument& problem) {
    throw trace_error(name + ": " + problem.what());
  }
  return made;
}

}  // namespace

void write_trace(const trace& recorded, const byte_sink& to) {
  try {
    validate(recorded);
  } catch (const std::invalid_argument& problem) {
    throw trace_error(std::string("the trace is inconsistent: ") + problem.what());
  }
  trace_block_writer file(to);
  file.write("HEAD", head_of(recorded));
  for (std::size_t first = 0; first < recorded.names.size(); first += names_per_block) {
    const std::size_t last = std::min(recorded.names.size(), first + names_per_block);
    json names = json::array();
    for (std::size_t i = first; i < last; ++i) names.push_back(recorded.names[i]);
    file.write("NAME", {{"names", std::move(names)}});
  }
  const bool alike = std::all_of(recorded.tasks.begin(), recorded.tasks.end(),
                                 [](const trace::task& t) { return t.cost == 1; });
  write_columns(file, "TASK", recorded.tasks, [alike](json& c, const trace::task& t) {
    c["parent"].push_back(t.parent);
    c["spawned_by"].push_back(t.spawned_by);
    c["spawned"].push_back(t.spawned);
    c["worker"].push_back(t.worker);
    c["started"].push_back(t.started);
    c["ended"].push_back(t.ended);
    c["home"].push_back(t.home);
    c["group"].push_back(t.group);
    c["name"].push_back(t.name);
    if (!alike) c["cost"].push_back(t.cost);
  });
  write_columns(file, "WAIT", recorded.waits, [](json& c, const trace::wait& w) {
    c["task"].push_back(w.waiting);
    c["began"].push_back(w.began);
    c["ended"].push_back(w.ended);
    c["group"].push_back(w.group);
  });
  write_columns(file, "MOVE", recorded.migrations, [](json& c, const trace::migration& m) {
    c["task"].push_back(m.moved);
    c["time"].push_back(m.time);
    c["from"].push_back(m.from);
    c["to"].push_back(m.to);
    c["round"].push_back(m.round);
  });
  write_rounds(file, recorded.rounds);
  write_columns(file, "REGN", recorded.regions, [](json& c, const trace::region& r) {
    c["task"].push_back(r.within);
    c["name"].push_back(r.name);
    c["began"].push_back(r.began);
    c["ended"].push_back(r.ended);
  });
  write_columns(file, "CNTS", recorded.counts, [](json& c, const trace::count& one) {
    c["worker"].push_back(one.worker);
    c["name"].push_back(one.name);
    c["time"].push_back(one.time);
    c["value"].push_back(one.value);
  });
  file.write("END.", json::object());
}

trace read_trace(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& why) {
    throw trace_error(path.string() + ": cannot open the trace: " + why);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(error.message());
  if (std::filesystem::is_directory(status)) fail("it is a folder");
  if (!std::filesystem::is_regular_file(status)) fail("it is not a regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail(error.message());
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  return read_trace(file, size, path.string());
}

trace read_trace(std::istream& from, std::uint64_t size, const std::string& name) {
  if (is_packed(from)) {
    std::string unpacked = unpack(from, size, name);
    const std::uint64_t length = unpacked.size();
    std::istringstream content(std::move(unpacked));
    // A trace that is packed twice is refused.
    return read_blocks(content, length, name);
  }
  return read_blocks(from, size, name);
}

}  // namespace evencube::traces

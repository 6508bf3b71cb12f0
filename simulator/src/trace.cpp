#include <evencube/simulator/trace.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <evencube/balancers/topology.hpp>
#include <limits>

#include "text.hpp"
#include "trace_blocks.hpp"

namespace evencube::simulator {
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

plan plan_from(const json& phases) {
  plan planned;
  for (const json& transfers : phases) {
    phase& one = planned.phases.emplace_back();
    for (const json& t : transfers) {
      one.push_back({t.at(0).get<node_id>(), t.at(1).get<node_id>(), t.at(2).get<load_type>()});
    }
  }
  return planned;
}

// Columns of a block as spans over its arrays, all of one length.
class columns {
 public:
  columns(const json& payload, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      arrays_.push_back(&payload.at(name).get_ref<const json::array_t&>());
      if (arrays_.back()->size() != arrays_.front()->size()) {
        throw std::invalid_argument(std::string("column ") + name + " has another length");
      }
    }
  }
  [[nodiscard]] std::size_t size() const { return arrays_.front()->size(); }
  template <class Number>
  void get(std::size_t column, std::size_t row, Number& into) const {
    const auto value = (*arrays_[column])[row].get<std::uint64_t>();
    into = static_cast<Number>(value);
    if (into != value) throw std::invalid_argument("a number is out of range");
  }

 private:
  std::vector<const json::array_t*> arrays_;
};

void read_tasks(const json& payload, trace& into) {
  const columns c(
      payload, {"parent", "spawned_by", "spawned", "worker", "started", "ended", "home", "group"});
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

void read_rounds(const json& payload, trace& into) {
  for (const json& entry : payload.at("rounds")) {
    trace::round& r = into.rounds.emplace_back();
    r.time = entry.at("time");
    r.loads = entry.at("loads").get<std::vector<load_type>>();
    r.seed = entry.at("seed");
    if (entry.contains("initiator")) r.initiator = entry.at("initiator").get<node_id>();
    r.planned = plan_from(entry.at("plan"));
    r.capacities = entry.at("capacities").get<std::vector<double>>();
    for (const json& seconds : entry.at("service_times")) {
      r.service_times.push_back(seconds.is_null() ? std::numeric_limits<double>::infinity()
                                                  : seconds.get<double>());
    }
    if (entry.contains("leader")) r.leader = entry.at("leader").get<node_id>();
  }
}

struct cost_entry {
  const char* name;
  double& (*in)(machine_costs&);
};

constexpr std::array cost_entries{
    cost_entry{"measure", [](machine_costs& m) -> double& { return m.costs.measure; }},
    cost_entry{"send", [](machine_costs& m) -> double& { return m.costs.send; }},
    cost_entry{"receive", [](machine_costs& m) -> double& { return m.costs.receive; }},
    cost_entry{"transfer_send", [](machine_costs& m) -> double& { return m.costs.transfer_send; }},
    cost_entry{"transfer_receive",
               [](machine_costs& m) -> double& { return m.costs.transfer_receive; }},
    cost_entry{"latency", [](machine_costs& m) -> double& { return m.links.latency; }},
    cost_entry{"per_quantum", [](machine_costs& m) -> double& { return m.links.per_quantum; }}};

json head_of(const trace& recorded) {
  machine_costs paid = recorded.costs;
  json costs{{"workers", paid.workers}};
  for (const cost_entry& e : cost_entries) costs[e.name] = e.in(paid);
  return {{"workload", recorded.workload},
          {"balancer", recorded.balancer},
          {"options",
           std::map<std::string, std::string>(recorded.options.begin(), recorded.options.end())},
          {"transmission", recorded.transmission},
          {"topology", recorded.topology},
          {"capacities", recorded.capacities},
          {"costs", std::move(costs)},
          {"makespan", recorded.makespan},
          {"cut", recorded.cut},
          {"tasks", recorded.tasks.size()},
          {"waits", recorded.waits.size()},
          {"migrations", recorded.migrations.size()},
          {"rounds", recorded.rounds.size()}};
}

void read_head(const json& payload, trace& into) {
  into.workload = payload.at("workload");
  into.balancer = payload.at("balancer");
  for (const auto& [key, value] : payload.at("options").items()) into.options[key] = value;
  into.transmission = payload.at("transmission");
  into.topology = payload.at("topology");
  into.capacities = payload.at("capacities").get<std::vector<double>>();
  const json& costs = payload.at("costs");
  into.costs = {.workers = costs.at("workers").get<std::uint32_t>()};
  for (const cost_entry& e : cost_entries) e.in(into.costs) = costs.at(e.name).get<double>();
  into.makespan = payload.at("makespan");
  into.cut = payload.at("cut");
}

}  // namespace

void write_trace(const trace& recorded, const std::filesystem::path& path) {
  try {
    validate(recorded);
  } catch (const std::invalid_argument& problem) {
    throw trace_error("the trace for " + path.string() + " is inconsistent: " + problem.what());
  }
  trace_block_writer file(path);
  file.write("HEAD", head_of(recorded));
  write_columns(file, "TASK", recorded.tasks, [](json& c, const trace::task& t) {
    c["parent"].push_back(t.parent);
    c["spawned_by"].push_back(t.spawned_by);
    c["spawned"].push_back(t.spawned);
    c["worker"].push_back(t.worker);
    c["started"].push_back(t.started);
    c["ended"].push_back(t.ended);
    c["home"].push_back(t.home);
    c["group"].push_back(t.group);
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
  write_columns(file, "RNDS", recorded.rounds, [](json& c, const trace::round& r) {
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
    c["rounds"].push_back(std::move(entry));
  });
  file.write("END.", json::object());
  file.close();
}

trace read_trace(const std::filesystem::path& path) {
  trace_block_reader file(path);
  trace made;
  json head;
  while (true) {
    const auto block = file.next();
    if (head.is_null() != (block.kind == "HEAD")) {
      file.refuse(block.offset, head.is_null() ? "the first block is " + block.kind + ", not HEAD"
                                               : std::string("a second block HEAD"));
    }
    try {
      if (block.kind == "END.") break;
      if (block.kind == "HEAD") {
        head = block.payload;
        read_head(head, made);
      } else if (block.kind == "TASK") {
        read_tasks(block.payload, made);
      } else if (block.kind == "WAIT") {
        read_waits(block.payload, made);
      } else if (block.kind == "MOVE") {
        read_migrations(block.payload, made);
      } else if (block.kind == "RNDS") {
        read_rounds(block.payload, made);
      } else {
        file.refuse(block.offset, "unknown kind of block");
      }
    } catch (const json::exception& problem) {
      file.refuse(block.offset, "block " + block.kind + " lacks something: " + problem.what());
    } catch (const std::invalid_argument& problem) {
      file.refuse(block.offset, "block " + block.kind + ": " + problem.what());
    }
  }
  file.expect_end();
  const auto expect = [&](const char* what, std::size_t found) {
    if (head.at(what) != found) {
      throw trace_error(path.string() + ": there are " + std::to_string(found) + " " + what +
                        ", but the head promises " + head.at(what).dump());
    }
  };
  try {
    expect("tasks", made.tasks.size());
    expect("waits", made.waits.size());
    expect("migrations", made.migrations.size());
    expect("rounds", made.rounds.size());
    validate(made);
  } catch (const std::invalid_argument& problem) {
    throw trace_error(path.string() + ": " + problem.what());
  } catch (const json::exception& problem) {
    throw trace_error(path.string() + ": " + problem.what());
  }
  return made;
}

void validate(const trace& recorded) {
  const auto refuse = [](const char* kind, std::size_t index, const std::string& what) {
    throw std::invalid_argument(std::string(kind) + " " + std::to_string(index) + " " + what);
  };
  const topology graph = topology::parse(recorded.topology);
  const std::size_t workers = graph.nodes();
  const std::size_t count = recorded.tasks.size();
  if (!recorded.capacities.empty() && recorded.capacities.size() != workers) {
    throw std::invalid_argument("there are " + std::to_string(recorded.capacities.size()) +
                                " capacities for " + std::to_string(workers) + " workers");
  }
  machine_costs costs = recorded.costs;
  for (const cost_entry& e : cost_entries) {
    if (std::isfinite(e.in(costs)) && e.in(costs) >= 0) continue;
    throw std::invalid_argument(std::string("the cost ") + e.name + " is " + shortest(e.in(costs)) +
                                ": it must be finite and >= 0");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const trace::task& t = recorded.tasks[i];
    if (t.parent != no_task && (t.parent >= count || t.parent == i)) {
      refuse("task", i, "has the parent " + std::to_string(t.parent));
    }
    if (t.worker >= workers || t.spawned_by >= workers ||
        (t.home != task_graph::no_home && t.home >= workers)) {
      refuse("task", i, "names no worker");
    }
    if (t.group != task_graph::no_group && t.group >= count) refuse("task", i, "has no group");
    if (t.started < t.spawned || t.ended < t.started) refuse("task", i, "has times out of order");
    if (t.parent != no_task && (t.spawned < recorded.tasks[t.parent].started ||
                                t.spawned > recorded.tasks[t.parent].ended)) {
      refuse("task", i, "was spawned while its parent did not run");
    }
  }
  for (std::size_t i = 0; i < recorded.waits.size(); ++i) {
    const trace::wait& w = recorded.waits[i];
    if (w.waiting >= count) refuse("wait", i, "names no task");
    if (w.group != task_graph::no_group && w.group >= count) refuse("wait", i, "names no group");
    const trace::task& t = recorded.tasks[w.waiting];
    if (w.ended < w.began || w.began < t.started || w.ended > t.ended) {
      refuse("wait", i, "does not lie within its task");
    }
  }
  for (std::size_t i = 0; i < recorded.migrations.size(); ++i) {
    const trace::migration& m = recorded.migrations[i];
    if (m.moved >= count) refuse("migration", i, "names no task");
    if (m.from >= workers || m.to >= workers) refuse("migration", i, "names no worker");
    if (m.round != trace::migration::unplanned && m.round >= recorded.rounds.size()) {
      refuse("migration", i, "names no round");
    }
  }
  for (std::size_t i = 0; i < recorded.rounds.size(); ++i) {
    if (recorded.rounds[i].loads.size() != workers) {
      refuse("round", i, "saw " + std::to_string(recorded.rounds[i].loads.size()) + " loads");
    }
    const std::size_t speeds = recorded.rounds[i].capacities.size();
    if (speeds != 0 && speeds != workers) {
      refuse("round", i, "saw " + std::to_string(speeds) + " capacities");
    }
    for (const phase& one : recorded.rounds[i].planned.phases) {
      for (const transfer& t : one) {
        if (t.from >= workers || t.to >= workers) refuse("round", i, "moves between no workers");
      }
    }
  }
}

}  // namespace evencube::simulator

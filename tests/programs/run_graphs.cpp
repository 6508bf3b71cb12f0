#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "graph_state.hpp"

namespace evencube::programs {

void execution::graph(const step& s, const surroundings& around) {
  graph_state g(s, around, above(around, s.of));
  if (s.stops == by_token_before) {
    g.stops.begin();
    g.source.request_stop();
    g.stops.end();
  }
  task_graph made;
  build(made, g);
  // Graphs show it in which anything is to come after the stop.
  const bool stops = s.stops != never && !mistaken(mistake::lose_token);
  run_graphs(g, [&] {
    const std::stop_token token = stops ? g.source.get_token() : std::stop_token();
    return s.by_call ? made.run(on(s.of), token) : made.run(token);
  });
  if (g.values_alive != 0) fail("values of a graph are left when its runs are over");
  for (std::size_t k = 0; k < s.inner.size(); ++k) {
    dropped_[at(s.inner[k].id)].fetch_add(s.amount - g.nodes[k].begun.load(),
                                          std::memory_order_relaxed);
  }
}

void execution::build(task_graph& made, graph_state& g) {
  const step& s = g.s;
  const std::vector<bool> called = nodes_called(s, 0);
  values_of_graph nodes;
  for (std::size_t k = 0; k < s.inner.size(); ++k) add_node(made, g, nodes, k);
  for (const edge& e : s.edges) {
    const auto leads_there = [&](const edge& other) { return other.to == e.to; };
    if (e.value != passing::nothing) continue;
    const bool shows =
        called[at(e.from)] && called[at(e.to)] && std::ranges::count_if(s.edges, leads_there) == 1;
    if (shows && mistaken(mistake::lose_edge)) continue;
    if (e.choice < 0) {
      made.precede(nodes.all[at(e.from)], nodes.all[at(e.to)]);
    } else {
      made.precede(nodes.all[at(e.from)], nodes.all[at(e.to)], e.choice);
    }
  }
}

void execution::run_graphs(graph_state& g, const std::function<wait_status()>& run) {
  if (g.alone()) {
    for (int r = 0; r < g.s.amount; ++r) {
      g.begin_run(r);
      run_graph(g, run);
    }
    return;
  }
  g.begin_run(0);
  if (g.s.variant == from_threads) {
    std::vector<std::jthread> threads;
    for (int r = 0; r < g.s.amount; ++r) threads.emplace_back([&] { run_graph(g, run); });
  } else {
    const auto fork = [&](const auto& self, int runs) -> int {
      if (runs > 1) {
        static_cast<void>(
            fork_join([&] { return self(self, runs - 1); }, [&] { return self(self, 1); }));
      } else {
        run_graph(g, run);
      }
      return 0;
    };
    fork(fork, g.s.amount);
  }
  check_runs(g);
}

void execution::run_graph(graph_state& g, const std::function<wait_status()>& run) {
  const bool surely = g.stops.surely();
  std::optional<int> caught;
  bool completed = false;
  try {
    completed = run() == wait_status::completed;
    if (surely && completed) fail("a run of a graph did not tell that it was stopped");
    if (!completed && !g.stops.perhaps()) {
      fail("a run of a graph told of a stop that nobody asked for");
    }
    if (completed) g.completed.fetch_add(1, std::memory_order_relaxed);
  } catch (const thrown& e) {
    caught = e.block;
    const auto from = std::ranges::find(g.s.inner, e.block, &block::id);
    if (from == g.s.inner.end()) return fail("a graph threw what none of its nodes did");
    g.nodes[at(static_cast<int>(from - g.s.inner.begin()))].caught.fetch_add(
        1, std::memory_order_relaxed);
  } catch (const error& e) {
    if (!is_refusal(e)) throw;
  }
  if (g.alone()) check_run(g, completed, caught);
}

void execution::run_node(graph_state& g, std::size_t k) {
  if (mistaken(mistake::skip_node)) return;
  const block& b = g.s.inner[k];
  graph_state::node& mine = g.nodes[k];
  // Acquire and release: what counts the ends of those before it was seen by who began before.
  const int call = mine.begun.fetch_add(1, std::memory_order_acq_rel);
  begin_node(g, k, call);
  const bool throws = b.throws && call == g.s.failing;
  if (throws) mine.threw.fetch_add(1, std::memory_order_relaxed);
  if (throws && g.alone()) mine.failed = true;
  try {
    run_task(b, g.s.of, {.groups = &g.here, .stops = &g.stops, .where = g.s.of});
  } catch (const thrown&) {
    if (throws) throw;
  }
  if (g.alone()) {
    mine.done = true;
    mine.stopped = g.stops.surely();
  } else {
    mine.ended.fetch_add(1, std::memory_order_release);
  }
}

void execution::begin_node(graph_state& g, std::size_t k, int call) {
  const std::string node = "a node, " + name(g.s.inner[k]) + ", ";
  if (!g.called[k]) fail(node + "was called, though it was to be skipped");
  if (g.barred) fail(node + "was called, though its run had been stopped before");
  for (std::size_t i = 0; i < k; ++i) {
    if (!g.before[k][i] || !g.called[i]) continue;
    const graph_state::node& other = g.nodes[i];
    // Of several runs at once no node knows its own: as many as began must have been allowed to.
    const bool early =
        g.alone() ? !other.done : other.ended.load(std::memory_order_acquire) <= call;
    if (early) fail(node + "began before " + name(g.s.inner[i]) + " had ended");
    if (g.alone() && other.stopped) {
      fail(node + "was called, though its run was stopped when " + name(g.s.inner[i]) + " ended");
    }
  }
  if (g.alone()) ++g.nodes[k].ran;
}

void execution::check_run(const graph_state& g, bool completed, std::optional<int> caught) {
  bool any = false;
  bool its = false;
  for (std::size_t k = 0; k < g.nodes.size(); ++k) {
    const graph_state::node& n = g.nodes[k];
    const int least = completed && g.called[k] ? 1 : 0;
    const bool unended = n.ran > 0 && !n.done && !n.failed;
    if (n.ran < least || n.ran > 1 || unended) {
      fail("a run of a graph was over when its node, " + name(g.s.inner[k]) + ", had run " +
           std::to_string(n.ran) + " times" + (unended ? " and not ended" : ""));
    }
    any = any || n.failed;
    its = its || (n.failed && caught == g.s.inner[k].id);
  }
  if (any && !caught) fail("an exception of a node did not leave the run");
  if (caught && !its) fail("a run of a graph threw what none of its nodes did in it");
}

void execution::check_runs(const graph_state& g) {
  int throwing = 0;
  int threw = 0;
  int caught = 0;
  for (std::size_t k = 0; k < g.nodes.size(); ++k) {
    const graph_state::node& n = g.nodes[k];
    const int least = g.called[k] ? g.completed.load() : 0;
    if (n.begun < least || n.begun > g.s.amount || n.begun != n.ended + n.threw) {
      fail("a node, " + name(g.s.inner[k]) + ", began " + std::to_string(n.begun) +
           " times and ended " + std::to_string(n.ended) + " times in " +
           std::to_string(g.s.amount) + " runs at once");
    }
    if (n.caught > n.threw) fail("an exception of a node left more runs than one");
    throwing += n.threw > 0 ? 1 : 0;
    threw += n.threw;
    caught += n.caught;
  }
  // Of several in one run the first arrives.
  if (caught < std::min(threw, 1) || (throwing == 1 && caught != threw)) {
    fail("an exception of a node did not leave its run");
  }
}

}  // namespace evencube::programs

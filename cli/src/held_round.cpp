#include "held_round.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/evencube.hpp>

#include "console.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

constexpr std::int64_t most_tasks = 1'000'000;
constexpr std::int64_t most_cost = 65536;

/// The options that a held round takes.
constexpr std::array<std::string_view, 8> allowed{
    "--hold",         "--cost", "--balancer", "--json", "--machine", "--balancer-option",
    "--transmission", "--help"};

struct held_case {
  std::vector<std::int64_t> tasks;
  std::vector<std::int64_t> costs;
  runtime_options options;
};

held_case read(const run_arguments& arguments, const CLI::App& command) {
  if (command.count("--hold") == 0) {
    throw usage_error{fmt::format("--cost {}: is allowed only with --hold", arguments.held_costs)};
  }
  if (!arguments.workload.empty()) {
    throw usage_error{
        fmt::format("--hold with the workload {}: a held round runs tasks that do nothing; give "
                    "only one of the two",
                    arguments.workload)};
  }
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() != 0 && std::ranges::find(allowed, name) == allowed.end()) {
      throw usage_error{fmt::format("--hold with {}: a held round allows only {}", name,
                                    fmt::join(allowed.begin(), allowed.end() - 1, ", "))};
    }
  }
  held_case made;
  made.tasks = whole_numbers("--hold", arguments.held_loads);
  if (made.tasks.size() > runtime_options::max_workers) {
    throw usage_error{fmt::format("--hold has {} numbers; give one for each worker, at most {}",
                                  made.tasks.size(), runtime_options::max_workers)};
  }
  std::int64_t all = 0;
  for (const std::int64_t tasks : made.tasks) {
    if (tasks < 0 || tasks > most_tasks) {
      throw usage_error{fmt::format("--hold {}: must be from 0 to {}", tasks, most_tasks)};
    }
    all += tasks;
  }
  if (all > most_tasks) {
    throw usage_error{
        fmt::format("--hold: {} tasks in all; at most {} are allowed", all, most_tasks)};
  }
  made.costs = whole_numbers("--cost", arguments.held_costs);
  for (const std::int64_t cost : made.costs) {
    if (cost < 1 || cost > most_cost) {
      throw usage_error{fmt::format("--cost {}: must be from 1 to {}", cost, most_cost)};
    }
  }
  made.options = make_runtime_options(arguments.engine);
  made.options.workers = static_cast<unsigned>(made.tasks.size());
  made.options.mode = balancer_mode::on_demand;
  if (made.options.balancer == "random_stealing") {
    throw usage_error{"--hold with --balancer random_stealing: this balancer makes no plans"};
  }
  return made;
}

/// The loads of a held round, in quanta.
struct held_loads {
  load_type unit = 1;
  load_type bound = 0;  ///< no worker may be further from its plan
  std::vector<load_type> before;
  std::vector<load_type> planned;
  std::vector<load_type> after;
  std::uint64_t moved = 0;

  /// The largest distance of a worker from its plan.
  [[nodiscard]] load_type off() const {
    load_type most = 0;
    for (std::size_t k = 0; k < after.size(); ++k) {
      most = std::max(most, std::abs(after[k] - planned[k]));
    }
    return most;
  }
};

load_type difference(const std::vector<load_type>& loads) {
  const auto [least, most] = std::ranges::minmax(loads);
  return most - least;
}

held_loads carry_out(const held_case& what) {
  const auto workers = start_runtime(what.options);
  held_loads found;
  std::atomic<std::int64_t> ran{0};
  std::int64_t spawned = 0;
  task_group group(*workers);
  {
    hold_guard still = workers->hold();
    load_type largest = 0;
    load_type smallest = most_cost;
    for (unsigned k = 0; k < what.tasks.size(); ++k) {
      for (std::int64_t i = 0; i < what.tasks[k]; ++i, ++spawned) {
        const auto next = static_cast<std::size_t>(spawned) % what.costs.size();
        const std::int64_t cost = what.costs[next];
        group.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); },
                    {.cost = static_cast<std::uint32_t>(cost), .home = k});
        largest = std::max(largest, load_type{cost});
        smallest = std::min(smallest, load_type{cost});
      }
    }
    found.before = still.loads();
    const balancing_round round = still.balance();
    found.unit = round.unit;
    found.planned = final_loads(round.planned, found.before);
    found.after = still.loads();
    found.bound = largest <= smallest ? 0 : largest - 1;
    found.moved = workers->stats().tasks_moved;
  }
  group.wait();
  if (ran != spawned) {
    throw std::runtime_error{fmt::format("{} of {} tasks ran", ran.load(), spawned)};
  }
  return found;
}

json to_json(const held_case& what, const held_loads& found) {
  return {{"balancer", what.options.balancer.name()},
          {"transmission", what.options.transmission.text()},
          {"workers", what.tasks.size()},
          {"costs", what.costs},
          {"unit", found.unit},
          {"before", found.before},
          {"planned", found.planned},
          {"after", found.after},
          {"tasks_moved", found.moved},
          {"difference_before", difference(found.before)},
          {"difference_after", difference(found.after)},
          {"off", found.off()},
          {"bound", found.bound}};
}

std::string to_text(const held_case& what, const held_loads& found) {
  text_table table{{"worker", "before", "planned", "after", "off"}};
  for (std::size_t k = 0; k < found.after.size(); ++k) {
    table.add_row(k, found.before[k], found.planned[k], found.after[k],
                  found.after[k] - found.planned[k]);
  }
  return fmt::format(
      "one round of {} by {}, planned in {} of {}; quanta in the queues:\n\n{}\nmoves of tasks: "
      "{}\n"
      "largest load minus smallest load: {} before, {} after\nfarthest from the plan: {} (allowed: "
      "{})\n",
      what.options.balancer.name(), what.options.transmission.text(),
      found.unit == 1 ? "quanta" : "tasks",
      found.unit == 1 ? "1" : fmt::format("{} quanta", found.unit), table.to_string(), found.moved,
      difference(found.before), difference(found.after), found.off(), found.bound);
}

}  // namespace

void run_held_round(const run_arguments& arguments, const CLI::App& command) {
  const held_case what = refusals_as_usage_errors([&] { return read(arguments, command); });
  check_environment();
  const held_loads found =
      with_memory_for("--hold " + arguments.held_loads, [&] { return carry_out(what); });
  arguments.as_json ? print_json(to_json(what, found)) : print(to_text(what, found));
  if (found.off() > found.bound) {
    throw std::runtime_error{fmt::format(
        "a worker is {} quanta off its plan; at most {} are allowed", found.off(), found.bound)};
  }
}

}  // namespace evencube::cli

#include "ranks_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <evencube/balancers/transmission.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/workloads/carried.hpp>
#include <evencube/workloads/workload.hpp>

#include "calibration.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "measurement.hpp"
#include "number_text.hpp"
#include "progress_bar.hpp"
#include "ranks_agreement.hpp"
#include "ranks_calibration.hpp"
#include "ranks_report.hpp"
#include "recordings.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

/// The options that must be equal on all ranks, as text. The paths that rank 0 reads and writes are
/// not among them.
std::string common_options(const run_arguments& arguments) {
  std::string text = arguments.workload;
  for (const auto& [name, value] : arguments.options.values) {
    if (name == "input") continue;
    text +=
        " --" + name + std::visit([](const auto& one) { return fmt::format(" {}", one); }, value);
  }
  text += " --balancer " + arguments.engine.balancer;
  for (const auto& option : arguments.engine.balancer_options) {
    text += " --balancer-option " + option;
  }
  text += " --transmission " + arguments.engine.transmission;
  text += " --sharing " + arguments.sharing;
  return text + fmt::format(" --repeat {}{}{}", arguments.repeat,
                            arguments.verify ? "" : " --no-verify",
                            arguments.forecast ? " --forecast" : "");
}

/// The part of one rank in a run.
class rank_run {
 public:
  rank_run(cluster& world, const run_arguments& arguments, const runtime_options& local)
      : world_{world}, arguments_{arguments}, local_{local} {
    agree(world_, verdict_of([&] { refusals_as_usage_errors([&] { prepare(); }); }));
    require_same_everywhere();
    task_ = world_.task<workloads::task_bytes, workloads::task_bytes>(
        arguments_.workload, [this](cluster_context& here, const workloads::task_bytes& argument) {
          auto made = function_->run(argument);
          for (auto& more : made.more) {
            here.spawn(task_, std::move(more.argument), {.cost = more.cost});
          }
          return std::move(made.result);
        });
    if (arguments_.forecast) between_.emplace(world_);
    // Compares the registered functions of all ranks, before the clock starts.
    cluster_group nothing{world_};
    nothing.wait();
  }

  void run_and_report() {
    std::vector<double> serial;
    std::vector<ranks_sample> samples;
    {
      progress_bar progress{work_ && !arguments_.as_json && stderr_is_terminal()};
      for (unsigned repetition = 0; repetition < arguments_.repeat; ++repetition) {
        const auto of_all = arguments_.repeat == 1
                                ? std::string{}
                                : fmt::format(" {}/{}", repetition + 1, arguments_.repeat);
        if (work_) progress.show("serial twin" + of_all);
        agree(world_, verdict_of([&] {
                if (work_) serial.push_back(time_serial(*work_));
              }));
        if (work_) {
          progress.show(arguments_.workload + of_all, [this, tasks = work_->tasks()] {
            const auto came = taken_.load(std::memory_order_relaxed);
            return tasks == 0 ? 0.0 : static_cast<double>(came) / static_cast<double>(tasks);
          });
        }
        samples.push_back(run_once());
      }
    }
    traces::rank_link link;
    if (between_) link = between_->measure();
    agree(world_, verdict_of([&] {
            if (work_)
              report(median_time(std::move(serial)), median_sample(std::move(samples)), link);
          }));
  }

 private:
  /// The most bytes of arguments that wait on rank 0. More arguments are made when results come.
  static constexpr std::size_t most_bytes_waiting = std::size_t{1} << 28;

  /// Refuses ranks with different options, because each rank carries out tasks by its own options.
  /// Collective.
  void require_same_everywhere() {
    const auto all = world_.gather(common_options(arguments_));
    agree(world_, verdict_of([&] {
            for (std::size_t rank = 1; rank < all.size(); ++rank) {
              if (all[rank] == all[0]) continue;
              throw usage_error{fmt::format(
                  "the options of rank {} differ from those of rank 0: {} instead of {}", rank,
                  all[rank], all[0])};
            }
          }));
  }

  void prepare() {
    auto options = arguments_.options;
    const auto threads = static_cast<unsigned>(world_.runtime().workers());
    const auto input = input_of(arguments_.workload, options);
    with_memory_for(input, [&] {
      function_ = workloads::make_carried_function(arguments_.workload, options, threads);
    });
    if (world_.rank() != 0) return;
    if (arguments_.output) folder_ = require_output(arguments_);
    work_ = with_memory_for(input,
                            [&] { return workloads::make_workload(arguments_.workload, options); });
    if (arguments_.output && !work_->has_output()) {
      throw usage_error{fmt::format(
          "workload {} has no result to write, so --output is not allowed", arguments_.workload)};
    }
  }

  /// Runs the workload once. Collective. The time is from when all ranks have begun until the last
  /// result is taken.
  ranks_sample run_once() {
    std::unique_ptr<workloads::carried_run> run;
    verdict end = verdict_of([&] {
      taken_.store(0, std::memory_order_relaxed);
      if (!work_) return;
      work_->reset();
      run = work_->run_carried();
    });
    // Counted before the ranks agree, because tasks of a rank that is ahead may come right after.
    const auto before = world_.stats();
    agree(world_, end);
    const auto start = std::chrono::steady_clock::now();
    workloads::task_bytes elsewhere;
    for (unsigned stage = 0; stage < function_->stages(); ++stage) {
      const auto stage_end = run_stage(goes_on(end) ? run.get() : nullptr, elsewhere);
      if (goes_on(end)) end = stage_end;
    }
    // Also called on a rank where something failed, because the other ranks wait for it.
    const auto sums = world_.gather(elsewhere);
    const auto taken = verdict_of([&] {
      if (!run || !goes_on(end)) return;
      for (const auto& sum : sums) {
        if (!sum.empty()) run->take(sum);
      }
      run->end();
    });
    if (goes_on(end)) end = taken;
    ranks_sample sample;
    sample.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto after = world_.stats();
    agree(world_, end);
    sample.ranks = world_.gather(rank_counters{
        static_cast<std::uint32_t>(world_.runtime().workers()), after.executed - before.executed,
        after.tasks_sent - before.tasks_sent, after.tasks_received - before.tasks_received,
        after.messages_sent - before.messages_sent, after.bytes_sent - before.bytes_sent,
        after.rounds - before.rounds});
    agree(world_, verdict_of([&] {
            if (!work_) return;
            sample.tasks = work_->tasks();
            if (arguments_.verify) sample.check = work_->verify();
          }));
    return sample;
  }

  /// Carries out a stage. Collective; `run` is null on all ranks except one. The rank with the run
  /// spawns the tasks and takes their results, including results of tasks spawned by tasks of this
  /// rank; the other ranks add up theirs. After a failure the rank still waits for its group, as
  /// all ranks do, and returns the failure.
  verdict run_stage(workloads::carried_run* run, workloads::task_bytes& elsewhere) {
    cluster_group jobs{world_};
    std::size_t waiting = 0;
    bool more = run != nullptr;
    const auto give = [&] {
      while (more && waiting < most_bytes_waiting) {
        auto task = run->next();
        more = task.has_value();
        if (!more) return;
        waiting += task->argument.size();
        jobs.spawn(task_, std::move(task->argument), {.cost = task->cost});
      }
    };
    const auto given = verdict_of(give);
    const auto waited = verdict_of([&] {
      jobs.wait([&](const workloads::task_bytes& argument, workloads::task_bytes&& result) {
        taken_.fetch_add(1, std::memory_order_relaxed);
        if (run == nullptr) {
          function_->add(elsewhere, result);
          return;
        }
        run->take(result);
        // The argument of a task that a task spawned was not counted.
        waiting -= std::min(waiting, argument.size());
        give();
      });
    });
    return goes_on(given) ? waited : given;
  }

  /// The simulator's forecast. It replays the tasks of a run on this rank alone, on nodes that are
  /// the workers of all ranks, at the distance that was measured between ranks.
  rank_forecast forecast(const ranks_report& measured, const traces::rank_link& link) {
    auto& workers = world_.runtime();
    const auto recorded = cli::run_once(*work_, workers, false, true);
    const auto trace =
        trace_of(recorded.take, workers, std::string{work_->name()}, local_, calibrate());
    auto machine = simulator::recorded_configuration(trace);
    machine.balancer = arguments_.engine.balancer;
    machine.options = key_values("--balancer-option", arguments_.engine.balancer_options);
    machine.transmission = parse_transmission(arguments_.engine.transmission);
    machine.topology = fmt::format("cube:{}", measured.workers());
    machine.capacities.clear();
    machine.by_thread = false;
    // Lifelines are foretold as workers that take tasks from each other.
    if (arguments_.sharing == "lifelines" && machine.balancer != "none") {
      machine.balancer = "random_stealing";
      machine.options.clear();
    }
    machine.pulls = machine.balancer == "random_stealing";
    const double bytes = measured.bytes_per_move();
    machine.distance = {.domains = world_.size(),
                        .per_hop = bytes * link.per_byte,
                        .latency = link.latency,
                        .flat = true};
    return {simulator::replay(simulator::program_of(trace), machine).makespan, link, bytes};
  }

  void report(double serial_seconds, ranks_sample measured, const traces::rank_link& link) {
    ranks_report report{std::string{work_->name()},
                        arguments_.engine.balancer,
                        arguments_.sharing,
                        arguments_.engine.transmission,
                        serial_seconds,
                        std::move(measured)};
    const checked& check = report.measured.check;
    const bool writes = not_failed(check) && arguments_.output.has_value();
    if (writes) work_->write_output(*arguments_.output);
    if (arguments_.forecast) report.forecast = forecast(report, link);
    if (arguments_.as_json) {
      print_json(to_json(report));
    } else {
      print(to_text(report) + (writes ? fmt::format("wrote {}\n", *arguments_.output) : ""));
    }
    require_good(check, arguments_.output.has_value());
    tell_left_out(arguments_, *work_);
  }

  cluster& world_;
  const run_arguments& arguments_;
  const runtime_options& local_;
  std::optional<workloads::results_folder> folder_;  // on rank 0 only
  std::optional<rank_link_measurement> between_;
  std::unique_ptr<workloads::carried_function> function_;
  std::unique_ptr<workloads::workload> work_;  // on rank 0 only
  cluster_task<workloads::task_bytes, workloads::task_bytes> task_;
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace

void run_over_ranks(cluster& world, const run_arguments& arguments, const runtime_options& local) {
  rank_run run{world, arguments, local};
  run.run_and_report();
}

}  // namespace evencube::cli

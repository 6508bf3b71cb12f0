#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <evencube/evencube.hpp>

#include "options.hpp"

namespace evencube::cli {

/// What the user says about the runtime, as text.
struct runtime_arguments {
  std::string workers = "auto";
  std::string balancer = "oem";
  std::vector<std::string> balancer_options;
  std::string transmission = "direct";
  std::string mode = "auto";
  std::optional<std::int64_t> period_us;
  std::optional<std::int64_t> trigger;
  std::string pulls = "on";
  std::string order = "largest";
  std::string pinning = "unit";
  std::string measured = "none";
  std::string machine;
};

/// Of --period, in microseconds.
inline constexpr whole_range allowed_period_us{
    1, std::chrono::microseconds(runtime_options::max_period).count()};
/// Of --trigger, in quanta.
inline constexpr std::int64_t most_trigger = std::int64_t{1} << 62;

/// "auto" (0) or 1 to runtime_options::max_workers. Throws usage_error.
[[nodiscard]] unsigned workers_argument(const std::string& text);

void add_workers_option(CLI::App& command, std::string& workers);

/// --threads: what `run_in_parallel` takes.
void add_threads_option(CLI::App& command, unsigned& threads);

/// --mode, --period, --trigger, --pulls, --order: who plans when, whether anything else moves
/// tasks, and which of them begin first.
void add_planning_options(CLI::App& command, runtime_arguments& arguments);

/// `auto`, `thread`, `on_idle` or `on_demand`.
[[nodiscard]] std::string_view name_of(balancer_mode mode) noexcept;

/// True if a runtime of several workers has a balancer's thread.
[[nodiscard]] constexpr bool has_balancer_thread(balancer_mode mode) noexcept {
  return mode == balancer_mode::automatic || mode == balancer_mode::thread;
}

/// --balancer, --balancer-option, --transmission, and the planning options.
void add_strategy_options(CLI::App& command, runtime_arguments& arguments);

/// --machine: a machine in hwloc's synthetic language on which workers are placed.
void add_machine_option(CLI::App& command, std::string& machine);

/// --workers, --machine, --pinning, --measured and the same.
void add_runtime_options(CLI::App& command, runtime_arguments& arguments);

/// Throws usage_error for what does not go together, or cannot be read.
[[nodiscard]] runtime_options make_runtime_options(const runtime_arguments& arguments);

/// Throws usage_error if the options of the balancer set marks at which workers call it, so that
/// --trigger would not count, or if the balancer refuses its options.
void refuse_trigger_beside_marks(const runtime_options& options);

/// Throws usage_error unless EVENCUBE_WORKERS is unset, empty or what the runtime takes. For
/// commands that start a runtime of their own later, when work would be lost.
void check_environment();

/// Starts a runtime. Throws usage_error for options that it refuses, std::runtime_error saying what
/// is used up where its threads cannot be started.
[[nodiscard]] std::unique_ptr<runtime> start_runtime(const runtime_options& options);

/// What is said where the system does not start `count` threads for workers; 0: as many as there
/// happen to be.
[[nodiscard]] std::string refused_threads_text(unsigned count, const std::system_error& problem);

/// Runs body(0) .. body(count - 1), each once, on a runtime of `threads` workers (0: one per usable
/// processing unit). If bodies throw, one of the exceptions is thrown when all have ended.
/// Throws usage_error if the runtime refuses what the environment says of it.
void run_in_parallel(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t)>& body);

}  // namespace evencube::cli

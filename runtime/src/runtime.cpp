#include <evencube/parallel_for.hpp>
#include <evencube/runtime.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "scheduler.hpp"

namespace evencube {

namespace detail {

void rethrow(std::exception_ptr& failure) {
  const std::exception_ptr taken = std::exchange(failure, nullptr);
  failure.~exception_ptr();
  std::rethrow_exception(taken);
}

void throw_outside(const char* what) {
  throw error(std::string(what) +
              ": the calling thread runs no task of a runtime; use runtime::run");
}

worker* worker_of(const scheduler& cube) noexcept {
  worker* const w = worker::current();
  return w != nullptr && &w->cube() == &cube ? w : nullptr;
}

scheduler& current_cube(const char* what) {
  worker* const w = worker::current();
  if (w == nullptr) throw_outside(what);
  return w->cube();
}

scheduler& cube_of(runtime& of) { return of.cube(); }

unsigned worker_count(const worker& w) noexcept { return w.cube().size(); }

void spawn_from_outside(scheduler& cube, slot_word word, std::int64_t home) {
  cube.inject(word, home);
}

block_pool& outside_pool_of(scheduler& cube) { return cube.outside_pool(); }

void check_spawn_options(const scheduler& cube, const spawn_options& options) {
  if (options.cost < 1 || options.cost > max_cost) {
    throw std::invalid_argument("cost: " + std::to_string(options.cost) +
                                " is not allowed; at least 1, at most " + std::to_string(max_cost));
  }
  if (options.home < anywhere || options.home >= static_cast<std::int64_t>(cube.size())) {
    throw std::invalid_argument("home: " + std::to_string(options.home) +
                                " is no worker; -1 (anywhere) or at most " +
                                std::to_string(cube.size() - 1));
  }
}

}  // namespace detail

task_group::task_group() : core_(detail::current_cube("task_group"), detail::worker::current()) {}

task_group::task_group(runtime& of)
    : core_(detail::cube_of(of), detail::worker_of(detail::cube_of(of))) {}

task_group::~task_group() { core_.wait(detail::worker_of(core_.cube())); }

void task_group::wait() {
  core_.wait(detail::worker_of(core_.cube()));
  core_.rethrow();
}

runtime::runtime(runtime_options options)
    : cube_(new detail::scheduler(std::move(options)), [](detail::scheduler* s) { delete s; }) {}

runtime::~runtime() = default;

void runtime::run_erased(void (*call)(void*), void* context) { cube_->run(call, context); }

detail::group_core& runtime::tracker() const noexcept { return cube_->tracker_; }

unsigned runtime::workers() const noexcept { return cube_->size(); }
const std::string& runtime::reason() const noexcept { return cube_->reason_; }
const topology& runtime::graph() const noexcept { return cube_->graph_; }
const std::vector<unsigned>& runtime::placement() const noexcept { return cube_->placement_; }
const machine& runtime::on() const noexcept { return cube_->machine_; }

statistics runtime::stats() const { return cube_->stats(); }
void runtime::reset_stats() { cube_->reset_stats(); }

bool runtime::balance() {
  cube_->check_alive();
  return cube_->rounds_.carry_out() == detail::rounds::answer::moved;
}

void runtime::use_balancer(const std::string& balancer, const balancer_options& options,
                           const std::string& transmission) {
  cube_->use(balancer, options, transmission);
}

std::string runtime::describe() const {
  std::string text;
  for (std::uint32_t k = 0; k < cube_->size(); ++k) text += cube_->at(k).describe();
  return text;
}

void runtime::start_recording(const recording_options& options) { cube_->start_recording(options); }
recording runtime::stop_recording() { return cube_->stop_recording(); }

held runtime::hold() { return held(*cube_); }

held::held(detail::scheduler& cube) : cube_(cube) { cube_.hold(); }
held::~held() { cube_.release(); }
std::vector<load_type> held::loads() const { return cube_.held_loads(); }
balancing_round held::balance(std::optional<unsigned> initiator) {
  return cube_.held_balance(initiator);
}
std::vector<std::vector<const void*>> held::tasks() const { return cube_.held_tasks(); }

unsigned this_worker() {
  const detail::worker* const w = detail::worker::current();
  if (w == nullptr) detail::throw_outside("this_worker");
  return w->index();
}

}  // namespace evencube

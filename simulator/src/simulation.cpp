#include <evencube/simulator/simulation.hpp>

#include <bit>
#include <utility>

#include <evencube/simulator/event_queue.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/stepped_run.hpp>

#include "engine.hpp"
#include "validate_model.hpp"

namespace evencube::simulator {

result simulate(const model& what, std::uint64_t seed, const observer& watch) {
  validate(what);
  return engine<bucket_queue>(what, seed).run(watch);
}

result simulate_with_heap(const model& what, std::uint64_t seed, const observer& watch) {
  validate(what);
  return engine<heap_queue<4>>(what, seed).run(watch);
}

struct stepped_run::state {
  state(const model& what, std::uint64_t seed) : simulated(what, seed) {}

  engine<bucket_queue> simulated;
  std::uint64_t reached = 0;
  bool over = false;
};

stepped_run::stepped_run(const model& what, std::uint64_t seed) {
  validate(what);
  state_ = std::make_unique<state>(what, seed);
  state_->simulated.start();
}

stepped_run::stepped_run(stepped_run&&) noexcept = default;
stepped_run& stepped_run::operator=(stepped_run&&) noexcept = default;
stepped_run::~stepped_run() = default;

bool stepped_run::advance(std::uint64_t events) {
  if (state_->over || events == 0) return !state_->over;
  state_->reached += events;
  state_->over = !state_->simulated.advance(state_->reached);
  return !state_->over;
}

run_reading stepped_run::reading() const noexcept { return state_->simulated.reading(); }

std::vector<load_type> stepped_run::loads() const {
  std::vector<load_type> found(state_->simulated.nodes());
  for (node_id k = 0; k < found.size(); ++k) found[k] = state_->simulated.load(k);
  return found;
}

result stepped_run::finish() {
  advance(~std::uint64_t{0} - state_->reached);
  return state_->simulated.ended();
}

std::vector<result> replicate(const model& what, std::uint64_t seed, std::size_t replications,
                              const parallel_executor& executor, const observer& watch) {
  validate(what);
  std::vector<result> results(replications);
  const random_source source(seed);
  const auto one = [&](std::size_t i) {
    results[i] = engine<bucket_queue>(what, source.replication_seed(i)).run(watch);
  };
  if (executor) {
    executor(replications, one);
  } else {
    for (std::size_t i = 0; i < replications; ++i) one(i);
  }
  return results;
}

std::uint64_t hash_of(const std::vector<result>& results) {
  std::uint64_t hash = 0xCBF29CE484222325;
  const auto mix = [&hash](std::uint64_t value) {
    hash = std::rotl((hash ^ value) * 0x9E3779B97F4A7C15, 31);
  };
  const auto mix_number = [&mix](double value) { mix(std::bit_cast<std::uint64_t>(value)); };
  for (const result& r : results) {
    mix(r.hash);
    for (const std::uint64_t value :
         {r.completed, r.arrived, r.events, r.rounds, r.messages, r.tasks_moved, r.shortfall}) {
      mix(value);
    }
    for (const double value :
         {r.makespan, r.end, r.work, r.busy, r.overhead, r.mean_in_system, r.mean_waiting,
          r.mean_response, r.utilisation, r.t_comm, r.stabilised, r.difference_before,
          r.difference_after, r.planned_difference, r.mean_difference}) {
      mix_number(value);
    }
    mix(static_cast<std::uint64_t>(r.longest_queue));
    mix(static_cast<std::uint64_t>(r.worst_difference));
  }
  return hash;
}

}  // namespace evencube::simulator

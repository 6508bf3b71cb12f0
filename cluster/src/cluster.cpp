#include <evencube/cluster.hpp>
#include <utility>

#include <evencube/this_task.hpp>

#include "cluster_engine.hpp"
#include "mpi_transport.hpp"

namespace evencube {

void detail::spawner::spawn_call(const task_handle& task, std::unique_ptr<cluster_call> call,
                                 const cluster_spawn_options& options) const {
  const char* const what = by_task_ ? "cluster_context::spawn" : "cluster_group::spawn";
  if (task.engine == 0) throw error(std::string(what) + " of a task that is not registered");
  if (task.engine != engine_.id())
    throw error(std::string(what) + " of a task that another cluster has registered");
  if (closed_) throw error(std::string(what) + " after the group was waited for");
  engine_.spawn(group_, task.number, std::move(call), options, by_task_);
}

bool detail::has_open_group(cluster_engine& of) { return of.has_open_group(); }
std::size_t detail::longest_argument(const cluster_engine& of) noexcept {
  return of.longest_argument();
}

void detail::wait_for_result(cluster_engine& of, const call_future& result) {
  of.wait_for_result(result);
}
bool detail::has_result(cluster_engine& of, const call_future& result) {
  return of.has_result(result);
}

cluster::cluster(int& argc, char**& argv, cluster_options options)
    : cluster(detail::make_mpi_transport(argc, argv), std::move(options)) {}

cluster::cluster(std::unique_ptr<transport> over, cluster_options options)
    : engine_(std::make_unique<detail::cluster_engine>(std::move(over), std::move(options))) {}

cluster::~cluster() = default;

unsigned cluster::rank() const noexcept { return engine_->rank(); }
unsigned cluster::size() const noexcept { return engine_->size(); }
runtime& cluster::runtime() noexcept { return engine_->runtime(); }
cluster_statistics cluster::stats() const { return engine_->stats(); }

detail::task_handle cluster::add_task(detail::cluster_task_type type) {
  return {engine_->id(), engine_->add_task(std::move(type))};
}

std::vector<detail::message_bytes> cluster::gather_bytes(detail::message_bytes own,
                                                         const std::string& type) {
  if (this_task::runtime() == &engine_->runtime()) {
    throw error("cluster::gather within a task of the cluster");
  }
  return engine_->gather(std::move(own), "cluster::gather of " + type);
}

unsigned cluster_context::rank() const noexcept { return spawner_.engine().rank(); }
unsigned cluster_context::size() const noexcept { return spawner_.engine().size(); }

cluster_group::cluster_group(cluster& of) : cluster_group(of, nullptr) {}

cluster_group::cluster_group(cluster& of, std::shared_ptr<detail::result_reducer> reducer)
    : spawner_(of.engine(), of.engine().make_group(std::move(reducer)), false) {}

cluster_group::~cluster_group() {
  if (!waited_) spawner_.engine().leave_group(spawner_.group());
}

void cluster_group::wait_with(std::span<const detail::result_taker> takers) {
  if (waited_) throw error("cluster_group::wait: the group was waited for already");
  // In any case: another rank cannot wait for the group again.
  struct end {
    detail::spawner& spawns;
    ~end() { spawns.close(); }
  };
  waited_ = true;
  const end at_the_end{spawner_};
  spawner_.engine().wait(spawner_.group(), takers);
}

cluster_hold::cluster_hold(cluster& of) : engine_(of.engine()) { engine_.hold().begin(); }

cluster_hold::~cluster_hold() {
  try {
    engine_.hold().end();
  } catch (...) {
    // A rank has left: the next call throws the error.
  }
}

std::vector<load_type> cluster_hold::loads() { return engine_.hold().loads(); }
balancing_round cluster_hold::balance() { return engine_.hold().round(); }
void cluster_hold::save(const std::string& path) { engine_.hold().save(path); }
bool cluster_hold::load(const std::string& path) { return engine_.hold().load(path); }

}  // namespace evencube

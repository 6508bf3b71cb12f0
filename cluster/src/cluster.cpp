#include <evencube/cluster.hpp>
#include <utility>

#include <evencube/this_task.hpp>

#include "cluster_engine.hpp"
#include "mpi_transport.hpp"

namespace evencube {

namespace {

void check_registered(const detail::cluster_engine* by, const detail::cluster_engine& here,
                      const std::string& what) {
  if (by == nullptr) throw error(what + " of a task that is not registered");
  if (by != &here) throw error(what + " of a task that another cluster has registered");
}

}  // namespace

cluster::cluster(int& argc, char**& argv, cluster_options options)
    : cluster(detail::make_mpi_transport(argc, argv), std::move(options)) {}

cluster::cluster(std::unique_ptr<transport> over, cluster_options options)
    : engine_(std::make_unique<detail::cluster_engine>(std::move(over), std::move(options))) {}

cluster::~cluster() = default;

unsigned cluster::rank() const noexcept { return engine_->rank(); }
unsigned cluster::size() const noexcept { return engine_->size(); }
runtime& cluster::runtime() noexcept { return engine_->runtime(); }
cluster_statistics cluster::stats() const { return engine_->stats(); }

std::uint32_t cluster::add_task(detail::cluster_task_type type) {
  return engine_->add_task(std::move(type));
}

std::vector<detail::message_bytes> cluster::gather_bytes(detail::message_bytes own,
                                                         const std::string& type) {
  if (this_task::runtime() == &engine_->runtime()) {
    throw error("cluster::gather within a task of the cluster");
  }
  return engine_->gather(std::move(own), "cluster::gather of " + type);
}

unsigned cluster_context::rank() const noexcept { return engine_.rank(); }
unsigned cluster_context::size() const noexcept { return engine_.size(); }

void cluster_context::spawn_call(std::uint32_t task, const detail::cluster_engine* registered,
                                 std::unique_ptr<detail::cluster_call> call,
                                 const cluster_spawn_options& options) {
  check_registered(registered, engine_, "cluster_context::spawn");
  engine_.spawn(group_, task, std::move(call), options, true);
}

cluster_group::cluster_group(cluster& of)
    : engine_(*of.engine_), number_(of.engine_->make_group()) {}

cluster_group::~cluster_group() {
  if (!waited_) engine_.leave_group(number_);
}

void cluster_group::spawn_call(std::uint32_t task, const detail::cluster_engine* registered,
                               std::unique_ptr<detail::cluster_call> call,
                               const cluster_spawn_options& options) {
  check_registered(registered, engine_, "cluster_group::spawn");
  if (over_) throw error("cluster_group::spawn after the group was waited for");
  engine_.spawn(number_, task, std::move(call), options, false);
}

void cluster_group::wait_with(std::span<const detail::result_taker> takers) {
  if (waited_) throw error("cluster_group::wait: the group was waited for already");
  // In any case: another rank cannot wait for the group again.
  struct end {
    bool& over;
    ~end() { over = true; }
  };
  waited_ = true;
  const end at_the_end{over_};
  engine_.wait(number_, takers);
}

cluster_hold::cluster_hold(cluster& of) : engine_(*of.engine_) { engine_.hold().begin(); }

cluster_hold::~cluster_hold() {
  try {
    engine_.hold().end();
  } catch (...) {
    // A rank has left: the next call throws the error.
  }
}

std::vector<load_type> cluster_hold::loads() { return engine_.hold().loads(); }
balancing_round cluster_hold::balance() { return engine_.hold().round(); }

}  // namespace evencube

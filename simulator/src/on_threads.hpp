#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::simulator {

/// The parts of what the runtime does that happen.
struct threads_rules {
  load_type threshold = 256;  ///< the load beyond which a worker asks to be activated
  bool pulls = true;          ///< workers without load take tasks by themselves
  bool long_tasks = false;    ///< they then take one task, else what the pair rule gives
  bool speeds_known = true;   ///< false: balancers are not given the speeds
};

/// The behaviour of real threads, as plans. Without an initiator, a plan is a round: the strategy's
/// own plan or, for an event-driven strategy, the activations of the nodes that called. With an
/// initiator, which has no load, it is what that worker takes by itself.
class on_threads final : public balancer {
 public:
  /// `name` is a registered balancer, or `random_stealing`. Throws std::invalid_argument for
  /// unknown names and options, and for random stealing without pulls.
  on_threads(const std::string& name, const balancer_options& options, threads_rules rules);

  /// The name of the registered balancer. What the balancer is given depends on it.
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] bool steals() const noexcept { return planner_ == nullptr; }
  [[nodiscard]] bool event_driven() const noexcept { return about_.event_driven; }
  /// The load above which a worker calls: the mark of the strategy's options, if they set marks,
  /// otherwise `threshold`.
  [[nodiscard]] load_type calls_above(load_type threshold) const noexcept;
  [[nodiscard]] bool keeps_order() const noexcept { return about_.guarantees.preserves_order; }
  void make_plan(const balance_request& request, plan& out) const override;

 private:
  /// The loads while the plan grows.
  class account;

  /// The tasks that k, which has none, takes by itself.
  [[nodiscard]] std::optional<transfer> take(std::span<const load_type> loads, node_id k,
                                             std::uint64_t seed) const;
  void activate(const balance_request& request, account& so_far) const;

  std::string name_;
  threads_rules rules_;
  balancer_descriptor about_;          // of stealing: nothing
  std::unique_ptr<balancer> planner_;  // null: random stealing
};

using traces::random_stealing;

}  // namespace evencube::simulator

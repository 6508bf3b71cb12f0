#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/registry.hpp>

#include "phase_writer.hpp"

/// The common parts of the event-driven strategies of Loh et al. 1996: thresholds, and activations
/// in order.
namespace evencube {

/// A water mark: a fixed load, or (auto) the average load, rounded up for high marks and down for
/// low ones, so that equal loads trigger nothing.
class threshold {
 public:
  static threshold parse(const balancer_options& options, std::string_view name);
  static std::string allowed();
  [[nodiscard]] load_type high(std::span<const load_type> loads) const;
  [[nodiscard]] load_type low(std::span<const load_type> loads) const;
  /// The load, or nothing for `auto`.
  [[nodiscard]] std::optional<load_type> fixed() const noexcept { return fixed_; }

 private:
  std::optional<load_type> fixed_;
};

[[nodiscard]] option_descriptor sweeps_option();
[[nodiscard]] std::size_t parse_sweeps(const balancer_options& options);

/// Activates the request's initiator, or all nodes in ascending order, `sweeps` times (a sweep
/// without any transfer is the last one). Every activation that moves something adds its phases,
/// and the next one sees the loads that it left.
class activations {
 public:
  activations(const balance_request& request, std::size_t sweeps, plan& out);

  /// Calls act(node, loads, moves), which fills one phase.
  template <typename Act>
  void each(Act&& act) {
    phase moves;
    run([&](node_id k) {
      moves.clear();
      act(k, loads_, moves);
      add(moves);
    });
  }

  /// Calls act(node), which calls add() or send_along() itself.
  template <typename Act>
  void run(Act&& act) {
    if (request_.initiator) return act(*request_.initiator);
    for (std::size_t i = 0; i < sweeps_; ++i) {
      const std::size_t before = out_.size();
      for (node_id k = 0; k < request_.graph.nodes(); ++k) act(k);
      if (out_.size() == before) return;
    }
  }

  /// Appends a phase, unless it is empty, and applies it to the loads.
  void add(const phase& moves);
  /// Moves quanta hop by hop along a shortest path, one phase for each hop.
  void send_along(node_id from, node_id to, load_type quanta);

  [[nodiscard]] const std::vector<load_type>& loads() const { return loads_; }

 private:
  const balance_request& request_;
  std::size_t sweeps_;
  phase_writer out_;
  std::vector<load_type> loads_;
  std::vector<node_id> path_;
};

}  // namespace evencube

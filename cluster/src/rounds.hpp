#pragma once

#include <cstdint>
#include <evencube/balancers/balancer.hpp>
#include <map>
#include <memory>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>

#include "balancing.hpp"
#include "checked_mutex.hpp"
#include "gathering.hpp"
#include "mail.hpp"
#include "plan_steps.hpp"
#include "rank_core.hpp"
#include "round_outlook.hpp"
#include "round_pace.hpp"
#include "spawning.hpp"
#include "work.hpp"

namespace evencube::detail {

/// Balancing in rounds: the ranks gather their loads, make the same plan and carry it out (R in
/// cluster/docs/ranks.md). With the balancer "none", and with lifelines, only a held round is made.
class planned_rounds final : public rank_balancing {
 public:
  planned_rounds(rank_core& core, mail& post, rank_work& work);

  void open() override EVENCUBE_REQUIRES(the_turn) { asking_->open(); }
  void check_ranks() const override;
  [[nodiscard]] rank_load load() const override EVENCUBE_REQUIRES(the_turn, shared_data);
  bool advance() override EVENCUBE_REQUIRES(the_turn);
  void handle(wire what, unsigned from, byte_reader& in) override EVENCUBE_REQUIRES(the_turn);
  [[nodiscard]] std::uint32_t rounds_begun() const override EVENCUBE_REQUIRES(the_turn) {
    return at_.round;
  }

 private:
  using clock = std::chrono::steady_clock;
  /// Which round this rank is in.
  struct progress {
    std::uint32_t round = 0;   // under way, or the last one
    std::uint32_t joined = 0;  // the last one that this rank was called to
    bool under_way = false;
    bool gathers = false;     // the loads for it
    std::uint64_t moved = 0;  // tasks that this rank has sent in it
  };

  [[nodiscard]] double worth_a_round() const EVENCUBE_REQUIRES(the_turn, shared_data);
  bool advance_rounds() EVENCUBE_REQUIRES(the_turn);
  bool share_without_round() EVENCUBE_REQUIRES(the_turn);
  void join() EVENCUBE_REQUIRES(the_turn);
  [[nodiscard]] gathering& loads_of(std::uint32_t round) EVENCUBE_REQUIRES(the_turn);
  void handle_loads(byte_reader& in) EVENCUBE_REQUIRES(the_turn);
  void send_loads(std::uint32_t round, const std::vector<gathering::outgoing>& what)
      EVENCUBE_REQUIRES(the_turn);
  [[noreturn]] void throw_problem(const std::string& text) const EVENCUBE_REQUIRES(the_turn);
  void plan_round(const std::vector<message_bytes>& all) EVENCUBE_REQUIRES(the_turn);
  void carry_on() EVENCUBE_REQUIRES(the_turn);

  rank_core& core_;
  mail& mail_;
  rank_work& work_;
  const std::unique_ptr<const balancer> balancer_;
  const bool begins_;  // rounds by itself
  /// Lifelines, or thieves while a round is late.
  const std::unique_ptr<rank_balancing> asking_;
  std::map<std::uint32_t, gathering> loads_ EVENCUBE_GUARDED_BY(the_turn);  // by their rounds
  plan_steps steps_ EVENCUBE_GUARDED_BY(the_turn);
  round_pace pace_ EVENCUBE_GUARDED_BY(the_turn);
  round_outlook outlook_ EVENCUBE_GUARDED_BY(the_turn);
  spawning spawning_ EVENCUBE_GUARDED_BY(the_turn);
  progress at_ EVENCUBE_GUARDED_BY(the_turn);
};

}  // namespace evencube::detail

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "explored.hpp"
#include "futures/future_links.hpp"
#include "wait/waiting_room.hpp"

namespace evencube::test {

/// A future as the templates of the public headers make it, but its task only counts: it takes the
/// values that it needs, and leaves their sum plus one as its value.
template <typename Policy>
class explored_future final : public detail::basic_future_core<Policy> {
 public:
  using core_type = detail::basic_future_core<Policy>;
  using dependency_type = detail::basic_dependency<Policy>;
  using kind = typename dependency_type::kind;
  template <typename T>
  using plain = typename Policy::template plain<T>;

  /// The fate of a future. It is kept in the scenario, because it may outlive the future.
  struct fate {
    unsigned runs = 0;
    unsigned gone = 0;
  };

  /// The function by which a worker calls the task.
  using execute_type = void (*)(detail::task&, detail::runner&) noexcept;

  /// A future with a task of its own, with holds for its future and its slot.
  explicit explored_future(fate& to, execute_type execute = nullptr, std::uint64_t runtime_id = 1)
      : core_type(runtime_id, core_type::stage::released, 2, execute, &destroy), fate_(&to) {}
  struct race_type : detail::basic_race<Policy> {
    using detail::basic_race<Policy>::basic_race;
    plain<unsigned> decisions{0};
  };
  static void decide(detail::basic_race<Policy>& race) noexcept {
    auto& its = static_cast<race_type&>(race);
    its.decisions = its.decisions + 1;
  }

  /// A future that ends when all others have ended, and acts when the first one has.
  explored_future(fate& to, std::vector<explored_future*> antecedents)
      : core_type(1, core_type::stage::unreleased,
                  static_cast<std::uint32_t>(antecedents.size()) + 1, nullptr, &destroy, &race_),
        fate_(&to),
        antecedents_(antecedents.begin(), antecedents.end()),
        race_(static_cast<std::uint32_t>(antecedents.size()), antecedents_.data(), &decide) {
    race_.index = &first;
  }
  /// A future that needs others: a continuation, or a future that the others end.
  explored_future(fate& to, kind what, std::vector<explored_future*> antecedents,
                  execute_type execute = nullptr, std::uint64_t runtime_id = 1)
      : core_type(runtime_id, core_type::stage::unreleased,
                  static_cast<std::uint32_t>(antecedents.size()) + 1, execute, &destroy, &needs_),
        fate_(&to),
        antecedents_(antecedents.begin(), antecedents.end()),
        needs_{what, static_cast<std::uint32_t>(antecedents.size()), antecedents_.data(),
               what == kind::any ? 1U : static_cast<std::uint32_t>(antecedents.size())} {
    needs_.index = &first;
  }
  explored_future(const explored_future&) = delete;
  explored_future& operator=(const explored_future&) = delete;

  [[nodiscard]] fate& what() const noexcept { return *fate_; }
  /// Adds a holder.
  void share() { static_cast<void>(this->hold().let_go()); }

  /// Runs the task before the future is settled. Only for a future with a task of its own, or a
  /// continuation.
  void compute() {
    ++fate_->runs;
    unsigned sum = 1;
    if (this->needs() != nullptr) sum += take_from_antecedents();
    value = sum;
  }
  /// Takes the values of the needed futures, as a request for the result of `when_all` or
  /// `when_any` does.
  unsigned take_from_antecedents() {
    this->close();
    unsigned sum = 0;
    for (core_type*& one : antecedents_) {
      if (one->done()) sum += static_cast<explored_future*>(one)->result();
      std::exchange(one, nullptr)->drop();
    }
    return sum;
  }
  /// Its value, or the value of the futures that ended it.
  unsigned result() {
    explorer::require(this->done(), "the result is asked for too early");
    return this->needs() == nullptr || this->needs()->what == kind::then ? unsigned{value}
                                                                         : take_from_antecedents();
  }

  /// How often the race was decided.
  [[nodiscard]] unsigned decisions() const { return race_.decisions; }

  plain<unsigned> value{0};
  /// For a future that needs any, or a race: the number of the first that ended.
  plain<std::size_t> first{99};

 private:
  ~explored_future() {
    value = 0;  // as the value's destructor
    ++fate_->gone;
  }
  static void destroy(core_type& core) noexcept { delete static_cast<explored_future*>(&core); }

  fate* fate_;
  std::vector<core_type*> antecedents_;
  dependency_type needs_{kind::then, 0, nullptr, 0};
  race_type race_{0, nullptr, nullptr};
};

/// The waiting room that is notified of an end, in a scenario.
template <typename Policy>
struct explored_news {
  detail::basic_waiting_room<Policy>& room;
  detail::basic_any_changes<Policy> changes{};

  void ring(const detail::node& ended) {
    const std::lock_guard lock(room);
    room.ring(&ended);
  }
  void changed() { changes.note(*this); }
};

}  // namespace evencube::test

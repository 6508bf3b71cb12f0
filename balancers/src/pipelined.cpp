#include <algorithm>
#include <limits>
#include <stdexcept>

#include <evencube/balancers/plan_tools.hpp>

#include "disciplines.hpp"
#include "send_lists.hpp"

namespace evencube {
namespace {

constexpr load_type unlimited = std::numeric_limits<load_type>::max();

/// Collects unit steps and joins equal consecutive ones into longer steps, as long as every node
/// can cover the joined step with what it held at its beginning.
class step_recorder {
 public:
  step_recorder(std::size_t nodes, schedule* out) : out_(out), sent_(nodes, 0), held_(nodes, 0) {}
  [[nodiscard]] bool active() const { return out_ != nullptr; }

  /// Adds one time unit in which each of `links` carries one unit. `before` are the loads at its
  /// start.
  void add(load_type time, const send_lists& lists, std::vector<std::uint32_t>& links,
           const std::vector<load_type>& before) {
    if (out_ == nullptr) return;
    std::sort(links.begin(), links.end());
    if (out_->steps.empty() || links != links_ || !covers(lists)) {
      if (out_->steps.size() >= max_steps) {
        throw std::invalid_argument("the pipelined schedule has more than " +
                                    std::to_string(max_steps) + " different steps");
      }
      begin(time, lists, links, before);
    }
    schedule_step& step = out_->steps.back();
    ++step.duration;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      ++step.transfers[i].quanta;
      ++sent_[lists.links[links_[i]].from];
    }
  }

 private:
  static constexpr std::size_t max_steps = std::size_t{1} << 24;

  [[nodiscard]] bool covers(const send_lists& lists) const {
    // Links are sorted, so those of one node are next to each other. Counts the units of one more
    // round.
    for (std::size_t i = 0; i < links_.size();) {
      const node_id from = lists.links[links_[i]].from;
      load_type more = 0;
      for (; i < links_.size() && lists.links[links_[i]].from == from; ++i) ++more;
      if (sent_[from] + more > held_[from]) return false;
    }
    return true;
  }

  void begin(load_type time, const send_lists& lists, const std::vector<std::uint32_t>& links,
             const std::vector<load_type>& before) {
    links_ = links;
    out_->steps.push_back({time, 0, {}});
    for (const std::uint32_t l : links_) {
      const auto& link = lists.links[l];
      sent_[link.from] = 0;
      held_[link.from] = before[link.from];
      out_->steps.back().transfers.push_back({link.from, link.to, 0});
    }
  }

  schedule* out_;
  std::vector<std::uint32_t> links_;
  std::vector<load_type> sent_;
  std::vector<load_type> held_;
};

/// The rotation of Rim et al. 2003, Section 6.2. In each step, every node gives one unit to each of
/// its links that still need some. It goes around its links, beginning after the link that it
/// served last, until it has used up what it held before the step.
///
/// If a stretch of steps ends in the state in which it began, it repeats until a link is served or
/// a full node runs short. (The state: the same positions; the same holdings where a node was short
/// of units; more or fewer of them where it never was.) These repetitions are taken at once, so the
/// time to find the cost does not grow with the loads.
class rotation {
 public:
  rotation(std::span<const load_type> loads, const send_lists& lists)
      : lists_(lists),
        current_(loads.begin(), loads.end()),
        togo_(lists.links.size()),
        last_(loads.size(), 0),
        open_(loads.size(), 0) {
    for (std::size_t l = 0; l < togo_.size(); ++l) togo_[l] = lists.links[l].quanta;
    for (node_id k = 0; k < loads.size(); ++k) {
      open_[k] = static_cast<load_type>(lists.first_link[k + 1] - lists.first_link[k]);
      if (open_[k] > 0) {
        active_.push_back(k);
        last_[k] = lists.first_link[k + 1] - 1;
      }
    }
  }

  /// Counts the steps in `time`. Returns false if the rotation starves, or if it needs more than
  /// the allowed work.
  bool run(step_recorder& record, load_type& time, allowance& work) {
    time = 0;
    load_type window = 2;
    snapshot(window);
    while (!active_.empty()) {
      const bool closed = step(record, time);
      if (used_.empty() || !work.take(active_.size() + used_.size())) return false;
      time = saturating_add(time, 1);
      ++length_;
      if (closed) {
        std::erase_if(active_, [&](node_id k) { return open_[k] == 0; });
        window = 2;
        snapshot(window);
      } else if (!record.active()) {
        if (repeats()) {
          skip(time);
          snapshot(window);
        } else if (length_ >= window_) {
          window = saturating_add(window, window);
          snapshot(window);
        }
      }
    }
    return true;
  }

 private:
  bool step(step_recorder& record, load_type time) {
    used_.clear();
    bool closed = false;
    for (const node_id k : active_) {
      const load_type slack = current_[k] - open_[k];
      slack_[k] = std::min(slack_[k], slack);
      const std::size_t first = lists_.first_link[k];
      const std::size_t count = lists_.first_link[k + 1] - first;
      load_type units = current_[k];
      std::size_t link = last_[k];
      for (std::size_t i = 0; i < count && units > 0; ++i) {
        link = link + 1 == first + count ? first : link + 1;
        if (togo_[link] == 0) continue;
        --units;
        used_.push_back(static_cast<std::uint32_t>(link));
        last_[k] = link;
      }
    }
    record.add(time, lists_, used_, current_);
    for (const std::uint32_t l : used_) {
      const auto& link = lists_.links[l];
      --current_[link.from];
      ++current_[link.to];
      if (--togo_[l] == 0) {
        --open_[link.from];
        closed = true;
      }
    }
    return closed;
  }

  void snapshot(load_type window) {
    window_ = window;
    length_ = 0;
    old_current_ = current_;
    old_togo_ = togo_;
    old_last_ = last_;
    slack_.assign(current_.size(), unlimited);
  }

  [[nodiscard]] bool repeats() const {
    return std::all_of(active_.begin(), active_.end(), [&](node_id k) {
      return last_[k] == old_last_[k] && (slack_[k] >= 0 || current_[k] == old_current_[k]);
    });
  }

  void skip(load_type& time) {
    load_type times = unlimited / length_;
    for (const node_id k : active_) {
      const load_type change = current_[k] - old_current_[k];
      if (change < 0) times = std::min(times, slack_[k] / -change);
      for (std::size_t l = lists_.first_link[k]; l < lists_.first_link[k + 1]; ++l) {
        const load_type sent = old_togo_[l] - togo_[l];
        if (sent > 0) times = std::min(times, (togo_[l] - 1) / sent);
      }
    }
    if (times <= 0) return;
    // This concerns all nodes, not only active ones, because nodes that only receive change too.
    for (std::size_t k = 0; k < current_.size(); ++k) {
      current_[k] += times * (current_[k] - old_current_[k]);
    }
    for (std::size_t l = 0; l < togo_.size(); ++l) togo_[l] -= times * (old_togo_[l] - togo_[l]);
    time = saturating_add(time, times * length_);
  }

  const send_lists& lists_;
  std::vector<load_type> current_;
  std::vector<load_type> togo_;
  std::vector<std::size_t> last_;
  /// For each node, the number of links that still need units.
  std::vector<load_type> open_;
  std::vector<node_id> active_;
  std::vector<std::uint32_t> used_;

  load_type window_ = 0;
  load_type length_ = 0;
  std::vector<load_type> old_current_;
  std::vector<load_type> old_togo_;
  std::vector<std::size_t> old_last_;
  /// The smallest surplus over the open links since the snapshot; >= 0 if the node was never short
  /// of units.
  std::vector<load_type> slack_;
};

/// Sends unit by unit in phase order: a send may use a unit only if the node's earlier sends do not
/// need it any more. By induction over time, every unit leaves no later than with `overlapped`. The
/// earliest unfinished phase always has its units, so this cannot starve.
class in_order {
 public:
  in_order(std::span<const load_type> loads, const send_lists& lists)
      : lists_(lists),
        current_(loads.begin(), loads.end()),
        arriving_(loads.size(), 0),
        left_(lists.sends.size()),
        next_(lists.first_send.begin(), lists.first_send.end() - 1),
        busy_(lists.links.size(), 0) {
    for (std::size_t s = 0; s < left_.size(); ++s) left_[s] = lists.sends[s].quanta;
    for (node_id k = 0; k < loads.size(); ++k) {
      if (next_[k] < lists.first_send[k + 1]) active_.push_back(k);
    }
  }

  /// Returns the number of steps. It is too small if the steps need more than the allowed work.
  load_type run(step_recorder& record, allowance& work) {
    load_type time = 0;
    while (!active_.empty()) {
      choose();
      if (!work.take(active_.size() + chosen_.size())) return time;
      const load_type times = record.active() ? 1 : repetitions();
      if (record.active()) {
        links_.clear();
        for (const std::size_t s : chosen_) links_.push_back(lists_.sends[s].link);
        record.add(time, lists_, links_, current_);
      }
      for (const std::size_t s : chosen_) {
        current_[lists_.links[lists_.sends[s].link].from] -= times;
        current_[lists_.sends[s].to] += times;
        left_[s] -= times;
      }
      time = saturating_add(time, times);
      for (const node_id k : active_) {
        while (next_[k] < lists_.first_send[k + 1] && left_[next_[k]] == 0) ++next_[k];
      }
      std::erase_if(active_, [&](node_id k) { return next_[k] == lists_.first_send[k + 1]; });
    }
    return time;
  }

 private:
  /// Finds the sends that carry a unit in this step.
  void choose() {
    chosen_.clear();
    ++stamp_;
    for (const node_id k : active_) {
      load_type units = current_[k];
      for (std::size_t s = next_[k]; s < lists_.first_send[k + 1] && units > 0; ++s) {
        if (left_[s] > 0 && busy_[lists_.sends[s].link] != stamp_) {
          busy_[lists_.sends[s].link] = stamp_;
          chosen_.push_back(s);
        }
        units -= left_[s];
      }
    }
  }

  /// The number of steps for which the same sends will be chosen. Consider what is left of a node's
  /// units for send s after its earlier sends. In each step it changes by the arrivals minus the
  /// units that s and later sends take. The choice changes when that passes between 0 and 1, or
  /// when a send is complete.
  load_type repetitions() {
    load_type times = unlimited;
    for (const std::size_t s : chosen_) {
      times = std::min(times, left_[s]);
      ++arriving_[lists_.sends[s].to];
    }
    std::size_t c = 0;  // chosen_ lists the sends of active nodes in the same order
    for (const node_id k : active_) {
      const std::size_t end = lists_.first_send[k + 1];
      std::size_t stop = c;
      while (stop < chosen_.size() && chosen_[stop] < end && chosen_[stop] >= next_[k]) ++stop;
      load_type units = current_[k];
      for (std::size_t s = next_[k]; s < end; ++s) {
        if (left_[s] == 0) continue;
        const load_type change = arriving_[k] - static_cast<load_type>(stop - c);
        if (units >= 1 && change < 0) times = std::min(times, (units - 1) / -change + 1);
        if (units < 1) {
          if (change > 0) times = std::min(times, (change - units) / change);
          break;
        }
        if (c < stop && chosen_[c] == s) ++c;
        units -= left_[s];
      }
      c = stop;
    }
    for (const std::size_t s : chosen_) arriving_[lists_.sends[s].to] = 0;
    return times;
  }

  const send_lists& lists_;
  std::vector<load_type> current_;
  std::vector<load_type> arriving_;
  std::vector<load_type> left_;
  std::vector<std::size_t> next_;
  std::vector<std::uint64_t> busy_;
  std::uint64_t stamp_ = 0;
  std::vector<node_id> active_;
  std::vector<std::size_t> chosen_;
  std::vector<std::uint32_t> links_;
};

}  // namespace

load_type run_pipelined(std::span<const load_type> loads, const plan& planned, schedule* steps,
                        allowance& work) {
  const send_lists lists(loads.size(), planned);
  load_type busiest = 0;
  for (const auto& link : lists.links) busiest = std::max(busiest, link.quanta);
  load_type cost = 0;
  step_recorder ignore(loads.size(), nullptr);
  const bool through = rotation(loads, lists).run(ignore, cost, work);
  // The busiest link is a lower bound for every transmission, so no other one need be tried.
  const bool rotate =
      through && (cost == busiest || cost <= run_overlapped(loads, planned, nullptr));
  if (rotate && steps == nullptr) return cost;
  step_recorder record(loads.size(), steps);
  if (rotate) {
    rotation(loads, lists).run(record, cost, work);
    return cost;
  }
  return in_order(loads, lists).run(record, work);
}

}  // namespace evencube

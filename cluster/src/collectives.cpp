#include <algorithm>
#include <cstdint>
#include <evencube/version.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/this_task.hpp>

#include "cluster_engine.hpp"

namespace evencube::detail {
namespace {

/// The bytes of a message besides the known data: its kind, number, step and length.
constexpr std::uint64_t beside_what_is_known =
    sizeof(wire) + 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

/// The counts of a rank while ranks are being held.
struct held_counts {
  std::int64_t on_its_way = 0;  // sent, less received
  std::uint32_t rounds_begun = 0;
  std::uint32_t rounds_ended = 0;
};

std::string shown(const std::string& name) { return name.empty() ? "nothing" : "\"" + name + "\""; }

std::string shown(const balancer_options& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += (text.empty() ? "" : ", ") + name + "=" + value;
  }
  return text;
}

}  // namespace

std::vector<message_bytes> cluster_engine::gather(std::optional<message_bytes> own,
                                                  std::string name) {
  std::unique_lock lock(mutex_);
  const std::uint64_t call = begin_call(std::move(name));
  if (call > calls_taken_part_) throw_why(call, "in a collective call");
  calls_of_gatherings_[gather_number_] = call;
  to_gather_.emplace(gather_number_++, std::move(own));
  tell_progress();
  changed_.wait(lock, [&] { return gathered_.has_value() || cannot_end(call); });
  if (!gathered_) throw_why(call, "in a collective call");
  std::vector<message_bytes> all = std::move(*gathered_);
  gathered_.reset();
  // Thrown on all ranks alike, because all know the lengths.
  if (size_ > 1 && beside_what_is_known + gathered_bytes_ > most_bytes_) {
    throw std::length_error("cluster: what the ranks give in a collective call takes " +
                            std::to_string(beside_what_is_known + gathered_bytes_) +
                            " bytes together, and a message can have " +
                            std::to_string(most_bytes_) + " of them");
  }
  return all;
}

// Only calls are limited, because loads are short.
gathering& cluster_engine::gathering_of(gathered kind, std::uint32_t number) {
  const std::uint64_t most =
      kind == gathered::calls
          ? std::max<std::uint64_t>(most_bytes_, beside_what_is_known) - beside_what_is_known
          : std::numeric_limits<std::uint64_t>::max();
  return gatherings_.try_emplace({kind, number}, rank_, size_, most).first->second;
}

void cluster_engine::contribute(gathered kind, std::uint32_t number, message_bytes own) {
  gathering& into = gathering_of(kind, number);
  std::vector<gathering::outgoing> out;
  into.contribute(std::move(own), out);
  send_gathering(kind, number, out);
}

void cluster_engine::handle_gathering(gathered kind, byte_reader& in) {
  const auto number = in.get<std::uint32_t>();
  const auto step = in.get<std::uint32_t>();
  const auto known = in.block();
  if (kind == gathered::loads) joined_ = std::max(joined_, number);
  gathering& into = gathering_of(kind, number);
  std::vector<gathering::outgoing> out;
  into.receive(step, message_bytes(known.begin(), known.end()), out);
  send_gathering(kind, number, out);
}

void cluster_engine::send_gathering(gathered kind, std::uint32_t number,
                                    const std::vector<gathering::outgoing>& what) {
  std::optional<std::uint64_t> call;
  if (kind == gathered::calls) {
    const std::lock_guard lock(mutex_);
    if (const auto at = calls_of_gatherings_.find(number); at != calls_of_gatherings_.end()) {
      call = at->second;
    }
  }
  for (const auto& [to, step, known] : what) {
    byte_writer out;
    out.put(kind == gathered::loads ? wire::loads : wire::calls);
    out.put(number);
    out.put(std::uint32_t{step});
    out.block(known.data(), known.size());
    // First, so that nothing is taken for what it is not.
    if (call) post_call(to, *call);
    post(to, out);
  }
  const auto found = gatherings_.find({kind, number});
  if (!found->second.complete()) return;
  std::vector<message_bytes> all = found->second.all();
  const std::uint64_t bytes = found->second.bytes();
  gatherings_.erase(found);
  if (kind == gathered::loads) {
    plan_round(all);
    return;
  }
  const std::lock_guard lock(mutex_);
  calls_of_gatherings_.erase(number);
  gathered_ = std::move(all);
  gathered_bytes_ = bytes;
  changed_.notify_all();
}

// Compares what must be equal on all ranks, and collects the numbers of their workers.
void cluster_engine::check_registration() {
  byte_writer own;
  own.put(std::string(evencube::version));
  own.put(options_.balancer);
  own.put(shown(options_.balancer_options));
  own.put(options_.transmission);
  own.put(std::uint32_t{runtime_.workers()});
  own.put(static_cast<std::uint32_t>(types_.size()));
  for (const cluster_task_type& type : types_) {
    own.put(type.name);
    own.put(type.signature);
  }
  const std::vector<message_bytes> all = gather(own.take(), "the first group");

  struct said {
    std::string version, balancer, balancer_options, transmission;
    std::uint32_t workers = 0;
    std::vector<std::pair<std::string, std::string>> tasks;
  };
  const auto read = [&](unsigned rank) {
    byte_reader in(all[rank]);
    said found;
    found.version = in.text();
    found.balancer = in.text();
    found.balancer_options = in.text();
    found.transmission = in.text();
    found.workers = in.get<std::uint32_t>();
    found.tasks.resize(in.get<std::uint32_t>());
    for (auto& [name, signature] : found.tasks) {
      name = in.text();
      signature = in.text();
    }
    return found;
  };
  const auto differ = [](unsigned rank, const std::string& what, const std::string& there,
                         const std::string& here) {
    throw error("cluster: the ranks differ in " + what + ": rank " + std::to_string(rank) +
                " has " + there + ", rank 0 has " + here);
  };
  const said first = read(0);
  std::vector<double> workers;
  for (unsigned k = 0; k < size_; ++k) {
    const said other = read(k);
    workers.push_back(other.workers);
    if (other.version != first.version) {
      differ(k, "their EvenCube", other.version, first.version);
    }
    if (other.balancer != first.balancer) {
      differ(k, "cluster_options::balancer", shown(other.balancer), shown(first.balancer));
    }
    if (other.balancer_options != first.balancer_options) {
      differ(k, "cluster_options::balancer_options", shown(other.balancer_options),
             shown(first.balancer_options));
    }
    if (other.transmission != first.transmission) {
      differ(k, "cluster_options::transmission", shown(other.transmission),
             shown(first.transmission));
    }
    for (std::size_t t = 0; t < std::max(other.tasks.size(), first.tasks.size()); ++t) {
      static const std::pair<std::string, std::string> none;
      const auto& there = t < other.tasks.size() ? other.tasks[t] : none;
      const auto& here = t < first.tasks.size() ? first.tasks[t] : none;
      if (there.first != here.first) {
        differ(k, "task " + std::to_string(t) + " of those registered", shown(there.first),
               shown(here.first));
      }
      if (there.second != here.second) {
        differ(k, "the types of task " + shown(here.first), there.second, here.second);
      }
    }
  }
  const std::lock_guard lock(mutex_);
  workers_of_ = std::move(workers);
  tell_progress();
}

// Called by the progress thread, between two of its actions (H).
message_bytes cluster_engine::count_work() {
  held_counts own;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, group] : groups_) {
      for (const auto& [to, count] : group.counted) own.on_its_way += count;
    }
    own.rounds_begun = round_;
    own.rounds_ended = rounds_ended_;
  }
  byte_writer out;
  out.put(own);
  return out.take();
}

// Nothing begins, and running tasks end. Then the ranks exchange what they have sent and received,
// until everything has arrived, and until every round that any rank has begun has ended everywhere.
void cluster_engine::hold() {
  if (this_task::runtime() == &runtime_) throw error("cluster_hold within a task of the cluster");
  {
    std::unique_lock lock(mutex_);
    if (paused_) throw error("cluster_hold: this rank is held already");
    paused_ = true;
    const std::uint64_t next = calls_ + 1;
    look_for_stop();
    changed_.wait(lock, [this] { return runners_now_ == 0 || stopped_; });
    if (stopped_) {
      paused_ = false;
      give_up(next, "to be held");
    }
  }
  for (;;) {
    const std::vector<message_bytes> all = gather(std::nullopt, "cluster_hold");
    std::int64_t on_its_way = 0;
    std::uint32_t begun = 0;
    std::uint32_t ended = std::numeric_limits<std::uint32_t>::max();
    for (const message_bytes& one : all) {
      const auto said = byte_reader(one).get<held_counts>();
      on_its_way += said.on_its_way;
      begun = std::max(begun, said.rounds_begun);
      ended = std::min(ended, said.rounds_ended);
    }
    if (ended == begun && on_its_way == 0) return;
  }
}

// No rank goes on while another one still reads.
void cluster_engine::release() {
  static_cast<void>(gather(message_bytes{}, "the end of a cluster_hold"));
  std::unique_lock lock(mutex_);
  paused_ = false;
  begin_runners(lock);
  tell_progress();
}

std::vector<load_type> cluster_engine::held_loads() {
  byte_writer own;
  {
    const std::lock_guard lock(mutex_);
    own.put(pool_.quanta());
  }
  std::vector<load_type> loads;
  for (const message_bytes& one : gather(own.take(), "cluster_hold::loads"))
    loads.push_back(byte_reader(one).get<load_type>());
  return loads;
}

balancing_round cluster_engine::held_round() {
  if (steals_) throw error("cluster_hold::balance: random_stealing has no rounds");
  std::uint32_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    before = rounds_ended_;
  }
  // Not before all ranks know how many rounds there were.
  static_cast<void>(gather(message_bytes{}, "cluster_hold::balance"));
  {
    std::unique_lock lock(mutex_);
    const std::uint64_t call = begin_call("the round of cluster_hold::balance");
    round_wanted_ = rank_ == 0;
    tell_progress();
    changed_.wait(lock, [&] { return rounds_ended_ != before || cannot_end(call); });
    if (rounds_ended_ == before) throw_why(call, "in a round of balancing");
  }
  static_cast<void>(gather(message_bytes{}, "the end of cluster_hold::balance"));
  const std::lock_guard lock(mutex_);
  return last_round_;
}

}  // namespace evencube::detail

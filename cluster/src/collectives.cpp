#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <evencube/version.hpp>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/this_task.hpp>

#include "cluster_engine.hpp"
#include "program_id.hpp"

namespace evencube::detail {
namespace {

/// The bytes of a message besides the known data: its kind, number, direction and length.
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

/// FNV-1a, twice: from two different numbers on.
std::array<std::uint64_t, 2> hash_of(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 2> hash{0xcbf29ce484222325U, 0x84222325cbf29ce4U};
  for (const std::byte one : bytes) {
    for (std::uint64_t& each : hash) {
      each = (each ^ std::to_integer<std::uint64_t>(one)) * 0x100000001b3U;
    }
  }
  return hash;
}

/// Throws the error that names the first difference between what the ranks have registered.
[[noreturn]] void throw_difference(const std::vector<message_bytes>& all) {
  struct said {
    std::string version, program, balancer, balancer_options, transmission;
    std::vector<std::pair<std::string, std::string>> tasks;
  };
  const auto read = [&](std::size_t rank) {
    byte_reader in(all[rank]);
    said found;
    found.version = in.text();
    found.program = in.text();
    found.balancer = in.text();
    found.balancer_options = in.text();
    found.transmission = in.text();
    found.tasks.resize(in.get<std::uint32_t>());
    for (auto& [name, signature] : found.tasks) {
      name = in.text();
      signature = in.text();
    }
    return found;
  };
  const auto differ = [](std::size_t rank, const std::string& what, const std::string& there,
                         const std::string& here) {
    throw error("cluster: the ranks differ in " + what + ": rank " + std::to_string(rank) +
                " has " + there + ", rank 0 has " + here);
  };
  const said first = read(0);
  for (std::size_t k = 1; k < all.size(); ++k) {
    const said other = read(k);
    if (other.version != first.version) {
      differ(k, "their EvenCube", other.version, first.version);
    }
    if (other.program != first.program) {
      differ(k, "their program", "build id " + shown(other.program), shown(first.program));
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
  throw error("cluster: the ranks differ in what they have registered");
}

}  // namespace

std::vector<message_bytes> cluster_engine::gather(std::optional<message_bytes> own,
                                                  std::string name) {
  checked_lock lock(mutex_);
  const std::uint64_t call = begin_call(std::move(name));
  if (call > calls_taken_part_) throw_why(call, "in a collective call");
  calls_of_gatherings_[gather_number_] = call;
  to_gather_.emplace(gather_number_++, std::move(own));
  tell_progress();
  lock.wait(changed_,
            [&]() EVENCUBE_REQUIRES(mutex_) { return gathered_.has_value() || cannot_end(call); });
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

tree_gathering& cluster_engine::call_of(std::uint32_t number) {
  const std::uint64_t most =
      std::max<std::uint64_t>(most_bytes_, beside_what_is_known) - beside_what_is_known;
  return calls_gathered_.try_emplace(number, rank_, size_, most).first->second;
}

void cluster_engine::contribute_to_call(std::uint32_t number, message_bytes own) {
  own_call_ = number;
  own_call_began_ = clock::now();
  named_own_call_ = false;
  std::vector<tree_gathering::outgoing> out;
  call_of(number).contribute(std::move(own), out);
  send_call(number, out);
}

void cluster_engine::handle_call(byte_reader& in) {
  const auto number = in.get<std::uint32_t>();
  const bool down = in.get<std::uint32_t>() != 0;
  std::vector<tree_gathering::outgoing> out;
  call_of(number).receive(down, byte_reader(in.block()), out);
  send_call(number, out);
}

void cluster_engine::send_call(std::uint32_t number,
                               const std::vector<tree_gathering::outgoing>& what) {
  std::optional<std::uint64_t> call;
  {
    const checked_lock lock(mutex_);
    if (const auto at = calls_of_gatherings_.find(number); at != calls_of_gatherings_.end()) {
      call = at->second;
    }
  }
  for (const auto& [to, down, known] : what) {
    byte_writer out;
    out.put(wire::calls);
    out.put(number);
    out.put(static_cast<std::uint32_t>(down));
    out.block(known.data(), known.size());
    // First, so that nothing is taken for what it is not.
    if (call) post_call(to, *call);
    post(to, out);
  }
  const auto found = calls_gathered_.find(number);
  if (!found->second.complete()) return;
  std::vector<message_bytes> all = found->second.all();
  const std::uint64_t bytes = found->second.bytes();
  calls_gathered_.erase(found);
  own_call_.reset();
  const checked_lock lock(mutex_);
  calls_of_gatherings_.erase(number);
  gathered_ = std::move(all);
  gathered_bytes_ = bytes;
  changed_.notify_all();
}

// K in the page. A child that is in another call, such as a wait, hears nothing of a gathering
// before its end. So its parent names the call after a while.
bool cluster_engine::name_late_call() {
  if (!own_call_ || named_own_call_ || clock::now() - own_call_began_ < first_word) return false;
  named_own_call_ = true;
  std::uint64_t call = 0;
  {
    const checked_lock lock(mutex_);
    call = calls_of_gatherings_.at(*own_call_);
  }
  const std::vector<unsigned> late = call_of(*own_call_).waits_for();
  for (const unsigned child : late) post_call(child, call);
  return !late.empty();
}

// Compares what must be equal on all ranks, by a hash, and collects the numbers of their workers.
// If the hashes differ, the texts say where.
void cluster_engine::check_registration() {
  byte_writer text;
  text.put(std::string(evencube::version));
  text.put(program_id());
  text.put(options_.balancer);
  text.put(shown(options_.balancer_options));
  text.put(options_.transmission);
  text.put(static_cast<std::uint32_t>(types_.size()));
  for (const cluster_task_type& type : types_) {
    text.put(type.name);
    text.put(type.signature);
  }
  message_bytes texts = text.take();
  struct registration {
    std::array<std::uint64_t, 2> hash{};
    std::uint32_t workers = 0;
    std::uint32_t unused = 0;
  };
  byte_writer own;
  own.put(registration{.hash = hash_of(texts), .workers = runtime_.workers()});
  std::vector<double> workers;
  bool equal = true;
  std::array<std::uint64_t, 2> first_hash{};
  for (const message_bytes& one : gather(own.take(), "the first group")) {
    const auto said = byte_reader(one).get<registration>();
    if (workers.empty()) first_hash = said.hash;
    equal &= said.hash == first_hash;
    workers.push_back(said.workers);
  }
  if (!equal) throw_difference(gather(std::move(texts), "the first group, which differs"));
  const checked_lock lock(mutex_);
  workers_of_ = std::move(workers);
  tell_progress();
}

// Called by the progress thread, between two of its actions (H).
message_bytes cluster_engine::count_work() {
  held_counts own;
  {
    const checked_lock lock(mutex_);
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
    checked_lock lock(mutex_);
    if (paused_) throw error("cluster_hold: this rank is held already");
    paused_ = true;
    const std::uint64_t next = calls_ + 1;
    look_for_stop();
    lock.wait(changed_,
              [this]() EVENCUBE_REQUIRES(mutex_) { return runners_now_ == 0 || stopped_; });
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
  checked_lock lock(mutex_);
  paused_ = false;
  begin_runners();
  tell_progress();
}

std::vector<load_type> cluster_engine::held_loads() {
  byte_writer own;
  {
    const checked_lock lock(mutex_);
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
    const checked_lock lock(mutex_);
    before = rounds_ended_;
  }
  // Not before all ranks know how many rounds there were.
  static_cast<void>(gather(message_bytes{}, "cluster_hold::balance"));
  {
    checked_lock lock(mutex_);
    const std::uint64_t call = begin_call("the round of cluster_hold::balance");
    round_wanted_ = rank_ == 0;
    tell_progress();
    lock.wait(changed_, [&]() EVENCUBE_REQUIRES(mutex_) {
      return rounds_ended_ != before || cannot_end(call);
    });
    if (rounds_ended_ == before) throw_why(call, "in a round of balancing");
  }
  static_cast<void>(gather(message_bytes{}, "the end of cluster_hold::balance"));
  const checked_lock lock(mutex_);
  return last_round_;
}

}  // namespace evencube::detail

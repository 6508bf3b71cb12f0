// Lifelines and the detection of a group's end on 2^10 to 2^16 ranks, in virtual time: the shipped
// parts, driven by events. Prints one JSON object.
//
// A rank is one processor, which runs tasks, looks for messages between two of them, and while it
// has no task looks after each nap. It sends and takes each message in `--message-us`, and a
// message travels for `--latency-us` and its bytes for `--megabytes` a second. The work is an
// unbalanced tree of nodes that take a microsecond each. A node is one word: a hash and the level.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <queue>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "job_pool.hpp"
#include "lifelines.hpp"
#include "naps.hpp"
#include "termination.hpp"

namespace {

using namespace std::chrono_literals;
using evencube::load_type;
using evencube::detail::job;
using evencube::detail::job_pool;
using evencube::detail::lifelines;
using evencube::detail::message_bytes;
using evencube::detail::nap_lengths;
using evencube::detail::need;
using evencube::detail::termination;
using evencube::detail::termination_message;
using evencube::detail::work_on_its_way;
using virtual_time = std::chrono::nanoseconds;
using time_point = std::chrono::steady_clock::time_point;

struct settings {
  unsigned ranks = 1024;
  unsigned depth =
      14;  // of the tree; each level has 4 times the nodes of the one above, on average
  std::uint64_t seed = 19;
  std::uint64_t grain = 200;  // nodes of a task
  double latency_us = 5;
  double message_us = 1;
  double megabytes = 1000;  // per second
  unsigned slow = 0;        // ranks, spread evenly, that take 4 times as long for a node
};

// -- The tree -------------------------------------------------------------------------------------

constexpr unsigned slowness = 4;
constexpr unsigned level_bits = 8;
constexpr double mean_children = 4;

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// A tree whose nodes above the last level have a geometrically distributed number of children.
class tree {
 public:
  tree(unsigned depth, std::uint64_t seed) : depth_(depth), seed_(seed) {
    double more = 1;
    for (std::uint32_t& each : at_least_) {
      more *= mean_children / (mean_children + 1);
      each = static_cast<std::uint32_t>(std::ldexp(more, 32));
    }
  }
  [[nodiscard]] std::uint64_t root() const { return mixed(seed_) << level_bits; }

  /// Counts up to `most` nodes, depth first. Nodes that were reached and not counted stay in
  /// `part`.
  std::uint64_t count(std::vector<std::uint64_t>& part, std::uint64_t most) const {
    std::uint64_t counted = 0;
    while (!part.empty() && counted < most) {
      const std::uint64_t at = part.back();
      part.pop_back();
      ++counted;
      const std::uint64_t level = at & ((1U << level_bits) - 1);
      if (level == depth_) continue;
      const auto drawn = static_cast<std::uint32_t>(mixed(at) >> 32);
      for (std::uint64_t k = 0; k < at_least_.size() && drawn < at_least_[k]; ++k) {
        part.push_back((mixed(at + ((k + 1) << 56)) << level_bits) | (level + 1));
      }
    }
    return counted;
  }

 private:
  unsigned depth_;
  std::uint64_t seed_;
  std::array<std::uint32_t, 64> at_least_{};
};

message_bytes bytes_of(const std::vector<std::uint64_t>& nodes) {
  message_bytes bytes(nodes.size() * sizeof(std::uint64_t));
  std::memcpy(bytes.data(), nodes.data(), bytes.size());
  return bytes;
}

// -- The ranks ------------------------------------------------------------------------------------

enum class kind : std::uint8_t { question, refusal, tasks, termination };

struct message {
  unsigned from = 0;
  kind what = kind::question;
  need how = need::now;
  std::vector<job> jobs = {};
  termination_message said = {};
};

struct rank_state {
  rank_state(unsigned rank, unsigned ranks) : lines(rank, ranks), end(rank, ranks) {}

  lifelines lines;
  termination end;
  nap_lengths naps;
  job_pool pool;
  work_on_its_way counted;
  std::deque<message> came;
  std::optional<job> runs;
  std::optional<time_point> over;
};

class scene {
 public:
  explicit scene(const settings& s)
      : s_(s),
        work_(s.depth, s.seed),
        message_cost_(in_time(s.message_us)),
        latency_(in_time(s.latency_us)) {
    for (unsigned k = 0; k < s.ranks; ++k) ranks_.emplace_back(k, s.ranks);
    add_job(0, {work_.root()});
  }

  nlohmann::ordered_json run() {
    for (unsigned k = 0; k < s_.ranks; ++k) events_.push({time_point{}, next_++, k, std::nullopt});
    while (!events_.empty()) {
      const event now = events_.top();
      events_.pop();
      rank_state& at = ranks_[now.rank];
      if (now.came) {
        auto found = messages_.find(*now.came);
        at.came.push_back(std::move(found->second));
        messages_.erase(found);
      } else {
        turn(now.rank, now.when);
      }
    }
    return report();
  }

 private:
  struct event {
    time_point when;
    std::uint64_t number;  // events of the same time happen in the order in which they were made
    unsigned rank;
    std::optional<std::uint64_t> came;  // a message, or else the rank looks

    friend bool operator<(const event& a, const event& b) {
      return std::pair(a.when, a.number) > std::pair(b.when, b.number);
    }
  };

  static virtual_time in_time(double us) {
    return virtual_time(static_cast<std::int64_t>(std::llround(us * 1000)));
  }

  void add_job(unsigned rank, const std::vector<std::uint64_t>& nodes) {
    job one;
    one.cost = static_cast<std::uint32_t>(nodes.size());
    one.argument = bytes_of(nodes);
    ranks_[rank].pool.put(std::move(one));
  }

  /// Sends at `now`, which the processor of the sender is busy for.
  void send(unsigned to, message what, time_point& now) {
    now += message_cost_;
    std::size_t bytes = 64;
    for (const job& each : what.jobs) bytes += each.argument.size() + 64;
    bytes += 12 * what.said.counted.size();
    const auto index = static_cast<std::size_t>(what.what);
    ++sent_[index];
    bytes_[index] += bytes;
    const virtual_time way = latency_ + in_time(static_cast<double>(bytes) / s_.megabytes);
    const std::uint64_t number = next_++;
    messages_.emplace(number, std::move(what));
    events_.push({now + way, number, to, number});
  }

  bool give_half(unsigned from, unsigned to, need how, time_point& now) {
    rank_state& at = ranks_[from];
    // A rank without a task takes one itself before it gives any, and a busy one gets no last task.
    if (at.pool.movable() <= (at.runs && how == need::now ? 0U : 1U)) return false;
    message out{.from = from, .what = kind::tasks};
    out.jobs = at.pool.take_oldest(std::max((at.pool.quanta() + 1) / 2, at.pool.oldest_cost()));
    at.counted[to] += static_cast<std::int64_t>(out.jobs.size());
    moved_ += out.jobs.size();
    send(to, std::move(out), now);
    at.lines.gave(to);
    return true;
  }

  void take(unsigned rank, message one, time_point& now) {
    now += message_cost_;
    rank_state& at = ranks_[rank];
    switch (one.what) {
      case kind::question:
        if (give_half(rank, one.from, one.how, now)) break;
        at.lines.owe(one.from, one.how);
        send(one.from, {.from = rank, .what = kind::refusal}, now);
        break;
      case kind::refusal:
        at.lines.refused(one.from);
        break;
      case kind::tasks:
        at.counted[rank] -= static_cast<std::int64_t>(one.jobs.size());
        for (job& each : one.jobs) at.pool.put(std::move(each));
        at.lines.got_tasks(one.from);
        break;
      case kind::termination: {
        std::vector<termination::outgoing> out;
        at.end.receive(one.from, one.said, out);
        send_all(rank, out, now);
        break;
      }
    }
  }

  void send_all(unsigned from, std::vector<termination::outgoing>& out, time_point& now) {
    for (termination::outgoing& each : out) {
      send(each.to, {.from = from, .what = kind::termination, .said = std::move(each.what)}, now);
    }
  }

  /// What a rank does between two tasks, or after a nap.
  void turn(unsigned rank, time_point now) {
    rank_state& at = ranks_[rank];
    bool busy = false;
    if (at.runs) {
      end_task(rank);
      at.runs = at.pool.take_newest();
      busy = true;
    }
    while (!at.came.empty()) {
      message one = std::move(at.came.front());
      at.came.pop_front();
      take(rank, std::move(one), now);
      busy = true;
    }
    if (at.end.over()) {
      if (!at.over) at.over = now;
      return;
    }
    if (!at.runs) at.runs = at.pool.take_newest();
    while (const auto to = at.lines.first_creditor()) {
      if (!give_half(rank, to->rank, to->how, now)) break;
    }
    if (at.pool.movable() == 0) {
      const auto owed = at.lines.first_creditor();
      const need how = !at.runs || (owed && owed->how == need::now) ? need::now : need::soon;
      if (const std::optional<unsigned> other = at.lines.ask(how, now)) {
        send(*other, {.from = rank, .how = how}, now);
        busy = true;
      }
    }
    if (at.runs) return begin_task(rank, now);
    std::vector<termination::outgoing> out;
    std::erase_if(at.counted, [](const auto& each) { return each.second == 0; });
    at.end.passive(at.counted, out);
    send_all(rank, out, now);
    if (at.end.over()) {
      at.over = now;
      return;
    }
    if (busy || !out.empty()) at.naps.wake();
    const auto nap = at.naps.next(now, false, [] { return true; });
    events_.push({now + nap, next_++, rank, std::nullopt});
  }

  /// True for `s_.slow` ranks of all.
  [[nodiscard]] bool is_slow(unsigned rank) const {
    return std::uint64_t{rank + 1} * s_.slow / s_.ranks != std::uint64_t{rank} * s_.slow / s_.ranks;
  }

  void begin_task(unsigned rank, time_point now) {
    job& one = *ranks_[rank].runs;
    std::vector<std::uint64_t> nodes(one.argument.size() / sizeof(std::uint64_t));
    std::memcpy(nodes.data(), one.argument.data(), one.argument.size());
    const std::uint64_t counted = work_.count(nodes, s_.grain);
    nodes_ += counted;
    ++tasks_;
    one.argument = bytes_of(nodes);
    const virtual_time takes = std::chrono::microseconds(counted) * (is_slow(rank) ? slowness : 1);
    events_.push({now + takes, next_++, rank, std::nullopt});
  }

  /// The nodes that a task has reached and not counted are up to four tasks more.
  void end_task(unsigned rank) {
    rank_state& at = ranks_[rank];
    std::vector<std::uint64_t> nodes(at.runs->argument.size() / sizeof(std::uint64_t));
    std::memcpy(nodes.data(), at.runs->argument.data(), at.runs->argument.size());
    at.runs.reset();
    std::array<std::vector<std::uint64_t>, 4> parts;
    for (std::size_t i = 0; i < nodes.size(); ++i) parts[i % parts.size()].push_back(nodes[i]);
    for (const auto& part : parts) {
      if (!part.empty()) add_job(rank, part);
    }
  }

  [[nodiscard]] nlohmann::ordered_json report() const {
    time_point last{};
    for (const rank_state& each : ranks_) {
      if (!each.over) throw std::logic_error("a rank does not know that all is done");
      last = std::max(last, *each.over);
    }
    const double seconds = std::chrono::duration<double>(last - time_point{}).count();
    // How many nodes the ranks could count in that time, if they did nothing else.
    const double at_most =
        (s_.ranks - s_.slow + s_.slow / static_cast<double>(slowness)) * seconds * 1e6;
    const std::uint64_t control = sent_[0] + sent_[1] + sent_[3];
    const double per_rank = seconds * s_.ranks;
    return {{"ranks", s_.ranks},
            {"nodes", nodes_},
            {"tasks", tasks_},
            {"moved", moved_},
            {"seconds", seconds},
            {"efficiency", static_cast<double>(nodes_) / at_most},
            {"messages",
             {{"questions", sent_[0]},
              {"refusals", sent_[1]},
              {"tasks", sent_[2]},
              {"termination", sent_[3]}}},
            {"control messages per rank", static_cast<double>(control) / s_.ranks},
            {"control part of the links' time",
             2 * static_cast<double>(control) * s_.message_us * 1e-6 / per_rank},
            {"megabytes of tasks", static_cast<double>(bytes_[2]) / 1e6}};
  }

  const settings s_;
  const tree work_;
  const virtual_time message_cost_;
  const virtual_time latency_;
  std::vector<rank_state> ranks_;
  std::priority_queue<event> events_;
  std::map<std::uint64_t, message> messages_;  // on their way
  std::uint64_t next_ = 0;
  std::array<std::uint64_t, 4> sent_{};  // by kind
  std::array<std::uint64_t, 4> bytes_{};
  std::uint64_t nodes_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint64_t moved_ = 0;
};

settings settings_of(int argc, char** argv) {
  settings found;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* const value = argv[i + 1];
    const auto whole = [&] { return static_cast<unsigned>(std::stoul(value)); };
    if (name == "--ranks") {
      found.ranks = whole();
    } else if (name == "--depth") {
      found.depth = whole();
    } else if (name == "--seed") {
      found.seed = whole();
    } else if (name == "--grain") {
      found.grain = whole();
    } else if (name == "--latency-us") {
      found.latency_us = std::stod(value);
    } else if (name == "--message-us") {
      found.message_us = std::stod(value);
    } else if (name == "--megabytes") {
      found.megabytes = std::stod(value);
    } else if (name == "--slow") {
      found.slow = whole();
    } else {
      throw std::invalid_argument("unknown setting " + name);
    }
  }
  if (argc % 2 == 0) throw std::invalid_argument(std::string("no value for ") + argv[argc - 1]);
  if (found.ranks < 1 || found.slow > found.ranks || found.depth < 1 || found.depth > 60 ||
      found.grain < 1) {
    throw std::invalid_argument(
        "--ranks, --depth (at most 60) and --grain must be at least 1, --slow at most --ranks");
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::cout << scene(settings_of(argc, argv)).run().dump(2) << '\n';
  } catch (const std::exception& problem) {
    std::cerr << "cluster_scale: " << problem.what() << '\n';
    return 2;
  }
  return 0;
}

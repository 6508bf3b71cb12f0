#include "cluster_engine.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <stdexcept>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

namespace evencube::detail {
namespace {

constexpr std::chrono::microseconds shortest_nap{10};
constexpr std::chrono::microseconds usual_nap{1000};
constexpr std::chrono::microseconds longest_nap{10'000};
/// Of the time for which nothing has happened, longer naps than the usual are at most this part.
constexpr int part_of_idle_time = 64;

// Before anything is started: whatever is wrong is thrown here.
cluster_options checked(cluster_options options) {
  static_cast<void>(evencube::parse_transmission(options.transmission));
  if (!(options.message_seconds >= 0)) {
    throw std::invalid_argument("cluster_options::message_seconds is " +
                                std::to_string(options.message_seconds) +
                                ", allowed are 0 and more");
  }
  if (!(options.bytes_per_second > 0)) {
    throw std::invalid_argument("cluster_options::bytes_per_second is " +
                                std::to_string(options.bytes_per_second) +
                                ", allowed is more than 0");
  }
  if (!(options.quantum_seconds >= 0) || std::isinf(options.quantum_seconds)) {
    throw std::invalid_argument("cluster_options::quantum_seconds is " +
                                std::to_string(options.quantum_seconds) +
                                ", allowed are 0 and more, finite");
  }
  return options;
}

// In the others a phase begins when the one before has ended.
bool overlaps(transmission how) {
  return how == transmission::overlapped || how == transmission::pipelined;
}

std::unique_ptr<const balancer> balancer_of(const cluster_options& options) {
  if (options.balancer == "random_stealing") {
    if (options.balancer_options.empty()) return nullptr;
    throw std::invalid_argument("random_stealing has no option " +
                                options.balancer_options.begin()->first);
  }
  return evencube::make_balancer(options.balancer, options.balancer_options);
}

}  // namespace

cluster_engine::cluster_engine(std::unique_ptr<transport> over, cluster_options options)
    : options_(checked(std::move(options))),
      steals_(options_.balancer == "random_stealing"),
      rounds_(!steals_ && options_.balancer != "none"),
      overlaps_(overlaps(evencube::parse_transmission(options_.transmission))),
      balancer_(balancer_of(options_)),
      runtime_(options_.local),
      runners_(std::in_place, runtime_),
      transport_(std::move(over)) {
  std::promise<void> opened;
  auto is_open = opened.get_future();
  progress_thread_ = std::thread([this, opened = std::move(opened)]() mutable {
    try {
      transport_->open();
      rank_ = transport_->rank();
      size_ = transport_->size();
      most_bytes_ = transport_->most_bytes();
      random_.seed(rank_);
      opened.set_value();
    } catch (...) {
      opened.set_exception(std::current_exception());
      return;
    }
    progress();
  });
  try {
    is_open.get();
  } catch (...) {
    progress_thread_.join();
    throw;
  }
  try {
    check_options();
  } catch (...) {
    leave();
    throw;
  }
}

cluster_engine::~cluster_engine() { leave(); }

// Whether the balancer can serve so many ranks is known only now, and to all ranks alike.
void cluster_engine::check_options() const {
  if (balancer_ == nullptr) return;
  const std::vector<load_type> none(size_, 0);
  plan empty;
  balancer_->make_plan({.graph = topology::cube(size_), .loads = none}, empty);
}

cluster_statistics cluster_engine::stats() {
  const std::lock_guard lock(mutex_);
  return stats_;
}

// Also of a rank whose constructor throws.
void cluster_engine::leave() {
  {
    std::unique_lock lock(mutex_);
    paused_ = true;
    pool_.clear();
    leaving_ = true;
    news_ = true;
    transport_->interrupt();
  }
  progress_thread_.join();
  try {
    runners_->wait();
  } catch (...) {
    // Runners throw nothing; spawning one may have.
  }
}

void cluster_engine::progress() {
  try {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        news_ = false;
      }
      bool busy = handle_messages();
      busy |= advance_groups();
      busy |= steals_ ? advance_stealing() : advance_rounds();
      busy |= flush();
      if (left_all()) break;
      if (busy) {
        nap_ = {};
        continue;
      }
      take_longer_naps();
      {
        const std::lock_guard lock(mutex_);
        if (news_) continue;
        resting_ = true;
      }
      transport_->rest(nap_);
      const std::lock_guard lock(mutex_);
      resting_ = false;
    }
    transport_->close();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    broken_ = std::current_exception();
    changed_.notify_all();
    for (auto& [number, group] : groups_) group.changed.notify_all();
  }
}

// N: twice as long each time, up to the usual, and beyond that as idleness lasts.
void cluster_engine::take_longer_naps() {
  const auto now = clock::now();
  if (nap_ == nap_.zero()) idle_since_ = now;
  const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(now - idle_since_);
  nap_ = std::clamp(2 * nap_, shortest_nap,
                    std::clamp(idle / part_of_idle_time, usual_nap, longest_nap));
}

bool cluster_engine::handle_messages() {
  transport::message message;
  bool any = false;
  while (transport_->poll(message)) {
    any = true;
    handle(message);
  }
  return any;
}

void cluster_engine::handle(transport::message& message) {
  byte_reader in(message.bytes);
  switch (in.get<wire>()) {
    case wire::tasks:
      handle_tasks(message.from, in);
      break;
    case wire::results:
      handle_results(in);
      break;
    case wire::failure: {
      const auto group = in.get<std::uint32_t>();
      const std::lock_guard lock(mutex_);
      group_state& state = groups_[group];
      ++state.received;
      task_failure told = task_failure::read(in);
      if (!state.failure) state.failure = std::move(told);
      break;
    }
    case wire::termination:
      handle_termination(in, false);
      break;
    case wire::over:
      handle_termination(in, true);
      break;
    case wire::gathering:
      handle_gathering(in);
      break;
    case wire::ask:
      hungry_ |= in.get<bool>();
      rich_ |= in.get<bool>();
      pause_ = {};
      break;
    case wire::round:
      join_round(in.get<std::uint32_t>());
      break;
    case wire::steal:
      handle_steal(message.from);
      break;
    case wire::leave: {
      const std::lock_guard lock(mutex_);
      left_[message.from] = in.get<std::uint64_t>();
      changed_.notify_all();
      for (auto& [number, group] : groups_) group.changed.notify_all();
      break;
    }
    default:
      throw error("cluster: a message of another program");
  }
}

// What a rank says last is that it leaves: so who has heard that of all the others will hear
// nothing more, and nothing is on its way to it.
void cluster_engine::post(unsigned to, byte_writer& message) {
  if (said_leave_) return;
  {
    const std::lock_guard lock(mutex_);
    ++stats_.messages_sent;
    stats_.bytes_sent += message.size();
  }
  transport_->send(to, message.take());
}

// Under the mutex.
void cluster_engine::tell_progress() noexcept {
  news_ = true;
  if (!resting_) return;
  resting_ = false;
  transport_->interrupt();
}

bool cluster_engine::flush() {
  std::vector<outgoing_result> results;
  std::vector<outgoing_task> tasks;
  std::vector<std::pair<std::uint32_t, task_failure>> failures;
  std::optional<std::pair<std::uint32_t, std::optional<message_bytes>>> said;
  {
    const std::lock_guard lock(mutex_);
    results.swap(results_out_);
    tasks.swap(tasks_out_);
    failures.swap(failures_out_);
    said.swap(to_gather_);
  }
  const bool any = !results.empty() || !tasks.empty() || !failures.empty() || said;
  send_results(std::move(results));
  // Stable: what one rank sends another keeps its order.
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const auto& a, const auto& b) { return a.to < b.to; });
  for (std::size_t i = 0; i < tasks.size();) {
    const std::uint32_t to = tasks[i].to;
    std::vector<job> together;
    for (; i < tasks.size() && tasks[i].to == to; ++i) together.push_back(std::move(tasks[i].what));
    send_tasks(to, std::move(together), 0, 0, false);
  }
  for (const auto& [group, failure] : failures) {
    byte_writer out;
    out.put(wire::failure);
    out.put(group);
    failure.write(out);
    post(0, out);
  }
  if (said) {
    contribute(gathered::calls, said->first,
               said->second ? std::move(*said->second) : count_work());
  }
  return any;
}

bool cluster_engine::left_all() {
  std::unique_lock lock(mutex_);
  if (!leaving_) return false;
  if (!said_leave_) {
    const std::uint64_t calls = calls_;
    lock.unlock();
    for (unsigned k = 0; k < size_; ++k) {
      if (k == rank_) continue;
      byte_writer out;
      out.put(wire::leave);
      out.put(calls);
      post(k, out);
    }
    said_leave_ = true;
    lock.lock();
  }
  return left_.size() + 1 == size_;
}

}  // namespace evencube::detail

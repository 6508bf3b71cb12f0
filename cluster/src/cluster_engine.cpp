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
/// While a worker has nothing to do, its processor is free to look for messages.
constexpr std::chrono::microseconds nap_without_work{50};
constexpr std::chrono::milliseconds short_idleness{5};
/// The receiver of a long message waits for its sender.
constexpr std::chrono::microseconds nap_while_sending{20};
constexpr std::chrono::microseconds usual_nap{1000};
constexpr std::chrono::microseconds longest_nap{10'000};
/// A worker looks for messages between two tasks if no worker has done so for this long.
constexpr std::chrono::microseconds between_looks{100};
/// If one message brings the next, a worker leaves them to the progress thread after this many
/// turns.
constexpr int most_turns = 8;
/// Naps longer than the usual ones are at most this part of the time for which nothing has
/// happened.
constexpr int part_of_idle_time = 64;

// Called before anything is started, so that every error in the options is thrown here.
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
  if (!(options.result_seconds >= 0) || std::isinf(options.result_seconds)) {
    throw std::invalid_argument("cluster_options::result_seconds is " +
                                std::to_string(options.result_seconds) +
                                ", allowed are 0 and more, finite");
  }
  if (options.window_bytes < 1) {
    throw std::invalid_argument("cluster_options::window_bytes is 0, allowed are 1 and more");
  }
  return options;
}

// With the other transmissions, a phase begins when the previous one has ended.
bool overlaps(transmission how) {
  return how == transmission::overlapped || how == transmission::pipelined;
}

std::uint64_t* counter_of(cluster_statistics& in, wire what) {
  switch (what) {
    case wire::tasks:
    case wire::taken:
      return &in.task_messages;
    case wire::results:
      return &in.result_messages;
    case wire::loads:
    case wire::round:
    case wire::steal:
    case wire::refusal:
      return &in.balancing_messages;
    case wire::termination:
    case wire::over:
    case wire::failure:
      return &in.termination_messages;
    default:
      return nullptr;
  }
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
      transport_(std::move(over)),
      window_(options_.window_bytes) {
  std::promise<void> opened;
  auto is_open = opened.get_future();
  progress_thread_ = std::thread([this, opened = std::move(opened)]() mutable {
    try {
      const checked_lock turn(turn_);
      transport_->open();
      rank_ = transport_->rank();
      size_ = transport_->size();
      most_bytes_ = transport_->most_bytes();
      workers_look_ = size_ > 1 && transport_->any_thread_may_call();
      thief_.emplace(rank_, size_);
      departure_.emplace(rank_, size_);
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

// Only now is it known whether the balancer supports this many ranks, and all ranks know it alike.
void cluster_engine::check_options() const {
  if (balancer_ == nullptr) return;
  const std::vector<load_type> none(size_, 0);
  plan empty;
  balancer_->make_plan({.graph = topology::cube(size_), .loads = none}, empty);
}

cluster_statistics cluster_engine::stats() {
  const checked_lock lock(mutex_);
  return stats_;
}

// Also called for a rank whose constructor throws.
void cluster_engine::leave() {
  {
    checked_lock lock(mutex_);
    paused_ = true;
    pool_.clear();
    leaving_ = true;
    news_ = true;
    room_.notify_all();
    transport_->interrupt();
  }
  progress_thread_.join();
  try {
    runners_->wait();
  } catch (...) {
    // Runners throw nothing, but spawning one may have thrown.
  }
}

void cluster_engine::progress() {
  try {
    for (;;) {
      std::chrono::microseconds nap{0};
      {
        const checked_lock turn(turn_);
        if (turns_over_) return;  // by an error of a worker
        const bool busy = take_turn();
        const bool left = advance_leaving();
        send_outbox();
        if (left) {
          turns_over_ = true;
          break;
        }
        if (busy) continue;
        take_longer_naps();
        nap = nap_;
      }
      {
        const checked_lock lock(mutex_);
        if (news_) continue;
        resting_ = true;
      }
      transport_->rest(nap);
      const checked_lock lock(mutex_);
      resting_ = false;
    }
    transport_->close();
  } catch (...) {
    const checked_lock turn(turn_);
    end_turns(std::current_exception());
  }
}

// Called by the thread that has the turn. Returns true if anything happened, because more may then.
bool cluster_engine::take_turn() {
  {
    checked_lock lock(mutex_);
    news_ = false;
    throw_mismatch();
    look_for_stop();
    begin_runners();
  }
  bool busy = handle_messages();
  busy |= advance_groups();
  busy |= steals_ ? advance_stealing() : advance_rounds();
  busy |= flush();
  busy |= name_late_call();
  count_with_messages();
  send_outbox();
  if (busy) nap_ = {};
  return busy;
}

bool cluster_engine::look_is_due() const noexcept {
  const clock::time_point looked(clock::duration(looked_.load(std::memory_order_relaxed)));
  return clock::now() - looked >= between_looks;
}

// Called by a worker, which need not be woken, has a processor, and sees at once that its rank runs
// short. The progress thread, which sleeps, is for tasks that take long and for ranks without work.
void cluster_engine::look_between_tasks() {
  if (!turn_.try_lock()) return;
  const checked_lock turn(turn_, std::adopt_lock);
  if (turns_over_) return;
  looked_.store(clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  try {
    int turns = 0;
    while (take_turn() && turns < most_turns) ++turns;
    if (turns < most_turns && !transport_->sending()) return;
    const checked_lock lock(mutex_);
    tell_progress();
  } catch (...) {
    end_turns(std::current_exception());
  }
}

// Called by the thread that has the last turn. Without a word from this rank, the others would wait
// for it for ever.
void cluster_engine::end_turns(std::exception_ptr why) noexcept {
  turns_over_ = true;
  if (!heard_of_failure_) tell_failure(why);
  const checked_lock lock(mutex_);
  broken_ = std::move(why);
  tell_progress();
  room_.notify_all();
  changed_.notify_all();
  for (auto& [number, group] : groups_) group.changed.notify_all();
}

void cluster_engine::tell_failure(const std::exception_ptr& why) noexcept {
  std::string text = "an exception of an unknown type";
  try {
    std::rethrow_exception(why);
  } catch (const std::exception& problem) {
    text = problem.what();
  } catch (...) {
  }
  for (unsigned k = 0; k < size_; ++k) {
    if (k == rank_) continue;
    try {
      byte_writer out;
      out.put(wire::failed);
      out.put(text);
      transport_->send(k, out.take());
    } catch (...) {
      // `fail` is left.
    }
  }
  transport_->fail("cluster: rank " + std::to_string(rank_) + " of " + std::to_string(size_) +
                   " cannot go on: " + text);
}

// A stop sends no notification, and tasks that run then go on to their end. After that nothing runs
// here any more.
void cluster_engine::look_for_stop() {
  if (stopped_ || running_ > 0 || !runtime_.stopped()) return;
  stopped_ = true;
  changed_.notify_all();
  for (auto& [number, group] : groups_) group.changed.notify_all();
}

// N: each nap is twice as long as the one before, up to the usual length. Beyond that it grows with
// the idle time.
void cluster_engine::take_longer_naps() {
  const auto now = clock::now();
  if (nap_ == nap_.zero()) idle_since_ = now;
  if (transport_->sending()) {
    nap_ = std::clamp(2 * nap_, shortest_nap, nap_while_sending);
    return;
  }
  const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(now - idle_since_);
  auto longest = std::clamp(idle / part_of_idle_time, usual_nap, longest_nap);
  if (idle < short_idleness) {
    const checked_lock lock(mutex_);
    if (running_ < runtime_.workers() && !groups_.empty()) longest = nap_without_work;
  }
  nap_ = std::clamp(2 * nap_, shortest_nap, longest);
}

bool cluster_engine::handle_messages() {
  transport::message message;
  std::vector<std::span<const std::byte>> parts;
  bool any = false;
  while (transport_->poll(message)) {
    any = true;
    parts.clear();
    for_each_part(message.bytes, [&](std::span<const std::byte> each) { parts.push_back(each); });
    for (const std::span<const std::byte> each : parts) {
      if (byte_reader(each).get<wire>() != wire::leave) ++received_;
      handle(message.from, byte_reader(each));
    }
  }
  return any;
}

void cluster_engine::handle(unsigned from, byte_reader in) {
  switch (in.get<wire>()) {
    case wire::tasks:
      handle_tasks(from, in);
      break;
    case wire::results:
      handle_results(in);
      break;
    case wire::receipt: {
      byte_writer out;
      out.put(wire::taken);
      out.put(in.get<std::uint64_t>());
      post(from, out);
      break;
    }
    case wire::taken: {
      const checked_lock lock(mutex_);
      window_.taken(from, in.get<std::uint64_t>());
      room_.notify_all();
      break;
    }
    case wire::failure: {
      const auto group = in.get<std::uint32_t>();
      const checked_lock lock(mutex_);
      group_state& state = groups_[group];
      --state.counted[rank_];
      task_failure told = task_failure::read(in);
      if (!state.failure) state.failure = std::move(told);
      break;
    }
    case wire::termination:
      handle_termination(from, in, false);
      break;
    case wire::over:
      handle_termination(from, in, true);
      break;
    case wire::loads:
      handle_loads(in);
      break;
    case wire::calls:
      handle_call(in);
      break;
    case wire::round:
      joined_ = std::max(joined_, in.get<std::uint32_t>());
      break;
    case wire::steal:
      handle_steal(from);
      break;
    case wire::refusal:
      thief_->refused(from);
      break;
    case wire::call:
      hear_of_call(from, in);
      break;
    case wire::leave:
      handle_leave(in);
      break;
    case wire::failed:
      heard_of_failure_ = true;
      throw error("cluster: rank " + std::to_string(from) + " cannot go on: " + in.text());
    default:
      throw error("cluster: a message of another program");
  }
}

// V in the page. A rank that has said how many messages it has sent sends no more of them.
void cluster_engine::post(unsigned to, byte_writer& message) {
  if (departure_->is_silent()) return;
  ++sent_[to];
  outbox_.put(to, message.take());
}

// Results that wait go along with any message to their home.
void cluster_engine::send_outbox() {
  for (const unsigned to : outbox_.ranks()) {
    std::vector<outgoing_result> riding;
    {
      const checked_lock lock(mutex_);
      riding = results_out_.take(to);
    }
    send_results(to, std::move(riding));
  }
  outbox_.send_all(most_bytes_, [this](unsigned to, message_bytes bytes, wire first) {
    {
      const checked_lock lock(mutex_);
      ++stats_.messages_sent;
      stats_.bytes_sent += bytes.size();
      if (std::uint64_t* const kind = counter_of(stats_, first)) ++*kind;
    }
    transport_->send(to, std::move(bytes));
  });
}

void cluster_engine::tell_progress() noexcept {
  news_ = true;
  if (!resting_) return;
  resting_ = false;
  transport_->interrupt();
}

bool cluster_engine::results_are_due() const {
  if (results_out_.empty()) return false;
  if (results_due_ || paused_ || leaving_ || results_out_.bytes() >= usual_message) return true;
  if (running_ == 0 && pool_.size() == 0) return true;
  const std::chrono::duration<double> waited = clock::now() - results_out_.oldest();
  return waited.count() >= options_.result_seconds;
}

bool cluster_engine::flush() {
  std::map<unsigned, std::vector<outgoing_result>> results;
  std::vector<outgoing_task> tasks;
  std::map<unsigned, std::uint64_t> receipts;
  std::vector<std::pair<std::uint32_t, task_failure>> failures;
  std::optional<std::pair<std::uint32_t, std::optional<message_bytes>>> said;
  {
    const checked_lock lock(mutex_);
    if (results_are_due()) results = results_out_.take_all();
    results_due_ = false;
    tasks.swap(tasks_out_);
    for (const outgoing_task& one : tasks) {
      if (const std::uint64_t bytes = window_.ask(one.to)) receipts.emplace(one.to, bytes);
    }
    failures.swap(failures_out_);
    said.swap(to_gather_);
  }
  const bool any = !results.empty() || !tasks.empty() || !failures.empty() || said;
  for (auto& [to, all] : results) send_results(to, std::move(all));
  // Stable, so that the messages of one rank to another keep their order.
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const auto& a, const auto& b) { return a.to < b.to; });
  for (std::size_t i = 0; i < tasks.size();) {
    const std::uint32_t to = tasks[i].to;
    std::vector<job> together;
    for (; i < tasks.size() && tasks[i].to == to; ++i) together.push_back(std::move(tasks[i].what));
    send_tasks(to, std::move(together), 0, 0, false);
  }
  // After the tasks, so that the receipt says that they have come.
  for (const auto& [to, bytes] : receipts) {
    byte_writer out;
    out.put(wire::receipt);
    out.put(bytes);
    post(to, out);
  }
  for (const auto& [group, failure] : failures) {
    byte_writer out;
    out.put(wire::failure);
    out.put(group);
    failure.write(out);
    post(0, out);
  }
  if (said) {
    contribute_to_call(said->first, said->second ? std::move(*said->second) : count_work());
  }
  return any;
}

// V in the page. Returns true if this rank can close its connection.
bool cluster_engine::advance_leaving() {
  bool urgent = false;
  {
    const checked_lock lock(mutex_);
    if (leaving_ && !departure_->leaves()) departure_->leave(std::min(calls_, calls_taken_part_));
    urgent = std::exchange(leavers_matter_, false);
  }
  std::vector<departure::outgoing> out;
  departure_->advance(sent_, out);
  if (!departure_->has_news()) {
    news_of_leavers_since_.reset();
  } else {
    const auto now = clock::now();
    if (!news_of_leavers_since_) news_of_leavers_since_ = now;
    if (urgent || now - *news_of_leavers_since_ >= news_of_leavers_wait_) {
      departure_->tell_news(out);
      news_of_leavers_since_.reset();
      news_of_leavers_wait_ *= 2;
    }
  }
  send_leaves(out);
  return departure_->is_over(received_);
}

void cluster_engine::handle_leave(byte_reader& in) {
  const auto said = departure::message::read(in);
  {
    const checked_lock lock(mutex_);
    for (const auto& [rank, calls] : said.leavers) left_[rank] = calls;
    room_.notify_all();
    changed_.notify_all();
    for (auto& [number, group] : groups_) group.changed.notify_all();
  }
  std::vector<departure::outgoing> out;
  departure_->receive(said, out);
  send_leaves(out);
}

void cluster_engine::send_leaves(const std::vector<departure::outgoing>& what) {
  for (const auto& [to, message] : what) {
    byte_writer out;
    out.put(wire::leave);
    message.write(out);
    outbox_.put(to, out.take());
  }
}

}  // namespace evencube::detail

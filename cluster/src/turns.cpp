#include "turns.hpp"

#include <chrono>
#include <evencube/error.hpp>
#include <future>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "outbox.hpp"
#include "wire.hpp"

namespace evencube::detail {
namespace {

/// If one message brings the next, a worker leaves them to the progress thread after this many
/// turns.
constexpr int most_turns = 8;

}  // namespace

void rank_turns::begin() {
  std::promise<void> opened;
  auto is_open = opened.get_future();
  progress_thread_ = std::thread([this, opened = std::move(opened)]() mutable {
    try {
      const turn_lock turn(core_.turn);
      open();
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
}

void rank_turns::open() {
  core_.over->open();
  core_.rank = core_.over->rank();
  core_.size = core_.over->size();
  core_.most_bytes = core_.over->most_bytes();
  if (core_.size > 1 && core_.over->any_thread_may_call()) of_.work.looks().allow();
  of_.balancing.open();
  of_.leaving.open();
}

void rank_turns::progress() {
  try {
    for (;;) {
      std::chrono::microseconds nap{0};
      {
        const turn_lock turn(core_.turn);
        if (over_) return;  // by an error of a worker
        const bool busy = take();
        const bool left = of_.leaving.advance();
        send();
        if (left) {
          over_ = true;
          break;
        }
        if (busy) continue;
        nap = naps_.next(nap_lengths::clock::now(), core_.over->sending(), [this] {
          const data_lock lock(core_.mutex);
          return of_.work.crew().running < core_.runtime.workers() && !of_.work.groups().empty();
        });
      }
      {
        const data_lock lock(core_.mutex);
        if (!core_.bell.begin_rest()) continue;
      }
      core_.over->rest(nap);
      const data_lock lock(core_.mutex);
      core_.bell.end_rest();
    }
    core_.over->close();
  } catch (...) {
    const turn_lock turn(core_.turn);
    end(std::current_exception());
  }
}

// One turn. Returns true if anything happened, because more may then.
bool rank_turns::take() {
  {
    const data_lock lock(core_.mutex);
    core_.bell.heard();
    of_.calls.throw_mismatch();
    if (of_.work.crew().broke) std::rethrow_exception(of_.work.crew().broke);
    of_.work.look_for_stop();
    of_.work.begin_runners();
  }
  bool busy = handle_messages();
  busy |= of_.waits.advance();
  busy |= of_.balancing.advance();
  busy |= of_.work.flush();
  busy |= of_.gatherings.flush();
  busy |= of_.gatherings.name_late_call();
  of_.waits.count_with_messages();
  send();
  if (busy) naps_.wake();
  return busy;
}

// A worker need not be woken, has a processor, and sees at once that its rank runs short. The
// progress thread, which sleeps, is for tasks that take long and for ranks without work.
void rank_turns::look_between_tasks() {
  if (!core_.turn.try_lock()) return;
  const turn_lock turn(core_.turn, std::adopt_lock);
  if (over_) return;
  of_.work.looks().begin();
  try {
    int turns = 0;
    while (take() && turns < most_turns) ++turns;
    if (turns < most_turns && !core_.over->sending()) return;
    const data_lock lock(core_.mutex);
    core_.tell_progress();
  } catch (...) {
    end(std::current_exception());
  }
}

// Called by the thread that has the last turn. Without a word from this rank, the others would wait
// for it for ever.
void rank_turns::end(std::exception_ptr why) noexcept {
  over_ = true;
  if (!heard_of_failure_) tell_failure(why);
  const data_lock lock(core_.mutex);
  core_.broken = std::move(why);
  core_.tell_progress();
  of_.work.notify_all();
}

void rank_turns::tell_failure(const std::exception_ptr& why) noexcept {
  std::string text = "an exception of an unknown type";
  try {
    std::rethrow_exception(why);
  } catch (const std::exception& problem) {
    text = problem.what();
  } catch (...) {
  }
  for (unsigned k = 0; k < core_.size; ++k) {
    if (k == core_.rank) continue;
    try {
      byte_writer out;
      out.put(wire::failed);
      out.put(text);
      core_.over->send(k, out.take());
    } catch (...) {
      // `fail` is left.
    }
  }
  core_.over->fail("cluster: rank " + std::to_string(core_.rank) + " of " +
                   std::to_string(core_.size) + " cannot go on: " + text);
}

bool rank_turns::handle_messages() {
  transport::message message;
  std::vector<std::span<const std::byte>> parts;
  bool any = false;
  while (core_.over->poll(message)) {
    any = true;
    parts.clear();
    for_each_part(message.bytes, [&](std::span<const std::byte> each) { parts.push_back(each); });
    for (const std::span<const std::byte> each : parts) {
      if (byte_reader(each).get<wire>() != wire::leave) of_.post.count_received();
      handle(message.from, byte_reader(each));
    }
  }
  return any;
}

void rank_turns::handle(unsigned from, byte_reader in) {
  const auto what = in.get<wire>();
  switch (what) {
    case wire::tasks: {
      byte_reader of_balancing = in;
      of_.work.handle_tasks(in);
      of_.balancing.handle(what, from, of_balancing);
      break;
    }
    case wire::results:
      of_.work.handle_results(in);
      break;
    case wire::receipt:
      of_.work.handle_receipt(from, in);
      break;
    case wire::taken:
      of_.work.handle_taken(from, in);
      break;
    case wire::failure:
      of_.work.handle_failure(in);
      break;
    case wire::termination:
      of_.waits.handle(from, in, false);
      break;
    case wire::over:
      of_.waits.handle(from, in, true);
      break;
    case wire::loads:
    case wire::round:
    case wire::steal:
    case wire::refusal:
      of_.balancing.handle(what, from, in);
      break;
    case wire::calls:
      of_.gatherings.handle(in);
      break;
    case wire::call:
      of_.calls.handle(from, in);
      break;
    case wire::leave:
      of_.leaving.handle(in);
      break;
    case wire::failed:
      heard_of_failure_ = true;
      throw error("cluster: rank " + std::to_string(from) + " cannot go on: " + in.text());
    default:
      throw error("cluster: a message of another program");
  }
}

// Results that wait go along with any message to their home.
void rank_turns::send() {
  of_.work.let_results_ride();
  of_.post.send_all();
}

}  // namespace evencube::detail

#include "gatherings.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "wire.hpp"

namespace evencube::detail {
namespace {

/// The bytes of a message besides the known data: its kind, number, direction and length.
constexpr std::uint64_t beside_what_is_known =
    sizeof(wire) + 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

}  // namespace

std::vector<message_bytes> call_gatherings::gather(std::optional<message_bytes> own,
                                                   std::string name) {
  data_lock lock(core_.mutex);
  const std::uint64_t call = calls_.begin(std::move(name));
  calls_.throw_if_left(call, "in a collective call");
  calls_of_[next_] = call;
  asked_ = request{next_++, std::move(own)};
  core_.tell_progress();
  lock.wait(core_.changed, [&]() EVENCUBE_REQUIRES(shared_data) {
    return answer_.has_value() || calls_.cannot_end(call);
  });
  if (!answer_) calls_.throw_why(call, "in a collective call");
  answer got = std::move(*answer_);
  answer_.reset();
  // Thrown on all ranks alike, because all know the lengths.
  if (core_.size > 1 && beside_what_is_known + got.bytes > core_.most_bytes) {
    throw std::length_error("cluster: what the ranks give in a collective call takes " +
                            std::to_string(beside_what_is_known + got.bytes) +
                            " bytes together, and a message can have " +
                            std::to_string(core_.most_bytes) + " of them");
  }
  return std::move(got.all);
}

tree_gathering& call_gatherings::at(std::uint32_t number) {
  const std::uint64_t most =
      std::max<std::uint64_t>(core_.most_bytes, beside_what_is_known) - beside_what_is_known;
  return under_way_.try_emplace(number, core_.rank, core_.size, most).first->second;
}

bool call_gatherings::flush() {
  std::optional<request> asked;
  {
    const data_lock lock(core_.mutex);
    asked.swap(asked_);
  }
  if (!asked) return false;
  own_ = own_part{asked->number, clock::now()};
  std::vector<tree_gathering::outgoing> out;
  at(asked->number).contribute(asked->own ? std::move(*asked->own) : count_(), out);
  send(asked->number, out);
  return true;
}

void call_gatherings::handle(byte_reader& in) {
  const auto number = in.get<std::uint32_t>();
  const bool down = in.get<std::uint32_t>() != 0;
  std::vector<tree_gathering::outgoing> out;
  at(number).receive(down, byte_reader(in.block()), out);
  send(number, out);
}

void call_gatherings::send(std::uint32_t number,
                           const std::vector<tree_gathering::outgoing>& what) {
  std::optional<std::uint64_t> call;
  {
    const data_lock lock(core_.mutex);
    if (const auto found = calls_of_.find(number); found != calls_of_.end()) call = found->second;
  }
  for (const auto& [to, down, known] : what) {
    byte_writer out;
    out.put(wire::calls);
    out.put(number);
    out.put(static_cast<std::uint32_t>(down));
    out.block(known.data(), known.size());
    // First, so that nothing is taken for what it is not.
    if (call) calls_.post_name(to, *call);
    mail_.post(to, out);
  }
  const auto found = under_way_.find(number);
  if (!found->second.complete()) return;
  answer all{found->second.all(), found->second.bytes()};
  under_way_.erase(found);
  own_.reset();
  const data_lock lock(core_.mutex);
  calls_of_.erase(number);
  answer_ = std::move(all);
  core_.changed.notify_all();
}

// K in the page. A child that is in another call, such as a wait, hears nothing of a gathering
// before its end. So its parent names the call after a while.
bool call_gatherings::name_late_call() {
  if (!own_ || own_->named || clock::now() - own_->began < first_word) return false;
  own_->named = true;
  std::uint64_t call = 0;
  {
    const data_lock lock(core_.mutex);
    call = calls_of_.at(own_->number);
  }
  const std::vector<unsigned> late = at(own_->number).waits_for();
  for (const unsigned child : late) calls_.post_name(child, call);
  return !late.empty();
}

}  // namespace evencube::detail

#include "calls.hpp"

#include <algorithm>
#include <evencube/error.hpp>
#include <exception>
#include <utility>

#include "wire.hpp"

namespace evencube::detail {

std::uint64_t collective_calls::begin(std::string name) {
  const std::uint64_t call = order_.begin(std::move(name));
  // The thread that has the turn throws what is found here, so that all ranks hear of it.
  if (order_.mismatch()) core_.tell_progress();
  return call;
}

std::uint64_t collective_calls::taken_part() const { return std::min(begun(), taken_part_); }

bool collective_calls::cannot_end(std::uint64_t call) const {
  if (core_.broken || call > taken_part_) return true;
  return std::ranges::any_of(left_, [&](const auto& one) { return one.second < call; });
}

void collective_calls::throw_why(std::uint64_t call, const char* what) {
  if (core_.broken) std::rethrow_exception(core_.broken);
  if (call > taken_part_) {
    throw error("cluster: rank " + std::to_string(core_.rank) + " waits " + what +
                (left_group_ ? ", and has left a group without a wait for it"
                             : ", and its runtime has been stopped"));
  }
  for (const auto& [rank, calls] : left_) {
    if (calls < call) {
      urgent_ = true;
      core_.tell_progress();
      throw error(std::string("cluster: rank ") + std::to_string(core_.rank) + " waits " + what +
                  ", in which rank " + std::to_string(rank) +
                  " takes no part: its cluster is being destroyed. All ranks make the same groups "
                  "and collective calls, in the same order");
    }
  }
  throw error("cluster: a wait ended for nothing");
}

// The others learn that when this rank leaves.
void collective_calls::give_up(std::uint64_t call, const char* what) {
  taken_part_ = std::min(taken_part_, call - 1);
  throw_why(call, what);
}

// The others name the call that they are in.
void collective_calls::leave(std::string name) {
  left_group_ = true;
  const std::uint64_t call = begin(std::move(name));
  taken_part_ = std::min(taken_part_, call - 1);
  urgent_ = true;
}

void collective_calls::throw_mismatch() const {
  if (const auto& found = order_.mismatch()) {
    throw error("cluster: collective call " + std::to_string(found->call) + " is " + found->here +
                " on rank " + std::to_string(core_.rank) + " and " + found->there + " on rank " +
                std::to_string(found->rank) +
                ". All ranks make the same collective calls, in the same order");
  }
}

void collective_calls::handle(unsigned from, byte_reader& in) {
  const auto call = in.get<std::uint64_t>();
  const std::string name = in.text();
  const data_lock lock(core_.mutex);
  order_.hear(call, from, name);
  throw_mismatch();
}

void collective_calls::post_name(unsigned to, std::uint64_t call) {
  byte_writer out;
  {
    const data_lock lock(core_.mutex);
    const std::string* const name = order_.name_of(call);
    if (name == nullptr) return;
    out.put(wire::call);
    out.put(call);
    out.put(*name);
  }
  mail_.post(to, out);
}

bool collective_calls::take_urgency() { return std::exchange(urgent_, false); }

}  // namespace evencube::detail

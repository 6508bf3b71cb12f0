#include "termination.hpp"

#include "rank_tree.hpp"

namespace evencube::detail {

termination::termination(unsigned rank, unsigned size) : rank_(rank), size_(size) {
  detail::for_each_tree_child(rank_, size_, [this](unsigned) { ++children_; });
}

void termination::receive(const termination_message& message, std::vector<outgoing>& out) {
  switch (message.what) {
    case termination_message::kind::probe:
      begin_wave(out);
      break;
    case termination_message::kind::answer:
      sent_ += message.sent;
      received_ += message.received;
      --missing_;
      end_wave_if_all_answered(out);
      break;
    case termination_message::kind::over:
      over_ = true;
      tell_children(termination_message::kind::over, out);
      break;
  }
}

void termination::passive(std::uint64_t sent, std::uint64_t received, std::vector<outgoing>& out) {
  // Alone, rank 0 counts twice in a row.
  while (!over_) {
    if (rank_ == 0 && !in_wave_) begin_wave(out);
    if (!in_wave_ || counted_itself_) return;
    counted_itself_ = true;
    sent_ += sent;
    received_ += received;
    end_wave_if_all_answered(out);
  }
}

void termination::begin_wave(std::vector<outgoing>& out) {
  in_wave_ = true;
  counted_itself_ = false;
  missing_ = children_;
  sent_ = 0;
  received_ = 0;
  tell_children(termination_message::kind::probe, out);
}

void termination::tell_children(termination_message::kind what, std::vector<outgoing>& out) const {
  detail::for_each_tree_child(rank_, size_, [&](unsigned child) {
    out.push_back({child, {.what = what, .sent = 0, .received = 0}});
  });
}

void termination::end_wave_if_all_answered(std::vector<outgoing>& out) {
  if (!counted_itself_ || missing_ != 0) return;
  in_wave_ = false;
  if (rank_ != 0) {
    out.push_back(
        {detail::tree_parent(rank_),
         {.what = termination_message::kind::answer, .sent = sent_, .received = received_}});
    return;
  }
  // F in the page: as much was sent by the end of this wave as had been received by the end of the
  // one before.
  if (received_before_ == sent_) {
    over_ = true;
    tell_children(termination_message::kind::over, out);
  }
  received_before_ = received_;
}

}  // namespace evencube::detail

#include "departure.hpp"

#include <utility>

#include "rank_tree.hpp"

namespace evencube::detail {
namespace {

using numbers = std::map<std::uint32_t, std::uint64_t>;

void write_numbers(byte_writer& out, const numbers& all) {
  out.put(static_cast<std::uint32_t>(all.size()));
  for (const auto& [rank, number] : all) {
    out.put(rank);
    out.put(number);
  }
}

numbers read_numbers(byte_reader& in) {
  numbers all;
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    const auto rank = in.get<std::uint32_t>();
    all[rank] = in.get<std::uint64_t>();
  }
  return all;
}

}  // namespace

void departure::message::write(byte_writer& out) const {
  out.put(down);
  out.put(whole);
  write_numbers(out, leavers);
  write_numbers(out, sent);
}

departure::message departure::message::read(byte_reader& in) {
  message read;
  read.down = in.get<bool>();
  read.whole = in.get<bool>();
  read.leavers = read_numbers(in);
  read.sent = read_numbers(in);
  return read;
}

departure::departure(unsigned rank, unsigned size) : rank_(rank), size_(size) {
  detail::for_each_tree_child(rank, size, [this](unsigned) { ++waits_for_; });
}

void departure::leave(std::uint64_t calls) {
  leaves_ = true;
  news_[rank_] = calls;
}

void departure::receive(const message& from, std::vector<outgoing>& out) {
  if (from.down) {
    if (from.whole) {
      const auto found = from.sent.find(rank_);
      to_receive_ = found == from.sent.end() ? 0 : found->second;
    }
    send_down(from, out);
    return;
  }
  for (const auto& [rank, calls] : from.leavers) news_[rank] = calls;
  if (!from.whole) return;
  --waits_for_;
  for (const auto& [rank, count] : from.sent) sent_[rank] += count;
}

void departure::advance(const counts& sent, std::vector<outgoing>& out) {
  if (silent_ || !leaves_ || waits_for_ > 0) return;
  silent_ = true;
  message all{.whole = true, .leavers = std::exchange(news_, {}), .sent = std::move(sent_)};
  for (const auto& [rank, count] : sent) all.sent[rank] += count;
  if (rank_ != 0) {
    out.push_back({detail::tree_parent(rank_), std::move(all)});
    return;
  }
  all.down = true;
  all.leavers.clear();  // nobody waits for any of them
  to_receive_ = all.sent[0];
  send_down(all, out);
}

void departure::tell_news(std::vector<outgoing>& out) {
  message some{.down = rank_ == 0, .leavers = std::exchange(news_, {})};
  if (rank_ == 0) {
    send_down(some, out);
  } else {
    out.push_back({detail::tree_parent(rank_), std::move(some)});
  }
}

// A branch has the ranks from its root on, as many as the lowest bit of the root says.
void departure::send_down(const message& what, std::vector<outgoing>& out) const {
  detail::for_each_tree_child(rank_, size_, [&](unsigned child) {
    message part{.down = true, .whole = what.whole, .leavers = what.leavers};
    const unsigned end = child + (child & (0 - child));
    for (auto one = what.sent.lower_bound(child); one != what.sent.end() && one->first < end;
         ++one) {
      part.sent.insert(*one);
    }
    out.push_back({child, std::move(part)});
  });
}

}  // namespace evencube::detail

#include "gathering.hpp"

#include <cstdint>
#include <utility>

namespace evencube::detail {

// Step 0 goes into the full subcube, step i + 1 over its dimension i, and the last step out of it
// again.
gathering::gathering(unsigned rank, unsigned size, std::uint64_t most)
    : rank_(rank), size_(size), most_(most), all_(size), lengths_(size), has_(size, false) {
  while (2 * core_ <= size_) {
    core_ *= 2;
    ++dimensions_;
  }
  arrived_.resize(dimensions_ + 2);
}

void gathering::contribute(message_bytes own, std::vector<outgoing>& out) {
  contributed_ = true;
  lengths_[rank_] = own.size();
  all_[rank_] = std::move(own);
  has_[rank_] = true;
  if (rank_ >= core_) {
    out.push_back({rank_ - core_, 0, known()});
    step_ = dimensions_ + 1;
  } else if (rank_ + core_ >= size_) {
    step_ = 1;
    if (dimensions_ > 0) out.push_back({rank_ ^ 1U, 1, known()});
  }
  advance(out);
}

void gathering::receive(unsigned step, message_bytes known, std::vector<outgoing>& out) {
  if (step >= arrived_.size()) throw error("cluster: a message of another program");
  arrived_[step] = std::move(known);
  advance(out);
}

void gathering::advance(std::vector<outgoing>& out) {
  if (!contributed_ || complete_) return;
  const unsigned last = dimensions_ + 1;
  while (step_ < last || rank_ >= core_) {
    if (!take(step_)) return;
    ++step_;
    if (step_ > last) {
      complete_ = true;
      return;
    }
    if (step_ < last) out.push_back({rank_ ^ (1U << (step_ - 1)), step_, known()});
  }
  if (rank_ + core_ < size_) out.push_back({rank_ + core_, last, known()});
  complete_ = true;
}

bool gathering::take(unsigned step) {
  if (!arrived_[step]) return false;
  byte_reader in(*arrived_[step]);
  const auto whole = in.get<bool>();
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    const auto from = in.get<std::uint32_t>();
    if (from >= size_) throw error("cluster: a message of another program");
    lengths_[from] = in.get<std::uint64_t>();
    if (whole) {
      const auto said = in.raw(static_cast<std::size_t>(lengths_[from]));
      all_[from].assign(said.begin(), said.end());
    }
    has_[from] = true;
  }
  arrived_[step].reset();
  return true;
}

std::uint64_t gathering::bytes() const noexcept {
  std::uint64_t sum = sizeof(bool) + sizeof(std::uint32_t);
  for (unsigned k = 0; k < size_; ++k) {
    if (has_[k]) sum += sizeof(std::uint32_t) + sizeof(std::uint64_t) + lengths_[k];
  }
  return sum;
}

message_bytes gathering::known() const {
  byte_writer out;
  const bool whole = bytes() <= most_;
  std::uint32_t count = 0;
  for (const bool there : has_) count += there ? 1 : 0;
  out.put(whole);
  out.put(count);
  for (std::uint32_t k = 0; k < size_; ++k) {
    if (!has_[k]) continue;
    out.put(k);
    out.put(lengths_[k]);
    if (whole) out.raw(all_[k].data(), all_[k].size());
  }
  return out.take();
}

}  // namespace evencube::detail

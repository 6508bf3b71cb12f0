#include "gathering.hpp"

#include <utility>

#include <evencube/error.hpp>

namespace evencube::detail {

// Step 0 goes into the full subcube, step i + 1 over its dimension i, and the last step out of it
// again.
gathering::gathering(unsigned rank, unsigned size) : rank_(rank), size_(size), known_(size) {
  while (2 * core_ <= size_) {
    core_ *= 2;
    ++dimensions_;
  }
  arrived_.resize(dimensions_ + 2);
}

void gathering::contribute(message_bytes own, std::vector<outgoing>& out) {
  contributed_ = true;
  known_.add(rank_, std::move(own));
  if (rank_ >= core_) {
    out.push_back({rank_ - core_, 0, known_.written()});
    step_ = dimensions_ + 1;
  } else if (rank_ + core_ >= size_) {
    step_ = 1;
    if (dimensions_ > 0) out.push_back({rank_ ^ 1U, 1, known_.written()});
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
    if (!arrived_[step_]) return;
    known_.read(byte_reader(*arrived_[step_]));
    arrived_[step_].reset();
    ++step_;
    if (step_ > last) {
      complete_ = true;
      return;
    }
    if (step_ < last) out.push_back({rank_ ^ (1U << (step_ - 1)), step_, known_.written()});
  }
  if (rank_ + core_ < size_) out.push_back({rank_ + core_, last, known_.written()});
  complete_ = true;
}

}  // namespace evencube::detail

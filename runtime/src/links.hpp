#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Tasks that travel together.
using link_parcel = std::vector<slot_word>;

/// The way tasks travel in a round: a queue of parcels for each directed edge of the cube, and one
/// more into each worker for `direct` transmission between workers that are not neighbours.
///
/// One sender per queue at a time (whoever leads the round, under the round's lock), one receiver
/// (the worker at its end, or the holder while it stands still). `Queue` is a bounded queue of
/// `link_parcel*` for one sender and one receiver (invariant L of runtime/docs/links.md).
template <typename Queue>
class basic_links {
 public:
  using parcel = link_parcel;

  basic_links(std::uint32_t nodes, unsigned dimensions)
      : dimensions_(dimensions), ways_(std::size_t{nodes} * (dimensions + 1)) {
    for (auto& way : ways_) way = std::make_unique<Queue>();
  }
  basic_links(const basic_links&) = delete;
  basic_links& operator=(const basic_links&) = delete;
  ~basic_links() {
    for (auto& way : ways_) way->consume_all([](parcel* p) { delete p; });
  }

  /// Whether a parcel from `from` to `to` would be taken now.
  [[nodiscard]] bool has_room(std::uint32_t from, std::uint32_t to) const {
    return ways_[index(from, to)]->write_available() > 0;
  }
  /// Sends; precondition: has_room.
  void send(std::uint32_t from, std::uint32_t to, std::unique_ptr<parcel> tasks) {
    if (ways_[index(from, to)]->push(tasks.get())) static_cast<void>(tasks.release());
  }
  /// Appends everything that has arrived at `to`.
  void receive(std::uint32_t to, std::vector<slot_word>& out) {
    for (unsigned i = 0; i <= dimensions_; ++i) {
      ways_[std::size_t{to} * (dimensions_ + 1) + i]->consume_all([&](parcel* p) {
        const std::unique_ptr<parcel> owned(p);
        out.insert(out.end(), owned->begin(), owned->end());
      });
    }
  }

 private:
  [[nodiscard]] std::size_t index(std::uint32_t from, std::uint32_t to) const noexcept {
    unsigned way = dimensions_;
    const std::uint32_t difference = from ^ to;
    if ((difference & (difference - 1)) == 0) {
      way = static_cast<unsigned>(__builtin_ctz(difference));
    }
    return std::size_t{to} * (dimensions_ + 1) + way;
  }

  unsigned dimensions_;
  std::vector<std::unique_ptr<Queue>> ways_;
};

using links = basic_links<boost::lockfree::spsc_queue<link_parcel*, boost::lockfree::capacity<16>>>;

}  // namespace evencube::detail

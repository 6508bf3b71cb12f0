#include "contributions.hpp"

#include <algorithm>
#include <utility>

#include <evencube/error.hpp>

namespace evencube::detail {

contributions::contributions(unsigned size, std::uint64_t most)
    : most_(most), all_(size), lengths_(size), has_(size, false) {}

void contributions::add(unsigned rank, message_bytes own) {
  lengths_[rank] = own.size();
  all_[rank] = std::move(own);
  has_[rank] = true;
}

void contributions::read(byte_reader in) {
  const auto whole = in.get<bool>();
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    const auto from = in.get<std::uint32_t>();
    if (from >= has_.size()) throw error("cluster: a message of another program");
    lengths_[from] = in.get<std::uint64_t>();
    if (whole) {
      const auto said = in.raw(static_cast<std::size_t>(lengths_[from]));
      all_[from].assign(said.begin(), said.end());
    }
    has_[from] = true;
  }
}

std::uint64_t contributions::bytes() const noexcept {
  std::uint64_t sum = sizeof(bool) + sizeof(std::uint32_t);
  for (std::size_t k = 0; k < has_.size(); ++k) {
    if (has_[k]) sum += sizeof(std::uint32_t) + sizeof(std::uint64_t) + lengths_[k];
  }
  return sum;
}

message_bytes contributions::written() const {
  byte_writer out;
  const bool whole = bytes() <= most_;
  out.put(whole);
  out.put(static_cast<std::uint32_t>(std::count(has_.begin(), has_.end(), true)));
  for (std::uint32_t k = 0; k < has_.size(); ++k) {
    if (!has_[k]) continue;
    out.put(k);
    out.put(lengths_[k]);
    if (whole) out.raw(all_[k].data(), all_[k].size());
  }
  return out.take();
}

}  // namespace evencube::detail

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/bytes.hpp>
#include <evencube/cluster/detail/object_store.hpp>
#include <evencube/cluster/detail/saved_state.hpp>
#include <evencube/cluster/detail/serial.hpp>
#include <evencube/cluster/object_id.hpp>
#include <evencube/error.hpp>

namespace evencube::detail {

/// An object as it travels, and as checkpoints contain it. Throws message_too_long for more than
/// `most` bytes.
template <typename T>
[[nodiscard]] message_bytes object_bytes(cluster_object_id id, const stored_object<T>& of,
                                         std::size_t most = ~std::size_t{0}) {
  byte_writer out(most);
  out.put(id);
  out.put(of.seconds.load(std::memory_order_relaxed));
  write_value(out, of.value);
  return out.take();
}
/// Puts an object that has come into a store.
template <typename T>
void put_object(object_store<T>& into, byte_reader in) {
  const auto id = in.get<cluster_object_id>();
  const auto seconds = in.get<double>();
  into.put(id, read_value<T>(in), seconds);
}

/// The objects of a rank, as checkpoints contain them.
template <typename T>
class saved_objects final : public saved_state {
 public:
  saved_objects(std::string name, std::shared_ptr<object_store<T>> store)
      : name_(std::move(name)), store_(std::move(store)) {}

  void write(byte_writer& out) const override {
    const auto here = store_->here();
    out.put(store_->next());
    out.put(std::uint64_t{here.size()});
    for (const auto& [id, one] : here) {
      const message_bytes bytes = object_bytes(id, *one);
      out.block(bytes.data(), bytes.size());
    }
  }
  void require_empty() const override {
    if (store_->ids().empty()) return;
    throw error("a checkpoint cannot be loaded: cluster_objects \"" + name_ +
                "\" has objects already");
  }
  void read(byte_reader& in, bool own) override {
    const auto next = in.get<std::uint32_t>();
    if (own) store_->number_from(next);
    for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
      put_object(*store_, byte_reader(in.block()));
    }
  }
  void settle(bool all_read) override { store_->settle(all_read, {}); }
  [[nodiscard]] message_bytes shared() const override {
    byte_writer out;
    write_value(out, store_->ids());
    return out.take();
  }
  void learn(const std::vector<message_bytes>& of_ranks) override {
    std::vector<std::vector<cluster_object_id>> all;
    for (const message_bytes& each : of_ranks) {
      byte_reader in(each);
      all.push_back(read_value<std::vector<cluster_object_id>>(in));
    }
    store_->learn(all);
  }

 private:
  const std::string name_;
  const std::shared_ptr<object_store<T>> store_;
};

}  // namespace evencube::detail

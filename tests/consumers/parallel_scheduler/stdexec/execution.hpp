#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>

/// What a replacement of stdexec's parallel scheduler needs, and nothing else.
namespace stdexec {

struct inplace_stop_token {
  [[nodiscard]] static bool stop_requested() noexcept { return false; }
};
struct get_stop_token_t {};
inline constexpr get_stop_token_t get_stop_token{};

namespace parallel_scheduler_replacement {

struct receiver_proxy {
  virtual void set_value() noexcept = 0;
  virtual void set_error(std::exception_ptr failure) noexcept = 0;
  virtual void set_stopped() noexcept = 0;
  template <typename T, typename Query>
  [[nodiscard]] std::optional<T> try_query(Query) const noexcept {
    return std::nullopt;
  }

 protected:
  ~receiver_proxy() = default;
};

struct bulk_item_receiver_proxy : receiver_proxy {
  virtual void execute(std::size_t first, std::size_t last) noexcept = 0;

 protected:
  ~bulk_item_receiver_proxy() = default;
};

struct parallel_scheduler_backend {
  virtual ~parallel_scheduler_backend() = default;
  virtual void schedule(receiver_proxy& proxy, std::span<std::byte> scratch) noexcept = 0;
  virtual void schedule_bulk_chunked(std::size_t count, bulk_item_receiver_proxy& proxy,
                                     std::span<std::byte> scratch) noexcept = 0;
  virtual void schedule_bulk_unchunked(std::size_t count, bulk_item_receiver_proxy& proxy,
                                       std::span<std::byte> scratch) noexcept = 0;
};

using __parallel_scheduler_backend_factory_t = std::shared_ptr<parallel_scheduler_backend> (*)();

std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend();
__parallel_scheduler_backend_factory_t set_parallel_scheduler_backend(
    __parallel_scheduler_backend_factory_t make);

}  // namespace parallel_scheduler_replacement

}  // namespace stdexec

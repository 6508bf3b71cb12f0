#include "page_columns.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <evencube/balancers/topology.hpp>
#include <evencube/trace/readings.hpp>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

namespace evencube::traces {
namespace {

/// Writes bytes as base64, three at a time.
class base64 {
 public:
  void add(std::uint8_t byte) {
    kept_ = kept_ << 8 | byte;
    if (++count_ < 3) return;
    put(4);
  }

  [[nodiscard]] std::string end() {
    if (count_ > 0) {
      const int letters = count_ + 1;
      for (; count_ < 3; ++count_) kept_ <<= 8;
      put(letters);
      text_.append(static_cast<std::size_t>(4 - letters), '=');
    }
    return std::move(text_);
  }

 private:
  void put(int letters) {
    static constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < letters; ++i) text_ += alphabet[kept_ >> (18 - 6 * i) & 63U];
    kept_ = 0;
    count_ = 0;
  }

  std::string text_;
  std::uint32_t kept_ = 0;
  int count_ = 0;
};

class column_packer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_.add(static_cast<std::uint8_t>(value | 128));
    bytes_.add(static_cast<std::uint8_t>(value));
  }
  /// Writes the difference from `before` to `now`, and sets `before` to `now` for the next call.
  void difference(std::uint64_t& before, std::uint64_t now) {
    number(now >= before ? 2 * (now - before) : 2 * (before - now) - 1);
    before = now;
  }
  [[nodiscard]] std::string end() { return bytes_.end(); }

 private:
  base64 bytes_;
};

/// The indices of `count` entries, in the order of `key`.
template <typename Key>
std::vector<std::uint32_t> ordered(std::size_t count, Key key) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, key);
  return order;
}

/// For worker after worker, calls begin(entries of the worker) and then each(entry). `order` is
/// sorted by workers; `worker_of` returns the worker of an entry.
template <typename WorkerOf, typename Begin, typename Each>
void for_each_worker(std::size_t workers, const std::vector<std::uint32_t>& order,
                     WorkerOf worker_of, Begin begin, Each each) {
  std::size_t at = 0;
  for (std::uint32_t w = 0; w < workers; ++w) {
    std::size_t end = at;
    while (end < order.size() && worker_of(order[end]) == w) ++end;
    begin(end - at);
    for (; at < end; ++at) each(order[at]);
  }
}

std::string packed_tasks(const trace& recorded, std::size_t workers) {
  const auto& tasks = recorded.tasks;
  const auto order = ordered(tasks.size(), [&](std::uint32_t i) {
    return std::tuple(tasks[i].worker, tasks[i].started, ~tasks[i].ended, i);
  });
  column_packer to;
  std::uint64_t start = 0;
  std::uint64_t before = 0;
  for_each_worker(
      workers, order, [&](std::uint32_t i) { return tasks[i].worker; },
      [&](std::size_t count) {
        to.number(count);
        start = before = 0;
      },
      [&](std::uint32_t i) {
        const trace::task& t = tasks[i];
        to.number(t.started - start);
        start = t.started;
        to.number(t.ended - t.started);
        to.number(t.started - t.spawned);
        to.difference(before, i);
        to.number(t.parent == no_task ? 0 : std::uint64_t{t.parent} + 1);
        to.number(t.home == no_home ? t.spawned_by : t.home);
        to.number(t.name == no_name ? 0 : std::uint64_t{t.name} + 1);
      });
  return to.end();
}

std::string packed_waits(const trace& recorded, std::size_t workers) {
  const auto& waits = recorded.waits;
  const auto worker_of = [&](std::uint32_t i) { return recorded.tasks[waits[i].waiting].worker; };
  const auto order = ordered(waits.size(), [&](std::uint32_t i) {
    return std::tuple(worker_of(i), waits[i].began, ~waits[i].ended, i);
  });
  column_packer to;
  std::uint64_t begin = 0;
  std::uint64_t before = 0;
  for_each_worker(
      workers, order, worker_of,
      [&](std::size_t count) {
        to.number(count);
        begin = before = 0;
      },
      [&](std::uint32_t i) {
        to.number(waits[i].began - begin);
        begin = waits[i].began;
        to.number(waits[i].ended - waits[i].began);
        to.difference(before, waits[i].waiting);
      });
  return to.end();
}

std::string packed_moves(const trace& recorded) {
  const auto& moves = recorded.migrations;
  column_packer to;
  std::uint64_t time = 0;
  std::uint64_t before = 0;
  for (const std::uint32_t i :
       ordered(moves.size(), [&](std::uint32_t k) { return std::tuple(moves[k].time, k); })) {
    const trace::migration& m = moves[i];
    to.number(m.time - time);
    time = m.time;
    to.number(m.from);
    to.number(m.to);
    to.difference(before, m.moved);
    to.number(m.round == trace::migration::unplanned ? 0
              : m.round == trace::migration::rescued ? 1
                                                     : std::uint64_t{m.round} + 2);
  }
  return to.end();
}

std::string packed_rounds(const trace& recorded) {
  const auto& rounds = recorded.rounds;
  column_packer to;
  std::uint64_t time = 0;
  for (const std::uint32_t i :
       ordered(rounds.size(), [&](std::uint32_t k) { return std::tuple(rounds[k].time, k); })) {
    const trace::round& r = rounds[i];
    to.number(r.time - time);
    time = r.time;
    to.number(i);
    to.number(r.leader ? std::uint64_t{*r.leader} + 1 : 0);
    // A plan sends no more than there is, so loads are not negative.
    for (const load_type load : r.loads) to.number(static_cast<std::uint64_t>(load));
    for (const load_type load : loads_after(r)) to.number(static_cast<std::uint64_t>(load));
  }
  return to.end();
}

std::string packed_regions(const trace& recorded, std::size_t workers) {
  const auto& regions = recorded.regions;
  const auto worker_of = [&](std::uint32_t i) { return recorded.tasks[regions[i].within].worker; };
  const auto order = ordered(regions.size(), [&](std::uint32_t i) {
    return std::tuple(worker_of(i), regions[i].began, ~regions[i].ended, i);
  });
  column_packer to;
  std::uint64_t begin = 0;
  for_each_worker(
      workers, order, worker_of,
      [&](std::size_t count) {
        to.number(count);
        begin = 0;
      },
      [&](std::uint32_t i) {
        to.number(regions[i].began - begin);
        begin = regions[i].began;
        to.number(regions[i].ended - regions[i].began);
        to.number(regions[i].name);
      });
  return to.end();
}

}  // namespace

page_columns page_columns_of(const trace& recorded) {
  const std::size_t workers = topology::parse(recorded.topology).nodes();
  return {packed_tasks(recorded, workers), packed_waits(recorded, workers), packed_moves(recorded),
          packed_rounds(recorded), packed_regions(recorded, workers)};
}

}  // namespace evencube::traces

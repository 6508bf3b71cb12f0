// What those offers cost that have no row of their own: nothing is done in them but to count.

#include <evencube/balanced_loop.hpp>
#include <evencube/worker_local.hpp>

#include <algorithm>
#include <array>

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

/// So many futures are under way at a time.
constexpr std::uint64_t batch = 100;

std::uint64_t futures(evencube::runtime& rt, std::uint64_t n) {
  std::array<evencube::future<std::uint64_t>, batch> made;
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < n; done += batch) {
    const std::uint64_t now = std::min(batch, n - done);
    for (std::uint64_t i = 0; i < now; ++i) made[i] = rt.async([] { return std::uint64_t{1}; });
    for (std::uint64_t i = 0; i < now; ++i) sum += made[i].get();
  }
  return sum;
}

std::uint64_t continuations(evencube::runtime& rt, std::uint64_t n) {
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < n; done += batch) {
    const std::uint64_t now = std::min(batch, n - done);
    auto last = rt.async([] { return std::uint64_t{0}; });
    for (std::uint64_t i = 0; i < now; ++i) {
      last = std::move(last).then([](std::uint64_t before) { return before + 1; });
    }
    sum += last.get();
  }
  return sum;
}

std::uint64_t locals(evencube::runtime& rt, std::uint64_t n) {
  evencube::worker_local<std::uint64_t> counts(rt);
  evencube::parallel_for(std::uint64_t{0}, n, [&](std::uint64_t) { ++counts.local(); });
  return counts.combine([](std::uint64_t a, std::uint64_t b) { return a + b; });
}

/// Each run has an item for every worker.
std::uint64_t balanced_loops(evencube::runtime& rt, std::uint64_t n) {
  evencube::balanced_loop items(rt, 0U, rt.workers());
  std::uint64_t counted = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    items.run([&](unsigned item) {
      if (item == 0) ++counted;
    });
  }
  return counted;
}

std::uint64_t arenas(evencube::runtime& rt, std::uint64_t n) {
  evencube::arena one(rt, {.workers = 1});
  std::uint64_t counted = 0;
  for (std::uint64_t i = 0; i < n; ++i) counted += one.run([] { return std::uint64_t{1}; });
  return counted;
}

std::uint64_t scopes(std::uint64_t n) {
  std::uint64_t counted = 0;
  for (std::uint64_t i = 0; i < n; ++i) evencube::blocking([&] { ++counted; });
  return counted;
}

/// Each is made, with its threads, and destroyed. The machine is read by the first of the process.
std::uint64_t runtimes(const evencube::runtime_options& options, std::uint64_t n) {
  std::uint64_t counted = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const evencube::runtime one{options};
    counted += one.workers() / options.workers;
  }
  return counted;
}

std::uint64_t calls_of(evencube::runtime& rt, const std::string& what, std::uint64_t n) {
  if (what == "future") return futures(rt, n);
  if (what == "then") return continuations(rt, n);
  if (what == "local") return locals(rt, n);
  if (what == "balanced_loop") return balanced_loops(rt, n);
  if (what == "arena") return arenas(rt, n);
  return scopes(n);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::offers::about, bench::on_evencube, argc, argv, [](auto& with) {
    auto options = bench::evencube_options(with);
    const std::string what = with.word("what");
    if (what == "runtime") {
      return bench::offers::measure(with, [&](std::uint64_t n) { return runtimes(options, n); });
    }
    options.spare_workers = 1;
    evencube::runtime rt{options};
    return bench::offers::measure(
        with, [&](std::uint64_t n) { return rt.run([&] { return calls_of(rt, what, n); }); });
  });
}

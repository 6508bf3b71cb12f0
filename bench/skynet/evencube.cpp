#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <evencube/parallel_invoke.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  return bench::sum_in_parallel<std::uint64_t>(
      0, bench::skynet::fan_out, [=](std::size_t i) { return skynet(first + i * part, part); });
}

/// A node that has `each_child` call its argument with the numbers of its children, 0 to 9.
template <typename EachChild>
std::uint64_t skynet_by(const EachChild& each_child, std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  std::array<std::uint64_t, bench::skynet::fan_out> sums;
  each_child(
      [=, &sums](std::size_t i) { sums[i] = skynet_by(each_child, first + i * part, part); });
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  return sum;
}

constexpr auto by_loop = [](const auto& child) {
  evencube::parallel_for(std::size_t{0}, bench::skynet::fan_out, child);
};

constexpr auto by_invoke = [](const auto& child) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    evencube::parallel_invoke([&] { child(I); }...);
  }(std::make_index_sequence<bench::skynet::fan_out>());
};

constexpr auto by_group = [](const auto& child) {
  evencube::task_group children;
  for (std::size_t i = 0; i < bench::skynet::fan_out; ++i) {
    children.spawn([&child, i] { child(i); });
  }
  children.wait();
};

bench::engine with_choice() {
  bench::engine made = bench::on_evencube;
  made.settings.push_back(
      {"by",
       "reduce",
       "reduce",
       "what a node is: a parallel_reduce or a parallel_for over its children, a "
       "parallel_invoke of them, or a task_group",
       {"reduce", "for", "invoke", "group"}});
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::engine engine = with_choice();
  return bench::main_of(bench::skynet::about, engine, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    const std::string& by = with.word("by");
    return bench::skynet::measure(with, [&](std::uint64_t leaves) {
      return rt.run([&] {
        if (by == "for") return skynet_by(by_loop, 0, leaves);
        if (by == "invoke") return skynet_by(by_invoke, 0, leaves);
        if (by == "group") return skynet_by(by_group, 0, leaves);
        return skynet(0, leaves);
      });
    });
  });
}

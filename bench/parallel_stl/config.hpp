#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../common/program.hpp"
#include "../sort/config.hpp"

namespace bench::parallel_stl {

/// What the algorithms read and write.
struct ranges {
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> other;
  std::vector<std::int64_t> out;
};

/// Each algorithm returns a value that depends on its result, if it has one.
using algorithm = std::int64_t (*)(ranges&);

inline bool even(std::int64_t value) { return value % 2 == 0; }
inline std::int64_t twice(std::int64_t value) { return 2 * value; }
inline bool absent(std::int64_t value) { return value < 0; }

/// C++'s algorithms with a policy, by name.
template <typename Policy>
std::vector<std::pair<std::string, algorithm>> algorithms() {
  static const Policy policy;
  return {
      {"adjacent_difference",
       [](ranges& r) -> std::int64_t {
         std::adjacent_difference(policy, r.in.begin(), r.in.end(), r.out.begin());
         return 0;
       }},
      {"all_of",
       [](ranges& r) -> std::int64_t {
         return std::all_of(policy, r.in.begin(), r.in.end(), std::not_fn(absent));
       }},
      {"copy_if",
       [](ranges& r) -> std::int64_t {
         return std::copy_if(policy, r.in.begin(), r.in.end(), r.out.begin(), even) - r.out.begin();
       }},
      {"count_if",
       [](ranges& r) -> std::int64_t {
         return std::count_if(policy, r.in.begin(), r.in.end(), even);
       }},
      {"equal",
       [](ranges& r) -> std::int64_t {
         return std::equal(policy, r.in.begin(), r.in.end(), r.in.begin());
       }},
      {"exclusive_scan",
       [](ranges& r) -> std::int64_t {
         std::exclusive_scan(policy, r.in.begin(), r.in.end(), r.out.begin(), std::int64_t{0});
         return 0;
       }},
      {"fill",
       [](ranges& r) -> std::int64_t {
         std::fill(policy, r.out.begin(), r.out.end(), std::int64_t{7});
         return 0;
       }},
      {"find_if",
       [](ranges& r) -> std::int64_t {
         return std::find_if(policy, r.in.begin(), r.in.end(), absent) - r.in.begin();
       }},
      {"for_each",
       [](ranges& r) -> std::int64_t {
         std::for_each(policy, r.in.begin(), r.in.end(),
                       [](std::int64_t& value) { value = value * value + 1; });
         return 0;
       }},
      {"inclusive_scan",
       [](ranges& r) -> std::int64_t {
         std::inclusive_scan(policy, r.in.begin(), r.in.end(), r.out.begin());
         return 0;
       }},
      {"is_sorted",
       [](ranges& r) -> std::int64_t {
         return std::is_sorted(policy, r.other.begin(), r.other.end());
       }},
      {"max_element",
       [](ranges& r) -> std::int64_t {
         return std::max_element(policy, r.in.begin(), r.in.end()) - r.in.begin();
       }},
      {"merge",
       [](ranges& r) -> std::int64_t {
         const auto half = static_cast<std::ptrdiff_t>(r.other.size() / 2);
         std::merge(policy, r.other.begin(), r.other.begin() + half, r.other.begin() + half,
                    r.other.end(), r.out.begin());
         return 0;
       }},
      {"minmax_element",
       [](ranges& r) -> std::int64_t {
         const auto [least, most] = std::minmax_element(policy, r.in.begin(), r.in.end());
         return most - least;
       }},
      {"nth_element",
       [](ranges& r) -> std::int64_t {
         const auto middle = r.in.begin() + static_cast<std::ptrdiff_t>(r.in.size() / 2);
         std::nth_element(policy, r.in.begin(), middle, r.in.end());
         const std::int64_t median = *middle;
         r.in.clear();  // the other elements may be in any order
         return median;
       }},
      {"reduce",
       [](ranges& r) -> std::int64_t { return std::reduce(policy, r.in.begin(), r.in.end()); }},
      {"remove_if",
       [](ranges& r) -> std::int64_t {
         const auto end = std::remove_if(policy, r.in.begin(), r.in.end(), even);
         r.in.erase(end, r.in.end());
         return 0;
       }},
      {"reverse",
       [](ranges& r) -> std::int64_t {
         std::reverse(policy, r.in.begin(), r.in.end());
         return 0;
       }},
      {"set_union",
       [](ranges& r) -> std::int64_t {
         const auto half = static_cast<std::ptrdiff_t>(r.other.size() / 2);
         return std::set_union(policy, r.other.begin(), r.other.begin() + half,
                               r.other.begin() + half, r.other.end(), r.out.begin()) -
                r.out.begin();
       }},
      {"sort",
       [](ranges& r) -> std::int64_t {
         std::sort(policy, r.in.begin(), r.in.end());
         return 0;
       }},
      {"stable_partition",
       [](ranges& r) -> std::int64_t {
         return std::stable_partition(policy, r.in.begin(), r.in.end(), even) - r.in.begin();
       }},
      {"stable_sort",
       [](ranges& r) -> std::int64_t {
         std::stable_sort(policy, r.in.begin(), r.in.end());
         return 0;
       }},
      {"transform",
       [](ranges& r) -> std::int64_t {
         std::transform(policy, r.in.begin(), r.in.end(), r.out.begin(), twice);
         return 0;
       }},
      {"transform_reduce",
       [](ranges& r) -> std::int64_t {
         return std::transform_reduce(policy, r.in.begin(), r.in.end(), std::int64_t{0},
                                      std::plus<>(), twice);
       }},
  };
}

inline std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, function] : algorithms<std::execution::sequenced_policy>()) {
    all.push_back(name);
  }
  return all;
}

inline const workload about{"parallel_stl",
                            "element",
                            {{"n", "1000000", "3000", "how many 64-bit numbers"},
                             {"algorithm", "sort", "sort", "which of C++'s algorithms", names()}}};

/// Times an algorithm with a policy. `run(call)` calls `call()` where the engine's algorithms are
/// to run.
template <typename Policy, typename Run>
int measure(program& with, const Run& run) {
  const std::size_t n = with.number("n");
  ranges fresh{.in = {}, .other = {}, .out = std::vector<std::int64_t>(n)};
  for (const sort::element number : sort::some_numbers(n)) fresh.in.push_back(number % 1000000);
  // Two sorted halves. For is_sorted, all of it is sorted except the last element.
  fresh.other = fresh.in;
  const auto half = fresh.other.begin() + static_cast<std::ptrdiff_t>(n / 2);
  const std::string& name = with.word("algorithm");
  if (name == "is_sorted") {
    std::sort(fresh.other.begin(), fresh.other.end());
    if (n > 1) std::swap(fresh.other[n - 2], fresh.other[n - 1]);
  } else {
    std::sort(fresh.other.begin(), half);
    std::sort(half, fresh.other.end());
  }
  const auto named = [&](const auto& all) {
    return std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == name; })
        ->second;
  };
  const algorithm function = named(algorithms<Policy>());
  ranges expected = fresh;
  const std::int64_t right = named(algorithms<std::execution::sequenced_policy>())(expected);
  ranges used;
  std::int64_t found = 0;
  return with.measure({
      .units = static_cast<double>(n),
      .prepare = [&] { used = fresh; },
      .run = [&] { return timed([&] { run([&] { found = function(used); }); }); },
      .verify =
          [&] {
            const bool same = found == right && used.in == expected.in && used.out == expected.out;
            return same ? "" : name + " gives another result than the serial algorithm";
          },
  });
}

}  // namespace bench::parallel_stl

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

/// Which block threw, where an element did.
constexpr int of_an_element = -2;

void execution::invoke(const step& s, const surroundings& around) {
  const auto part = [&](std::size_t i) {
    return [this, &s, around, i] { return run_task(s.inner[i], s.of, around); };
  };
  try {
    auto [a, b, c] = parallel_invoke(part(0), part(1), part(2));
    if (mistaken(mistake::spoil_result)) std::swap(a, c);
    if (a != value_of(s.inner[0]) || b != value_of(s.inner[1]) || c != value_of(s.inner[2])) {
      fail("parallel_invoke gave other values");
    }
    for (const block& in : s.inner) {
      if (in.throws) fail("the exception of " + name(in) + " did not arrive");
    }
  } catch (const thrown& e) {
    // The first is always called; of the others some may be left out when one throws.
    const auto threw = [&](const block& in) { return in.throws && in.id == e.block; };
    if (s.inner[0].throws ? e.block != s.inner[0].id : std::ranges::none_of(s.inner, threw)) {
      fail("another exception left parallel_invoke");
    }
  }
}

void execution::compute(const step& s) {
  const auto run = [&] {
    switch (s.variant) {
      case a_scan:
      case an_exclusive_scan:
        return scan(s);
      case a_search:
        return search(s);
      default:
        return sort(s);
    }
  };
  try {
    const bool right = run() && !mistaken(mistake::spoil_result);
    if (!right)
      fail("an algorithm of " + std::to_string(s.amount) + " elements gave another result");
    if (s.failing >= 0) fail("the exception of an element did not arrive");
  } catch (const thrown& e) {
    if (s.failing < 0 || e.block != of_an_element) fail("another exception left an algorithm");
  }
}

bool execution::scan(const step& s) {
  std::vector<stretch> elements;
  for (int i = 0; i < s.amount; ++i) elements.push_back({i, i + 1, true});
  // Every element but the first is once on the right side, by itself or in a sum; of those before
  // the last that holds where none stands for itself, too.
  const auto add = [&](const stretch& a, const stretch& b) {
    if (b.first <= s.failing && s.failing < b.last) throw thrown{of_an_element};
    return a + b;
  };
  const bool all = s.variant == a_scan;
  const auto end =
      all ? parallel_inclusive_scan(elements.begin(), elements.end(), elements.begin(), add)
          : parallel_exclusive_scan(elements.begin(), elements.end(), elements.begin(), stretch{},
                                    add);
  if (end != elements.end()) return false;
  for (int i = 0; i < s.amount; ++i) {
    const stretch& sum = elements[at(i)];
    if (sum.first != 0 || sum.last != (all ? i + 1 : i) || !sum.in_order) return false;
  }
  return true;
}

bool execution::sort(const step& s) {
  struct element {
    int key;
    int number;
  };
  std::vector<element> elements;
  std::uint32_t random = 12345;
  for (int i = 0; i < s.amount; ++i) {
    random = random * 1664525U + 1013904223U;
    elements.push_back({static_cast<int>(random >> 16U) % 100, i});
  }
  const auto first = [&](const element& a, const element& b) {
    if (a.number == s.failing || b.number == s.failing) throw thrown{of_an_element};
    return a.key < b.key;
  };
  const auto whole = [&] {
    std::vector<int> seen(elements.size());
    for (const element& e : elements) ++seen[at(e.number)];
    return std::ranges::all_of(seen, [](int n) { return n == 1; });
  };
  try {
    if (s.variant == a_stable_sort) {
      parallel_stable_sort(elements, first);
    } else {
      parallel_sort(elements, first);
    }
  } catch (const thrown&) {
    if (!whole()) fail("a sort that failed lost elements");
    throw;
  }
  const bool stable = s.variant == a_stable_sort;
  return whole() && std::ranges::is_sorted(elements, [&](const element& a, const element& b) {
           return a.key != b.key ? a.key < b.key : stable && a.number < b.number;
         });
}

bool execution::search(const step& s) {
  std::vector<int> elements(at(s.amount));
  std::iota(elements.begin(), elements.end(), 0);
  // What throws lies before what is found, so it is looked at.
  const int wanted = s.amount * 2 / 3;
  const auto found = parallel_find_if(elements, [&](int i) {
    if (i == s.failing) throw thrown{of_an_element};
    return i >= wanted;
  });
  return found - elements.begin() == wanted;
}

}  // namespace evencube::programs

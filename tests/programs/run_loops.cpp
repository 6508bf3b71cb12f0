#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

void execution::fork(const step& s, const surroundings& around) {
  const auto half = [&](std::size_t i) {
    return [this, &s, around, i] { return run_task(s.inner[i], s.of, around); };
  };
  const block& outcome = s.inner[0].throws ? s.inner[0] : s.inner[1];
  call(outcome, [&] {
    const auto [left, right] = fork_join(half(0), half(1));
    if (left != value_of(s.inner[0])) fail("the left half of a fork gave another value");
    return right;
  });
}

void execution::loop(const step& s, const surroundings& around) {
  std::vector<int> ran(at(s.amount));  // plain: one cell for each iteration
  const block& body = s.inner[0];
  expect_exception(body, [&] {
    parallel_for(0, s.amount,
                 [&](int i) {
                   ++ran[at(i)];
                   run_iteration(s, i, around);
                 },
                 {.grain = at(s.grain)});
  });
  for (const int n : ran) {
    if (n > 1 || (n < 1 && !body.throws)) {
      fail("an iteration of " + name(body) + " ran " + std::to_string(n) + " times");
    }
  }
}

void execution::reduce(const step& s, const surroundings& around) {
  const block& body = s.inner[0];
  expect_exception(body, [&] {
    const stretch all = parallel_reduce(
        0, s.amount, stretch{},
        [&](int i) {
          run_iteration(s, i, around);
          return stretch{i, i + 1, true};
        },
        [](const stretch& a, const stretch& b) {
          return stretch{a.first, b.last, a.in_order && b.in_order && a.last == b.first};
        },
        {.grain = at(s.grain)});
    if (all.first != 0 || all.last != s.amount || !all.in_order) {
      fail("the fold of " + name(body) + " was not in order");
    }
  });
}

void execution::run_iteration(const step& s, int i, const surroundings& around) {
  const block& body = s.inner[0];
  try {
    run_task(body, s.of, around);
  } catch (const thrown&) {
    if (i == s.variant) throw;
  }
}

}  // namespace evencube::programs

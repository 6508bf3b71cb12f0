#include <functional>
#include <list>
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
  const auto run = [&](int i) {
    if (mistaken(mistake::skip_iteration)) return;
    ++ran[at(i)];
    run_iteration(s, i, around);
  };
  const loop_options options{.grain = at(s.grain)};
  expect_exception(
      body,
      [&] {
        switch (s.form) {
          case by_index:
            return parallel_for(0, s.amount, run, options);
          case by_block:
            return parallel_for(
                0, s.amount,
                [&](int first, int last) {
                  for (int i = first; i < last; ++i) run(i);
                },
                options);
          case by_stride:
            return parallel_for(
                10, 10 + 3 * s.amount, 3, [&](int i) { run((i - 10) / 3); }, options);
          case by_feeding: {
            const int given = (s.amount + 1) / 2;
            std::list<int> items;  // no random access: each is a task
            for (int i = 0; i < given; ++i) items.push_back(i);
            return parallel_for_each(items, [&](int i, feeder<int>& feed) {
              if (i < given && given + i < s.amount) feed.add(given + i);
              run(i);
            });
          }
          case by_balance: {
            balanced_loop items(on(s.of), 0, s.amount);
            items.run([](int, int) {});  // as a first touch: its times are the first to be known
            return items.run(run);
          }
        }
      },
      [] { return false; });
  check_iterations(s, ran);
}

void execution::check_iterations(const step& s, const std::vector<int>& ran) {
  const block& body = s.inner[0];
  for (const int n : ran) {
    if (n > 1 || (n < 1 && !body.throws)) {
      fail("an iteration of " + name(body) + " ran " + std::to_string(n) + " times");
    }
  }
}

void execution::reduce(const step& s, const surroundings& around) {
  const block& body = s.inner[0];
  expect_exception(
      body,
      [&] {
        const auto value = [&](int i) {
          run_iteration(s, i, around);
          return stretch{i, i + 1, true};
        };
        const loop_options options{.grain = at(s.grain)};
        const auto fold = [&] {
          switch (s.form) {
            case by_block:
              return parallel_deterministic_reduce(0, s.amount, stretch{}, value, std::plus<>(),
                                                   options);
            case by_balance:
              return balanced_loop(on(s.of), 0, s.amount)
                  .reduce(stretch{}, value, std::plus<>(), options.grain);
            default:
              return parallel_reduce(0, s.amount, stretch{}, value, std::plus<>(), options);
          }
        };
        stretch all = fold();
        if (mistaken(mistake::spoil_result)) ++all.last;
        if (all.first != 0 || all.last != s.amount || !all.in_order) {
          fail("the fold of " + name(body) + " was not in order");
        }
      },
      [] { return false; });
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

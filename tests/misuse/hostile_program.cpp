// A user's program, compiled behind overloads of every function name that the library's headers
// call: in the namespace of all the types and function objects that it hands over, greedy for
// whatever they are given, and deleted. Each use of one is an error.
#include <evencube/algorithms.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "hostile_names.hpp"  // written by the test

namespace user {

/// A type of the user's, with operators that nobody should call unasked.
struct my_value {
  int number = 0;
  my_value* operator&() const = delete;  // NOLINT(google-runtime-operator): that is the point
};
template <typename A, typename B>
void operator,(A&&, B&&) = delete;

struct my_move_only {
  std::unique_ptr<int> number = std::make_unique<int>(1);
};

struct my_failure {};

struct my_function {
  void operator()() const {}
};
struct my_body {
  void operator()(int) const {}
};

inline void my_forks() {
  evencube::fork_join([] {}, [] {});
  evencube::fork_join(my_function{}, my_function{});
  const my_function named;
  evencube::fork_join(named, named);
  static_cast<void>(evencube::fork_join([] { return my_value{1}; }, [] {}));
  static_cast<void>(evencube::fork_join([] {}, [] { return my_value{2}; }));
  static_cast<void>(
      evencube::fork_join([] { return my_move_only{}; }, [] { return my_move_only{}; }));
  auto owned = std::make_unique<my_value>();
  static_cast<void>(
      evencube::fork_join([mine = std::move(owned)] { return mine->number; }, [] { return 1; }));
  evencube::fork_join([] { throw my_failure{}; },
                      [] { evencube::fork_join([] {}, [] { throw my_failure{}; }); });
}

inline void my_groups(evencube::runtime& rt) {
  evencube::task_group here;
  evencube::task_group there(rt);
  here.spawn([] {});
  here.spawn([] { throw my_failure{}; }, {.cost = 2, .home = 0});
  here.spawn(my_function{});
  here.spawn(my_function{}, {.priority = evencube::priority::low});
  there.spawn([large = std::vector<my_value>(3), mine = my_move_only{}] {
    static_cast<void>(large.size());
  });
  const my_function named;
  there.spawn(named);
  here.wait();
  there.wait();
}

inline void my_loops() {
  evencube::blocking(my_function{});
  const evencube::blocking_scope scope;
  evencube::parallel_for(0, 10, [](int) {});
  evencube::parallel_for(0, 10, my_body{}, {.grain = 2});
  evencube::parallel_for(0U, 10, [](auto) { throw my_failure{}; });
  static_cast<void>(evencube::parallel_reduce(
      0, 10, my_value{}, [](int i) { return my_value{i}; },
      [](const my_value& a, const my_value& b) { return my_value{a.number + b.number}; }));
  static_cast<void>(evencube::parallel_reduce(
      0L, 10L, my_move_only{}, [](long) { return my_move_only{}; },
      [](my_move_only a, const my_move_only&) { return a; }, {.grain = 3}));
}

inline void my_futures(evencube::runtime& rt) {
  rt.async([] {}).get();
  static_cast<void>(rt.async([] { return my_value{1}; }, {.cost = 3}).get());
  static_cast<void>(rt.async([mine = my_move_only{}]() mutable { return std::move(mine); }).get());
  static my_value global;
  rt.async([]() -> my_value& { return global; }).get().number = 4;
  auto later = rt.async(my_function{});
  later.wait();
  static_cast<void>(later.ready());
  static_cast<void>(rt.async([] { return std::optional<my_value>(my_value{2}); }).get());
}

inline void my_runs(evencube::runtime& rt) {
  rt.run([] {});
  rt.run(my_function{});
  static_cast<void>(rt.run([] { return my_value{1}; }));
  static_cast<void>(rt.run([] { return my_move_only{}; }));
  static my_value global;
  rt.run([]() -> my_value& { return global; }).number = 1;
}

struct my_less {
  bool operator()(const my_value& a, const my_value& b) const { return a.number < b.number; }
};
struct my_sum {
  my_value operator()(const my_value& a, const my_value& b) const {
    return my_value{a.number + b.number};
  }
};

inline void my_ranges(evencube::runtime& rt) {
  std::vector<my_value> values(100);
  std::vector<my_move_only> movable(100);
  const auto touch = [](my_value& v) { ++v.number; };
  const auto positive = [](const my_value& v) { return v.number > 0; };
  const auto same = [](const my_value& v) { return v; };
  evencube::parallel_invoke([] {}, [] { return my_value{1}; }, my_function{});
  evencube::parallel_for(values, touch);
  evencube::parallel_for(values.begin(), values.end(), touch, {.grain = 2});
  evencube::parallel_for(0, 10, 3, my_body{});
  evencube::parallel_for(0, 10, [](int, int) {});
  evencube::parallel_for(evencube::blocked_range_2d(0, 10, 0, 10), [](const auto&) {});
  evencube::parallel_for(rt, evencube::blocked_range(movable.begin(), movable.end()),
                         [](const auto&) {});
  evencube::parallel_for_each(values, [](my_value& v, evencube::feeder<my_value>& feed) {
    if (v.number > 1000) feed.add(my_value{});
  });
  static_cast<void>(evencube::parallel_reduce(values, my_value{}, same, my_sum{}));
  static_cast<void>(evencube::parallel_reduce(
      rt, evencube::blocked_range(0, 10), my_value{}, [](const auto&, my_value v) { return v; },
      my_sum{}));
  static_cast<void>(
      evencube::parallel_deterministic_reduce(rt, values, my_value{}, same, my_sum{}));
  evencube::parallel_inclusive_scan(values.begin(), values.end(), values.begin(), my_sum{});
  evencube::exclusive_scan(values.begin(), values.end(), values.begin(), my_value{}, my_sum{});
  evencube::parallel_sort(values, my_less{});
  evencube::parallel_stable_sort(rt, movable, std::less<>{},
                                 [](const my_move_only& m) { return *m.number; });
  evencube::sort(values.data(), values.data() + values.size(), my_less{});
  static_cast<void>(evencube::parallel_find_if(values, positive));
  static_cast<void>(evencube::any_of(rt, values.begin(), values.end(), positive));
  static_cast<void>(evencube::count_if(values.begin(), values.end(), positive));
  evencube::transform(values.begin(), values.end(), values.begin(), same);
  evencube::copy(values.begin(), values.begin(), values.begin());
  evencube::fill(values.begin(), values.end(), my_value{3});
  evencube::for_each(values.begin(), values.end(), touch);
  static_cast<void>(evencube::reduce(values.begin(), values.end(), my_value{}, my_sum{}));
}

inline void my_stoppable_loops(evencube::runtime& rt, const std::stop_token& token) {
  std::vector<my_value> values(100);
  std::list<my_move_only> movable(3);
  const auto positive = [](const my_value& v) { return v.number > 0; };
  const auto same = [](const my_value& v) { return v; };
  static_cast<void>(evencube::parallel_for(token, 0, 10, my_body{}));
  static_cast<void>(
      evencube::parallel_for(evencube::on(rt, token), values, [](my_value& v) { ++v.number; }));
  static_cast<void>(evencube::parallel_for_each(token, movable, [](my_move_only&) {}));
  static_cast<void>(evencube::parallel_reduce(token, values, my_value{}, same, my_sum{}));
  static_cast<void>(evencube::parallel_find_if(token, values, positive));
  evencube::task_group group(rt);
  static_cast<void>(group.stop_token());
}

inline void my_graphs(evencube::runtime& rt) {
  evencube::task_graph graph;
  const auto value = graph.add([] { return my_value{1}; });
  const auto owned = graph.add([] { return my_move_only{}; });
  graph.add(my_function{});
  const auto both =
      graph.add([](const my_value& v, my_move_only m) { return *m.number + v.number; },
                evencube::values_of(value, owned.take()), "both");
  graph.precede(both, graph.add(my_function{}), 2);
  graph.run(rt);
  static_cast<void>(graph.to_dot());
}

struct my_observer : evencube::task_observer {
  void task_begins(unsigned) override { throw my_failure{}; }
};
inline void my_observed() { evencube::runtime rt({.observer = std::make_shared<my_observer>()}); }

inline void my_local_values(evencube::runtime& rt) {
  evencube::worker_local<my_value> values(rt, [] { return my_value{1}; });
  ++values.local().number;
  static_cast<void>(values.combine(my_sum{}));
  for (my_value& v : values) ++v.number;
  static_cast<void>(values.begin()->number + static_cast<int>(values.size()));
  values.clear();
  evencube::worker_local<my_move_only> movable(rt);
  static_cast<void>(movable.local());
  static_cast<void>(
      std::move(movable).combine([](my_move_only a, const my_move_only&) { return a; }));
}

inline evencube::task<my_value> my_coroutine() { co_return my_value{1}; }
inline evencube::task<my_value&> my_reference(my_value& of) { co_return of; }
inline evencube::task<my_move_only> my_movable() { co_return my_move_only{}; }
inline evencube::task<> my_coroutines(evencube::runtime& rt) {
  my_value here;
  static_cast<void>(co_await my_coroutine());
  (co_await my_reference(here)).number = 2;
  auto later = rt.async([] { return my_value{1}; });
  static_cast<void>(co_await later);
  static_cast<void>(co_await evencube::when_all(my_coroutine(), my_movable(), my_reference(here)));
  std::vector<evencube::task<my_value&>> many;
  many.push_back(my_reference(here));
  static_cast<void>(co_await evencube::when_all(std::move(many)));
  co_await rt.schedule();
}
struct my_receiver {
  my_receiver* operator&() const = delete;  // NOLINT(google-runtime-operator)
  void set_value() {}
  void set_error(const std::exception_ptr&) {}
  void set_stopped() {}
};
inline void my_starts(evencube::runtime& rt) {
  evencube::task_group group(rt);
  evencube::spawn(group, my_coroutine());
  static_cast<void>(evencube::start(rt, my_movable()).get());
  evencube::sync_wait(rt, my_coroutines(rt));
  auto operation = rt.get_scheduler().schedule().connect(my_receiver{});
  operation.start();
  group.wait();
}

inline void my_everything() {
  evencube::runtime rt({.workers = 2});
  rt.run([&] {
    my_forks();
    my_groups(rt);
    my_loops();
    my_ranges(rt);
    my_stoppable_loops(rt, {});
    my_graphs(rt);
    my_observed();
    my_local_values(rt);
  });
  my_futures(rt);
  my_starts(rt);
  my_runs(rt);
}

}  // namespace user

int main() { user::my_everything(); }

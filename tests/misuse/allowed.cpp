// The nearest that is allowed to each of refused.cpp: what refuses too much is found here.
#include <chrono>
#include <cstdint>
#include <evencube/algorithms.hpp>
#include <evencube/balancers/options.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <evencube/interop/tbb.hpp>
#include <evencube/worker_local.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using evencube::runtime;
using evencube::task_group;

struct immovable {
  immovable() = default;
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  int operator()() const { return 1; }
};
struct only_movable {
  std::unique_ptr<int> number;
  int operator()() { return 1; }
};

void plain() {}

void forks() {
  evencube::fork_join(plain, &plain);
  evencube::fork_join([] {}, [n = 0]() mutable { ++n; });
  immovable named;  // referred to, not moved
  static_cast<void>(evencube::fork_join(named, std::as_const(named)));
  static_cast<void>(evencube::fork_join(
      std::function<int()>(named.operator()() > 0 ? nullptr : nullptr), only_movable{}));
}

void blocks() {
  evencube::blocking(plain);
  evencube::blocking([n = 0]() mutable { ++n; });
  const immovable named;
  static_cast<void>(evencube::blocking(named));
  static immovable global;
  immovable& same = evencube::blocking([]() -> immovable& { return global; });
  static_cast<void>(same);
  const evencube::blocking_scope scope;
}

void spawns(task_group& g) {
  g.spawn(plain);
  g.spawn([] { return 3; });  // its result is dropped
  g.spawn(only_movable{});
  const auto named = [] {};
  g.spawn(named);
  g.spawn(std::ref(named), {.cost = 2});
  g.spawn([n = 0]() mutable { ++n; }, {.home = 0});
  g.spawn(plain, {.priority = evencube::priority::high});
}

void asyncs(runtime& rt) {
  static_cast<void>(rt.async(only_movable{}));
  static_cast<void>(rt.async(plain));
  static_cast<void>(rt.async([] { return std::make_unique<int>(1); }));
  immovable f;
  static_cast<void>(rt.async(std::ref(f)));
  static immovable global;
  static_cast<void>(rt.async([]() -> immovable& { return global; }));
}

void runs(runtime& rt) {
  immovable f;
  static_cast<void>(rt.run(f));
  static_cast<void>(rt.run(immovable{}));
  static_cast<void>(rt.run(only_movable{}));
  rt.run(plain);
}

void runs_with_a_limit(runtime& rt, evencube::arena& in, const std::stop_token& token) {
  const std::chrono::seconds time(1);
  immovable f;
  static_cast<void>(evencube::run_for(rt, time, f));
  static_cast<void>(evencube::run_for(in, time, only_movable{}));
  static_cast<void>(evencube::run_for(evencube::on(in, token), time, plain));
  static_cast<void>(evencube::run_for(token, time, [](std::stop_token) { return 3; }));
  static_cast<void>(evencube::run_until(rt, std::chrono::system_clock::now(), plain));
}

void strategies(const std::string& typed) {
  using namespace evencube;
  evencube::runtime first({.balancer = balancers::oem{}, .transmission = transmission::overlapped});
  evencube::runtime second({.balancer = balancers::diffusion{.iterations = 16},
                            .transmission = transmissions::pipelined{.batch = 8}});
  evencube::runtime third({.balancer = "dem", .options = dem_options{}, .transmission = "direct"});
  evencube::runtime fourth({.balancer = typed, .options = {{"iterations", "16"}}});
  first.use_balancer(balancers::random_stealing{});
  first.use_balancer(balancers::cwa{}, transmission::phased);
  first.use_balancer("dem");
  first.use_balancer(typed, {}, typed);
  first.use_balancer("diffusion", diffusion_options{});
  const std::string name = runtime_options{}.balancer;
  static_cast<void>(name == runtime_options{}.balancer &&
                    runtime_options{}.transmission == "direct");
}

void index(int) {}

void loops() {
  evencube::parallel_for(0, 10, index);
  evencube::parallel_for(0, 10, [](long) {});
  evencube::parallel_for(std::uint8_t{0}, std::int64_t{10}, [](auto) { return 1; });
  evencube::parallel_for('a', 'z', [](int) {});
  immovable unused;
  evencube::parallel_for(0U, 10U, [&unused](unsigned) { static_cast<void>(unused()); });
  evencube::parallel_for(0, 10, std::function<void(int)>(index));
}

void folds() {
  const auto plus = std::plus<>{};
  static_cast<void>(evencube::parallel_reduce(0, 10, 0L, [](int i) { return i; }, plus));
  static_cast<void>(evencube::parallel_reduce(
      0, 10, std::string(), [](int i) { return std::to_string(i); }, plus));
  static_cast<void>(evencube::parallel_reduce(
      0, 10, std::unique_ptr<int>(), [](int i) { return std::make_unique<int>(i); },
      [](std::unique_ptr<int> a, std::unique_ptr<int> b) {
        return a ? std::move(a) : std::move(b);
      }));
  // The body's result becomes a value by conversion.
  static_cast<void>(
      evencube::parallel_reduce(0, 10, std::string(), [](int) { return "text"; }, plus));
}

evencube::future<int> moved(evencube::future<int>&& f) { return std::move(f); }

void local_values(runtime& rt) {
  evencube::worker_local<int> numbers(rt, [] { return short{1}; });
  static_cast<void>(numbers.combine(std::plus<>{}));
  static_cast<void>(
      numbers.combine([](int&& a, const int& b) { return static_cast<char>(a + b); }));
  evencube::worker_local<std::unique_ptr<int>> owned(rt);
  static_cast<void>(std::move(owned).combine([](std::unique_ptr<int> a, std::unique_ptr<int> b) {
    return a ? std::move(a) : std::move(b);
  }));
  // Used in place: neither copied nor moved.
  evencube::worker_local<immovable> fixed(rt, [] { return immovable{}; });
  for (immovable& value : fixed) value();
  evencube::worker_local<immovable>(rt).local()();
  const evencube::worker_local deduced(rt, [] { return std::string("text"); });
  for (const std::string& text : deduced) static_cast<void>(text.size());
}

evencube::task<int> converted() { co_return 'a'; }
evencube::task<std::string> texts() { co_return "text"; }
evencube::task<immovable&> global() {
  static immovable of_all;
  co_return of_all;
}
evencube::task<> awaits(runtime& rt, evencube::task<int> named, evencube::future<int> f) {
  static_cast<void>(co_await std::move(named));
  static_cast<void>(co_await converted());
  static_cast<void>(co_await f);
  static_cast<void>(co_await when_all(converted(), global(), texts()));
  static_cast<void>(co_await evencube::when_all(std::vector<evencube::task<immovable&>>()));
  co_await rt.schedule();
  co_await rt.get_scheduler().schedule();
  co_await std::suspend_never();
}
struct receiver {
  void set_value() {}
  void set_error(const std::exception_ptr&) {}
  void set_stopped() {}
};
void starts(runtime& rt, task_group& g) {
  static_cast<void>(evencube::start(rt, converted(), {.cost = 2}));
  evencube::spawn(g, texts());
  static_cast<void>(evencube::sync_wait(global()));
  static_cast<void>(evencube::sync_wait(rt, converted()));
  rt.schedule().connect(receiver{}).start();
}

void algorithms(std::vector<int>& v, std::list<int>& l, const std::stop_token& token) {
  evencube::parallel_for(v, [](long) {});
  evencube::parallel_for_each(l, [](int) { return 1; });
  evencube::parallel_for_each(l, [](int n, evencube::feeder<int>& feed) { feed.add(n); });
  static_cast<void>(evencube::parallel_for(token, 0, 10, [](long) {}));
  static_cast<void>(evencube::parallel_for_each(token, l, [](int) {}));
  static_cast<void>(evencube::parallel_reduce(v, 0.0, [](int n) { return n; }, std::plus<>{}));
  static_cast<void>(
      evencube::parallel_reduce(token, v, 0L, [](int n) { return n; }, std::plus<>{}));
  static_cast<void>(evencube::parallel_find_if(v, [](int n) { return n; }));
  evencube::parallel_inclusive_scan(v.begin(), v.end(), v.begin(), std::plus<>{});
  evencube::parallel_sort(v, [](long a, long b) { return a > b; });
}

void graphs(evencube::task_graph& g, runtime& rt) {
  g.add(plain);
  g.add([] { return immovable{}; });  // made where it lies
  const evencube::task_graph::node untyped = g.add([] { return 'a'; });
  const auto text = g.add([] { return "text"; });
  const auto owned = g.add(only_movable{});
  const auto joined = g.add([](std::string t, long n) { return t + std::to_string(n); },
                            values_of(text, owned), "joined");
  g.precede(untyped, joined, 'a');
  const auto taken =
      g.add([](std::string&& t) { return std::make_unique<std::string>(std::move(t)); },
            values_of(joined.take()));
  g.add([](std::unique_ptr<std::string>) {}, values_of(taken.take()));
  g.run(rt);
}

void pipelines() {
  evencube::parallel_pipeline(
      4, [] { return std::optional<char>(); },
      evencube::parallel_stage([](int n) { return n + 0.5; }),
      evencube::serial_in_order([](double) { return only_movable{}; }),
      evencube::serial_out_of_order([](only_movable) {}));
  evencube::parallel_pipeline(
      4, [] { return std::optional<only_movable>(); },
      evencube::parallel_stage([](only_movable&& f) { return std::move(f); }),
      evencube::parallel_stage([](const only_movable&) { return immovable{}; }));  // dropped
}

void filters() {
  namespace tbb = evencube::tbb;
  using mode = tbb::filter_mode;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(mode::parallel, [](tbb::flow_control&) { return 'a'; }),
      tbb::make_filter<int, only_movable>(mode::parallel, [](auto) { return only_movable{}; }),
      tbb::filter<only_movable, void>(mode::serial_in_order, [](only_movable) { return 1; }));
  tbb::parallel_pipeline(
      4, tbb::make_filter(mode::parallel, [](tbb::flow_control& flow) { flow.stop(); }));
}

// What must not compile, one function each. The text of `#line` gives each its name in the
// compiler's messages; refusals_test.py says which rule the message must name.
#include <chrono>
#include <evencube/algorithms.hpp>
#include <evencube/balancers/options.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <evencube/interop/tbb.hpp>
#include <evencube/worker_local.hpp>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

using evencube::runtime;
using evencube::task_group;

struct immovable {
  immovable() = default;
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  void operator()() const {}
};

/// A value that cannot be assigned.
struct constant_sum {
  const int sum = 0;
};

#line 1 "fork_join_of_a_number"
void fork_join_of_a_number() {
  evencube::fork_join(1, [] {});
}

#line 1 "fork_join_of_a_second_number"
void fork_join_of_a_second_number() {
  evencube::fork_join([] {}, 2);
}

#line 1 "fork_join_of_a_function_with_a_parameter"
void fork_join_of_a_function_with_a_parameter() {
  evencube::fork_join([](int) {}, [] {});
}

#line 1 "spawn_of_a_text"
void spawn_of_a_text(task_group& g) { g.spawn(std::string("work")); }

#line 1 "spawn_of_a_function_with_a_parameter"
void spawn_of_a_function_with_a_parameter(task_group& g) {
  g.spawn([](int) {});
}

#line 1 "spawn_of_an_immovable"
void spawn_of_an_immovable(task_group& g) {
  immovable f;
  g.spawn(f);
}

#line 1 "async_of_a_number"
void async_of_a_number(runtime& rt) { rt.async(3); }

#line 1 "async_of_an_immovable"
void async_of_an_immovable(runtime& rt) {
  immovable f;
  rt.async(f);
}

#line 1 "async_with_an_immovable_result"
void async_with_an_immovable_result(runtime& rt) {
  rt.async([] { return immovable{}; });
}

#line 1 "run_of_a_pointer_to_data"
void run_of_a_pointer_to_data(runtime& rt, int* p) { rt.run(p); }

#line 1 "run_with_a_limit_of_a_function_with_a_parameter"
void run_with_a_limit_of_a_function_with_a_parameter(runtime& rt) {
  static_cast<void>(evencube::run_for(rt, std::chrono::seconds(1), [](int) {}));
}

#line 1 "blocking_with_an_argument"
void blocking_with_an_argument() {
  evencube::blocking([](int) {});
}

#line 1 "loop_whose_body_takes_nothing"
void loop_whose_body_takes_nothing() {
  evencube::parallel_for(0, 10, [] {});
}

#line 1 "loop_whose_body_takes_a_text"
void loop_whose_body_takes_a_text() {
  evencube::parallel_for(0, 10, [](const std::string&) {});
}

#line 1 "loop_whose_body_changes_itself"
void loop_whose_body_changes_itself() {
  evencube::parallel_for(0, 10, [n = 0](int) mutable { ++n; });
}

#line 1 "loop_over_floating_indices"
void loop_over_floating_indices() {
  evencube::parallel_for(0.0, 1.0, [](double) {});
}

#line 1 "loop_over_pointers"
void loop_over_pointers(int* first, int* last) {
  evencube::parallel_for(first, last, [](int*) {});
}

#line 1 "reduce_over_floating_indices"
void reduce_over_floating_indices() {
  static_cast<void>(evencube::parallel_reduce(
      0.0F, 1.0F, 0, [](float) { return 0; }, [](int a, int b) { return a + b; }));
}

#line 1 "reduce_whose_body_gives_nothing"
void reduce_whose_body_gives_nothing() {
  static_cast<void>(
      evencube::parallel_reduce(0, 10, 0, [](int) {}, [](int a, int b) { return a + b; }));
}

#line 1 "reduce_whose_combine_takes_one"
void reduce_whose_combine_takes_one() {
  static_cast<void>(
      evencube::parallel_reduce(0, 10, 0, [](int i) { return i; }, [](int a) { return a; }));
}

#line 1 "reduce_whose_combine_takes_texts"
void reduce_whose_combine_takes_texts() {
  static_cast<void>(evencube::parallel_reduce(
      0, 10, 0, [](int i) { return i; },
      [](const std::string& a, const std::string& b) { return a + b; }));
}

#line 1 "reduce_whose_combine_gives_nothing"
void reduce_whose_combine_gives_nothing() {
  static_cast<void>(evencube::parallel_reduce(0, 10, 0, [](int i) { return i; }, [](int, int) {}));
}

#line 1 "copy_of_a_future"
evencube::future<int> copy_of_a_future(const evencube::future<int>& f) { return f; }

#line 1 "copy_of_a_group"
void copy_of_a_group(task_group& g) { const task_group other = g; }

#line 1 "copy_of_a_runtime"
void copy_of_a_runtime(runtime& rt) { const runtime other = rt; }

#line 1 "number_as_a_runtime"
void number_as_a_runtime() { const runtime rt = 4; }

#line 1 "local_values_made_by_a_text"
void local_values_made_by_a_text(runtime& rt) {
  const evencube::worker_local<int> values(rt, std::string("one"));
}

#line 1 "local_values_of_another_type"
void local_values_of_another_type(runtime& rt) {
  const evencube::worker_local<int> values(rt, [] { return std::string("one"); });
}

#line 1 "local_values_combined_by_one"
int local_values_combined_by_one(evencube::worker_local<int>& values) {
  return values.combine([](int a) { return a; });
}

#line 1 "local_values_that_cannot_be_copied_combined"
auto local_values_that_cannot_be_copied_combined(
    evencube::worker_local<std::unique_ptr<int>>& values) {
  return values.combine([](std::unique_ptr<int> a, const std::unique_ptr<int>&) { return a; });
}

#line 1 "copy_of_local_values"
void copy_of_local_values(const evencube::worker_local<int>& values) { const auto other = values; }

#line 1 "await_of_a_number"
evencube::task<> await_of_a_number() { co_await 3; }

#line 1 "await_of_a_task_with_a_name"
evencube::task<> await_of_a_task_with_a_name(evencube::task<> t) { co_await t; }

#line 1 "spawn_of_a_coroutine"
void spawn_of_a_coroutine(task_group& g) {
  g.spawn([]() -> evencube::task<> { co_return; });
}

#line 1 "async_of_a_coroutine"
void async_of_a_coroutine(runtime& rt) {
  rt.async([]() -> evencube::task<int> { co_return 1; });
}

#line 1 "then_of_a_coroutine"
void then_of_a_coroutine(evencube::future<int> f) {
  std::move(f).then([](int) -> evencube::task<> { co_return; });
}

#line 1 "loop_of_a_coroutine"
void loop_of_a_coroutine() {
  evencube::parallel_for(0, 9, [](int) -> evencube::task<> { co_return; });
}

#line 1 "node_of_a_coroutine"
void node_of_a_coroutine(evencube::task_graph& graph) {
  graph.add([]() -> evencube::task<> { co_return; });
}

#line 1 "invoke_of_a_coroutine"
void invoke_of_a_coroutine() {
  evencube::parallel_invoke([]() -> evencube::task<> { co_return; }, [] {});
}

#line 1 "coroutine_with_another_result"
evencube::task<int> coroutine_with_another_result() { co_return std::string("3"); }

#line 1 "copy_of_a_task"
evencube::task<int> copy_of_a_task(const evencube::task<int>& t) { return t; }

#line 1 "sender_for_a_number"
void sender_for_a_number(runtime& rt) { static_cast<void>(rt.schedule().connect(3)); }

#line 1 "when_all_of_a_number"
auto when_all_of_a_number() { return evencube::when_all(3); }

#line 1 "coroutine_started_from_a_function"
void coroutine_started_from_a_function(runtime& rt) {
  static_cast<void>(evencube::start(rt, [] { return 3; }));
}

#line 1 "elements_whose_body_takes_a_text"
void elements_whose_body_takes_a_text(std::vector<int>& v) {
  evencube::parallel_for(v, [](const std::string&) {});
}

#line 1 "elements_of_a_list_by_number"
void elements_of_a_list_by_number(std::list<int>& l) {
  evencube::parallel_for(l, [](int) {});
}

#line 1 "fed_loop_whose_body_takes_nothing"
void fed_loop_whose_body_takes_nothing(std::list<int>& l) {
  evencube::parallel_for_each(l, [] {});
}

#line 1 "loop_with_a_token_whose_body_takes_a_text"
void loop_with_a_token_whose_body_takes_a_text(const std::stop_token& token) {
  static_cast<void>(evencube::parallel_for(token, 0, 10, [](const std::string&) {}));
}

#line 1 "elements_summed_up_in_an_int"
int elements_summed_up_in_an_int(const std::vector<double>& v) {
  return evencube::parallel_reduce(
      v, 0, [](double d) { return d; }, [](int a, int b) { return a + b; });
}

#line 1 "search_whose_predicate_gives_nothing"
void search_whose_predicate_gives_nothing(std::vector<int>& v) {
  static_cast<void>(evencube::parallel_find_if(v, [](int) {}));
}

#line 1 "scan_whose_sum_takes_one"
void scan_whose_sum_takes_one(std::vector<int>& v) {
  evencube::parallel_inclusive_scan(v.begin(), v.end(), v.begin(), [](int a) { return a; });
}

#line 1 "sort_by_a_comparison_of_texts"
void sort_by_a_comparison_of_texts(std::vector<int>& v) {
  evencube::parallel_sort(v, [](const std::string& a, const std::string& b) { return a < b; });
}

#line 1 "node_of_a_function_with_a_parameter"
void node_of_a_function_with_a_parameter(evencube::task_graph& g) {
  g.add([](int) {});
}

#line 1 "node_that_gives_a_reference"
void node_that_gives_a_reference(evencube::task_graph& g, int& n) {
  g.add([&n]() -> int& { return n; });
}

#line 1 "node_given_a_value_of_another_type"
void node_given_a_value_of_another_type(evencube::task_graph& g) {
  const auto text = g.add([] { return std::string(); });
  g.add([](int) {}, values_of(text));
}

#line 1 "node_given_too_few_values"
void node_given_too_few_values(evencube::task_graph& g) {
  const auto number = g.add([] { return 1; });
  g.add([](int, int) {}, values_of(number));
}

#line 1 "node_that_looks_at_what_it_takes"
void node_that_looks_at_what_it_takes(evencube::task_graph& g) {
  const auto owned = g.add([] { return std::make_unique<int>(1); });
  g.add([](std::unique_ptr<int>) {}, values_of(owned));
}

#line 1 "node_given_what_gives_nothing"
void node_given_what_gives_nothing(evencube::task_graph& g) {
  const auto nothing = g.add([] {});
  g.add([] {}, values_of(nothing));
}

#line 1 "pipeline_whose_input_has_a_parameter"
void pipeline_whose_input_has_a_parameter() {
  evencube::parallel_pipeline(
      4, [](int) { return std::optional<int>(); }, evencube::parallel_stage([](int) {}));
}

#line 1 "pipeline_without_stages"
void pipeline_without_stages() {
  evencube::parallel_pipeline(4, [] { return std::optional<int>(); });
}

#line 1 "pipeline_whose_input_is_a_stage"
void pipeline_whose_input_is_a_stage() {
  evencube::parallel_pipeline(4, evencube::serial_in_order([] { return std::optional<int>(); }),
                              evencube::parallel_stage([](int) {}));
}

#line 1 "pipeline_whose_input_gives_no_optional"
void pipeline_whose_input_gives_no_optional() {
  evencube::parallel_pipeline(4, [] { return 1; }, evencube::parallel_stage([](int) {}));
}

#line 1 "pipeline_of_functions_without_modes"
void pipeline_of_functions_without_modes() {
  evencube::parallel_pipeline(4, [] { return std::optional<int>(); }, [](int) {});
}

#line 1 "pipeline_whose_stage_takes_a_text"
void pipeline_whose_stage_takes_a_text() {
  evencube::parallel_pipeline(
      4, [] { return std::optional<int>(); }, evencube::parallel_stage([](int n) { return n; }),
      evencube::serial_in_order([](const std::string&) {}));
}

#line 1 "pipeline_whose_stage_takes_nothing"
void pipeline_whose_stage_takes_nothing() {
  evencube::parallel_pipeline(
      4, [] { return std::optional<int>(); }, evencube::parallel_stage([] {}));
}

#line 1 "pipeline_whose_middle_stage_gives_nothing"
void pipeline_whose_middle_stage_gives_nothing() {
  evencube::parallel_pipeline(
      4, [] { return std::optional<int>(); }, evencube::parallel_stage([](int) {}),
      evencube::parallel_stage([](int) {}));
}

#line 1 "pipeline_whose_stage_gives_an_immovable"
void pipeline_whose_stage_gives_an_immovable() {
  evencube::parallel_pipeline(
      4, [] { return std::optional<int>(); },
      evencube::parallel_stage([](int) { return immovable{}; }),
      evencube::parallel_stage([](const immovable&) {}));
}

#line 1 "pipeline_whose_stage_is_a_coroutine"
void pipeline_whose_stage_is_a_coroutine() {
  evencube::parallel_pipeline(
      4, [] { return std::optional<int>(); },
      evencube::parallel_stage([](int n) -> evencube::task<int> { co_return n; }));
}

#line 1 "pipeline_whose_input_is_a_coroutine"
void pipeline_whose_input_is_a_coroutine() {
  evencube::parallel_pipeline(
      4, []() -> evencube::task<std::optional<int>> { co_return 1; },
      evencube::parallel_stage([](int) {}));
}

#line 1 "pipeline_in_a_runtime_whose_stage_takes_a_text"
void pipeline_in_a_runtime_whose_stage_takes_a_text() {
  runtime rt;
  evencube::parallel_pipeline(
      rt, 4, [] { return std::optional<int>(); },
      evencube::parallel_stage([](const std::string&) {}));
}

#line 1 "stage_of_an_immovable"
auto stage_of_an_immovable() {
  const immovable f;
  return evencube::parallel_stage(f);
}

#line 1 "filter_whose_body_takes_a_text"
void filter_whose_body_takes_a_text() {
  static_cast<void>(evencube::tbb::make_filter<int, int>(evencube::tbb::filter_mode::parallel,
                                                         [](const std::string&) { return 1; }));
}

#line 1 "filter_whose_body_gives_a_text"
void filter_whose_body_gives_a_text() {
  static_cast<void>(evencube::tbb::make_filter<int, int>(evencube::tbb::filter_mode::parallel,
                                                         [](int) { return std::string(); }));
}

#line 1 "filter_whose_types_are_unknown"
void filter_whose_types_are_unknown() {
  static_cast<void>(
      evencube::tbb::make_filter(evencube::tbb::filter_mode::parallel, [](auto n) { return n; }));
}

#line 1 "reduce_of_what_cannot_be_assigned"
void reduce_of_what_cannot_be_assigned() {
  static_cast<void>(evencube::parallel_reduce(
      0, 10, constant_sum{}, [](int i) { return constant_sum{i}; },
      [](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; }));
}

#line 1 "reduce_of_elements_that_cannot_be_assigned"
void reduce_of_elements_that_cannot_be_assigned() {
  const std::vector<int> v;
  static_cast<void>(evencube::parallel_reduce(
      v, constant_sum{}, [](int i) { return constant_sum{i}; },
      [](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; }));
}

#line 1 "deterministic_reduce_of_what_cannot_be_assigned"
void deterministic_reduce_of_what_cannot_be_assigned() {
  static_cast<void>(evencube::parallel_deterministic_reduce(
      0, 10, constant_sum{}, [](int i) { return constant_sum{i}; },
      [](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; }));
}

#line 1 "stoppable_reduce_of_what_cannot_be_assigned"
void stoppable_reduce_of_what_cannot_be_assigned() {
  static_cast<void>(evencube::parallel_reduce(
      std::stop_token(), 0, 10, constant_sum{}, [](int i) { return constant_sum{i}; },
      [](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; }));
}

#line 1 "standard_reduce_of_what_cannot_be_assigned"
void standard_reduce_of_what_cannot_be_assigned() {
  const std::vector<constant_sum> v;
  static_cast<void>(
      evencube::reduce(v.begin(), v.end(), constant_sum{},
                       [](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; }));
}

#line 1 "balanced_reduce_of_what_cannot_be_assigned"
void balanced_reduce_of_what_cannot_be_assigned() {
  runtime rt;
  evencube::balanced_loop loop(rt, 0, 10);
  static_cast<void>(loop.reduce(
      constant_sum{}, [](int i) { return constant_sum{i}; },
      [](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; }));
}

#line 1 "local_values_that_cannot_be_assigned_combined"
auto local_values_that_cannot_be_assigned_combined(evencube::worker_local<constant_sum>& values) {
  return values.combine([](constant_sum a, constant_sum b) { return constant_sum{a.sum + b.sum}; });
}

#line 1 "balancer_of_an_unknown_name"
void balancer_of_an_unknown_name() { runtime rt({.balancer = evencube::balancers::oen{}}); }

#line 1 "balancer_with_the_option_of_another"
void balancer_with_the_option_of_another() {
  runtime rt({.balancer = evencube::balancers::oem{.iterations = 16}});
}

#line 1 "balancer_that_is_a_transmission"
void balancer_that_is_a_transmission() { runtime rt({.balancer = evencube::transmission::direct}); }

#line 1 "transmission_that_is_a_balancer"
void transmission_that_is_a_balancer(runtime& rt) {
  rt.use_balancer("oem", {}, evencube::balancers::oem{});
}

#line 1 "batch_that_is_a_fraction"
void batch_that_is_a_fraction(runtime& rt) {
  rt.use_balancer("oem", evencube::transmissions::pipelined{.batch = 0.5});
}

// What must not compile, one function each. The text of `#line` gives each its name in the
// compiler's messages; refusals_test.py says which rule the message must name.
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <evencube/worker_local.hpp>
#include <memory>
#include <string>

using evencube::runtime;
using evencube::task_group;

struct immovable {
  immovable() = default;
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  void operator()() const {}
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
  static_cast<void>(evencube::parallel_reduce(
      0, 10, 0, [](int) {}, [](int a, int b) { return a + b; }));
}

#line 1 "reduce_whose_combine_takes_one"
void reduce_whose_combine_takes_one() {
  static_cast<void>(evencube::parallel_reduce(
      0, 10, 0, [](int i) { return i; }, [](int a) { return a; }));
}

#line 1 "reduce_whose_combine_takes_texts"
void reduce_whose_combine_takes_texts() {
  static_cast<void>(evencube::parallel_reduce(
      0, 10, 0, [](int i) { return i; },
      [](const std::string& a, const std::string& b) { return a + b; }));
}

#line 1 "reduce_whose_combine_gives_nothing"
void reduce_whose_combine_gives_nothing() {
  static_cast<void>(evencube::parallel_reduce(
      0, 10, 0, [](int i) { return i; }, [](int, int) {}));
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

#line 1 "coroutine_with_another_result"
evencube::task<int> coroutine_with_another_result() { co_return std::string("3"); }

#line 1 "copy_of_a_task"
evencube::task<int> copy_of_a_task(const evencube::task<int>& t) { return t; }

#line 1 "sender_for_a_number"
void sender_for_a_number(runtime& rt) { static_cast<void>(rt.schedule().connect(3)); }

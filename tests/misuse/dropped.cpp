// Results and objects that must not be dropped, one function each: the compiler warns in the line
// that `#line` names. Some results say whether anything has happened; some objects do nothing
// except while they live, or until they are used.
#include <chrono>
#include <evencube/algorithms.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <stop_token>
#include <utility>

using evencube::runtime;
using evencube::task_group;
using namespace std::chrono_literals;

#line 1 "group_waited_for_with_a_limit"
void group_waited_for_with_a_limit(task_group& g) { g.wait_for(1s); }

#line 1 "group_waited_for_until_a_time"
void group_waited_for_until_a_time(task_group& g) { g.wait_until(std::chrono::sys_days()); }

#line 1 "future_waited_for_with_a_limit"
void future_waited_for_with_a_limit(const evencube::future<int>& f) { f.wait_for(1s); }

#line 1 "future_waited_for_until_a_time"
void future_waited_for_until_a_time(evencube::future<int>& f) {
  f.wait_until(std::chrono::sys_days());
}

#line 1 "loop_with_a_token"
void loop_with_a_token(const std::stop_token& t) {
  evencube::parallel_for(t, 0, 9, [](int) {});
}

#line 1 "run_with_a_limit"
void run_with_a_limit(runtime& rt) {
  evencube::run_for(rt, 1s, [] {});
}

#line 1 "reduction"
void reduction() { evencube::parallel_reduce(0, 9, 0, std::negate<>(), std::plus<>()); }

#line 1 "place_and_token"
void place_and_token(runtime& rt, const std::stop_token& t) { evencube::on(rt, t); }

#line 1 "region_without_a_name"
void region_without_a_name() { evencube::trace_region("work"); }

#line 1 "hot_phase_without_a_name"
void hot_phase_without_a_name(runtime& rt) { evencube::hot_phase(rt, 1s); }

#line 1 "scope_without_a_name"
void scope_without_a_name() { evencube::blocking_scope(); }

#line 1 "hold_without_a_name"
void hold_without_a_name(runtime& rt) { rt.hold(); }

#line 1 "coroutine_that_never_runs"
void coroutine_that_never_runs(evencube::task<int> (*f)()) { f(); }

#line 1 "sender_that_never_runs"
void sender_that_never_runs(runtime& rt) { rt.schedule(); }

#line 1 "all_that_never_run"
void all_that_never_run(evencube::task<int> t) { evencube::when_all(std::move(t)); }

#line 1 "first_of_several"
void first_of_several(evencube::future<int> f) { evencube::when_any(std::move(f)); }

#line 1 "future_of_a_promise"
void future_of_a_promise(evencube::promise<int>& p) { p.get_future(); }

#line 1 "stage_of_no_pipeline"
void stage_of_no_pipeline() {
  evencube::parallel_stage([](int i) { return i; });
}

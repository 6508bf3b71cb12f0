// Spellings that are accepted until version 0.2.0, one function each. The compiler warns of
// each in the line that `#line` names, but only if the program asks for it.
#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <stop_token>
#include <vector>

using evencube::runtime;

#line 1 "blocks_of_a_loop"
void blocks_of_a_loop() {
  evencube::parallel_for(0, 9, [](int, int) {});
}

#line 1 "blocks_of_a_loop_in_a_runtime"
void blocks_of_a_loop_in_a_runtime(runtime& rt) {
  evencube::parallel_for(rt, 0, 9, [](int, int) {});
}

#line 1 "loop_in_a_runtime_with_a_token"
void loop_in_a_runtime_with_a_token(runtime& rt, const std::stop_token& token) {
  static_cast<void>(evencube::parallel_for(rt, token, 0, 9, [](int) {}));
}

#line 1 "elements_in_a_runtime_with_a_token"
void elements_in_a_runtime_with_a_token(runtime& rt, const std::stop_token& token,
                                        std::vector<int>& v) {
  static_cast<void>(evencube::parallel_for_each(rt, token, v, [](int) {}));
}

#line 1 "reduction_in_a_runtime_with_a_token"
void reduction_in_a_runtime_with_a_token(runtime& rt, const std::stop_token& token) {
  static_cast<void>(evencube::parallel_reduce(rt, token, 0, 9, 0, std::negate<>(), std::plus<>()));
}

#line 1 "reduction_over_blocks"
int reduction_over_blocks() {
  return evencube::parallel_reduce(
      evencube::blocked_range(0, 9), 0, [](const auto&, int n) { return n + 1; }, std::plus<>());
}

#line 1 "reduction_over_blocks_in_a_runtime"
int reduction_over_blocks_in_a_runtime(runtime& rt) {
  return evencube::parallel_reduce(
      rt, evencube::blocked_range(0, 9), 0, [](const auto&, int n) { return n + 1; },
      std::plus<>());
}

#line 1 "search_in_a_runtime_with_a_token"
void search_in_a_runtime_with_a_token(runtime& rt, const std::stop_token& token,
                                      std::vector<int>& v) {
  static_cast<void>(evencube::parallel_find_if(rt, token, v, std::logical_not<>()));
}

#line 1 "continuation_of_a_named_future"
void continuation_of_a_named_future(evencube::future<int>& f) {
  static_cast<void>(f.then([](int) {}));
}

#line 1 "stage_of_a_pipeline"
void stage_of_a_pipeline() {
  static_cast<void>(evencube::parallel([](int) {}));
}

#line 1 "region_of_a_trace"
void region_of_a_trace() { const evencube::region phase("phase"); }

#line 1 "counter_of_a_trace"
void counter_of_a_trace() { evencube::count("items", 1); }

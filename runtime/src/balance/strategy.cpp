#include "balance/strategy.hpp"

#include <charconv>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "life/refused_thread.hpp"

namespace evencube::detail {

namespace {

/// Calls `look_up`, whose refusal ends with the known names, and appends the names that only
/// runtimes accept.
template <typename LookUp>
auto with_more_known(const LookUp& look_up, const char* more) {
  try {
    return look_up();
  } catch (const std::invalid_argument& unknown) {
    throw std::invalid_argument(std::string(unknown.what()) + ", " + more);
  }
}

// "pipelined:N" has batches of N quanta.
void read_transmission(const std::string& text, strategy& target) {
  const std::string batched = std::string(to_string(transmission::pipelined)) + ":";
  if (!text.starts_with(batched)) {
    target.mode = with_more_known([&] { return parse_transmission(text); }, "pipelined:N");
    return;
  }
  const char* const first = text.data() + batched.size();
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(first, last, target.batch);
  if (problem != std::errc{} || end != last || target.batch < 1 || target.batch > max_batch) {
    throw std::invalid_argument("transmission: \"" + text +
                                "\" is not allowed; the batch of pipelined must be a whole number "
                                "from 1 to " +
                                std::to_string(max_batch));
  }
  target.mode = transmission::pipelined;
}

}  // namespace

strategy make_strategy(const std::string& balancer, const balancer_options& options,
                       const std::string& transmission, const topology& cube) {
  strategy made;
  read_transmission(transmission, made);
  if (balancer == "none" || balancer == "random_stealing") {
    if (!options.empty()) {
      throw std::invalid_argument("balancer \"" + balancer + "\" has no options");
    }
    made.way = balancer == "none" ? strategy_kind::none : strategy_kind::random_stealing;
    return made;
  }
  const balancer_descriptor about =
      with_more_known([&] { return describe_balancer(balancer); }, "random_stealing");
  made.way = strategy_kind::planned;
  made.planner = make_balancer(balancer, options);
  made.honours_capacities = about.guarantees.honours_capacities;
  made.event_driven = about.event_driven;
  made.uses_service_times = about.uses_service_times;
  made.keeps_order = about.guarantees.preserves_order;
  // A strategy that cannot serve this cube reports it now, and not in the middle of the work. The
  // call is on a new thread: thread-local objects of planners would otherwise bind the caller's
  // thread to the library, which could then not be unloaded.
  std::exception_ptr refusal;
  const auto attempt = [&] {
    try {
      const std::vector<load_type> empty(cube.nodes());
      plan nothing;
      made.planner->make_plan({.graph = cube, .loads = empty}, nothing);
    } catch (...) {
      refusal = std::current_exception();
    }
  };
  try {
    std::thread(attempt).join();
  } catch (const std::system_error& failure) {
    throw_refused_thread(failure, "the balancer's first plan");
  }
  if (refusal != nullptr) std::rethrow_exception(refusal);
  return made;
}

}  // namespace evencube::detail

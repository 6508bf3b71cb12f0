#include <evencube/balancers/transmission.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/balancers/plan_tools.hpp>

#include "disciplines.hpp"

namespace evencube {
namespace {

load_type largest_of(const phase& moves) noexcept {
  load_type largest = 0;
  for (const transfer& t : moves) largest = std::max(largest, t.quanta);
  return largest;
}

load_type run(transmission how, std::span<const load_type> loads, const plan& planned,
              schedule* steps, allowance& work) {
  switch (how) {
    case transmission::phased:
      return run_phased(planned, steps);
    case transmission::overlapped_rounds:
      return run_rounds(loads, planned, steps);
    case transmission::overlapped:
      return run_overlapped(loads, planned, steps);
    case transmission::pipelined:
      return run_pipelined(loads, planned, steps, work);
    case transmission::direct:
      break;
  }
  return run_direct(loads, planned, steps);
}

}  // namespace

std::string_view to_string(transmission how) noexcept {
  switch (how) {
    case transmission::phased:
      return "phased";
    case transmission::overlapped_rounds:
      return "overlapped_rounds";
    case transmission::overlapped:
      return "overlapped";
    case transmission::pipelined:
      return "pipelined";
    case transmission::direct:
      break;
  }
  return "direct";
}

transmission parse_transmission(std::string_view text) {
  std::string known;
  for (const transmission how : all_transmissions) {
    if (to_string(how) == text) return how;
    known += (known.empty() ? "" : ", ") + std::string(to_string(how));
  }
  throw std::invalid_argument("unknown transmission \"" + std::string(text) + "\", known are " +
                              known);
}

schedule make_schedule(transmission how, std::span<const load_type> loads, const plan& planned) {
  schedule made;
  allowance all;
  made.cost = run(how, loads, planned, &made, all);
  return made;
}

schedule make_schedule(transmission how, std::span<const load_type> loads, plan&& planned) {
  if (how != transmission::phased) return make_schedule(how, loads, std::as_const(planned));
  schedule made;
  for (phase& moves : planned.phases) {
    const load_type largest = largest_of(moves);
    if (largest > 0) made.steps.push_back({made.cost, largest, std::move(moves)});
    made.cost = saturating_add(made.cost, largest);
  }
  return made;
}

load_type transmission_cost(transmission how, std::span<const load_type> loads,
                            const plan& planned) {
  allowance all;
  return run(how, loads, planned, nullptr, all);
}

std::optional<load_type> transmission_cost(transmission how, std::span<const load_type> loads,
                                           const plan& planned, std::size_t work) {
  allowance allowed{work};
  const load_type cost = run(how, loads, planned, nullptr, allowed);
  if (allowed.exceeded) return std::nullopt;
  return cost;
}

plan plan_of(const schedule& steps) {
  plan made;
  made.phases.reserve(steps.steps.size());
  for (const schedule_step& step : steps.steps) made.phases.push_back(step.transfers);
  return made;
}

load_type run_phased(const plan& planned, schedule* steps) {
  load_type cost = 0;
  for (const phase& moves : planned.phases) {
    const load_type largest = largest_of(moves);
    if (steps != nullptr && largest > 0) steps->steps.push_back({cost, largest, moves});
    cost = saturating_add(cost, largest);
  }
  return cost;
}

}  // namespace evencube

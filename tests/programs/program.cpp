#include "program.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace evencube::programs {

namespace {

struct names_in_use {
  std::set<int> raised;
  std::set<int> futures;
};

names_in_use collect(const program& p) {
  names_in_use names;
  for_each_block(p, [&](const block& b) {
    for (const step& s : b.steps) {
      if (s.what == action::raise_flag) names.raised.insert(s.target);
      if (s.what == action::async) names.futures.insert(s.target);
      if (s.what == action::then_future) names.futures.insert(s.result);
    }
  });
  return names;
}

class tidier {
 public:
  explicit tidier(program& p)
      : shared_groups_(static_cast<int>(p.groups.size())), names_(collect(p)) {}

  void tidy(block& b) {
    b.id = next_++;
    std::erase_if(b.steps, [this](const step& s) { return refers_to_nothing(s); });
    for (step& s : b.steps) {
      if (const block* const needs = needs_of(s); needs != nullptr && needs->steps.empty()) {
        s.inner.pop_back();
        s.from = nothing;
      }
      if (s.what == action::scope) local_groups_.insert(s.target);
      for (block& in : s.inner) tidy(in);
      if (s.what == action::scope) local_groups_.erase(s.target);
    }
  }
  [[nodiscard]] int blocks() const { return next_; }

 private:
  [[nodiscard]] bool refers_to_nothing(const step& s) const {
    switch (s.what) {
      case action::spawn:
      case action::wait_group:
        return s.target >= shared_groups_ && !local_groups_.contains(s.target);
      case action::wait_future:
      case action::get_future:
      case action::poll_future:
      case action::then_future:
        return !names_.futures.contains(s.target);
      case action::await_flag:
        return !names_.raised.contains(s.target);
      default:
        return false;
    }
  }

  int shared_groups_;
  names_in_use names_;
  std::set<int> local_groups_;
  int next_ = 0;
};

void count_block(const block& b, times here, std::vector<times>& all) {
  all[static_cast<std::size_t>(b.id)] = here;
  for (const step& s : b.steps) {
    switch (s.what) {
      case action::fork: {
        count_block(s.inner[0], here, all);
        const bool both = !s.inner[0].throws;
        count_block(s.inner[1], {both ? here.least : 0, here.most}, all);
        break;
      }
      case action::loop:
      case action::reduce: {
        const bool to_the_end = !s.inner[0].throws;
        count_block(s.inner[0],
                    {to_the_end ? here.least * s.amount : here.least, here.most * s.amount}, all);
        break;
      }
      case action::async:
      case action::local_async:
      case action::need: {
        for (const block& in : s.inner) count_block(in, here, all);
        // What continues a future that ends with an exception is not called.
        if (&outcome_of(s) != s.inner.data()) count_block(s.inner[0], {0, 0}, all);
        break;
      }
      case action::then_future:
        count_block(s.inner[0], {0, here.most}, all);
        break;
      default:
        for (const block& in : s.inner) count_block(in, here, all);
    }
  }
}

}  // namespace

int tidy(program& p) {
  // What is dropped may have raised a flag or made a future: until nothing changes.
  for (int before = -1; before != count_steps(p);) {
    before = count_steps(p);
    tidier once(p);
    once.tidy(p.prologue);
    for (block& t : p.threads) once.tidy(t);
  }
  int blocks = 0;
  for_each_block(p, [&](const block&) { ++blocks; });
  return blocks;
}

std::vector<times> expected_times(const program& p) {
  int blocks = 0;
  for_each_block(p, [&](const block&) { ++blocks; });
  std::vector<times> all(static_cast<std::size_t>(blocks));
  count_block(p.prologue, {1, 1}, all);
  for (const block& t : p.threads) count_block(t, {1, 1}, all);
  return all;
}

const block* needs_of(const step& s) {
  return s.from == one || s.from == all_of_several || s.from == any_of_several ? &s.inner.back()
                                                                               : nullptr;
}
block* needs_of(step& s) { return const_cast<block*>(needs_of(std::as_const(s))); }

const block& outcome_of(const step& s) {
  if (s.from == one) {
    const block& before = outcome_of(needs_of(s)->steps[0]);
    if (before.throws) return before;
  }
  return s.inner[0];
}

int count_steps(const program& p) {
  std::size_t steps = 0;
  for_each_block(p, [&](const block& b) { steps += b.steps.size(); });
  return static_cast<int>(steps);
}

}  // namespace evencube::programs

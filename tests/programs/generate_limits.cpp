#include "generate_limits.hpp"

#include <algorithm>
#include <vector>

#include "random.hpp"

namespace evencube::programs {

namespace {

/// Whether no step of `b` has to do with anything outside of it, so that the block may be left out
/// or be stopped at any moment. `groups` are the local groups that it has made.
bool stands_alone(const block& b, std::vector<int>& groups) {
  return std::ranges::all_of(b.steps, [&groups](const step& s) {
    const auto each = [&groups](const block& in) { return stands_alone(in, groups); };
    switch (s.what) {
      case action::work:
      case action::pause:
      case action::ask_stop:
      case action::compute:
        return true;
      case action::spawn:
      case action::wait_group:
      case action::stop_group:
        return std::ranges::find(groups, s.target) != groups.end() &&
               std::ranges::all_of(s.inner, each);
      case action::fork:
      case action::loop:
      case action::reduce:
      case action::invoke:
        return std::ranges::all_of(s.inner, each);
      case action::scope: {
        groups.push_back(s.target);
        const bool alone = std::ranges::all_of(s.inner, each);
        groups.pop_back();
        return alone;
      }
      default:
        return false;
    }
  });
}

}  // namespace

void draw_limits(program& p) {
  random_source random(p.seed ^ 0x11317ULL);
  for_each_block(p, [&random](block& b) {
    for (step& s : b.steps) {
      std::vector<int> groups;
      if (s.what == action::run && s.size != a_coroutine && stands_alone(s.inner[0], groups) &&
          random.chance(60)) {
        static constexpr int limits[] = {0, 50, 2'000'000'000};
        s.variant = static_cast<std::uint8_t>(random.in(for_a_time, until_a_time));
        s.limit = limits[random.weighted({1, 4, 4})];
      } else if (s.what == action::await_all && random.chance(35)) {
        s.variant = as_race;
      }
      if (s.from == any_of_several && s.amount == 0 && random.chance(40)) s.amount = stops_others;
    }
  });
}

}  // namespace evencube::programs

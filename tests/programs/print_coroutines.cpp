#include <string>
#include <utility>

#include "printer.hpp"

namespace evencube::programs {

// The function object must live as long as the coroutine that it is: `kept` sees to that.
void printer::coroutine(int of, const block& b, const std::string& before,
                        const std::string& after) {
  const int around = std::exchange(where_, of);
  line(before + "kept([&]() -> task<long> {");
  inside(b);
  line("  co_return 0L;");
  line("})" + after);
  where_ = around;
}

void printer::await(const step& s) {
  const std::string back = "co_await " + runtime_name(where_) + ".schedule();";
  switch (s.what) {
    case action::await_future:
      line("co_await " + future_name(s.target) + ".take();");
      return s.of != where_ ? line(back) : void();
    case action::await_made:
      made(s, "co_await quiet(", ");");
      return s.of != where_ ? line(back) : void();
    case action::await_all:
      line(s.variant == as_race ? "co_await quiet_race(" : "co_await quiet(");
      ++depth_;
      for (const block& in : s.inner) {
        coroutine(where_, in, "", &in == &s.inner.back() ? ");" : ",");
      }
      return static_cast<void>(--depth_);
    default: {
      line("co_await " + runtime_name(s.of) + ".schedule();");
      const int around = std::exchange(where_, s.of);
      line("{");
      inside(s.inner[0]);
      line("}");
      where_ = around;
      return line(back);
    }
  }
}

}  // namespace evencube::programs

#include "print.hpp"

#include <array>
#include <set>

#include "prelude.hpp"

namespace evencube::programs {

namespace {

class printer {
 public:
  explicit printer(const program& p) : program_(p) {}

  std::string print() {
    out_ = printed_prelude();
    out_ += "\n// Seed " + std::to_string(program_.seed) + ", " +
            std::to_string(program_.runtimes[0].workers) + " workers.\nint main() {\n";
    depth_ = 1;
    declarations();
    if (!program_.prologue.steps.empty()) steps(program_.prologue);
    threads();
    end();
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  static std::string runtime_name(int of) { return std::string(1, static_cast<char>('a' + of)); }
  static std::string quoted(const std::string& text) { return '"' + text + '"'; }
  std::string group_name(int group) const {
    return (group < static_cast<int>(program_.groups.size()) ? "shared_group_" : "group_") +
           std::to_string(group);
  }
  static std::string source_name(int group) { return "stop_" + std::to_string(group); }
  static std::string future_name(int f) { return "future_" + std::to_string(f); }
  static std::string flag_name(int f) { return "flag_" + std::to_string(f); }

  void line(const std::string& text) {
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    out_ += text + '\n';
  }

  void declarations() {
    for (std::size_t f = 0; f < static_cast<std::size_t>(program_.futures); ++f) {
      if (is_made(static_cast<int>(f))) line("shared " + future_name(static_cast<int>(f)) + ";");
    }
    for (int f = 0; f < program_.flags; ++f) {
      if (uses(action::raise_flag, f)) line("std::atomic<bool> " + flag_name(f) + "{false};");
    }
    if (program_.late_threads > 0) line("std::vector<std::jthread> late_threads;");
    // What is made first is destroyed last: the first runtime goes before the second.
    for (int r = static_cast<int>(program_.runtimes.size()) - 1; r >= 0; --r) {
      const setting& s = program_.runtimes[static_cast<std::size_t>(r)];
      static constexpr std::array modes{"automatic", "thread", "on_idle", "on_demand"};
      std::string options = ".workers = " + std::to_string(s.workers) +
                            ", .balancer = " + quoted(s.balancer) +
                            ", .transmission = " + quoted(s.transmission) +
                            ", .mode = balancer_mode::" + modes[static_cast<std::size_t>(s.mode)];
      if (!s.pulls) options += ", .pulls = false";
      if (!s.pin) options += ", .pin = false";
      if (s.period != 0)
        options += ", .period = std::chrono::microseconds(" + std::to_string(s.period) + ")";
      if (s.threshold != 256) options += ", .threshold = " + std::to_string(s.threshold);
      if (s.capacity != 4096) options += ", .injection_capacity = " + std::to_string(s.capacity);
      line("runtime " + runtime_name(r) + "({" + options + "});");
    }
    for (std::size_t g = 0; g < program_.groups.size(); ++g) {
      const int group = static_cast<int>(g);
      if (uses(action::spawn, group) || uses(action::wait_group, group) ||
          uses(action::stop_group, group)) {
        line("task_group " + group_name(group) + "(" + runtime_name(program_.groups[g]) + ");");
      }
    }
  }

  [[nodiscard]] bool uses(action what, int target) const {
    bool found = false;
    for_each_block(program_, [&](const block& b) {
      for (const step& s : b.steps) found = found || (s.what == what && s.target == target);
    });
    return found;
  }

  /// Whether any step makes shared future `f`.
  [[nodiscard]] bool is_made(int f) const {
    bool found = uses(action::async, f);
    for_each_block(program_, [&](const block& b) {
      for (const step& s : b.steps) found = found || s.result == f;
    });
    return found;
  }

  void threads() {
    const std::size_t joined =
        program_.threads.size() - static_cast<std::size_t>(program_.late_threads);
    line("{");
    ++depth_;
    if (joined > 1) line("std::vector<std::jthread> threads;");
    for (std::size_t t = 1; t < program_.threads.size(); ++t) {
      line((t < joined ? "threads" : "late_threads") + std::string(".emplace_back([&] {"));
      inside(program_.threads[t]);
      line("});");
    }
    steps(program_.threads[0]);
    --depth_;
    line("}");
  }

  void end() {
    const auto all_futures = [this](const std::string& call) {
      for (int f = 0; f < program_.futures; ++f) {
        if (is_made(f)) line(future_name(f) + "." + call + "();");
      }
    };
    // As many times as futures and groups may have made one another, more or less.
    line("for (int i = 0; i < 10; ++i) {");
    ++depth_;
    for (int f = 0; f < program_.futures && !program_.queue_survives; ++f) {
      if (is_made(f)) {
        const bool passed = uses(action::get_future, f) || uses(action::then_future, f);
        line(future_name(f) + (passed ? ".get();" : ".wait();"));
      }
    }
    for (int g = 0; g < static_cast<int>(program_.groups.size()); ++g) {
      if (uses(action::spawn, g)) wait(group_name(g));
    }
    --depth_;
    line("}");
    if (!program_.fresh) all_futures("get");
  }

  void inside(const block& b) {
    ++depth_;
    steps(b);
    --depth_;
  }
  void steps(const block& b) {
    for (const step& s : b.steps) print(s);
    if (b.throws) line("throw thrown{};");
  }
  /// The body of a function that gives a number.
  void task(const block& b) {
    inside(b);
    ++depth_;
    if (!b.throws) line("return 0L;");
    --depth_;
  }

  static std::string options_of(const step& s) {
    std::string options;
    if (s.cost != 1) options += ".cost = " + std::to_string(s.cost);
    if (s.home >= 0) {
      options += std::string(options.empty() ? "" : ", ") + ".home = " + std::to_string(s.home);
    }
    return options.empty() ? "" : ", {" + options + "}";
  }
  static std::string capture(const step& s) {
    switch (s.size) {
      case large:
        return "[&, load = std::array<int, 300>{}]";
      case move_only:
        return "[&, load = std::make_unique<int>(7)]";
      default:
        return "[&]";
    }
  }
  void wait(const std::string& group) { line("expect([&] { " + group + ".wait(); });"); }

  void print(const step& s) {
    const std::string rt = runtime_name(s.of);
    switch (s.what) {
      case action::work:
        return line("work(" + std::to_string(s.amount) + ");");
      case action::pause:
        return line(s.amount == 0 ? "std::this_thread::yield();"
                                  : "pause(" + std::to_string(s.amount) + ");");
      case action::spawn:
        line(group_name(s.target) + ".spawn(" + capture(s) + " {");
        inside(s.inner[0]);
        return line("}" + options_of(s) + ");");
      case action::scope:
        return scope(s);
      case action::wait_group:
        return wait(group_name(s.target));
      case action::stop_group:
        return line((by_source_.contains(s.target) ? source_name(s.target) : group_name(s.target)) +
                    ".request_stop();");
      case action::ask_stop:
        return line("static_cast<void>(this_task::stop_requested());");
      case action::async:
        return made(s, future_name(s.target) + ".make(", ");");
      case action::then_future:
        line(future_name(s.target) + ".then(" + future_name(s.result) + ", " + capture(s) +
             "(long) -> long {");
        task(s.inner[0]);
        return line("}" + options_of(s) + ");");
      case action::need:
        return;
      case action::wait_future:
        return line(future_name(s.target) + (s.variant == without_limit ? ".wait();"
                                             : s.variant == for_a_time
                                                 ? ".wait_for(" + limit(s) + ");"
                                                 : ".wait_until(" + limit(s) + ");"));
      case action::get_future:
        return line(future_name(s.target) + ".get();");
      case action::poll_future:
        return line(future_name(s.target) + ".poll();");
      case action::local_async:
        return local_async(s);
      case action::run:
        line("expect([&] {");
        ++depth_;
        line(rt + ".run([&] {");
        inside(s.inner[0]);
        line("});");
        --depth_;
        return line("});");
      case action::fork:
        line("expect([&] {");
        ++depth_;
        line("fork_join([&] {");
        inside(s.inner[0]);
        line("}, [&] {");
        inside(s.inner[1]);
        line("});");
        --depth_;
        return line("});");
      case action::loop:
      case action::reduce:
        return loop(s);
      case action::invoke:
        return invoke(s);
      case action::compute:
        return compute(s);
      case action::hold:
        line("{");
        ++depth_;
        line("auto still = " + rt + ".hold();");
        for (const step& in : s.inner[0].steps) {
          in.what == action::balance ? line("still.balance();") : print(in);
        }
        --depth_;
        return line("}");
      case action::balance:
        return line(rt + ".balance();");
      case action::strategy:
        line("try {");
        line("  " + rt + ".use_balancer(" + quoted(s.name) + ", {}, " + quoted(s.transmission) +
             ");");
        line("} catch (const std::invalid_argument&) {");
        return line("}");
      case action::record:
        line(rt + ".start_recording({.memory = 1U << 20U});");
        steps(s.inner[0]);
        return line("static_cast<void>(" + rt + ".stop_recording());");
      case action::look:
        line("static_cast<void>(" + rt + ".stats());");
        return s.variant == 1 ? line(rt + ".reset_stats();") : void();
      case action::raise_flag:
        return line(flag_name(s.target) + " = true;");
      case action::await_flag:
        return line("while (!" + flag_name(s.target) + ") std::this_thread::yield();");
    }
  }

  void scope(const step& s) {
    line(s.variant == by_exception ? "expect([&] {" : "{");
    ++depth_;
    std::string token;
    if (s.stops == by_token || s.stops == by_token_before) {
      by_source_.insert(s.target);
      line("std::stop_source " + source_name(s.target) + ";");
      if (s.stops == by_token_before) line(source_name(s.target) + ".request_stop();");
      token = ", " + source_name(s.target) + ".get_token()";
    }
    line("task_group " + group_name(s.target) + "(" + runtime_name(s.of) + token + ");");
    steps(s.inner[0]);
    if (s.variant == by_wait) wait(group_name(s.target));
    if (s.variant == by_exception) line("throw thrown{};");
    --depth_;
    line(s.variant == by_exception ? "});" : "}");
  }

  static std::string limit(const step& s) {
    return "std::chrono::microseconds(" + std::to_string(s.limit) + ")";
  }

  /// The expression that makes the future of `s`, with what stands before and behind it.
  void made(const step& s, const std::string& before, const std::string& after) {
    const block* const needs = needs_of(s);
    switch (s.from) {
      case a_value:
        return line(before + "make_ready_future(" + runtime_name(s.of) + ", 0L)" + after);
      case nothing:
        line(before + runtime_name(s.of) + ".async(" + capture(s) + "() -> long {");
        break;
      case one:
        made(needs->steps[0], before, "");
        line("    .then(" + capture(s) + "(long) -> long {");
        break;
      default: {
        const bool any = s.from == any_of_several;
        const bool pair = !any && needs->steps.size() == 2;
        line(before + (any ? "when_any(list(" : pair ? "when_all(" : "when_all(list("));
        ++depth_;
        for (const step& n : needs->steps) made(n, "", &n == &needs->steps.back() ? "" : ",");
        --depth_;
        line((pair ? ").then(" : ")).then(") + capture(s) + "(auto several) -> long {");
        if (!any) line("  ask(several);");
        if (any && s.amount == 0) line("  ask(several.futures);");
      }
    }
    task(s.inner[0]);
    line("}" + options_of(s) + ")" + after);
  }

  void local_async(const step& s) {
    const std::string name = "local_future_" + std::to_string(s.target);
    line("{");
    ++depth_;
    made(s, s.variant == dropped ? "static_cast<void>(" : "auto " + name + " = ",
         s.variant == dropped ? ");" : ";");
    steps(s.inner[1]);
    if (s.variant == by_wait_for) line(name + ".wait_for(" + limit(s) + ");");
    if (s.variant == by_wait_until) {
      line(name + ".wait_until(std::chrono::steady_clock::now() + " + limit(s) + ");");
    }
    if (s.variant == by_wait_and_get) line(name + ".wait();");
    if (s.variant != dropped) line("expect([&] { " + name + ".get(); });");
    --depth_;
    line("}");
  }

  void loop(const step& s) {
    const bool fold = s.what == action::reduce;
    const std::string count = std::to_string(s.amount);
    const std::string grain = s.grain != 0 ? ", {.grain = " + std::to_string(s.grain) + "}" : "";
    line("expect([&] {");
    ++depth_;
    std::string end = "}" + grain + ");";
    if (fold) {
      line(std::string("static_cast<void>(parallel_") +
           (s.form == by_block ? "deterministic_" : "") + "reduce(0, " + count +
           ", 0L, [&]([[maybe_unused]] int i) -> long {");
      end = "}, [](long x, long y) { return x + y; }" + grain + "));";
    } else if (s.form == by_block) {
      line("parallel_for(0, " + count + ", [&](int first, int last) {");
      line("  for (int i = first; i < last; ++i) {");
      ++depth_;
    } else if (s.form == by_feeding) {
      const std::string given = std::to_string((s.amount + 1) / 2);
      line("std::list<int> items(" + given + ");");
      line("std::iota(items.begin(), items.end(), 0);");
      line("parallel_for_each(items, [&](int i, feeder<int>& feed) {");
      line("  if (i + " + given + " < " + count + ") feed.add(i + " + given + ");");
      end = "});";
    } else {
      const bool stride = s.form == by_stride;
      line("parallel_for(0, " + (stride ? "3 * " + count + ", 3" : count) +
           ", [&]([[maybe_unused]] int i) {");
    }
    ++depth_;
    for (const step& in : s.inner[0].steps) print(in);
    if (s.inner[0].throws) {
      line("if (i == " + std::to_string(s.variant * (s.form == by_stride && !fold ? 3 : 1)) +
           ") throw thrown{};");
    }
    if (fold) line("return 1;");
    --depth_;
    if (!fold && s.form == by_block) {
      --depth_;
      line("  }");
    }
    line(end);
    --depth_;
    line("});");
  }

  void invoke(const step& s) {
    line("expect([&] {");
    ++depth_;
    line("parallel_invoke([&] {");
    for (const block& in : s.inner) {
      inside(in);
      line(&in == &s.inner.back() ? "});" : "}, [&] {");
    }
    --depth_;
    line("});");
  }

  void compute(const step& s) {
    static constexpr std::array names{"scan", "sort", "sort", "search"};
    const std::string sorts = s.variant == a_sort          ? ", false"
                              : s.variant == a_stable_sort ? ", true"
                                                           : "";
    line("expect([&] { " + std::string(names[s.variant]) + "(" + std::to_string(s.amount) + ", " +
         std::to_string(s.failing) + sorts + "); });");
  }

  const program& program_;
  std::string out_;
  std::set<int> by_source_;  ///< groups that are stopped by a token
  int depth_ = 0;
};

}  // namespace

std::string to_cpp(const program& p) { return printer(p).print(); }

}  // namespace evencube::programs

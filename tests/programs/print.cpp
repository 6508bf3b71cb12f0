#include "print.hpp"

#include <array>

#include "prelude.hpp"
#include "printer.hpp"

namespace evencube::programs {

std::string printer::print() {
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

void printer::declarations() {
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
    std::string options = ".workers = " + std::to_string(s.workers);
    if (s.spares != 0) options += ", .spare_workers = " + std::to_string(s.spares);
    options += ", .balancer = " + quoted(s.balancer) +
               ", .transmission = " + quoted(s.transmission) +
               ", .mode = balancer_mode::" + modes[static_cast<std::size_t>(s.mode)];
    if (!s.pulls) options += ", .pulls = false";
    if (!s.largest_first) options += ", .largest_first = false";
    if (!s.pin) options += ", .pin = false";
    if (s.period != 0)
      options += ", .period = std::chrono::microseconds(" + std::to_string(s.period) + ")";
    if (s.threshold != 256) options += ", .threshold = " + std::to_string(s.threshold);
    if (s.capacity != 4096) options += ", .injection_capacity = " + std::to_string(s.capacity);
    static constexpr std::array hotnesses{"never", "learned", "always"};
    if (s.hot != 1) {
      options += std::string(", .hotness = hotness::") + hotnesses[static_cast<std::size_t>(s.hot)];
    }
    if (s.checks) options += ", .check_waits = true";
    if (s.measures)
      options += ", .measured_costs = true, .experimental = {.measured_speeds = true}";
    if (s.tells != telling::nothing) {
      options += std::string(", .observer = std::make_shared<") +
                 (s.tells == telling::of_tasks ? "task_observer" : "observer") + ">()";
    }
    const std::string storage = s.lasting && !program_.fresh ? "static " : "";
    line(storage + "runtime " + runtime_name(r) + "({" + options + "});");
  }
  if (program_.hot_for != 0) {
    line("hot_phase phase(" + runtime_name(0) + ", std::chrono::microseconds(" +
         std::to_string(program_.hot_for) + "));");
  }
  for (std::size_t g = 0; g < program_.groups.size(); ++g) {
    const int group = static_cast<int>(g);
    if (uses(action::spawn, group) || uses(action::wait_group, group) ||
        uses(action::stop_group, group)) {
      line("task_group " + group_name(group) + "(" + runtime_name(program_.groups[g]) + ");");
    }
  }
}

bool printer::uses(action what, int target) const {
  bool found = false;
  for_each_block(program_, [&](const block& b) {
    for (const step& s : b.steps) found = found || (s.what == what && s.target == target);
  });
  return found;
}

bool printer::is_made(int f) const {
  bool found = uses(action::async, f);
  for_each_block(program_, [&](const block& b) {
    for (const step& s : b.steps) found = found || s.result == f;
  });
  return found;
}

void printer::threads() {
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

void printer::end() {
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
      const bool passed = uses(action::get_future, f) || uses(action::then_future, f) ||
                          uses(action::await_future, f);
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

std::string printer::options_of(const step& s) {
  std::string options;
  if (s.cost != 1) options += ".cost = " + std::to_string(s.cost);
  if (s.home >= 0) {
    options += std::string(options.empty() ? "" : ", ") + ".home = " + std::to_string(s.home);
  }
  if (s.level != 0) {
    options += std::string(options.empty() ? "" : ", ") +
               (s.level > 0 ? ".priority = priority::high" : ".priority = priority::low");
  }
  if (s.cost != 1) options += ", .name = \"costly\"";
  return options.empty() ? "" : ", {" + options + "}";
}

std::string printer::capture(const step& s) {
  switch (s.size) {
    case large:
      return "[&, load = std::array<int, 300>{}]";
    case move_only:
      return "[&, load = std::make_unique<int>(7)]";
    default:
      return "[&]";
  }
}

void printer::print(const step& s) {
  // Where a runtime was stopped a step may be refused; what awaits stands in no function of its
  // own.
  if (!program_.ends_early || awaits(s.what)) return act(s);
  line("refused([&] {");
  ++depth_;
  act(s);
  --depth_;
  line("});");
}

void printer::act(const step& s) {
  const std::string rt = runtime_name(s.of);
  switch (s.what) {
    case action::work:
      return line("work(" + std::to_string(s.amount) + ");");
    case action::pause:
      return line(s.amount == 0 ? "std::this_thread::yield();"
                                : "pause(" + std::to_string(s.amount) + ");");
    case action::spawn:
      if (s.size == a_coroutine) {
        return coroutine(s.of, s.inner[0], "spawn(" + group_name(s.target) + ", ",
                         options_of(s) + ");");
      }
      line(group_name(s.target) + ".spawn(" + capture(s) + " {");
      if (s.size == large) {
        line("  const trace_region seen_while_recorded(\"large\");");
        line("  trace_counter(\"large\", " + std::to_string(s.cost) + ");");
      }
      inside(s.inner[0]);
      return line("}" + options_of(s) + ");");
    case action::scope:
      return scope(s);
    case action::wait_group:
      if (s.variant == without_limit) return wait(group_name(s.target));
      return line("expect([&] { " +
                  std::string(s.variant == for_a_time ? "wait_for" : "wait_until") + "(" +
                  group_name(s.target) + ", " + limit(s) + "); });");
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
    case action::await_future:
    case action::await_made:
    case action::await_all:
    case action::visit:
      return await(s);
    case action::run: {
      if (s.size == a_coroutine) {
        const std::string within = "expect([&] { ";
        return s.variant == 0
                   ? coroutine(s.of, s.inner[0], within + "sync_wait(" + rt + ", ", "); });")
                   : coroutine(s.of, s.inner[0], within + run_from(s) + "([&] { sync_wait(",
                               "); }); });");
      }
      line("expect([&] {");
      ++depth_;
      if (gives_up(s)) {
        line("static_cast<void>(" +
             std::string(s.variant == for_a_time ? "run_for(" : "run_until(") + callee(s) + ", " +
             (s.variant == for_a_time ? "" : "std::chrono::steady_clock::now() + ") + limit(s) +
             ", [&] {");
      } else {
        line(run_from(s) + "([&] {");
      }
      inside(s.inner[0]);
      line(gives_up(s) ? "}));" : "});");
      --depth_;
      return line("});");
    }
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
    case action::graph:
      return graph(s);
    case action::pipeline:
      return pipeline(s);
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
    case action::strategy: {
      std::string marks = s.low >= 0 ? "{\"low\", " + quoted(std::to_string(s.low)) + "}" : "";
      if (s.high >= 0) {
        marks +=
            (marks.empty() ? "" : ", ") + ("{\"high\", " + quoted(std::to_string(s.high))) + "}";
      }
      line("try {");
      line("  " + rt + ".use_balancer(" + quoted(s.name) + ", {" + marks + "}, " +
           quoted(s.transmission) + ");");
      line("} catch (const std::invalid_argument&) {");
      return line("}");
    }
    case action::record:
      line(rt + ".start_recording({.memory = 1U << 20U});");
      steps(s.inner[0]);
      return line("static_cast<void>(" + rt + ".stop_recording());");
    case action::look:
      if (s.variant == 2) return line("fork_a_child();");
      if (s.variant == 3) {
        return line("exit_in_a_child(" + std::to_string(s.grain) + ", " + std::to_string(s.amount) +
                    ");");
      }
      line("static_cast<void>(" + rt + ".stats());");
      return s.variant == 1 ? line(rt + ".reset_stats();") : void();
    case action::outlive:
      return line("outlive(" + rt + ", " + std::to_string(s.variant) + ", " +
                  std::to_string(s.amount) + ");");
    case action::thread_end:
      return line("end_a_thread(" + rt + ", " + std::to_string(s.amount) + ");");
    case action::burst:
      return line("burst(" + rt + ", " + std::to_string(s.amount) + ");");
    case action::stream:
      return line("stream(" + std::to_string(s.variant) + ", " +
                  (s.amount == 1 ? "true" : "false") + ");");
    case action::hop:
      return line("hop(" + std::to_string(s.variant) + ", " + std::to_string(s.amount) + ", " +
                  std::to_string(s.grain) + ");");
    case action::flood:
      return line("flood(" + rt + ", " + std::to_string(s.amount) + ");");
    case action::in_scope:
      line("{");
      ++depth_;
      line("const blocking_scope here;");
      steps(s.inner[0]);
      --depth_;
      return line("}");
    case action::meet:
      return meet(s);
    case action::stop_runtime:
      return line(rt + ".stop();");
    case action::raise_flag:
      return line(flag_name(s.target) + " = true;");
    case action::await_flag:
      return line("while (!" + flag_name(s.target) + ") std::this_thread::yield();");
  }
}

std::string printer::home_of_group(const step& s) {
  if (s.places == 0) return runtime_name(s.of);
  line("arena within(" + runtime_name(s.of) + ", {.workers = " + std::to_string(s.places) + "});");
  return "within";
}

void printer::meet(const step& s) {
  const std::string count = std::to_string(s.amount);
  line("{");
  ++depth_;
  line("std::atomic<int> come{0};");
  const std::string home = home_of_group(s);
  line("task_group meeting(" + home + ");");
  line("for (int i = 0; i < " + count + "; ++i) {");
  ++depth_;
  line("meeting.spawn([&] {");
  ++depth_;
  if (s.variant != with_its_loop) line("const blocking_scope here;");
  if (s.variant == with_its_loop) {
    line("block_for_a_loop();");
  } else if (s.variant == with_its_run) {
    line(runtime_name(s.of) + ".run([&] {");
    inside(s.inner[0]);
    line("});");
  } else if (s.variant == with_its_group) {
    line("task_group own(" + runtime_name(s.of) + ");");
    line("own.spawn([&] {");
    inside(s.inner[0]);
    line("});");
    line("own.wait();");
  } else if (s.variant == of_all) {
    line("for (++come; come < " + count + ";) std::this_thread::yield();");
  } else {
    line(runtime_name(s.of) + ".async([&]() -> long {");
    task(s.inner[0]);
    line("}).get();");
  }
  --depth_;
  line("}" + options_of(s) + ");");
  --depth_;
  line("}");
  --depth_;
  line("}");
}

void printer::scope(const step& s) {
  line(s.variant == by_exception ? "expect([&] {" : "{");
  ++depth_;
  std::string token;
  if (s.stops == by_token || s.stops == by_token_before) {
    by_source_.insert(s.target);
    line("std::stop_source " + source_name(s.target) + ";");
    if (s.stops == by_token_before) line(source_name(s.target) + ".request_stop();");
    token = ", " + source_name(s.target) + ".get_token()";
  }
  const std::string home = home_of_group(s);
  line("task_group " + group_name(s.target) + "(" + home + token + ");");
  steps(s.inner[0]);
  if (s.variant == by_wait) wait(group_name(s.target));
  if (s.inner.size() > 1) {
    line("detail::task_group_access::withdraw_stop(" + group_name(s.target) + ");");
    steps(s.inner[1]);
    wait(group_name(s.target));
  }
  if (s.variant == by_exception) line("throw thrown{};");
  --depth_;
  line(s.variant == by_exception ? "});" : "}");
}

void printer::made(const step& s, const std::string& before, const std::string& after) {
  const block* const needs = needs_of(s);
  switch (s.from) {
    case a_value:
      return line(before + "make_ready_future(" + runtime_name(s.of) + ", 0L)" + after);
    case a_promise:
      return line(before + "promised(" + runtime_name(s.of) + ", " + std::to_string(s.amount) +
                  (s.inner[0].throws ? ", true)" : ", false)") + after);
    case nothing:
      if (s.size == a_coroutine) {
        return coroutine(s.of, s.inner[0], before + "start(" + runtime_name(s.of) + ", ",
                         options_of(s) + ")" + after);
      }
      line(before + callee(s) + ".async(" + capture(s) + "() -> long {");
      break;
    case one:
      made(needs->steps[0], before, "");
      line("    .then(" + capture(s) + "(long) -> long {");
      break;
    default: {
      const bool any = s.from == any_of_several;
      const bool pair = !any && needs->steps.size() == 2;
      const char* const first =
          s.amount == stops_others ? "when_any(std::stop_source(), list(" : "when_any(list(";
      line(before + (any ? first : pair ? "when_all(" : "when_all(list("));
      ++depth_;
      for (const step& n : needs->steps) made(n, "", &n == &needs->steps.back() ? "" : ",");
      --depth_;
      line((pair ? ").then(" : ")).then(") + capture(s) + "(auto several) -> long {");
      if (!any) line("  ask(several);");
      if (any && s.amount != 1) line("  ask(several.futures);");
    }
  }
  task(s.inner[0]);
  line("}" + options_of(s) + ")" + after);
}

void printer::local_async(const step& s) {
  const std::string name = "local_future_" + std::to_string(s.target);
  line("{");
  ++depth_;
  made(s, s.variant == dropped ? "static_cast<void>(" : "auto " + name + " = ",
       s.variant == dropped ? ");" : ";");
  steps(s.inner[1]);
  if (s.variant == by_wait_for) line("static_cast<void>(" + name + ".wait_for(" + limit(s) + "));");
  if (s.variant == by_wait_until) {
    line("static_cast<void>(" + name + ".wait_until(std::chrono::steady_clock::now() + " +
         limit(s) + "));");
  }
  if (s.variant == by_wait_and_get) line(name + ".wait();");
  if (s.variant != dropped) line("expect([&] { " + name + ".get(); });");
  --depth_;
  line("}");
}
std::string to_cpp(const program& p) { return printer(p).print(); }

}  // namespace evencube::programs

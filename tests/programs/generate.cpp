#include "generate.hpp"

#include <utility>

#include "generate_arenas.hpp"
#include "generate_limits.hpp"
#include "generate_promises.hpp"
#include "generate_values.hpp"
#include "generator.hpp"

namespace evencube::programs {

program generator::make() {
  draw_shape();
  place outside;
  outside.level = static_cast<int>(program_.groups.size());
  outside.queued_to_the_end = false;
  place first = outside;
  first.records = with_.holds;
  if (random_.chance(40)) {
    place before = outside;
    before.depth = 2;  // small
    program_.prologue = steps(before, random_.in(1, 3), &generator::beginning);
  }
  const int others = random_.chance(45) ? random_.in(1, 3) : 0;
  std::vector<block> threads;
  for (int f = 0; f < program_.flags; ++f) threads.push_back(signaller(outside, f));
  const bool first_is_first = random_.chance(50);
  block main_block;
  if (first_is_first) main_block = main_thread(first);
  for (int t = 0; t < others; ++t) {
    threads.push_back(steps(outside, random_.in(1, 4), &generator::outside_step));
  }
  if (program_.ends_early) {
    for (int t = random_.in(1, 2); t > 0; --t) threads.push_back(stopper());
  }
  if (!first_is_first) main_block = main_thread(first);
  threads.insert(threads.begin(), std::move(main_block));
  if (program_.futures_outlive && random_.chance(60)) {
    program_.late_threads = random_.in(1, 2);
    for (int t = 0; t < program_.late_threads; ++t) threads.push_back(late_thread());
  }
  program_.threads = std::move(threads);
  draw_storage();
  if (with_.stops) draw_renewals();
  tidy(program_);
  if (with_.arenas) draw_arenas(program_);
  if (with_.promises) draw_promises(program_);
  if (with_.limits) draw_limits(program_);
  if (with_.values) draw_values(program_);
  if (with_.children) draw_children();
  if (with_.guests) draw_guests();
  draw_bodies();
  draw_hotness();
  return std::move(program_);
}

// By a source of its own, since it changes nothing else.
void generator::draw_storage() {
  random_source random(program_.seed ^ 0x57A71CULL);
  if (program_.fresh || !random.chance(30)) return;
  for (setting& s : program_.runtimes) s.lasting = true;
}

// So is this. A child takes milliseconds.
void generator::draw_children() {
  random_source random(program_.seed ^ 0xC41D5ULL);
  for_each_block(program_, [&](block& b) {
    for (step& s : b.steps) {
      if (s.what == action::look && random.chance(15)) s.variant = 2;
    }
  });
}

// Neither do these, which have to do with nothing else: steps of threads outside.
void generator::draw_guests() {
  random_source random(program_.seed ^ 0x60E575ULL);
  const std::size_t joined =
      program_.threads.size() - static_cast<std::size_t>(program_.late_threads);
  for (std::size_t t = 0; t < joined; ++t) {
    auto& all = program_.threads[t].steps;
    const auto raises = [](const step& s) { return s.what == action::raise_flag; };
    if (std::ranges::any_of(all, raises)) continue;
    const auto put = [&](step s) {
      all.insert(all.begin() + random.in(0, static_cast<int>(all.size())), std::move(s));
    };
    if (random.chance(5)) {
      put({.what = action::outlive,
           .amount = random.in(0, 12),
           .variant = static_cast<std::uint8_t>(random.in(1, 3))});
    }
    if (with_.children && random.chance(3)) {
      put({.what = action::look,
           .amount = random.in(0, 300),
           .grain = random.in(in_a_task, outside_of_tasks),
           .variant = 3});
    }
    if (with_.coroutines && random.chance(5)) {
      put({.what = action::hop,
           .amount = random.in(0, 9),
           .grain = random.in(1, 20),
           .variant = static_cast<std::uint8_t>(random.in(1, 3))});
    }
    if (program_.ends_early) continue;  // what they call must not be refused
    const int of = random.in(0, static_cast<int>(program_.runtimes.size()) - 1);
    if (random.chance(10)) {
      put({.what = action::thread_end, .of = of, .amount = random.in(0, 12)});
    }
    if (with_.blocking && random.chance(10)) {
      const auto capacity = program_.runtimes[static_cast<std::size_t>(of)].capacity;
      const int most = capacity < 100 || random.chance(10) ? static_cast<int>(capacity) + 50 : 100;
      put({.what = action::flood, .of = of, .amount = random.in(0, most)});
    }
    if (with_.bursts && random.chance(10)) {
      put({.what = action::burst, .of = of, .amount = random.in(0, 100)});
    }
    if (with_.bursts && with_.blocking && random.chance(5)) {
      put({.what = action::stream,
           .amount = random.in(0, 1),
           .variant = static_cast<std::uint8_t>(random.in(1, 3))});
    }
  }
}

// And this, which changes only how loops are called.
void generator::draw_bodies() {
  random_source random(program_.seed ^ 0xB0D1E5ULL);
  for_each_block(program_, [&](block& b) {
    for (step& s : b.steps) {
      if (s.what != action::loop && s.what != action::reduce) continue;
      s.body = static_cast<loop_body>(random.weighted({2, 2, 1, 1}));
    }
  });
}

// And this, which changes only how long workers without work stay awake.
void generator::draw_hotness() {
  random_source random(program_.seed ^ 0x407ULL);
  for (setting& s : program_.runtimes) s.hot = static_cast<int>(random.weighted({1, 2, 1}));
  if (random.chance(10)) program_.hot_for = random.in(1, 2000);
}

setting generator::draw_setting(unsigned workers) {
  setting s;
  s.workers = workers;
  static constexpr const char* balancers[] = {"oem", "none", "random_stealing", "locality", "dem"};
  static constexpr const char* transmissions[] = {
      "direct",    "phased",      "overlapped", "overlapped_rounds",
      "pipelined", "pipelined:1", "pipelined:3"};
  s.balancer = balancers[random_.weighted({6, 3, 3, 1, 1})];
  s.transmission = transmissions[random_.weighted({6, 1, 1, 1, 1, 1, 1})];
  s.mode = static_cast<int>(random_.weighted({4, 2, 2, 4}));
  s.pulls = s.balancer == "random_stealing" || !random_.chance(25);
  s.pin = !random_.chance(25);
  s.period = random_.chance(15) ? 200 : 0;
  s.threshold = random_.chance(20) ? static_cast<unsigned>(random_.in(1, 4)) : 256;
  if (with_.blocking && random_.chance(40)) {
    s.spares = program_.fresh ? static_cast<unsigned>(random_.in(1, 3)) : 2;
  }
  s.checks = random_.chance(70);
  s.largest_first = s.checks;
  s.measures = random_.chance(40);
  if (with_.observers) s.tells = static_cast<telling>(random_.weighted({6, 1, 2}));
  return s;
}

void generator::draw_runtimes(unsigned workers) {
  program_.fresh = random_.chance(workers <= 3 ? 40 : workers <= 8 ? 15 : 3);
  program_.ends_early = program_.fresh && with_.endings && random_.chance(50);
  program_.futures_outlive = program_.fresh && with_.outliving && random_.chance(50);
  program_.runtimes.push_back(draw_setting(workers));
  if (random_.chance(30)) {
    static constexpr unsigned counts[] = {1, 2, 3, 5};
    program_.runtimes.push_back(draw_setting(counts[random_.weighted({3, 3, 2, 1})]));
  } else if (random_.chance(12)) {
    program_.runtimes[0].capacity = static_cast<unsigned>(random_.in(1, 6));
    narrow_ = true;
  }
}

void generator::draw_shape() {
  budget_ = random_.chance(50) ? random_.in(5, 20) : random_.in(15, 60);
  const int groups = static_cast<int>(random_.weighted({3, 4, 3, 2}));
  for (int g = 0; g < groups; ++g) program_.groups.push_back(any_runtime());
  next_group_ = groups;
  stops_shared_ = with_.stops && random_.chance(20);
  if (groups > 0 && !narrow_ && random_.chance(40)) {
    program_.flags = random_.in(1, 2);
  }
  // What is still queued at the end must not need the groups, which end before.
  program_.queue_survives = program_.fresh && random_.chance(50);
}

int generator::callable(int from) {
  if (from < 0) return any_runtime();
  if (random_.chance(75)) return from;
  const int of = any_runtime();
  return may_call(from, of) ? of : from;
}

int generator::any_home(int of) {
  const int last = static_cast<int>(workers_of(of)) - 1;
  switch (random_.weighted({10, 5, 3, 3})) {
    case 0:
      return -1;
    case 1:
      return 0;
    case 2:
      return last;
    default:
      return random_.in(0, last);
  }
}

block generator::main_thread(place p) {
  const int most = random_.in(2, 6);
  block b;
  for (int i = 0; i < most && budget_ > 0; ++i) {
    const int blocks = with_.blocking && !narrow_ && !program_.ends_early ? 2 : 0;
    switch (random_.weighted({10, 2, 2, 2, with_.coroutines ? 2 : 0, blocks})) {
      case 0:
        b.steps.push_back(outside_step(p));
        break;
      case 1:
        waiters_for_a_late_group(p, b);
        break;
      case 2:
        leave_while_others_wait(p, b);
        break;
      case 3:
        net_of_futures(p, b);
        break;
      case 4:
        net_of_coroutines(p, b);
        break;
      default:
        b.steps.push_back(meet());
    }
  }
  return b;
}

block generator::signaller(place p, int f) {
  block b = steps(p, random_.in(0, 2), &generator::beginning);
  step raise{.what = action::raise_flag, .target = f};
  b.steps.push_back(std::move(raise));
  block after = steps(p, random_.in(0, 2), &generator::beginning);
  std::ranges::move(after.steps, std::back_inserter(b.steps));
  return b;
}

block generator::stopper() {
  block b;
  for (int times = random_.in(1, 2); times > 0; --times) {
    for (int i = random_.in(0, 3); i > 0; --i) b.steps.push_back(pause());
    b.steps.push_back({.what = action::stop_runtime, .of = any_runtime()});
  }
  return b;
}

block generator::late_thread() {
  block b;
  for (const future_made& f : made_) {
    if (f.passed || !random_.chance(60)) continue;
    if (random_.chance(30)) b.steps.push_back(pause());
    b.steps.push_back({.what = action::wait_future, .of = f.of, .target = f.name});
  }
  return b;
}

block generator::steps(place& p, int count, drawer draw) {
  block b;
  for (int i = 0; i < count && budget_ > 0; ++i) b.steps.push_back((this->*draw)(p));
  return b;
}

program generate(std::uint64_t seed, unsigned workers, const features& with) {
  return generator(seed, workers, with).make();
}

}  // namespace evencube::programs

#include <evencube/coroutine.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

evencube::task<std::uint64_t> fib(unsigned n) {
  if (n < 2) co_return n;
  const auto [a, b] = co_await evencube::when_all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

std::uint64_t forked_fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] =
      evencube::fork_join([=] { return forked_fib(n - 1); }, [=] { return forked_fib(n - 2); });
  return a + b;
}

bench::engine with_choice() {
  bench::engine made = bench::on_evencube;
  made.settings.push_back({"by",
                           "coroutine",
                           "coroutine",
                           "what a call is: a coroutine, or one half of a fork_join",
                           {"coroutine", "fork_join"}});
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::engine engine = with_choice();
  return bench::main_of(bench::coroutine::about, engine, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    const bool forks = with.word("by") == "fork_join";
    return bench::fib::measure(with, [&](unsigned n) {
      return forks ? rt.run([=] { return forked_fib(n); }) : evencube::sync_wait(rt, fib(n));
    });
  });
}

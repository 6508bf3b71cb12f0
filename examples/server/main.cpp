// A server whose handlers run tasks. The HTTP library has its own threads, which wait for requests
// of clients. The handlers give their computations to the runtime, which has one worker for each
// core and no more, however many clients there are.
#include <httplib.h>

#include <atomic>
#include <cstdio>
#include <evencube/evencube.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

bool is_prime(int n) {
  if (n < 2) return false;
  for (int d = 2; d <= n / d; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

long primes_up_to(int n) {
  return evencube::parallel_reduce(
      2, n + 1, 0L, [](int i) { return is_prime(i) ? 1L : 0L; },
      [](long a, long b) { return a + b; });
}

}  // namespace

int main() {
  evencube::runtime rt;
  httplib::Server server;
  server.Get(R"(/primes/(\d{1,7}))", [&](const httplib::Request& asked, httplib::Response& answer) {
    const int n = std::stoi(asked.matches[1]);
    // Handlers of several requests are here at once. One of their threads becomes worker 0, and the
    // work of the other threads runs concurrently.
    answer.set_content(std::to_string(rt.run([n] { return primes_up_to(n); })), "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  if (port < 0) {
    std::fputs("there is no port to listen on\n", stderr);
    return 1;
  }
  std::thread listener([&] { server.listen_after_bind(); });

  // Some clients. In a real server the clients are other programs, and the server joins the
  // listener.
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&, port] {
        httplib::Client client("127.0.0.1", port);
        const auto answer = client.Get("/primes/100000");
        if (answer && answer->body == "9592") ++right;
      });
    }
  }
  std::printf("%d of 8 clients were told that there are 9592 primes up to 100000\n", right.load());
  server.stop();
  listener.join();
  return right == 8 ? 0 : 1;
}

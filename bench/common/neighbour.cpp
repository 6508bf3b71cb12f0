#include "neighbour.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "pinning.hpp"

namespace bench {

busy_neighbour::busy_neighbour(unsigned cpu) {
  int ready[2];
  if (pipe(ready) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // must not outlive a parent that is killed
    const char pinned = pin_this_thread(cpu) ? 1 : 0;
    if (getppid() != parent || write(ready[1], &pinned, 1) != 1 || pinned == 0) _exit(1);
    for (volatile std::uint64_t turns = 0;;) turns = turns + 1;
  }
  char pinned = 0;
  close(ready[1]);
  const bool told = read(ready[0], &pinned, 1) == 1;
  close(ready[0]);
  if (!told || pinned == 0) {
    waitpid(process_, nullptr, 0);
    process_ = 0;
    throw std::system_error(EINVAL, std::generic_category(),
                            "no process can be pinned to CPU " + std::to_string(cpu));
  }
}

busy_neighbour::~busy_neighbour() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace bench

#include "console.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "visible_text.hpp"

namespace evencube::cli {
namespace {

void write_to_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::runtime_error{std::string{"cannot write to standard output: "} +
                             std::strerror(errno)};
  }
}

void write_to_stderr(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void occupy_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free descriptor is this one. Opened the wrong way round: it can do nothing.
    const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != stream) ::close(opened);
  }
}

void print(std::string_view text) { write_to_stdout(visible(text, true)); }

void print_json(const json& object) {
  const std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
  // JSON allows these control characters in strings, and a terminal obeys them.
  std::string shown;
  shown.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte == 0x7F) {
      shown += "\\u007f";
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      shown += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      shown += text[i];
    }
  }
  write_to_stdout(shown + "\n");
}

void complain(std::string_view message, std::string_view hint) noexcept {
  try {
    auto text = "evencube: " + visible_and_short(message) + "\n";
    if (!hint.empty()) text += visible(hint, true) + "\n";
    write_to_stderr(text);  // in one piece, so that no other program's line comes between
  } catch (const std::exception&) {
    write_to_stderr("evencube: failed, and no memory is left to print the reason\n");
  }
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

screen_size screen_of_stderr() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

}  // namespace evencube::cli

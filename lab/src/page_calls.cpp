// The functions that the page calls in WebAssembly. `lab_request` returns memory, into which the
// page puts a request or the bytes of a recording. The answer is at `lab_answer_at`.
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "bridge.hpp"

namespace {

std::string request_bytes;
std::string answer_bytes;

}  // namespace

extern "C" {

/// Returns where the page puts a request or recording of `bytes` bytes, or null if there is no such
/// memory.
__attribute__((used, export_name("lab_request"))) char* lab_request(std::size_t bytes) {
  try {
    request_bytes.assign(bytes, ' ');
    return request_bytes.data();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// Answers the request that was put there, and returns the length of the answer in bytes.
__attribute__((used, export_name("lab_answer"))) std::size_t lab_answer() {
  answer_bytes = evencube::lab::answer(request_bytes);
  return answer_bytes.size();
}

/// Opens the recording whose bytes were put there, and returns the length of the answer in bytes.
__attribute__((used, export_name("lab_recording"))) std::size_t lab_recording() {
  answer_bytes = evencube::lab::open_recording(std::exchange(request_bytes, {}));
  return answer_bytes.size();
}

/// Returns where the answer is. It stays there until the next call.
__attribute__((used, export_name("lab_answer_at"))) const char* lab_answer_at() {
  return answer_bytes.data();
}
}

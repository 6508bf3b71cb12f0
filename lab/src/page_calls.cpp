// The functions that the page calls in WebAssembly. Everything is text: the page puts a request
// into memory that it asks for here, and reads the answer where it is told.
#include <cstddef>
#include <new>
#include <string>

#include "bridge.hpp"

namespace {

std::string request_bytes;
std::string answer_bytes;

}  // namespace

extern "C" {

/// Returns where the page puts a request of `bytes` bytes, or null if there is no such memory.
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

/// Returns where the answer is. It stays there until the next call.
__attribute__((used, export_name("lab_answer_at"))) const char* lab_answer_at() {
  return answer_bytes.data();
}
}

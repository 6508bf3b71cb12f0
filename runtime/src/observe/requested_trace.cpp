#include "observe/requested_trace.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include <evencube/detail/forked.hpp>

#include "engine/engine.hpp"
#include "observe/trace_file.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {

namespace {

void say(const char* what) noexcept {
  std::fprintf(stderr, "EvenCube: EVENCUBE_TRACE: %s\n", what);
}

}  // namespace

std::string trace_file_for(const std::string& value, unsigned number, int process, bool forked) {
  std::string name = value;
  const std::string id = std::to_string(process);
  bool has_id = false;
  for (auto at = name.find("%p"); at != std::string::npos; at = name.find("%p", at + id.size())) {
    name.replace(at, 2, id);
    has_id = true;
  }
  std::string more;
  if (forked && !has_id) more += "-" + id;
  if (number > 1) more += "-" + std::to_string(number);
  const auto folder = name.find_last_of("/\\");  // Windows takes both
  const auto begin = folder == std::string::npos ? 0 : folder + 1;
  const auto dot = name.rfind('.');
  // A dot at the beginning of a file's name does not begin an ending.
  name.insert(dot == std::string::npos || dot <= begin ? name.size() : dot, more);
  return name;
}

std::string next_requested_trace() {
  const char* const value = trusted_environment("EVENCUBE_TRACE");
  if (value == nullptr || *value == '\0') return {};
  static std::atomic<unsigned> count{0};
  // Relaxed: the numbers only have to differ.
  const unsigned number = count.fetch_add(1, std::memory_order_relaxed) + 1;
  return trace_file_for(value, number, process_number(), fork_generation() != 0);
}

// A path that cannot be written never fails the program.
void engine::record_if_asked() noexcept {
  try {
    std::string file = next_requested_trace();
    if (file.empty()) return;
    require_trace_file(file);
    start_recording({});
    const std::lock_guard lock(recorder_mutex_);
    requested_trace_ = std::move(file);
  } catch (const std::exception& problem) {
    say(problem.what());
  } catch (...) {
    say("the recording failed");
  }
}

void engine::write_requested_trace(const std::string& file, recorder& made) const noexcept {
  try {
    recording take = made.take();
    const std::size_t tasks = take.tasks.size();
    if (tasks == 0) {
      say(("no task ran in runtime " + std::to_string(number_) + ", so " + file + " is not written")
              .c_str());
      return;
    }
    const bool cut = take.cut;
    write_trace_file(file, trace_bytes(std::move(take),
                                       {program_name(), options_, workers_.settings().idle_leads}));
    const std::string said =
        "wrote " + std::to_string(tasks) + (tasks == 1 ? " task" : " tasks") + " to " + file +
        (cut ? ", up to when the memory for events was used up" : "") + "; " + how_to_look_at(file);
    say(said.c_str());
  } catch (const std::exception& problem) {
    say(problem.what());
  } catch (...) {
    say("the recording failed");
  }
}

void engine::save_trace(const std::string& file, const std::string& about) {
  require_trace_file(file);
  write_trace_file(file, trace_bytes(stop_recording(), {about.empty() ? program_name() : about,
                                                        options_, workers_.settings().idle_leads}));
}

}  // namespace evencube::detail

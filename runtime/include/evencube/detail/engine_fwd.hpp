#pragma once

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

// The parts of the engine are templates with a policy parameter: the atomics, the sleep of the
// operating system, how a task is called, and which checks are made. The library has one policy.
// The explorer of the tests has another one, and so runs the code that is shipped.
template <typename Policy>
class basic_worker;
/// What runs a task, as the task's function sees it. The function passes it on to code that knows
/// it; it is the base of every worker.
class runner {
 protected:
  runner() = default;
  ~runner() = default;
};
enum class move_kind;
template <typename Policy>
class basic_workers;
template <typename Policy>
class basic_priority_list;
template <typename Policy>
class basic_group;
template <typename Policy>
class basic_future_core;
template <typename Policy>
class basic_arena;
template <typename Policy>
struct arena_record;

/// The runtime of a group, as the group sees it: an address that it hands back.
template <typename Policy>
using runtime_of = basic_workers<Policy>;

struct EVENCUBE_EXPORT std_policy;
using worker = basic_worker<std_policy>;
using all_workers = basic_workers<std_policy>;
using group_core = basic_group<std_policy>;
using future_core = basic_future_core<std_policy>;
using arena_core = basic_arena<std_policy>;

class engine;
class event_log;

}  // namespace evencube::detail

#pragma once

#include <utility>

#include <evencube/cluster.hpp>
#include <evencube/cluster/detail/serial.hpp>
#include <evencube/cluster/object_id.hpp>

namespace evencube {

template <typename T>
class cluster_objects;

/// The argument of an object's task, as takers receive it.
template <typename Argument, bool AsItIs = detail::is_sent_as_it_is<Argument>>
struct cluster_object_call {
  cluster_object_id object;
  Argument argument{};
};
template <typename Argument>
struct cluster_object_call<Argument, false> {
  cluster_object_id object;
  Argument argument{};

  template <typename Archive>
  void save(Archive& archive) const {
    archive(object.maker, object.number);
    detail::save_value(archive, argument);
  }
  template <typename Archive>
  void load(Archive& archive) {
    archive(object.maker, object.number);
    detail::load_value(archive, argument);
  }
};

/// A handle to a registered object task, made by `cluster_objects::task` or `shared_task`. Handles
/// can be copied freely and are valid while the cluster lives.
template <typename T, typename Argument, typename Result>
class cluster_object_task {
 public:
  cluster_object_task() = default;

 private:
  friend class cluster_objects<T>;
  cluster_object_task(cluster_task<cluster_object_call<Argument>, Result> task, const void* of)
      : task_(std::move(task)), of_(of) {}

  cluster_task<cluster_object_call<Argument>, Result> task_;
  const void* of_ = nullptr;  // the objects with this task
};

}  // namespace evencube

"""The groups of the reference. make.py puts headers into them, so that these have no commands of Doxygen in them."""

import fnmatch
import re
import sys

# (name, title, what is in it, the headers after `evencube/`). The first group that has a header counts.
GROUPS = (
    ("runtimes", "Runtimes", "A runtime, its options, the machine it is for, and errors.",
     ("evencube.hpp", "runtime.hpp", "machine.hpp", "hotness.hpp", "hot_phase.hpp", "error.hpp", "where.hpp", "experimental/*")),
    ("tasks", "Tasks and waits", "Forks, groups of tasks, arenas, priorities, limits of time, and tasks that block.",
     ("fork_join.hpp", "task_group.hpp", "arena.hpp", "priority.hpp", "spawn_options.hpp", "run_for.hpp", "this_task.hpp",
      "blocking.hpp")),
    ("futures", "Futures and coroutines", "Values that come later, and coroutines on a runtime.",
     ("future.hpp", "promise.hpp", "when.hpp", "coroutine.hpp", "schedule.hpp")),
    ("algorithms", "Parallel algorithms", "Loops, reductions, scans, sorts, searches, pipelines and graphs.",
     ("parallel_*", "algorithms.hpp", "balanced_loop.hpp", "blocked_range.hpp", "standard_algorithms.hpp", "stoppable.hpp",
      "task_graph.hpp", "worker_local.hpp")),
    ("balancing", "Planned balancing", "Strategies, topologies, plans and how they are carried out.",
     ("balancing.hpp", "balancers/*")),
    ("observing", "Looking at runs", "Statistics, observers, recordings and their pages.",
     ("observer.hpp", "recording.hpp", "region.hpp", "statistics.hpp", "live_sampler.hpp", "trace/*", "pages/*")),
    ("simulation", "Simulator", "Machines and loads in virtual time.", ("simulator/*",)),
    ("cluster", "Cluster", "Tasks on several processes.", ("cluster.hpp", "cluster/*")),
    ("interop", "Other libraries", "The names of oneTBB, std::execution, OpenCV and Eigen.", ("interop/*",)),
)
OPEN = re.compile(r"^(namespace evencube(?!::detail)[\w:]* \{)\n\n?", re.MULTILINE)
CLOSE = re.compile(r"^(\}  // namespace evencube(?!::detail)[\w:]*$)", re.MULTILINE)


def group_of(header):
    """The name of the group of a header, which is named as programs include it."""
    for name, _, _, patterns in GROUPS:
        if any(fnmatch.fnmatch(header, pattern) for pattern in patterns):
            return name
    sys.exit(f"{header} is in no group of docs/site/groups.py")


def grouped(path):
    """The header with the same lines, what it declares in the namespaces of users within its group."""
    name, text = group_of(path.as_posix().rpartition("include/evencube/")[2]), path.read_text(encoding="utf-8")
    if len(OPEN.findall(text)) != len(CLOSE.findall(text)):
        sys.exit(f"{path}: a namespace does not close with a comment that names it")
    return CLOSE.sub(r"/** @} */ \1", OPEN.sub(rf"\1 /** @addtogroup {name}\n@{{ */\n", text))


def definitions():
    """The groups themselves, as a file for Doxygen."""
    return "".join(f"/** @defgroup {name} {title}\n{text} */\n" for name, title, text, _ in GROUPS)

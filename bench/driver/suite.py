"""The cases: which programs run, with which settings."""

from dataclasses import dataclass, field

BIND = {"OMP_PROC_BIND": "true"}
# A thread that waits for work sleeps instead of spinning, as threads of EvenCube and oneTBB do.
SLEEP = {"OMP_PROC_BIND": "true", "OMP_WAIT_POLICY": "passive"}


@dataclass(frozen=True)
class Variant:
    """One row: a program (workload_engine) and what it is asked to do."""
    label: str
    engine: str
    settings: tuple = ()
    environment: dict = field(default_factory=dict, hash=False)
    # The variant is serial code: it has one worker only.
    alone: bool = False
    # Run as many processes at once as there are workers, each with all of the work on a CPU of its own. They show what
    # the machine itself lets a second worker gain.
    copies: bool = False


@dataclass(frozen=True)
class Case:
    name: str
    workload: str
    about: str
    variants: tuple
    settings: tuple = ()
    # Runs within one process that count.
    inner: int = 1
    # The measured quantity: "time" on the wall; "latency", whose tail counts as well; "cpu", processor time; or
    # "granularity", the least time of a task with which an engine is efficient.
    kind: str = "time"
    # Runs within one process before them that do not count.
    warm_up: int = 1
    # Measure every variant twice: alone, and next to a busy process on the last CPU.
    neighbour: bool = False


def serial(*settings, label="serial"):
    return Variant(label, "serial", settings, alone=True)


def evencube(*settings, label="evencube"):
    return Variant(label, "evencube", settings)


def tbb(*settings, label="tbb"):
    return Variant(label, "tbb", settings)


def openmp(*settings, label="openmp", environment=None):
    return Variant(label, "openmp", settings, BIND if environment is None else environment)


def rival(engine, label=None):
    """A library that is built if `./dev bench --rivals` finds its sources (rivals.py)."""
    return Variant(label or engine, engine)


STEALING = evencube("--balancer", "random_stealing", label="evencube stealing")
COPIES = Variant("serial copies", "serial", copies=True)
RIVALS = tuple(rival(engine) for engine in ("lace", "citor", "libfork", "tmc", "taskflow"))
EACH = (serial(), evencube(), tbb(), openmp())
ALL = (serial(), COPIES, evencube(), tbb(), openmp())


def client(name, workload, about, *settings, inner):
    """A library on its own threads and on EvenCube's workers; left out where it is not installed."""
    return Case(name, workload, about, (serial(), evencube(), Variant("its own threads", "own")), settings, inner=inner)


def skewed(quantum, head):
    settings = ("--quantum", str(quantum), "--head", "yes" if head else "no")
    return Case(
        f"skewed-{quantum}us" + ("-head" if head else ""), "skewed",
        f"4096 tasks of {quantum} us, all made on worker 0"
        + ("; the first 128 are 32 times as long" if head else ""),
        (serial(), evencube(), STEALING, tbb(), openmp()), settings,
        inner=1 if quantum > 10 else 3)


MEASURED = evencube("--measured", "yes", label="evencube measured")


def grain(size):
    return Case(
        f"loop-grain-{size}", "loop", f"flat loop of 10^7 tiny iterations, grain {size}",
        (serial(), evencube("--grain", str(size)),
         tbb("--grain", str(size), "--partitioner", "simple", label="tbb simple"),
         openmp("--grain", str(size), "--schedule", "dynamic", label="openmp dynamic")), inner=3)


def iterated(name, workload, about, *settings):
    return Case(
        name, workload, about,
        (serial(), COPIES, evencube(), evencube("--by", "parallel_for", label="evencube parallel_for"),
         tbb(label="tbb auto"), tbb("--partitioner", "static", label="tbb static"),
         tbb("--partitioner", "affinity", label="tbb affinity"), openmp(label="openmp static"),
         openmp("--schedule", "dynamic", label="openmp dynamic"),
         openmp("--schedule", "guided", label="openmp guided")), settings, inner=3)


def metg(pattern, each):
    """The minimum effective task granularity of a pattern of tasks."""
    return Case(
        f"metg-{pattern}-{each}", "metg",
        f"the least time of a task with an efficiency of 50 %: {METG_PATTERNS[pattern]}, {each} "
        f"task{'s' if each > 1 else ''} of a step for each worker",
        (serial(), evencube(label="evencube graph"), evencube("--by", "phases", label="evencube phases"),
         evencube("--by", "futures", label="evencube futures"), tbb(label="tbb flow"), tbb("--by", "loop", label="tbb loop"),
         tbb("--by", "group", label="tbb group"), openmp(label="openmp depend"), openmp("--by", "loop", label="openmp loop"),
         rival("citor", "citor runPlex"), rival("taskflow")),
        ("--pattern", pattern, "--each", str(each)), warm_up=0, kind="granularity")


def burnt(name, about, *settings):
    """Processor time beyond that of the work itself."""
    return Case(f"burnt-{name}", "burnt", f"processor time beyond that of the work: {about}",
                (evencube(), evencube("--hotness", "never", label="evencube never hot"),
                 evencube("--hotness", "always", label="evencube always hot"), tbb(), openmp(label="openmp dynamic"),
                 rival("citor")), settings, kind="cpu")


METG_PATTERNS = {"none": "no task needs another", "stencil": "a task needs three of the step before, side by side",
                 "fft": "a task needs two of the step before, as in a fast Fourier transform",
                 "tree": "a task needs one of the step before, as in a tree of fan-out 2",
                 "random": "a task needs three of the step before, drawn at random"}

# Of C++'s parallel algorithms, those that bench/parallel_stl has.
STL = ("adjacent_difference", "all_of", "copy_if", "count_if", "equal", "exclusive_scan", "fill", "find_if", "for_each",
       "inclusive_scan", "is_sorted", "max_element", "merge", "minmax_element", "nth_element", "reduce", "remove_if", "reverse",
       "set_union", "sort", "stable_partition", "stable_sort", "transform", "transform_reduce")

CASES = (
    Case("fib-35", "fib", "fib(35): a task for every call", ALL + RIVALS, ("--n", "35")),
    # Other engines take minutes.
    Case("fib-39", "fib", "fib(39): a task for every call", (serial(), COPIES, evencube()),
         ("--n", "39")),
    Case("coroutine", "coroutine", "fib(32): a coroutine for every call",
         (serial(), evencube(), evencube("--by", "fork_join", label="evencube fork_join"), tbb())),
    Case("skynet", "skynet", "a tree of fan-out 10 with 10^7 leaves",
         (serial(), COPIES, evencube(), evencube("--by", "for", label="evencube parallel_for"),
          evencube("--by", "invoke", label="evencube parallel_invoke"),
          evencube("--by", "group", label="evencube task_group"), tbb(), openmp())),
    Case("nqueens", "nqueens", "all ways to place 13 queens", ALL),
    Case("matmul", "matmul", "2048 x 2048, recursive", ALL),
    Case("uts-T1", "uts", "unbalanced tree search, geometric, 4130071 nodes", ALL),
    Case("uts-T3", "uts", "unbalanced tree search, binomial, 4112897 nodes, 1572 levels",
         ALL, ("--tree", "T3")),
    Case("integrate", "integrate", "adaptive quadrature", ALL, inner=3),
    Case("enumeration", "enumeration",
         "Rim et al. 2003, Table 1: OEM on the 350343565 load vectors of 32 nodes", ALL, inner=3),
    Case("sort", "sort", "10^7 numbers, parallel merge sort",
         (serial(), serial("--algorithm", "std", label="serial std::sort"),
          evencube(), tbb(), openmp())),
    Case("scan", "scan", "prefix sums of 10^7 numbers, by each library's scan", EACH, inner=5),
    Case("parallel_sort", "parallel_sort", "10^7 numbers, by each library's parallel sort",
         (serial(), evencube(), tbb())),
    *(Case(f"stl-{name}", "parallel_stl", f"std::{name} of 10^6 numbers, with std::execution::par", (serial(), evencube(), tbb()),
           ("--algorithm", name), inner=5) for name in STL),
    Case("pipeline", "pipeline", "10^6 items through a serial, a parallel and a serial stage",
         (serial(), evencube(), tbb()), inner=3),
    Case("graph", "graph", "a graph of 10^6 nodes, each after the one on its left and the one above",
         EACH + (rival("taskflow"),), inner=3),
    Case("spawn-1e6", "spawn", "10^6 empty tasks made by a worker", ALL, ("--n", "1000000"),
         inner=3),
    Case("spawn-1e7", "spawn", "10^7 empty tasks made by a worker", ALL),
    Case("spawn-outside-1e6", "spawn", "10^6 empty tasks made by a thread outside",
         (evencube(), tbb()), ("--from", "outside", "--n", "1000000"), inner=3),
    Case("spawn-outside-1e7", "spawn", "10^7 empty tasks made by a thread outside",
         (evencube(), tbb()), ("--from", "outside")),
    Case("loop", "loop", "flat loop of 10^7 tiny iterations",
         (serial(), evencube(), tbb(label="tbb auto"),
          tbb("--partitioner", "static", label="tbb static"), openmp(label="openmp static"),
          openmp("--schedule", "guided", label="openmp guided")), inner=5),
    Case("bytes", "bytes", "4 Mi pixels of one byte, each made lighter",
         (serial(), evencube(), evencube("--by", "index", label="evencube parallel_for"), tbb(),
          tbb("--by", "index", label="tbb index"), openmp(label="openmp static")), inner=9),
    grain(1), grain(16), grain(256), grain(1024),
    skewed(1, False), skewed(10, False), skewed(100, False),
    skewed(1, True), skewed(10, True), skewed(100, True),
    Case("mixed", "skewed", "40960 tasks of 1 us, every tenth of 100 us, all made on worker 0",
         (serial(), evencube(), evencube("--hints", "yes", label="evencube hinted"), MEASURED, STEALING, tbb(), openmp()),
         ("--tasks", "40960", "--quantum", "1", "--mixed", "yes")),
    *(Case(f"phases-{item}", "phases", f"100 us of serial code, then a loop of 2 items of {item} us a worker, 1500 times: the loops",
           (serial(), evencube(), evencube("--hotness", "never", label="evencube never hot"), tbb(), openmp(label="openmp dynamic"),
            rival("citor"), rival("taskflow")),
           ("--item", str(item))) for item in (2, 20, 200)),
    *(Case(f"sweeps-{cells}", "sweeps", f"2000 sweeps over {cells} numbers, one after the other",
           (serial(), evencube(), evencube("--by", "repeat", label="evencube repeat"),
            evencube("--by", "parallel_for", label="evencube parallel_for"), tbb(), openmp(), rival("citor")),
           ("--cells", str(cells), "--blocks", str(min(64, cells // 1024))), inner=5) for cells in (8192, 65536)),
    *(metg(pattern, each) for pattern in METG_PATTERNS for each in (1, 4)),
    iterated("stencil", "stencil", "400 steps of heat on 1024 rows of 64, under a source that drifts"),
    iterated("stencil-large", "stencil", "20 steps of heat on 4096 rows of 1024, beyond the caches",
             "--rows", "4096", "--columns", "1024", "--steps", "20"),
    iterated("particles", "particles", "100 steps of 2048 cells with a swarm that moves"),
    iterated("particles-large", "particles", "5 steps of 65536 such cells, beyond the caches",
             "--cells", "65536", "--steps", "5"),
    iterated("sparse", "sparse", "200 products with a matrix of 8192 rows of power-law length"),
    iterated("sparse-large", "sparse", "10 products with 10^6 such rows, beyond the caches",
             "--rows", "1000000", "--steps", "10"),
    client("opencv-canny", "opencv", "OpenCV: edges of 1024 x 1024 pixels", inner=11),
    client("opencv-blur", "opencv", "OpenCV: Gaussian blur of 1024 x 1024 pixels in colour",
           "--operation", "blur", inner=21),
    client("opencv-resize", "opencv", "OpenCV: 1024 x 1024 pixels in colour made larger by half, cubic",
           "--operation", "resize", inner=11),
    client("opencv-canny-small", "opencv", "OpenCV: edges of 256 x 256 pixels", "--side", "256", inner=41),
    client("eigen-contraction", "eigen", "Eigen: the product of two matrices of 512 x 512 floats, as tensors", inner=11),
    client("eigen-contraction-small", "eigen", "Eigen: the same of 128 x 128", "--side", "128", inner=41),
    *(Case(f"senders-{costs}", "senders", f"stdexec: a bulk of 8192 items, {about}", (evencube(), rival("stdexec")),
           ("--costs", costs), inner=3)
      for costs, about in (("head", "the first quarter of 10 us, the others of 1 us"),
                           ("pareto", "by a Pareto distribution"), ("equal", "1 us each"))),
    Case("senders-schedule", "senders", "stdexec: schedule | then | sync_wait from outside, 1024 times",
         (evencube(), rival("stdexec")), ("--by", "schedule", "--items", "1024"), inner=3),
    Case("wakeup", "wakeup", "20 ms idle, then all workers are called from outside",
         (Variant("raw futex", "futex"), evencube(), tbb(),
          tbb("--pin", "yes", label="tbb pinned"),
          openmp(label="openmp passive", environment=SLEEP)), inner=40, kind="latency"),
    Case("priority", "priority",
         "from the spawn of a task of high priority to its start, 1000 others of 20 us queued before",
         (evencube(), tbb(label="tbb arenas"),
          evencube("--level", "normal", label="evencube normal"),
          tbb("--level", "normal", label="tbb normal")), inner=40, kind="latency"),
    Case("offers", "offers", "what else is offered, with nothing in it but a count",
         tuple(evencube("--what", what, label=label) for what, label in (
             ("future", "async and get"), ("then", "then"), ("local", "worker_local"),
             ("balanced_loop", "balanced_loop: a run"), ("arena", "arena::run"),
             ("blocking", "blocking")))
         + (evencube("--what", "runtime", "--n", "500", label="a runtime, made and destroyed"),), inner=3),
    Case("idle-2s", "idle", "processor time used in 2 s without work",
         (evencube(), tbb(), openmp(label="openmp passive", environment=SLEEP)), warm_up=0, kind="cpu"),
    Case("idle-5s", "idle", "processor time used in 5 s without work",
         (evencube(), tbb(), openmp(label="openmp passive", environment=SLEEP)),
         ("--rest", "5000"), warm_up=0, kind="cpu"),
    *(burnt(f"gap-{gap}", f"100 to 1000 short loops after {gap} us of serial code each", "--gap", str(gap),
            "--phases", str(max(100, min(1000, 400000 // gap)))) for gap in (50, 200, 1000, 5000, 20000)),
    burnt("two", "the same after 200 us, by two runtimes at once", "--runtimes", "2"),
    burnt("quota", "the same after 200 us, with a quota of 1.5 processors", "--quota", "150"),
    burnt("after", "10 s without work after such loops", "--counted", "rest", "--rest", "10000"),
    Case("start", "start", "a runtime is made and sums up 1000 numbers, in a new process",
         (Variant("hwloc_topology_load", "hwloc"), evencube(), tbb(), openmp(label="openmp passive", environment=SLEEP)),
         warm_up=0, kind="latency"),
    Case("start-again", "start", "the same after three others in the same process",
         (Variant("hwloc_topology_load", "hwloc"), evencube(), tbb(), openmp(label="openmp passive", environment=SLEEP)),
         ("--before", "3"), warm_up=0, kind="latency"),
    Case("planner", "planner", "processor time for planning during 2 s of balanced load",
         (evencube(label="evencube thread"),
          evencube("--mode", "automatic", label="evencube automatic")), kind="cpu"),
    *(Case(f"injector-{producers}", "injector",
           f"10^6 words from each of {producers} producers through one queue to the workers",
           (evencube(label="evencube's ring"), Variant("boost::lockfree::queue", "boost")),
           ("--producers", str(producers)), inner=3) for producers in (1, 2)),
    Case("search", "search", "2000 times a worker finds out that nobody has work for it", (evencube(),), inner=9),
    Case("neighbour-loop", "neighbour", "16384 items of about 10 us, 16 to a task",
         (serial(), evencube(), MEASURED, STEALING, tbb(label="tbb simple"),
          tbb("--partitioner", "auto", label="tbb auto"), openmp(label="openmp dynamic"),
          openmp("--schedule", "guided", label="openmp guided")), neighbour=True),
    Case("neighbour-matmul", "matmul", "1024 x 1024, recursive", (*EACH, MEASURED), ("--n", "1024"), inner=3,
         neighbour=True),
)

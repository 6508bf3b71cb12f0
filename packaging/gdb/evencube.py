"""What gdb shows of a program that uses EvenCube.

  (gdb) source share/evencube/gdb.py      only if gdb has not loaded it with the shared library
  (gdb) evencube workers                  what every worker does, holds and waits for, in all runtimes
  (gdb) print group                       tasks that have not ended, the owner, whether it is stopped
  (gdb) print future                      whether its task has begun and ended, and its value

The command calls a function of the program, so it needs a process, not a core file. The printers read memory and work
in both; they need the program's debugging information (-g).
"""

import os

import gdb
import gdb.printing


def number_in(atomic, kind):
    """The number in a std::atomic, whatever the standard library calls its members."""
    return int(atomic.address.cast(gdb.lookup_type(kind).pointer()).dereference())


def counted(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class GroupPrinter:
    """A task_group."""

    def __init__(self, value):
        self.core = value["core_"]

    def to_string(self):
        count = self.core["count_"]
        # The two lowest bits of the word of the other threads are marks of waiters (group_count.hpp).
        tasks = int(count["local_"]) + (number_in(count["pending_"], "long") >> 2)
        said = [f"{counted(tasks, 'task')} not ended"]
        owner = self.core["owner_"]
        if int(owner) == 0:
            said.append("made outside of tasks")
        else:
            said.append(f"made on worker {index_of(owner)}")
        if number_in(self.core["stop_"]["requested"], "unsigned char"):
            said.append("stopped")
        return "evencube::task_group: " + ", ".join(said)


def index_of(runner):
    """The number of a worker that its group knows as a runner."""
    try:
        worker = gdb.lookup_type("evencube::detail::basic_worker<evencube::detail::std_policy>")
        return int(runner.cast(worker.pointer()).dereference()["index_"])
    except (gdb.error, gdb.MemoryError):
        return f"at {int(runner):#x}"


class FuturePrinter:
    """A future. The bits of its state are those of future_core.hpp."""

    BEGUN, ENDED, FAILED, AWAITED, RELEASED = 1, 2, 4, 8, 16

    def __init__(self, value):
        kind = value.type.strip_typedefs()
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            kind = kind.target()
        self.type = kind.unqualified()
        self.state = value["state_"]

    def to_string(self):
        name = str(self.type)
        if int(self.state) == 0:
            return f"{name}: none; taken, moved from or empty"
        bits = number_in(self.state.dereference()["state_"], "unsigned int")
        if bits & self.ENDED:
            return f"{name}: " + ("ended by an exception" if bits & self.FAILED else "ended")
        if bits & self.BEGUN:
            said = "its task runs"
        elif bits & self.RELEASED:
            said = "its task is queued"
        else:
            said = "waits for other futures"
        return f"{name}: {said}" + (", and a thread waits for it" if bits & self.AWAITED else "")


class RuntimePrinter:
    """A runtime. The command `evencube workers` prints what its workers do."""

    def __init__(self, value):
        self.engine = value["engine_"]

    def to_string(self):
        return f"evencube::runtime, engine at {int(self.engine):#x} (see: evencube workers)"


def printers():
    made = gdb.printing.RegexpCollectionPrettyPrinter("evencube")
    made.add_printer("task_group", r"^evencube::task_group$", GroupPrinter)
    made.add_printer("future", r"^evencube::future<.*>$", FuturePrinter)
    made.add_printer("runtime", r"^evencube::runtime$", RuntimePrinter)
    return made


class EvenCubeCommand(gdb.Command):
    """Look into EvenCube's runtimes."""

    def __init__(self):
        super().__init__("evencube", gdb.COMMAND_STATUS, prefix=True)


class WorkersCommand(gdb.Command):
    """What every worker does, holds and waits for, in all runtimes of the process.

The other threads stay where they are. A worker that sleeps in a wait has the address of the group, future or fork that it
waits for. The threads of the workers have names: see `info threads`."""

    def __init__(self):
        super().__init__("evencube workers", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if argument:
            raise gdb.GdbError(f"evencube workers: takes no argument, but got: {argument}")
        process = gdb.selected_inferior()
        connection = getattr(process, "connection", None)
        if process.pid == 0 or (connection is not None and connection.type == "core"):
            raise gdb.GdbError("evencube workers: needs a process, because it calls a function of the program; "
                               "a core file has none (print groups and futures instead)")
        with only_this_thread():
            text = described(process.pid)
        gdb.write(text)


class only_this_thread:
    """While it lasts, a call of the program's functions lets no other thread run."""

    def __enter__(self):
        self.before = gdb.parameter("scheduler-locking")
        gdb.execute("set scheduler-locking on", to_string=True)

    def __exit__(self, *_):
        gdb.execute(f"set scheduler-locking {self.before}", to_string=True)


def call(function, types, *arguments):
    """Calls a function of the program, of which there may be no debugging information."""
    return gdb.parse_and_eval(f"(({types}) {function})({', '.join(map(str, arguments))})")


def describe(descriptor):
    try:
        # evencube::describe_runtimes(int), by the name that it has without debugging information, too.
        call("_ZN8evencube17describe_runtimesEi", "void (*)(int)", descriptor)
    except gdb.error as problem:
        # gdb 13 says so on some processors when a call has ended and all registers but the widest ones are restored.
        if "extended state" not in str(problem):
            raise gdb.GdbError(f"evencube workers: cannot call evencube::describe_runtimes: {problem}") from None


def described(process):
    """The text of describe_runtimes, by a file in memory; if there is none, the program's standard error gets it."""
    try:
        # The name of the file is any text that the program has.
        descriptor = int(call("memfd_create", "int (*)(char *, unsigned)", "*(char **) &program_invocation_short_name", 1))
    except gdb.error:
        descriptor = -1
    if descriptor < 0:
        describe(2)
        return "(written to the standard error of the program)\n"
    try:
        describe(descriptor)
        with open(f"/proc/{process}/fd/{descriptor}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as problem:
        describe(2)
        return f"(written to the standard error of the program: {os.strerror(problem.errno)})\n"
    finally:
        call("close", "int (*)(int)", descriptor)


gdb.printing.register_pretty_printer(None, printers(), replace=True)
EvenCubeCommand()
WorkersCommand()

"""A reader of the Chrome trace event format that believes nothing, written from the format's rules and not from the
writer under test. `read(path)` gives a Document or raises Broken."""

import collections
import json

# What each kind of event must have besides `ph` and `name`, and of which type.
NUMBER = (int, float)
COMMON = {"pid": int, "tid": int, "ts": NUMBER}
FIELDS = {
    "X": {**COMMON, "dur": NUMBER, "cat": str},
    "b": {**COMMON, "id": (int, str), "cat": str},
    "e": {**COMMON, "id": (int, str), "cat": str},
    "s": {**COMMON, "id": (int, str), "cat": str},
    "t": {**COMMON, "id": (int, str), "cat": str},
    "f": {**COMMON, "id": (int, str), "cat": str},
    "C": {**COMMON, "args": dict},
    "M": {"pid": int, "args": dict},
}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}


class Broken(Exception):
    """The file breaks a rule of the format."""


class Document:
    """Events by kind, in whole nanoseconds: slices as (begin, end, event), by (pid, tid)."""

    def __init__(self):
        self.tracks = collections.defaultdict(list)
        self.pairs = []
        self.arrows = collections.defaultdict(list)
        self.counters = []
        self.names = {}
        self.other = {}

    def slices(self, category):
        """All of a category, nested ones and pairs, as (begin, end, event)."""
        everything = [one for track in self.tracks.values() for one in track] + self.pairs
        return [one for one in everything if one[2]["cat"] == category]


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def check_fields(event):
    kind = event.get("ph")
    if kind not in FIELDS:
        raise Broken(f"unknown phase {kind!r}: {event}")
    for name, types in {**FIELDS[kind], "name": str}.items():
        if not isinstance(event.get(name), types) or isinstance(event.get(name), bool):
            raise Broken(f"{name} is missing or of the wrong type: {event}")
    if event.get("ts", 0) < 0 or event.get("dur", 0) < 0:
        raise Broken(f"a time before the beginning: {event}")
    if kind == "C" and not all(isinstance(value, NUMBER) for value in event["args"].values()):
        raise Broken(f"a counter that is no number: {event}")
    if kind == "M":
        if event["name"] not in METADATA:
            raise Broken(f"unknown metadata: {event}")
        key, kept = METADATA[event["name"]]
        if not isinstance(event["args"].get(key), kept):
            raise Broken(f"metadata without {key}: {event}")


def check_nesting(track):
    """Complete events of one thread lie within each other or beside each other."""
    open_until = []
    for begin, end, event in sorted(track, key=lambda one: (one[0], -one[1])):
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        if open_until and open_until[-1] < end:
            raise Broken(f"crosses the slice around it: {event}")
        open_until.append(end)


def check_arrow(document, steps):
    """An arrow has one start and one end, goes forward in time, and each of its points lies on a slice."""
    kinds = "".join(event["ph"] for _, event in steps)
    if kinds.count("s") != 1 or kinds.count("f") != 1:
        raise Broken(f"an arrow needs one start and one end: {steps}")
    by_kind = {kind: [time for time, event in steps if event["ph"] == kind] for kind in "stf"}
    if by_kind["t"] and not by_kind["s"][0] <= min(by_kind["t"]) <= max(by_kind["t"]) <= by_kind["f"][0]:
        raise Broken(f"an arrow that goes back in time: {steps}")
    if by_kind["s"][0] > by_kind["f"][0]:
        raise Broken(f"an arrow that goes back in time: {steps}")
    for time, event in steps:
        if event["ph"] != "s" and event.get("bp") != "e":
            raise Broken(f"binds to the next slice, not to the one around it: {event}")
        if time not in document.covered[(event["pid"], event["tid"])]:
            raise Broken(f"no slice begins where the arrow does or ends: {event}")


def read(path):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if not isinstance(content, dict) or not isinstance(content.get("traceEvents"), list):
        raise Broken("the object has no traceEvents")
    if content.get("displayTimeUnit") not in ("ns", "ms"):
        raise Broken("displayTimeUnit is neither ns nor ms")
    document = Document()
    document.other = content.get("otherData", {})
    begun = {}
    for event in content["traceEvents"]:
        check_fields(event)
        kind = event["ph"]
        if kind == "X":
            begin = nanoseconds(event["ts"])
            end = nanoseconds(event["ts"]) + nanoseconds(event["dur"])
            document.tracks[(event["pid"], event["tid"])].append((begin, end, event))
        elif kind == "b":
            begun[(event["cat"], event["id"])] = event
        elif kind == "e":
            first = begun.pop((event["cat"], event["id"]), None)
            if first is None or first["name"] != event["name"] or first["ts"] > event["ts"]:
                raise Broken(f"ends what has not begun: {event}")
            document.pairs.append((nanoseconds(first["ts"]), nanoseconds(event["ts"]), first))
        elif kind in "stf":
            document.arrows[(event["cat"], event["name"], event["id"])].append((nanoseconds(event["ts"]), event))
        elif kind == "C":
            document.counters.append(event)
        elif event["name"] == "thread_name":
            document.names[(event["pid"], event["tid"])] = event["args"]["name"]
    if begun:
        raise Broken(f"never end: {begun}")
    document.covered = {track: {begin for begin, _, _ in slices} for track, slices in document.tracks.items()}
    for track in document.tracks.values():
        check_nesting(track)
    for steps in document.arrows.values():
        check_arrow(document, steps)
    return document

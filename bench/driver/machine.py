"""What a reader must know of the machine, the compiler and the source to judge a figure."""

import datetime
import glob
import json
import os
import platform
import subprocess

import rivals

# Where a pack (packing.py) says what it was built from.
ABOUT = "about.json"


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def first_value(lines, name):
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def output_of(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def cache_value(build, name):
    for line in lines_of(os.path.join(build, "CMakeCache.txt")):
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return ""


def caches():
    found = []
    base = "/sys/devices/system/cpu/cpu0/cache"
    for index in range(8):
        folder = f"{base}/index{index}"
        text = [lines_of(f"{folder}/{name}") for name in ("level", "type", "size")]
        if all(text):
            level, kind, size = (lines[0] for lines in text)
            if kind != "Instruction":
                found.append(f"L{level} {size}")
    return ", ".join(found)


def commit_of(build):
    source = cache_value(build, "CMAKE_HOME_DIRECTORY") or "."
    name = output_of("git", "-C", source, "rev-parse", "--short=12", "HEAD")
    changed = output_of("git", "-C", source, "status", "--porcelain", "--untracked-files=no")
    return (name or "unknown") + (" with changes" if changed else "")


def compiler_path(build):
    path = cache_value(build, "CMAKE_CXX_COMPILER")
    # Not kept there where the environment chose the compiler.
    for found in glob.glob(os.path.join(build, "CMakeFiles", "*", "CMakeCXXCompiler.cmake")):
        for line in lines_of(found):
            if not path and line.startswith('set(CMAKE_CXX_COMPILER "'):
                path = line.split('"')[1]
    return path


def compiler_of(build):
    path = compiler_path(build)
    version = output_of(path, "--version").splitlines() if path else []
    return version[0] if version else "unknown"


def flags_of(build):
    kind = cache_value(build, "CMAKE_BUILD_TYPE")
    flags = [cache_value(build, "CMAKE_CXX_FLAGS"),
             cache_value(build, "CMAKE_CXX_FLAGS_" + kind.upper())]
    if cache_value(build, "EVENCUBE_NATIVE") in ("ON", "TRUE", "1"):
        flags.append("-march=native")
    return " ".join(flag for flag in flags if flag)


def describe_build(build):
    about = os.path.join(build, ABOUT)
    if os.path.exists(about):
        with open(about, encoding="utf-8") as file:
            return json.load(file)
    return {"compiler": compiler_of(build), "flags": flags_of(build),
            "build_type": cache_value(build, "CMAKE_BUILD_TYPE"), "commit": commit_of(build), "rivals": rivals.named(build)}


def describe(build):
    cpu = lines_of("/proc/cpuinfo")
    load = lines_of("/proc/loadavg")
    return {
        "processor": first_value(cpu, "model name") or platform.processor() or "unknown",
        "caches": caches(),
        "cpus": os.cpu_count(),
        "allowed_cpus": sorted(os.sched_getaffinity(0)),
        "virtual": "hypervisor" in first_value(cpu, "flags").split(),
        "memory": first_value(lines_of("/proc/meminfo"), "MemTotal"),
        "system": f"{platform.system()} {platform.release()}",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "load_before": load[0].split()[0] if load else "unknown",
        **describe_build(build),
    }

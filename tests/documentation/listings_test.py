#!/usr/bin/env python3
"""Every page with C++ in it is one whose C++ is compiled and run.

usage: listings_test.py ROOT"""

import pathlib
import re
import sys

CPP = re.compile(r"^```cpp$", re.MULTILINE)
FENCE = re.compile(r"^```(.*)$", re.MULTILINE)
# What other listings may be: commands and their output, CMake, and c++ for what is written for other libraries.
LANGUAGES = {"", "cpp", "c++", "sh", "text", "console", "cmake", "json"}


def problems(root):
    here = root / "tests/documentation"
    listed = re.search(r"set\(pages(.*?)\)", (here / "CMakeLists.txt").read_text(encoding="utf-8"), re.DOTALL)[1].split()
    listed += ["interop", "cluster"]  # where OpenCV and Eigen, or MPI and cereal, are installed
    pages = [page for folder in ("docs", "runtime/src/*", "cluster/docs") for page in root.glob(f"{folder}/*.md")]
    pages += [root / name for name in ("bench/README.md", "examples/README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    found = {page for page in pages if CPP.search(page.read_text(encoding="utf-8"))}
    for page in sorted(found):
        if page.parent != root / "docs" or page.stem not in listed or not (here / f"{page.stem}.cpp.in").exists():
            yield f"{page.relative_to(root)}: its C++ is compiled by nothing"
    for name in listed:
        if root / "docs" / f"{name}.md" not in found:
            yield f"docs/{name}.md: has no C++, but is in the list of those that have"
    for page in [*pages, root / "README.md"]:
        for language in FENCE.findall(page.read_text(encoding="utf-8")):
            if language not in LANGUAGES:
                yield f"{page.relative_to(root)}: a listing of '{language}', which nothing checks"


def main():
    if said := list(problems(pathlib.Path(sys.argv[1]).resolve())):
        sys.exit("\n".join(said))


if __name__ == "__main__":
    main()

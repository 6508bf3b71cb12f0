#!/usr/bin/env python3
"""Puts the page of the lab into one file: styles, scripts and the planners as WebAssembly.

usage: assemble.py PAGE_FOLDER PLANNERS.wasm OUTPUT.html"""

import base64
import pathlib
import re
import sys

# In the order in which they use each other. Together they are one module, so no two may use a name at their top level.
MODULES = ("planner", "state", "layout", "colours", "replay", "elements", "cube-view", "charts", "compare", "exercises", "time-charts",
           "time", "recording", "main")
MOST_BYTES = 2 * 1024 * 1024
IMPORT = re.compile(r"^import \{[^}]*\} from \"[^\"]*\";\n", re.MULTILINE)
EXPORTED_LIST = re.compile(r"^export \{[^}]*\};\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:class|const|function)\b)", re.MULTILINE)
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:class|const|let|function) (\w+)", re.MULTILINE)

FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; \
worker-src blob:; style-src 'unsafe-inline'; img-src data:">
<title>EvenCube lab</title>
<style>
{style}</style>
</head>
<body>
{body}<script type="text/plain" id="planner-worker">
{worker}</script>
<script type="text/plain" id="planners">{planners}</script>
<script type="module">
{script}</script>
</body>
</html>
"""


def script_of(folder):
    """All modules as one."""
    names = {}
    parts = []
    for module in MODULES:
        text = (folder / f"{module}.js").read_text(encoding="utf-8")
        for name in DECLARED.findall(text):
            if name in names:
                sys.exit(f"{name} is declared in {names[name]}.js and in {module}.js")
            names[name] = module
        parts.append(EXPORT.sub("", EXPORTED_LIST.sub("", IMPORT.sub("", text))))
    return "\n".join(parts)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, planners, output = map(pathlib.Path, sys.argv[1:])
    read = {name: (folder / name).read_text(encoding="utf-8") for name in ("style.css", "body.html", "planner-worker.js")}
    script = script_of(folder)
    for text in (script, read["planner-worker.js"]):
        if "</script" in text:
            sys.exit("a script has the end of a script in it")
    page = FRAME.format(style=read["style.css"], body=read["body.html"], worker=read["planner-worker.js"], script=script,
                        planners=base64.b64encode(planners.read_bytes()).decode())
    if len(page.encode()) > MOST_BYTES:
        sys.exit(f"the page has {len(page.encode())} bytes, more than {MOST_BYTES}")
    output.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

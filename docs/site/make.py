#!/usr/bin/env python3
"""The documentation as a site of static pages: the guide, all pages, the examples and the reference of the public headers.

usage: make.py ROOT OUTPUT

Doxygen makes the pages; what it does not know of Markdown as it stands in the repository is written anew for it: links
between pages, to headings, examples and other files, and pictures. Every link of the site is followed in the end; one that
leads nowhere is an error, and so is each of Doxygen's warnings. OUTPUT is replaced as a whole, and only by a good site.
"""

import collections
import html
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import groups

HEADERS = ("runtime/include", "balancers/include", "algorithms/include", "interop/include", "cluster/include",
           "simulator/include", "trace/include", "pages/include")
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)")
DOXYGENS = ("annotated", "classes", "concepts", "files", "functions", "namespaces", "pages")  # it makes pages of these names
MARK = re.compile(r"<!-- .*? -->")  # says where a figure comes from
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')  # a place within a page that others link to
PERCENT = re.compile(r"%(?=\w)")  # of two, Doxygen keeps one
TREES = ("guide", "maintainers")
THEME = pathlib.Path("/usr/share/doxygen-awesome-css")  # of the package of that name
FENCE = re.compile(r"^(```|~~~)(\w*)")
SHELLS = ("sh", "console")  # Doxygen colours neither
# The words of a command by their class: a comment, a text in quotes, an option, and the program at the begin of a command.
WORDS = re.compile(r"""(?P<comment>(?:^|(?<=\s))\#.*)|(?P<stringliteral>"[^"]*"|'[^']*')|(?P<option>(?<=\s)--?[\w-]+=?)|"""
                   r"""(?P<program>(?:^|(?<=[|;&]\s))(?:\w+=\S+\s+)*(?:sudo\s+)?[\w./~+-]+)""", re.VERBOSE)


def sources(root):
    """The pages, each with its name in the site; those of the guide first, as it puts them."""
    pages = [root / "README.md", root / "docs/guide.md", root / "docs/maintainers.md"]
    pages += sorted((root / "docs").glob("*.md"))
    pages.append(root / "runtime/README.md")
    pages += sorted([root / "runtime/GLOSSARY.md", *(root / "runtime/src").glob("*/*.md"), *(root / "cluster/docs").glob("*.md")])
    pages += [root / name for name in ("bench/README.md", "examples/README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    return {page: name_of(page.relative_to(root)) for page in pages}


def name_of(path):
    """docs/speedup.md is "speedup"; pages elsewhere keep their folder, for some are called alike."""
    parts = path.with_suffix("").parts
    name = "-".join(parts[1:] if parts[0] == "docs" else parts).lower()
    return f"{name}-page" if name in DOXYGENS else name


def slug(heading):
    """As the hosts of repositories name a heading."""
    text = LINK.sub(r"\2", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def coloured(command):
    """A command of a shell as HTML, its words in the classes that a style sheet colours."""
    made, done = "", 0
    for word in WORDS.finditer(command):
        made += html.escape(command[done:word.start()], quote=False)
        made += f'<span class="{word.lastgroup}">{html.escape(word[0], quote=False)}</span>'
        done = word.end()
    return made + html.escape(command[done:], quote=False)


def shell(kind, lines):
    """A block of a shell's commands, for Doxygen to copy; in a console only what follows a prompt is one."""
    made = []
    for line in lines:
        if kind == "sh":
            made.append(coloured(line))
        elif line.startswith("$ "):
            made.append(f'<span class="prompt">$ </span>{coloured(line[2:])}')
        else:
            made.append(f'<span class="output">{html.escape(line, quote=False)}</span>')
    rows = "".join(f'<div class="line">{row}</div>\n' for row in made)
    return f'@htmlonly\n<div class="fragment shell">{rows}</div>\n@endhtmlonly'


def plain(text):
    """The text of a heading or a link, in which Doxygen would show marks of code as they are."""
    return text.replace("`", "")


class Writer:
    """One page of the repository as one for Doxygen."""

    def __init__(self, root, pages, files):
        self.root, self.pages, self.files = root, pages, files

    def page(self, path):
        name, fenced, titled, lines, labels = self.pages[path], "", False, [], collections.Counter()
        block = []  # the lines of a shell's block
        for line in path.read_text(encoding="utf-8").splitlines():
            if fence := FENCE.match(line):
                fenced = "" if fenced else fence[2] or "text"
                if fenced in SHELLS:
                    block = [fenced]
                    continue
                if block:
                    line, block = shell(block[0], block[1:]), []
            elif block:
                block.append(line)
                continue
            elif not fenced:
                if heading := re.match(r"(#+) (.*)", line):
                    label = f"{name}--{slug(heading[2])}" if titled else name
                    titled = True
                    labels[label] += 1
                    if labels[label] > 1:  # as the hosts of repositories number headings that are alike
                        label += f"-{labels[label] - 1}"
                    line = f"{heading[1]} {plain(heading[2])} {{#{label}}}"
                line = LINK.sub(lambda link: self.link(path, name, *link.groups()), line)
                line = MARK.sub("", line)
                line = ANCHOR.sub(rf"@anchor {name}--\1 ", line)
                line = PERCENT.sub(r"%%", line)
            lines.append(line)
        return "\n".join(lines) + "\n"

    def link(self, path, name, picture, text, target):
        if re.match(r"[a-z]+:", target):
            return f"[{text}]({target})"
        place, _, heading = target.partition("#")
        other = (path.parent / place).resolve() if place else path
        if not other.exists():
            sys.exit(f"{path.relative_to(self.root)}: there is no {target}")
        if picture:
            return f'<img src="{self.copied(other)}" alt="{text}"/>'
        if other in self.pages:
            label = self.pages[other] + (f"--{heading}" if heading else "")
            # The two trees of pages: what users read, and what maintainers read.
            kind = "subpage" if name in TREES and self.pages[other] not in TREES and not heading else "ref"
            return f'@{kind} {label} "{plain(text)}"'
        example = other if other.is_dir() else other.parent
        if example.parent == self.root / "examples" and any(example.glob("*.cpp")):
            kind = "subpage" if name == "examples-readme" else "ref"
            return f'@{kind} example-{example.name} "{plain(text)}"'
        if other.is_dir():
            return text
        return f'<a href="{self.copied(other)}">{plain(text)}</a>'

    def copied(self, path):
        """Where a file of the repository stands in the site; sources as text, for a browser to show."""
        place = "files/" + path.relative_to(self.root).as_posix()
        if path.suffix not in (".png", ".svg"):
            place += ".txt"
        self.files[place] = path
        return place


def examples(root):
    """A page for each, with its comment as title and all of its code."""
    for folder in sorted(path for path in (root / "examples").iterdir() if any(path.glob("*.cpp"))):
        text = f"# {folder.name} {{#example-{folder.name}}}\n"
        for code in sorted([*folder.glob("*.hpp"), *folder.glob("*.cpp")]):
            text += f"\n`examples/{folder.name}/{code.name}`:\n\n```cpp\n{code.read_text(encoding='utf-8')}```\n"
        yield f"example-{folder.name}.md", text


def run_doxygen(root, sorted_headers, made, pages):
    """The folder with the headers in their groups has a path in ASCII: Doxygen strips no other one from their names."""
    options = (root / "docs/site/Doxyfile").read_text(encoding="utf-8")
    sheets = [THEME / name for name in ("doxygen-awesome.css", "doxygen-awesome-sidebar-only.css")]
    sheets = [*(sheet for sheet in sheets if sheet.exists()), root / "docs/site/style.css"]
    options = options.replace("style.css", " ".join(f'"{sheet}"' for sheet in sheets))
    headers = [str(sorted_headers / folder) for folder in HEADERS if (sorted_headers / folder).exists()]
    version = re.search(r"project\(EvenCube VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    options += f'PROJECT_NUMBER = {version}\nOUTPUT_DIRECTORY = "{made}"\n'
    options += f'USE_MDFILE_AS_MAINPAGE = "{pages / "readme.md"}"\nINPUT = "{pages}" '
    options += " ".join(f'"{folder}"' for folder in headers) + "\n"
    options += "STRIP_FROM_PATH = " + " ".join(f'"{folder}"' for folder in [*headers, str(pages)]) + "\n"
    options += "STRIP_FROM_INC_PATH = " + " ".join(f'"{folder}"' for folder in headers) + "\n"
    done = subprocess.run(["doxygen", "-"], input=options, text=True, capture_output=True, cwd=root, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"Doxygen is not content:\n{done.stderr}")


class Page(html.parser.HTMLParser):
    """What can be linked to in a page, and what it links to."""

    def __init__(self, text):
        super().__init__()
        self.names, self.targets = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id" or (tag == "a" and key == "name"):
                self.names.add(value)
            elif key in ("href", "src") and value:
                self.targets.append(value)


def dead_links(site):
    read = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, page in read.items():
        for target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or target == "#nested-classes":  # which Doxygen writes where all of them are private
                continue
            other = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not other.exists() or (parts.fragment and other in read and parts.fragment not in read[other].names):
                yield f"{path.relative_to(site)} links to {target}"


def main():
    root, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    headers = {path.relative_to(root): groups.grouped(path) for folder in HEADERS for path in (root / folder).rglob("*.hpp")
               if "detail" not in path.parts}
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent) as work:
        made, pages, files = pathlib.Path(work) / "made", pathlib.Path(work) / "pages", {}
        made.mkdir()
        pages.mkdir()
        writer = Writer(root, sources(root), files)
        for path, name in writer.pages.items():
            (pages / f"{name}.md").write_text(writer.page(path), encoding="utf-8")
        for name, text in examples(root):
            (pages / name).write_text(text, encoding="utf-8")
        (pages / "groups.dox").write_text(groups.definitions(), encoding="utf-8")
        with tempfile.TemporaryDirectory() as plain:
            for name, text in headers.items():
                (pathlib.Path(plain) / name).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(plain) / name).write_text(text, encoding="utf-8")
            run_doxygen(root, pathlib.Path(plain), made, pages)
        site = made / "html"
        for place, path in files.items():
            (site / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, site / place)
        if dead := sorted(set(dead_links(site))):
            sys.exit("links that lead nowhere:\n" + "\n".join(dead))
        if output.exists():
            shutil.rmtree(output)
        os.rename(site, output)
    print(f"{len(list(output.rglob('*.html')))} pages: {output / 'index.html'}")


if __name__ == "__main__":
    main()

"""The README, and pages with its commands and tables, as a test reads them."""

import pathlib
import re

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([\w-]+)` \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")
PICTURE = re.compile(r"!\[([^\[\]]*)\]\(([^()\s]+)\)")


class Page:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.text = self.path.read_text(encoding="utf-8")
        self.blocks = BLOCK.findall(self.text)

    def only_block(self, language):
        found = [body for name, body in self.blocks if name == language]
        if len(found) != 1:
            raise ValueError(f"the README has {len(found)} blocks of {language}, not one")
        return found[0]

    def program(self):
        """The embedding example, a whole program."""
        return self.only_block("cpp")

    def project(self, way, repository=""):
        """The embedding example's CMakeLists.txt, where EvenCube is `fetched` from a repository, `installed`, or `embedded`."""
        lists = self.only_block("cmake")
        fetching = re.search(r"include\(FetchContent\)\n.*GIT_REPOSITORY (\S+).*\n.*\n", lists)
        if fetching is None:
            raise ValueError("the README's project does not fetch EvenCube in three lines")
        if way == "fetched":
            return lists.replace(fetching.group(1), repository)
        line = {"installed": "find_package(EvenCube 0.1 REQUIRED)", "embedded": "add_subdirectory(evencube)"}[way]
        if line not in self.text:
            raise ValueError(f"the README does not say `{line}`")
        return lists.replace(fetching.group(), f"{line}\n")

    def ways(self):
        """The sessions that end in the output of the embedding example: fetched, by packages, installed."""
        found = [way for way in self.sessions() if any(self.program_output() == output for _, output in way)]
        if len(found) != 3:
            raise ValueError(f"the README shows {len(found)} ways to the program's output, not three")
        return found

    def program_output(self):
        """What the embedding example prints."""
        return self.only_block("text")

    def commands(self):
        """Every command of every `sh` block, comments cut off, continued lines joined."""
        for name, body in self.blocks:
            if name == "sh":
                for line in body.replace("\\\n", " ").splitlines():
                    command = re.sub(r"(^|\s)#.*", "", line).strip()
                    if command:
                        yield command

    def sessions(self):
        """Of every `console` block its commands, each with the lines that it is shown to print."""
        found = []
        for name, body in self.blocks:
            if name == "console":
                parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
                found.append(list(zip(parts[1::2], parts[2::2])))
        return found

    def balancers(self):
        """The names in the table of balancers, in its order."""
        table = self.text.partition("## The balancers")[2].partition("\n## ")[0]
        return ROW.findall(table)

    def links(self):
        """The files of the repository that the page refers to, relative to its folder."""
        return LINK.findall(BLOCK.sub("", self.text))

    def pictures(self):
        """The file of each picture, with the text for readers who do not see it."""
        return {path: text for text, path in PICTURE.findall(self.text)}

    def repository(self):
        """Where the README's project fetches EvenCube from."""
        return re.search(r"GIT_REPOSITORY (\S+)", self.only_block("cmake"))[1]

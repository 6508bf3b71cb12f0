"""Small trees of files, in which the tests of the checks seed faults."""

import pathlib
import tempfile


def complaints_in(tree, check):
    """What `check` says of a folder with these files, each a name and a text."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(check(pathlib.Path(folder)))

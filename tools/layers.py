# SPDX-License-Identifier: Apache-2.0
"""The layers of the code as tools/layers.txt and tools/interface_layers.txt declare them, and the includes between them."""
import re
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = ("*.hpp", "*.cpp", "*.h", "*.c")
# Headers without a folder that the build generates, and any layer may include.
GENERATED = ("mpi.h", "mpix.h")
# {declaration: folders whose files it is about, which are named without them in includes}
DECLARATIONS = {"layers.txt": ("mpi/src", "tasks/src", "tiles/src"), "interface_layers.txt": ("cxx/include", "tasks/include")}


class Layers:
    """The declared layers, lowest first, and the headers that only some of them may include."""

    def __init__(self, declaration):
        self.purpose = {}
        self.private = {}
        for line in Path(declaration).read_text().splitlines():
            if line.startswith("only "):
                folders, header = line[len("only "):].split(" may include ")
                self.private[header.strip()] = folders.split()
            elif line and not line.startswith("#"):
                folder, purpose = line.split(":", 1)
                self.purpose[folder] = purpose.strip()
        self.order = list(self.purpose)

    def of(self, path):
        """The layer of a file, as includes name it: the longest folder that is one; None if there is none."""
        fitting = [layer for layer in self.order if path.startswith(layer + "/")]
        return max(fitting, key=len, default=None)

    def height(self, layer):
        return self.order.index(layer)


def includes(*roots):
    """Yields (root, file, line number, included header) for each quoted include of the files under these folders; a file
    is named relative to its root."""
    for root in map(Path, roots):
        for path in sorted(path for pattern in SOURCES for path in root.rglob(pattern)):
            text = path.read_text()
            for match in INCLUDE.finditer(text):
                yield root, str(path.relative_to(root)), text.count("\n", 0, match.start()) + 1, match[1]

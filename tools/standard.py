# SPDX-License-Identifier: Apache-2.0
"""The standard's tables in data/ and what of them is implemented, for the other tools.

A function of the standard is implemented iff one of the headers src/abi/*.hpp declares it in the namespace
lisle::api: `void send(...)` for MPI_Send. The large-count form MPI_Send_c shares that declaration unless
the headers have one of its own, `send_c`. A declaration whose last parameter is a `count_form` is told
which of the two the user called.
"""
import json
import pathlib
import re

DECLARATION = re.compile(
    r"^\s*(?:\[\[[\w:, ()\"]*\]\]\s*)?(?:inline\s+|constexpr\s+)*(?:void|int|double|MPI_\w+)\s+(\w+)\s*\("
)

NAMESPACE = re.compile(r"^namespace (lisle::)?api \{")


def load(data, name):
    return json.loads((pathlib.Path(data) / name).read_text(encoding="utf-8"))


def api_name(function):
    """MPI_Type_create_struct -> type_create_struct"""
    return function["name"].removeprefix("MPI_").lower()


def api_headers(source):
    """The headers of src/abi/ that declare implementations."""
    headers = sorted((pathlib.Path(source) / "abi").glob("*.hpp"))
    return [h for h in headers if any(map(NAMESPACE.match, h.read_text(encoding="utf-8").splitlines()))]


class Declaration:
    """One function of lisle::api."""

    def __init__(self, header, text):
        self.header = header  # relative to src/
        self.takes_form = "count_form form" in text


def implemented(source):
    """The functions of lisle::api by name."""
    found = {}
    for header in api_headers(source):
        name = None
        inside = False
        for line in header.read_text(encoding="utf-8").splitlines():
            if NAMESPACE.match(line):
                inside = True
            elif line.startswith("}"):
                inside = False
            elif inside and (match := DECLARATION.match(line)):
                name, text = match.group(1), ""
            if inside and name:
                text += line
                if line.rstrip().endswith(";"):
                    found[name] = Declaration(f"abi/{header.name}", text)
                    name = None
    return found


def has_callback(function):
    """True if the large form has a callback type of its own, and so an implementation of its own."""
    return any(p["kind"] == "POLYFUNCTION" for p in function["c_params"])


def wider(function):
    """True for a large form with parameters that the small one does not have."""
    return any(p.get("large_only") for p in function["c_params"])


def implementation(function, names):
    """The name in lisle::api that serves this function, or None."""
    own = api_name(function)
    if own in names:
        return own
    if function["large_count_of"] and not has_callback(function):
        small = function["large_count_of"].removeprefix("MPI_").lower()
        return small if small in names else None
    return None

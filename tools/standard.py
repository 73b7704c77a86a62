# SPDX-License-Identifier: Apache-2.0
"""The standard's tables and our extensions in data/ and what of them is implemented, for the other tools.

A function is implemented iff one of the headers mpi/src/api/*.hpp declares it in the namespace
lisle::api: `void send(...)` for MPI_Send. The large-count form MPI_Send_c shares that declaration unless
the headers have one of its own, `send_c`. A function `bool try_send(...)` serves the commonest calls of MPI_Send.
"""
import json
import pathlib
import re

DECLARATION = re.compile(
    r"^\s*(?:\[\[[\w:, ()\"]*\]\]\s*)?(?:inline\s+|constexpr\s+)*"
    r"(?:(?:void|bool|int|double|MPI_\w+)\s+(\w+)\s*\(|auto &(\w+) = )"
)


def load(data, name):
    return json.loads((pathlib.Path(data) / name).read_text(encoding="utf-8"))


EXTENSION_GROUP = "extension"


def extensions(data):
    """extensions.json with what the rows of functions.json say besides."""
    table = load(data, "extensions.json")
    common = {"group": EXTENSION_GROUP, "has_large_count": False, "large_count_of": None}
    table["functions"] = [{**common, **row} for row in table["functions"]]
    return table


def api_name(function):
    """MPI_Type_create_struct -> type_create_struct, MPIX_Op_create_x -> op_create_x"""
    return re.sub(r"^MPIX?_", "", function["name"]).lower()


def api_headers(source):
    """The headers of mpi/src/api/ that declare implementations."""
    headers = sorted((pathlib.Path(source) / "api").glob("*.hpp"))
    return [h for h in headers if "namespace lisle::api" in h.read_text(encoding="utf-8")]


def implemented(source):
    """Maps the names declared in lisle::api to the header (relative to mpi/src/) that declares them."""
    found = {}
    for header in api_headers(source):
        inside = False
        for line in header.read_text(encoding="utf-8").splitlines():
            if line.startswith("namespace lisle::api"):
                inside = True
            elif line.startswith(("}", "namespace")):  # what a nested one declares is for the header alone
                inside = False
            elif inside and (match := DECLARATION.match(line)):
                found[match.group(1) or match.group(2)] = f"api/{header.name}"
    return found


def at_once(function, names):
    """The name in lisle::api that serves the commonest calls of this function, or None: `try_send` for MPI_Send."""
    callee = implementation(function, names)
    return f"try_{callee}" if callee and f"try_{callee}" in names else None


def plain(function, names):
    """The same of what comes next, before the arguments are checked one by one: `try_plain_put` for MPI_Put."""
    callee = implementation(function, names)
    return f"try_plain_{callee}" if callee and f"try_plain_{callee}" in names else None


def large_only(function):
    """True if the large form has parameters or callback types that the small one does not have."""
    return any(p.get("large_only") or p["kind"] == "POLYFUNCTION" for p in function["c_params"])


def implementation(function, names):
    """The name in lisle::api that serves this function, or None."""
    own = api_name(function)
    if own in names:
        return own
    if function["large_count_of"] and not large_only(function):
        small = function["large_count_of"].removeprefix("MPI_").lower()
        return small if small in names else None
    return None

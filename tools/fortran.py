# SPDX-License-Identifier: Apache-2.0
"""How the standard's functions look from Fortran, for the generators of Lisle's Fortran interfaces.

One set of procedures with the linkage of external Fortran procedures serves mpif.h, the module mpi and the module
mpi_f08: a TYPE(MPI_Comm) is one INTEGER, a TYPE(MPI_Status) lies like an array of MPI_STATUS_SIZE of them, and an
argument that is left out arrives as a null pointer.
"""
import re

import standard

HANDLES = {
    "COMMUNICATOR": "MPI_Comm", "DATATYPE": "MPI_Datatype", "ERRHANDLER": "MPI_Errhandler", "FILE": "MPI_File",
    "GROUP": "MPI_Group", "INFO": "MPI_Info", "MESSAGE": "MPI_Message", "OPERATION": "MPI_Op", "REQUEST": "MPI_Request",
    "SESSION": "MPI_Session", "WINDOW": "MPI_Win",
}
STRINGS = {"STRING", "STRING_ARRAY", "STRING_2DARRAY"}
PROCEDURES = {"FUNCTION", "POLYFUNCTION"}
ABSENT = {"ARGUMENT_COUNT", "ARGUMENT_LIST", "VARARGS"}  # C alone has them


class Argument:
    """One dummy argument."""

    def __init__(self, row, kinds, large):
        self.row, self.name, self.kind = row, row["name"], row["kind"]
        self.fortran_name = row.get("f_name") or row["name"]
        self.direction = row["direction"]
        self.c_type = row.get("c_type")
        self.is_array = "array" in row and not self.kind == "STRING"
        self.length = row.get("length")
        self.types = kinds[self.kind]
        self.large = large

    def f08_type(self):
        return self.types["f08_large" if self.large else "f08_small"]

    def f90_type(self):
        return self.types["f90"]

    def has_intent(self):
        return "f08_intent" not in self.row.get("suppress", ())


# Calls whose buffers are described by one count and one datatype each: sections of arrays can be passed with a datatype
# made of theirs. In all others several ranks or buffers share them, or there are none.
WITH_SECTIONS = re.compile(
    r"MPI_(I?[bsr]?send|I?send|I?recv|I?mrecv|[BSR]?send_init|Recv_init|I?sendrecv|I?sendrecv_replace|I?bcast|Bcast_init"
    r"|R?put|R?get|R?accumulate|File_i?(read|write)(_at|_shared)?(_all)?|File_(read|write)(_at)?_all_begin"
    r"|File_(read|write)_ordered(_begin)?)(_c)?", re.IGNORECASE)


class Procedure:
    """A function of the standard that Fortran has."""

    def __init__(self, row, kinds):
        self.row, self.name, self.group = row, row["name"], row["group"]
        self.large = bool(row.get("large_count_of"))
        self.arguments = [Argument(p, kinds, self.large) for p in row["c_params"] if p["kind"] not in ABSENT]
        self.f90, self.f08 = row["f90"], row["f08"]
        self.has_error = row.get("f_ierror", True) and row["return_kind"] == "ERROR_CODE"
        self.generic = row.get("f08_generic") or self.name
        self.returns = {"WALL_TIME": "DOUBLE PRECISION", "TICK_RESOLUTION": "DOUBLE PRECISION"}.get(
            row["return_kind"], None if row["return_kind"] == "ERROR_CODE" else "INTEGER(KIND=MPI_ADDRESS_KIND)")

    def sections(self):
        """Maps the names of buffers to their (buffer, count, datatype), where sections of arrays may be passed."""
        found = {}
        if not self.f08 or not WITH_SECTIONS.fullmatch(self.name):
            return found
        for at, argument in enumerate(self.arguments):
            if argument.kind == "BUFFER":
                count, datatype = self.arguments[at + 1:at + 3]
                assert "NUM_ELEM" in count.kind and datatype.kind == "DATATYPE", self.name
                found.update({part.name: (argument, count, datatype) for part in (argument, count, datatype)})
        return found

    def names(self):
        """Of the dummy arguments, in order."""
        return [a.fortran_name for a in self.arguments] + (["ierror"] if self.has_error else [])


def procedures(data):
    """All that a Fortran program can call, but for MPI_Sizeof, which only a module can have."""
    table = standard.load(data, "functions.json")
    kinds = standard.load(data, "kinds.json")["kinds"]
    rows = table["functions"] + [row for row in table["outside_abi_header"] if row["f08"] or row["f90"]]
    return [Procedure(row, kinds) for row in rows if (row["f90"] or row["f08"]) and row["name"] != "MPI_Sizeof"]

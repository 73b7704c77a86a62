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


# Where mpi_f08 takes descriptors of buffers, so that sections of arrays arrive as they are. In all other calls, which wait
# for the data, the compiler passes a copy of a section and stores it back, which is right there.
# Each buffer is described by one count and one datatype: a datatype made for the section takes their place.
DESCRIBED = re.compile(
    r"MPI_(I?[bsr]?send|I?send|I?recv|I?mrecv|[BSR]?send_init|Recv_init|I?sendrecv|I?sendrecv_replace|I?bcast|Bcast_init"
    r"|R?put|R?get|R?(get_)?accumulate|File_i?(read|write)(_at|_shared)?(_all)?|File_(read|write)(_at)?_all_begin"
    r"|File_(read|write)_ordered(_begin)?|P(send|recv)_init)", re.IGNORECASE)
# Collective calls that go on after they have returned: the same where several ranks do not share a buffer, or have parts
# that lie alike.
GOES_ON = re.compile(r"MPI_(I(all|reduce|scan|exscan|gather|scatter|neighbor_)\w*|\w+_init)")
# Calls that wait, for interfaces that describe the buffers of these, too.
COLLECTIVE = re.compile(r"MPI_(All\w+|Reduce(_scatter(_block)?)?|Scan|Exscan|Gatherv?|Scatterv?|Neighbor_\w+)")
# Where the buffer is memory that is used later, or whose address alone counts.
KEPT = re.compile(r"MPI_(Win_(create|attach)|Buffer_attach|(Comm|Session)_attach_buffer)")
ADDRESS = re.compile(r"MPI_(File_\w+_end|Get_address|Free_mem|Win_detach|F_sync_reg)")
# One element, which lies in one of the section's.
ELEMENT = re.compile(r"MPI_(Fetch_and_op|Compare_and_swap)")


class Section:
    """A buffer that arrives with its descriptor."""

    def __init__(self, buffer, count=None, datatype=None, blocks="1", refused=None):
        """@param count, datatype: the arguments that describe each of `blocks` (an expression; "0" if the buffer means
        nothing at this rank) @param refused: an expression that is true if the call cannot take the buffer"""
        self.buffer, self.count, self.datatype, self.blocks, self.refused = buffer, count, datatype, blocks, refused


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

    def sections(self, all_buffers=False):
        """The buffers that arrive with their descriptors. @param all_buffers also those of calls that wait"""
        name = self.name.removesuffix("_c")
        buffers = [a for a in self.arguments if a.kind == "BUFFER"]
        if not self.f08 or not buffers:
            return []
        if ADDRESS.fullmatch(name):
            return [Section(b) for b in buffers]
        if KEPT.fullmatch(name):
            return [Section(b, refused=f"has_gaps(*{b.name})") for b in buffers]
        if ELEMENT.fullmatch(name):
            return [Section(b, refused=f"has_gaps(*{b.name}, handle<MPI_Datatype>(datatype))") for b in buffers]
        if DESCRIBED.fullmatch(name):
            return [self.described(b, "*partitions" if "partitioned" in self.group else "1") for b in buffers]
        if GOES_ON.fullmatch(name):
            return [self.of_collective(b) for b in buffers]
        if not all_buffers:
            return []
        if COLLECTIVE.fullmatch(name):
            return [self.of_collective(b) for b in buffers]
        return [Section(b, refused=f"has_gaps(*{b.name})") for b in buffers]

    def described(self, buffer, blocks):
        first = next(i for i, a in enumerate(self.arguments) if a is buffer) + 1
        first += self.arguments[first].kind == "PARTITION"
        count, datatype = self.arguments[first:first + 2]
        assert "NUM_ELEM" in count.kind and not count.is_array and datatype.kind == "DATATYPE", self.name
        return Section(buffer, count, datatype, blocks)

    def of_collective(self, buffer):
        rooted = any(a.name == "root" for a in self.arguments)
        movement = re.search("reduce|scan|alltoall|allgather|gather|scatter", self.name.lower())[0]
        sent = buffer.name == "sendbuf"
        # Rooted calls: where the root alone, or each of the ranks, has the buffer.
        roots = rooted and sent == (movement == "scatter")
        after = self.arguments[next(i for i, a in enumerate(self.arguments) if a is buffer) + 1]
        if movement in {"reduce", "scan"} or after.is_array:
            refused = f"has_gaps(*{buffer.name})"
            return Section(buffer, refused=f"({refused} && is_root(comm, root))" if roots else refused)
        if rooted:
            return self.described(buffer, "is_root(comm, root) ? size_of(comm) : 0" if roots else "*root >= 0 ? 1 : 0")
        if sent and movement == "allgather":
            return self.described(buffer, "1")
        if "neighbor" in self.name.lower():
            return self.described(buffer, "destinations_of(comm)" if sent else "sources_of(comm)")
        return self.described(buffer, "size_of(comm)")

    def names(self):
        """Of the dummy arguments, in order."""
        return [a.fortran_name for a in self.arguments] + (["ierror"] if self.has_error else [])


def procedures(data):
    """All that a Fortran program can call, but for MPI_Sizeof, which only a module can have."""
    table = standard.load(data, "functions.json")
    kinds = standard.load(data, "kinds.json")["kinds"]
    rows = table["functions"] + [row for row in table["outside_abi_header"] if row["f08"] or row["f90"]]
    return [Procedure(row, kinds) for row in rows if (row["f90"] or row["f08"]) and row["name"] != "MPI_Sizeof"]

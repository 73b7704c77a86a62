# SPDX-License-Identifier: Apache-2.0
"""What the entry points check and convert, by the standard's kind of each parameter: tables, and parameters that have
looked themselves up in them. Exceptions are tables, too, so that a new function needs a row at most.
"""
import re

# Calls that the standard allows before MPI_Init and after MPI_Finalize [MPI-5.0 11.4.1], and those that
# touch nothing but their arguments.
ANY_TIME_GROUPS = {"abi", "convert", "info", "init", "memory", "mpi_t", "session", "status", "timer"}
ANY_TIME = {
    "MPI_Get_version", "MPI_Get_library_version", "MPI_Pcontrol", "MPI_Error_class", "MPI_Error_string",
    "MPI_Add_error_class", "MPI_Add_error_code", "MPI_Add_error_string", "MPI_Remove_error_class",
    "MPI_Remove_error_code", "MPI_Remove_error_string", "MPI_Errhandler_free", "MPI_Test_cancelled",
    "MPI_Session_create_errhandler", "MPI_Session_call_errhandler", "MPI_Session_get_errhandler",
    "MPI_Session_set_errhandler", "MPI_Group_from_session_pset", "MPI_Aint_add", "MPI_Aint_diff",
}  # fmt: skip
NOT_ANY_TIME = {"MPI_Abort", "MPI_Finalize", "MPI_Is_thread_main", "MPI_Query_thread"}

# Groups in which datatypes describe data to be moved, and so must be committed.
MOVES_DATA_GROUPS = {"pt2pt", "coll", "neighbor", "partitioned", "rma", "io"}
MOVES_DATA = {"MPI_Pack", "MPI_Unpack", "MPI_Pack_external", "MPI_Unpack_external"}

# Groups in which MPI_IN_PLACE makes the arguments that belong to a buffer meaningless.
COLLECTIVE_GROUPS = {"coll", "neighbor"}

# Calls by which ranks may hear of each other, for the search for data races of windows. Accesses to windows, locks and
# flushes say themselves what they order.
AMONG_RANKS_GROUPS = {"pt2pt", "coll", "neighbor", "request", "partitioned", "spawn", "session", "extension"}
AMONG_RANKS = re.compile(r"""MPI_ ( (Comm|Intercomm)_ (create|dup|idup|split|merge|free) .*
                                  | (Cart_(create|sub) | Graph_create | Dist_graph_create.*)
                                  | Win_ (allocate|create|fence|free|post|sync|test|wait) .* )""", re.VERBOSE)
# Calls of those groups that concern the calling rank alone.
AMONG_NO_RANKS = re.compile(r"MPIX_(Op_create_(x|in)|Type_create_section|Rank_(data|self)|Error_sentence)")
# These two say it themselves, where they leave the shortest way.
TELLS_ITSELF = re.compile(r"MPI_I(send|recv)(_c)?")
BEGINS_ONLY = re.compile(r"MPI_(I(?!m?probe|mrecv).*|Start(all)?|Pready.*|.*_init(_c)?)")

# Calls that order what the members of a communicator do (mpi/src/abi/told_orders.hpp): who hears of whom, where that is
# not all of all.
FLOWS = [(re.compile(r"MPI_I?(bcast|scatterv?)(_init)?", re.IGNORECASE), "from_root"),
         (re.compile(r"MPI_I?(gatherv?|reduce)(_init)?", re.IGNORECASE), "to_root"),
         (re.compile(r"MPI_I?(ex)?scan(_init)?", re.IGNORECASE), "prefix")]  # fmt: skip
ORDERING_GROUPS = {"coll", "neighbor"}
ORDERING = re.compile(r"""MPI_ ( Comm_ (create|dup|idup|split|accept|connect|spawn) .* | Intercomm_ (merge|create.*)
                               | (Cart_(create|sub) | Graph_create | Dist_graph_create.*)
                               | Win_ (allocate|create|fence|free) .*)
                        | MPIX_ (Comm_i?(agree|shrink) | Threadcomm_(start|finish))""", re.VERBOSE)
ORDERING_NOTHING = re.compile(r"MPI_(Reduce_local|(Comm|Win)_(create|free)_(errhandler|keyval))")

# Groups whose pointers may be null.
LAX_GROUPS = {"mpi_t"}

# Parameters (function:parameter) whose handle may be the null handle.
MAY_BE_NULL = {
    "MPI_Intercomm_create:peer_comm",  # means something at the leader only
    "MPI_Intercomm_create_from_groups:remote_group",  # likewise
    "MPI_Comm_get_name:comm",  # the null handles have names, too
    "MPI_Type_get_name:datatype",
    "MPI_Request_get_status:request",
    "MPI_Parrived:request",
    "MPI_Win_get_name:win",
    "MPI_File_call_errhandler:fh",  # the handler of calls that are about no file
    "MPI_File_get_errhandler:file",
    "MPI_File_set_errhandler:file",
}

# Kinds of scalars that must not be negative, with the error class that says so.
NOT_NEGATIVE = {
    "POLYXFER_NUM_ELEM_NNI": "MPI_ERR_COUNT",
    "POLYXFER_NUM_ELEM": "MPI_ERR_COUNT",
    "XFER_NUM_ELEM": "MPI_ERR_COUNT",
    "POLYDTYPE_NUM_ELEM_NNI": "MPI_ERR_COUNT",
    "POLYNUM_PARAM_VALUES": "MPI_ERR_ARG",
    "POLYNUM_BYTES_NNI": "MPI_ERR_ARG",
    "POLYDTYPE_PACK_SIZE": "MPI_ERR_ARG",
    "ALLOC_MEM_NUM_BYTES": "MPI_ERR_ARG",
    "ARRAY_LENGTH_NNI": "MPI_ERR_ARG",
    "ARRAY_LENGTH": "MPI_ERR_ARG",
    "ARRAY_LENGTH_PI": "MPI_ERR_ARG",
}

# Kinds that count elements of a datatype.
ELEMENT_COUNTS = {"POLYXFER_NUM_ELEM_NNI", "POLYXFER_NUM_ELEM", "POLYDTYPE_NUM_ELEM_NNI", "POLYDTYPE_NUM_ELEM"}

# Results that become MPI_UNDEFINED where an int cannot hold them.
UNDEFINED_IF_TOO_LARGE = {"POLYXFER_NUM_ELEM", "POLYDTYPE_NUM_ELEM", "POLYNUM_BYTES_NNI", "POLYNUM_PARAM_VALUES"}

# kind of an input handle -> (converter in abi/check.hpp, type that implementations take)
HANDLES = {
    "COMMUNICATOR": ("to_communicator", "communicator &"),
    "DATATYPE": ("to_datatype", "const datatype &"),
    "GROUP": ("to_group", "const group &"),
    "OPERATION": ("to_op", "const op &"),
    "ERRHANDLER": ("to_errhandler", "errhandler &"),
    "REQUEST": ("to_request", None),  # checked, but passed as it is: requests come in arrays, too
    "INFO": ("to_info_or_null", "info *"),
    "SESSION": ("to_session", "session &"),
    "WINDOW": ("to_window", "rma::window &"),
    "FILE": ("to_file", "file::open_file &"),
}

# Kinds of input pointers that must not be null, with the error class that says so.
REQUIRED_INPUT = {"STRING": "MPI_ERR_ARG", "STATUS": "MPI_ERR_ARG", "FUNCTION": "MPI_ERR_ARG",
                  "POLYFUNCTION": "MPI_ERR_ARG"}  # fmt: skip
# Groups and kinds of callbacks of which there is a null: MPI_COMM_NULL_COPY_FN and the like, MPI_CONVERSION_FN_NULL.
NULL_CALLBACKS = {("attr", "FUNCTION"), ("io", "POLYFUNCTION")}
INFO_STRINGS = {"key": "MPI_ERR_INFO_KEY", "value": "MPI_ERR_INFO_VALUE"}

# What calls that Lisle does not have yet store where a program expects a new object.
NULL_HANDLES = {"COMMUNICATOR": "MPI_COMM_NULL", "WINDOW": "MPI_WIN_NULL", "FILE": "MPI_FILE_NULL",
                "REQUEST": "MPI_REQUEST_NULL", "GROUP": "MPI_GROUP_NULL", "INFO": "MPI_INFO_NULL",
                "ERRHANDLER": "MPI_ERRHANDLER_NULL"}  # fmt: skip

# Handles that a program is given and has to free, with what the list of open ones calls their objects.
FREED = {"COMMUNICATOR": "communicator", "DATATYPE": "datatype", "GROUP": "group", "OPERATION": "operation",
         "ERRHANDLER": "error handler", "INFO": "info object", "REQUEST": "request", "MESSAGE": "message",
         "SESSION": "session", "KEYVAL": "attribute key", "WINDOW": "window",
         "FILE": "file"}  # fmt: skip
# Calls that free none of the handles that they are given pointers to.
FREES_NOTHING = {"MPI_Start", "MPI_Startall", "MPI_Type_commit"}
# What these make need not be freed.
MAKES_WHAT_ENDS_ITSELF = {"MPIX_Op_create_in"}

# Calls that make an object of no other: the error handler that it is to have hears of their errors.
OWN_HANDLER = {"MPI_Comm_create_from_group": "comm", "MPI_Intercomm_create_from_groups": "comm",
               "MPI_Session_init": "session"}  # fmt: skip

# Output kinds that may be null.
OPTIONAL_OUTPUT = {"BUFFER", "STATUS", "ARGUMENT_COUNT", "ARGUMENT_LIST", "LOGICAL_OPTIONAL"}


class Parameter:
    """One parameter with what the tables say about it."""

    def __init__(self, function, row):
        self.function = function
        self.row = row
        self.name, self.kind, self.type = row["name"], row["kind"] or "", row["c_type"]
        self.array = row.get("array", "")
        self.input = row["direction"] == "in"
        self.output = row["direction"] in ("out", "inout")
        self.pointer = "pointer" in row
        self.scalar = not self.array and not self.pointer
        self.poly = self.kind.startswith("POLY") and self.kind != "POLYFUNCTION"
        self.handle = self.kind in HANDLES and self.input and self.scalar
        self.may_be_null = f"{function['name']}:{self.name}" in MAY_BE_NULL

    def declaration(self):
        """As in mpi.h."""
        if self.type == "...":
            return "..."
        return f"{self.type}{'' if self.type.endswith('*') else ' '}{self.name}{self.array}"

    def local(self):
        """The name of the converted value."""
        return f"{self.name}_"

    def implementation_type(self):
        """What the implementation takes."""
        if self.handle:
            kind = HANDLES[self.kind][1] or ""
            return kind.replace("&", "*") if self.may_be_null else kind
        if self.poly:
            if self.array and self.input:
                return "count_list "
            if self.scalar:
                return "MPI_Count "
            if not self.array:
                return "MPI_Count &"
        return ""

    def argument(self):
        """The expression that the implementation is called with."""
        if self.handle and HANDLES[self.kind][1]:
            return self.local()
        if self.poly and self.array and self.input:
            return f"count_list{{{self.name}}}"
        if self.poly and self.pointer:
            return self.local()
        return self.name

    def implementation_declaration(self):
        kind = self.implementation_type()
        return f"{kind}{self.name}" if kind else self.declaration()


class Parcel:
    """A buffer (or the two of a reduction) with the count and the type that describe its data."""

    def __init__(self):
        self.buffers, self.parts = [], []

    @property
    def type(self):
        return next((p for p in self.parts if p.kind == "DATATYPE"), None)

    @property
    def count(self):
        return next((p for p in self.parts if p.kind in ELEMENT_COUNTS and p.scalar), None)


def parcels(parameters):
    """Cuts a parameter list at its buffers; the parts of each are what follows, up to its datatype."""
    found = []
    for p in parameters:
        if p.kind == "BUFFER":
            if not found or found[-1].parts:
                found.append(Parcel())
            found[-1].buffers.append(p)
        elif found and found[-1].type is None:
            found[-1].parts.append(p)
    return [f for f in found if f.type is not None]

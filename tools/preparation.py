# SPDX-License-Identifier: Apache-2.0
"""What an entry point does with the arguments of its function before the call, see generate_entry_points.py."""
from parameters import (
    ANY_TIME, ANY_TIME_GROUPS, COLLECTIVE_GROUPS, HANDLES, INFO_STRINGS, LAX_GROUPS, MOVES_DATA, MOVES_DATA_GROUPS,
    NOT_ANY_TIME, NOT_NEGATIVE, NULL_CALLBACKS, OPTIONAL_OUTPUT, OWN_HANDLER, REQUIRED_INPUT, Parameter, parcels,
)


class Preparation:
    """What a function is, and the lines that come before its call: its arguments checked and converted."""

    def __init__(self, function):
        self.function = function
        self.name, self.group = function["name"], function["group"]
        self.parameters = [Parameter(function, row) for row in function["c_params"]]
        self.raw = function["c_return"] != "int" or function["return_kind"] != "ERROR_CODE"
        self.lines = []

    def named(self, name):
        return next((p for p in self.parameters if p.name == name), None)

    def first(self, kind):
        return next((p for p in self.parameters if p.kind == kind and p.handle), None)

    def tells_form(self):
        """True for constructors of datatypes: MPI_Type_get_envelope tells which form made a type."""
        two_forms = self.function["has_large_count"] or self.function["large_count_of"]
        return bool(two_forms) and self.group == "datatype" and self.named("newtype") is not None

    def root_alone(self, p):
        """The condition under which an argument that is no buffer's means something; none: always."""
        if not p.row.get("root_only") or self.group in COLLECTIVE_GROUPS:
            return None
        return f"at_root({self.first('COMMUNICATOR').local()}, {self.named('root').name})"

    # Checks, in the order in which they run.

    def check_state(self):
        if self.looks_up_communicator():
            return
        free = self.group in ANY_TIME_GROUPS or self.name in ANY_TIME or self.function.get("any_time")
        if not free or self.name in NOT_ANY_TIME:
            self.lines.append("require_running();")

    def looks_up_communicator(self):
        """True if looking up the first handle tells whether the library may be called at all."""
        first = next((p for p in self.parameters if p.kind in ("COMMUNICATOR", "SESSION")), None)
        return (first is not None and first.kind == "COMMUNICATOR" and first.handle and not first.may_be_null
                and self.group not in LAX_GROUPS and self.group not in ANY_TIME_GROUPS and self.name not in ANY_TIME
                and not self.function.get("any_time"))  # fmt: skip

    def convert_communicators(self):
        """First, since errors in other arguments go to the communicator's error handler."""
        target = False
        for p in self.parameters:
            if p.kind == "SESSION" and (p.handle or p.row["direction"] == "inout"):
                if p.pointer:
                    self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"auto &{p.local()} = to_session({'*' if p.pointer else ''}{p.name}, \"{p.name}\");")
                self.lines.append(f"about = &{p.local()};")
            if p.kind != "COMMUNICATOR":
                continue
            if p.handle and p.may_be_null:
                self.lines.append(f"communicator *const {p.local()} = to_communicator_or_null({p.name}, \"{p.name}\");")
            elif p.handle:
                converter = "to_communicator"
                if not target and self.looks_up_communicator():
                    converter += "_in_use"
                self.lines.append(f"communicator &{p.local()} = {converter}({p.name}, \"{p.name}\");")
                if not target and self.group != "io":  # no file is opened yet, whose handler could hear of an error
                    self.lines.append(f"about = &{p.local()};")
                target = True
            elif p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &to_communicator(*{p.name}, \"{p.name}\");")

    def convert_windows(self):
        """As communicators: errors go to the window's error handler."""
        for p in self.parameters:
            if p.kind != "WINDOW":
                continue
            if p.handle and p.may_be_null:
                self.lines.append(f"rma::window *const {p.local()} = to_window_or_null({p.name}, \"{p.name}\");")
            elif p.handle:
                self.lines.append(f"rma::window &{p.local()} = to_window({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &{p.local()};")
            elif p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &to_window(*{p.name}, \"{p.name}\");")

    def convert_files(self):
        """Errors go to the handler of the file, which its own communicator has."""
        for p in self.parameters:
            if p.kind != "FILE":
                continue
            if p.handle and p.may_be_null:
                self.lines.append(f"file::open_file *const {p.local()} = to_file_or_null({p.name}, \"{p.name}\");")
                self.lines.append(f"about = {p.local()} != nullptr ? &{p.local()}->comm() : nullptr;")
            elif p.handle:
                self.lines.append(f"file::open_file &{p.local()} = to_file({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &{p.local()}.comm();")
            elif p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &to_file(*{p.name}, \"{p.name}\").comm();")
                self.lines.append("kept = communicator_ref::share(*about);")

    def is_about_files(self):
        return self.group == "io" or self.first("FILE") is not None

    def convert_own_handler(self):
        """The same for calls that bring the handler along."""
        if sort := OWN_HANDLER.get(self.name):
            p = next(p for p in self.parameters if p.kind == "ERRHANDLER")
            self.lines.append(
                f"auto &{p.local()} = to_errhandler_for(errhandler_kind::{sort}, {p.name}, \"{p.name}\");"
            )
            self.lines.append(f"about = &{p.local()};")

    def convert_handles(self):
        ignorable = {id(part) for parcel in parcels(self.parameters) for part in parcel.parts}
        for p in self.parameters:
            if p.kind in ("COMMUNICATOR", "SESSION", "WINDOW", "FILE") or p.kind not in HANDLES:
                continue
            if p.kind == "ERRHANDLER" and self.name in OWN_HANDLER:
                continue
            converter = HANDLES[p.kind][0]
            if p.handle:
                if p.kind == "DATATYPE" and self.moves_data():
                    if id(p) in ignorable and self.significance(p):
                        continue
                    converter = "to_committed"
                    if self.group == "rma" and p.name == "origin_datatype" and self.named("op"):
                        condition = f"{self.named('op').name} != MPI_NO_OP"  # else the origin means nothing
                        call = f"to_committed_if({condition}, {p.name}, \"{p.name}\")"
                        self.lines.append(f"auto &{p.local()} = {call};")
                        continue
                    if peer := self.peer_of(p):
                        count = self.parcel_of(p).count.name
                        call = f"to_committed_for({peer}, {count}, {p.name}, \"{p.name}\")"
                        self.lines.append(f"auto &{p.local()} = {call};")
                        continue
                elif p.kind == "INFO" and self.group == "info":
                    converter = "to_info"
                elif p.may_be_null:
                    converter += "_or_null"
                if not HANDLES[p.kind][1]:
                    self.lines.append(f"(void){converter}({p.name}, \"{p.name}\");")
                    continue
                # Not by the type's name: many parameters are called as their type is.
                auto = "auto *const " if p.implementation_type().endswith("*") else "auto &"
                condition = f"!{alone} ? nullptr : " if (alone := self.root_alone(p)) else ""
                self.lines.append(f"{auto}{p.local()} = {condition}{converter}({p.name}, \"{p.name}\");")
            elif p.pointer and (p.row["direction"] == "inout" or p.input):
                converter = converter.removesuffix("_or_null")
                if p.kind == "REQUEST" and self.name.startswith(("MPI_Wait", "MPI_Test")):
                    converter = "to_request_or_null"
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"(void){converter}(*{p.name}, \"{p.name}\");")

    def check_ranks_and_tags(self):
        window = self.first("WINDOW")
        if window is not None:
            self.lines += [
                f"check_target({window.local()}, {p.name}, \"{p.name}\");"
                for p in self.parameters if p.kind == "RANK_NNI" and p.scalar
            ]
        comm = self.first("COMMUNICATOR")
        if comm is None or comm.may_be_null:
            return
        receives = self.named("source") is not None and self.named("dest") is None
        for p in self.parameters:
            if p.kind == "RANK" and p.scalar and p.name in ("dest", "source", "root", "rank"):
                self.lines.append(f"check_{p.name}({comm.local()}, {p.name}, \"{p.name}\");")
            elif p.kind == "TAG" and p.scalar:
                check = "check_tag_or_any" if p.name == "recvtag" or receives else "check_tag"
                self.lines.append(f"{check}({p.name}, \"{p.name}\");")

    def moves_data(self):
        named = self.name.removesuffix("_c") in MOVES_DATA or self.function.get("moves_data", False)
        return named or self.group in MOVES_DATA_GROUPS

    def peer_of(self, kind):
        """The rank that a message of this type goes to or comes from: with MPI_PROC_NULL there is none."""
        if self.group not in ("pt2pt", "partitioned"):
            return None
        ends = [p.name for p in self.parameters if p.kind == "RANK" and p.name in ("dest", "source")]
        if len(ends) == 2:
            return {"sendtype": "dest", "recvtype": "source"}.get(kind.name)
        return ends[0] if ends else None

    def parcel_of(self, part):
        return next((x for x in parcels(self.parameters) if any(part is y for y in x.parts)), None)

    def significance(self, part):
        """The conditions under which the arguments of a buffer mean something; none: always."""
        if self.group not in COLLECTIVE_GROUPS or not part.handle:
            return []
        parcel, root, comm = self.parcel_of(part), self.named("root"), self.first("COMMUNICATOR")
        conditions = []
        if root is not None:
            if part.row.get("root_only"):
                conditions.append(f"at_root({comm.local()}, {root.name})")
            elif "Bcast" in self.name or "bcast" in self.name or len(parcel.buffers) > 1:
                conditions.append(f"{root.name} != MPI_PROC_NULL")
            else:
                conditions.append(f"beside_root({comm.local()}, {root.name})")
        if len(parcel.buffers) == 1 and not self.name.lower().startswith(("mpi_bcast", "mpi_ibcast")):
            conditions.append(f"{parcel.buffers[0].name} != MPI_IN_PLACE")
        return conditions

    def check_data(self):
        """The counts, types and addresses of the buffers."""
        if not self.moves_data():
            return
        for parcel in parcels(self.parameters):
            kind, count = parcel.type, parcel.count
            if not kind.handle:
                continue
            conditions = self.significance(kind)
            checks = []
            if count is not None:
                checks.append(f"check_not_negative({count.name}, \"{count.name}\");")
                if len(parcel.buffers) == 1 and not self.group == "rma":
                    buffer = parcel.buffers[0]
                    peer = f", {self.peer_of(kind)}" if self.peer_of(kind) else ""
                    checks.append(
                        f"check_buffer({buffer.name}, {count.name}, {kind.name}, \"{buffer.name}\"{peer});"
                    )
            if conditions:
                flag = f"{parcel.buffers[0].name}_counts"
                self.lines.append(f"const bool {flag} = {' && '.join(conditions)};")
                self.lines.append(f"auto &{kind.local()} = to_committed_if({flag}, {kind.name}, \"{kind.name}\");")
                if checks:
                    self.lines += [f"if ({flag}) {{", *(f"    {c}" for c in checks), "}"]
                if count is not None:
                    self.replaced[count.name] = f"{flag} ? {count.name} : 0"
            else:
                self.lines += checks
            if count is not None:
                self.counts_checked.add(count.name)

    def check_numbers(self):
        for p in self.parameters:
            if not (p.scalar and p.input and p.kind in NOT_NEGATIVE) or p.name in self.counts_checked or self.root_alone(p):
                continue
            error = "MPI_ERR_COUNT" if self.group == "request" else NOT_NEGATIVE[p.kind]
            given = "" if error == "MPI_ERR_COUNT" else f", {error}"
            self.lines.append(f"check_not_negative({p.name}, \"{p.name}\"{given});")

    def check_pointers(self):
        if self.group in LAX_GROUPS:
            return
        variable_length = any(p.kind in ("STRING_LENGTH", "INFO_VALUE_LENGTH") and p.row["direction"] == "inout"
                              for p in self.parameters)  # fmt: skip
        for p in self.parameters:
            if p.array and p.kind == "REQUEST":
                count = next(q for q in self.parameters if q.kind == "ARRAY_LENGTH_NNI")
                self.lines.append(f"check_array({p.name}, {count.name}, \"{p.name}\", MPI_ERR_REQUEST);")
            elif p.array or (p.kind in HANDLES and p.row["direction"] == "inout"):
                continue
            elif p.input and p.kind in REQUIRED_INPUT:
                error = REQUIRED_INPUT[p.kind]
                if (self.group, p.kind) in NULL_CALLBACKS:
                    continue
                if p.kind == "STRING" and self.group == "info":
                    error = INFO_STRINGS.get(p.name, error)
                given = "" if error == "MPI_ERR_ARG" else f", {error}"
                if not self.root_alone(p):  # the call tells all what is wrong at the root
                    self.lines.append(f"check_pointer({p.name}, \"{p.name}\"{given});")
            elif p.output and p.pointer and p.kind not in OPTIONAL_OUTPUT:
                if not (p.kind == "STRING" and variable_length):
                    self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
            elif p.kind == "STATUS" and p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")

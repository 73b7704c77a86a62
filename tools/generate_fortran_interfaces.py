#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes mpif.h and the modules mpi and mpi_f08.

Usage: generate_fortran_interfaces.py DATA_DIR OUTPUT_DIR

All three name the same procedures (see fortran.py). mpif.h can be included in fixed and in free source form.
"""
import pathlib
import re
import sys
import textwrap

import fortran
import standard

# Where constants lie that are known by their places: the common block of mpi/src/fortran/places.hpp and the shape.
PLACES = {
    "MPI_BOTTOM": ("bottom", "integer", ""), "MPI_IN_PLACE": ("in_place", "integer", ""),
    "MPI_BUFFER_AUTOMATIC": ("automatic", "integer", ""), "MPI_UNWEIGHTED": ("unweighted", "integer", "(1)"),
    "MPI_WEIGHTS_EMPTY": ("no_weights", "integer", "(1)"), "MPI_ERRCODES_IGNORE": ("no_codes", "integer", "(1)"),
    "MPI_ARGV_NULL": ("argv", "character(len=1)", "(1)"), "MPI_ARGVS_NULL": ("argvs", "character(len=1)", "(1,1)"),
    "MPI_STATUS_IGNORE": ("status", "integer", "(MPI_STATUS_SIZE)"),
    "MPI_STATUSES_IGNORE": ("statuses", "integer", "(MPI_STATUS_SIZE,1)"),
}
PLACES_F08 = {
    "MPI_STATUS_IGNORE": ("status_f08", "type(MPI_Status)", ""),
    "MPI_STATUSES_IGNORE": ("statuses_f08", "type(MPI_Status)", "(1)"),
}
# Constants that only Fortran has. Kinds are numbers in mpif.h, which old compilers read.
KIND_NUMBERS = {"c_intptr_t": 8, "c_int64_t": 8}
DECIDED = {"MPI_INTEGER_KIND": 4, "MPI_SUBARRAYS_SUPPORTED": ".false.", "MPI_ASYNC_PROTECTS_NONBLOCKING": ".false."}
HAS_OWN_F08 = re.compile(r"MPI_(Buffer_detach|\w+_detach_buffer)")  # mpi/src/fortran/further.cpp
ANY_BUFFER = "type(*), dimension(*)"


def statement(words, arguments, indent, suffix=""):
    """`words` with a list of arguments, continued over lines."""
    text = f"{words}({', '.join(arguments)}){suffix}"
    lines = textwrap.wrap(text, 110 - indent, break_long_words=False, subsequent_indent="    ")
    return [" " * indent + line + (" &" if line is not lines[-1] else "") for line in lines]


class Declaration:
    """Of one dummy argument."""

    def __init__(self, argument, f08, section=False):
        """@param section: a buffer may be a section of an array"""
        self.argument, self.f08, self.section = argument, f08, section
        self.type = argument.f08_type() if f08 else argument.f90_type()
        self.name = argument.fortran_name

    def shape(self):
        a = self.argument
        if a.kind == "STRING_ARRAY":
            return "(*)"
        if a.kind == "STRING_2DARRAY":
            return f"({a.length}, *)"
        if a.row.get("array", "").endswith("[3]"):
            return "(3, *)"
        if a.kind == "STATUS" and not self.f08:
            return "(MPI_STATUS_SIZE, *)" if a.length else "(MPI_STATUS_SIZE)"
        if a.kind == "F90_STATUS":
            return "(MPI_STATUS_SIZE)"
        return "(*)" if a.is_array or (a.kind == "STATUS" and a.length) else ""

    def intent(self):
        a = self.argument
        unsaid = a.kind in {"STATUS", "WEIGHT", "F08_STATUS", "F90_STATUS"} or not a.has_intent()
        if unsaid or (a.kind == "BUFFER" and a.direction != "in") or "VALUE" in self.type:
            return ""
        return f", intent({a.direction})"

    def lines(self):
        a = self.argument
        if a.kind in fortran.PROCEDURES:
            return [f"procedure({a.row['func_type']}) :: {self.name}" if self.f08 else f"external :: {self.name}"]
        if a.kind == "BUFFER" or self.type.lower() == "<type>":
            waits = ", asynchronous" if a.row.get("asynchronous") and self.f08 else ""
            if self.section:
                return [f"type(*), dimension(..){self.intent()}{waits} :: {self.name}"]
            return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {self.name}", f"!DIR$ IGNORE_TKR {self.name}",
                    f"{ANY_BUFFER}{self.intent() if self.f08 else ''}{waits} :: {self.name}"]
        declared = "character(len=*)" if a.kind in fortran.STRINGS else self.type.lower()
        waits = ", asynchronous" if a.row.get("asynchronous") and self.f08 else ""
        return [f"{declared}{self.intent()}{waits} :: {self.name}{self.shape()}"]


def interface_body(procedure, name, f08, pointers=False):
    """@param pointers addresses that the call gives are of TYPE(C_PTR)"""
    kind = "function" if procedure.returns else "subroutine"
    sections = {section.buffer for section in procedure.sections()} if f08 else {}
    binding = f' bind(C, name="{name}_")' if sections else ""
    lines = [*statement(f"{kind} {name}", procedure.names(), 4, binding), "      import"]
    for argument in procedure.arguments:
        declaration = Declaration(argument, f08, argument in sections)
        if pointers and argument.kind == "C_BUFFER":
            declaration.type = "type(c_ptr)"
        lines += ["      " + line if line[0] != "!" else line for line in declaration.lines()]
    if procedure.has_error:
        lines.append(f"      integer, {'optional, ' if f08 else ''}intent(out) :: ierror")
    if procedure.returns:
        lines.append(f"      {procedure.returns.lower()} :: {name}")
    return [*lines, f"    end {kind}"]


def f90_interfaces(procedures):
    for procedure in procedures:
        if not procedure.f90:
            continue
        name = procedure.name.lower()
        yield f"  interface {procedure.name}"
        yield from interface_body(procedure, name, False)
        if any(a.kind == "C_BUFFER" for a in procedure.arguments):
            yield from interface_body(procedure, name + "_cptr", False, True)
        yield "  end interface"
        yield from profiling_interface(procedure, name, False)


def profiling_interface(procedure, name, f08):
    yield f"  interface P{procedure.name}"
    yield from interface_body(procedure, "p" + name, f08)
    yield "  end interface"


def f08_interfaces(procedures, same_kinds):
    generics = {}
    for procedure in procedures:
        if procedure.f08:
            # Where address and count kinds are one, the large form is no other.
            generic = procedure.name if procedure.name in same_kinds else procedure.generic
            generics.setdefault(generic, []).append(procedure)
    for generic, forms in generics.items():
        for prefix in ("", "P"):
            yield f"  interface {prefix}{generic}"
            for procedure in forms:
                own = "_f08ts" if procedure.sections() else "_f08" if HAS_OWN_F08.fullmatch(procedure.name) else ""
                yield from interface_body(procedure, prefix.lower() + procedure.name.lower() + own, True)
            yield "  end interface"


def callbacks(rows, kinds):
    """Abstract interfaces of what mpi_f08 programs give."""
    for row in rows:
        if not row["f08"]:
            continue
        arguments = [fortran.Argument(p, kinds, bool(row["large_count_of"])) for p in row["c_params"]
                     if p["kind"] not in fortran.ABSENT]
        error = row["f_error_argument"]
        names = [a.fortran_name for a in arguments] + ([error] if error else [])
        yield "  abstract interface"
        yield from statement(f"subroutine {row['name']}", names, 4)
        yield "      import"
        for a in arguments:
            yield f"      {a.f08_type().lower()} :: {a.fortran_name}"
        if error:
            yield f"      integer :: {error}"
        yield "    end subroutine"
        yield "  end interface"


def value_of(row):
    return row["value"] if row.get("f_value") is None else row["f_value"]


def numbers(table):
    """(type, name, value) of the constants that are numbers, handles included."""
    for row in table["fortran_only"]:
        value = DECIDED.get(row["name"], row["value"])
        yield row["f_type"].lower(), row["name"], value
    for row in table["constants"]:
        if row["f90"] and row["f90"].startswith("INTEGER") and row["name"] not in PLACES:
            yield row["f90"].lower(), row["name"], value_of(row)


def procedures_given(table, column):
    """The standard's own callbacks."""
    for row in table["constants"]:
        if row["group"] == "predefined_callback" and row[column]:
            yield row


def module_constants(table, f08):
    handles = {row["name"]: row["f08"] for row in table["constants"] if (row["f08"] or "").startswith("TYPE(")}
    for kind, name, value in numbers(table):
        if name in {"MPI_ADDRESS_KIND", "MPI_COUNT_KIND", "MPI_OFFSET_KIND", "MPI_STATUS_SIZE"}:
            continue  # of the module of types
        if f08 and name in handles:
            sort = handles[name].lower()
            yield f"  {sort}, parameter :: {name} = {sort[5:-1]}({value})"
        else:
            yield f"  {kind}, parameter :: {name} = {value}"
    for name, (block, kind, shape) in {**PLACES, **(PLACES_F08 if f08 else {})}.items():
        yield f"  {kind} :: {name}{shape}"
        yield f"  common /mpi_lisle_{block}/ {name}"
    for row in procedures_given(table, "f08" if f08 else "f90"):
        yield f"  {row['f08'] if f08 else 'external'} :: {row['name']}"


def types_module(types):
    yield from HEADER
    yield from ["module mpi_f08_types", "  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_int64_t", "  implicit none",
                "  private :: c_int, c_intptr_t, c_int64_t", "  integer, parameter :: MPI_ADDRESS_KIND = c_intptr_t",
                "  integer, parameter :: MPI_COUNT_KIND = c_int64_t", "  integer, parameter :: MPI_OFFSET_KIND = c_int64_t",
                "  integer, parameter :: MPI_STATUS_SIZE = 8", "  type, bind(C) :: MPI_Status",
                "    integer(c_int) :: MPI_SOURCE, MPI_TAG, MPI_ERROR", "    integer(c_int), private :: internal(5)", "  end type"]
    names = [h["name"] for h in types["handles"] if h.get("f08")]
    for name in names:
        yield from [f"  type, bind(C) :: {name}", "    integer(c_int) :: MPI_VAL", "  end type"]
    for operator, word in (("==", "equal"), ("/=", "differ")):
        yield f"  interface operator({operator})"
        yield from (f"    procedure {word}_{name}" for name in names)
        yield "  end interface"
    yield from ["  private :: " + ", &\n    ".join(f"equal_{n}, differ_{n}" for n in names), "contains"]
    for name in names:
        for operator, word in (("==", "equal"), ("/=", "differ")):
            yield from [f"  elemental logical function {word}_{name}(left, right)", f"    type({name}), intent(in) :: left, right",
                        f"    {word}_{name} = left%MPI_VAL {operator} right%MPI_VAL", "  end function"]
    yield "end module"


def sizeof_module():
    """MPI_Sizeof, which takes variables of all types: scalars, and arrays of any rank."""
    sorts = {f"{word}{bits}": f"{word}({kind}{bits})" for word, kind, all_bits in (
        ("integer", "int", (8, 16, 32, 64)), ("real", "real", (32, 64, 128)), ("complex", "real", (32, 64, 128)),
        ("logical", "int", (8, 16, 32, 64))) for bits in all_bits}
    sorts["character"] = "character(len=*)"
    yield from HEADER
    yield from ["module mpi_lisle_sizeof",
                "  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64, real128",
                "  implicit none", "  private", "  public :: MPI_Sizeof, PMPI_Sizeof"]
    for prefix in ("", "P"):
        yield f"  interface {prefix}MPI_Sizeof"
        yield "    procedure " + ", &\n      ".join(f"of_{sort}" for sort in sorts)
        yield "  end interface"
    yield "contains"
    for sort, declared in sorts.items():
        yield from [f"  subroutine of_{sort}(x, size, ierror)", f"    {declared}, intent(in) :: x(..)",
                    "    integer, intent(out) :: size", "    integer, optional, intent(out) :: ierror",
                    "    size = storage_size(x) / 8", "    if (present(ierror)) ierror = 0", "  end subroutine"]
    yield "end module"


HEADER = ["! SPDX-License-Identifier: Apache-2.0", "! Generated by tools/generate_fortran_interfaces.py; do not edit."]


def removed_constants(data):
    """What MPI-3.0 removed, and mpif.h and the module mpi still have, as the procedures that take it (mpi/src/fortran/removed.cpp)."""
    for row in standard.load(data, "removed.json")["names"]:
        if "fortran_value" in row:
            yield row["name"], row["fortran_value"]


def mpi_module(procedures, table, removed):
    yield from HEADER
    yield from ["module mpi", "  use, intrinsic :: iso_c_binding, only: c_ptr", "  use mpi_f08_types", "  use mpi_lisle_sizeof",
                "  implicit none", "  private :: c_ptr"]
    yield from module_constants(table, False)
    yield from (f"  integer, parameter :: {name} = {value}" for name, value in removed)
    yield from f90_interfaces(procedures)
    yield "end module"


def mpi_f08_module(procedures, table, rows, kinds, same_kinds):
    yield from HEADER
    yield from ["module mpi_f08", "  use, intrinsic :: iso_c_binding, only: c_ptr", "  use mpi_f08_types", "  use mpi_lisle_sizeof",
                "  implicit none", "  private :: c_ptr"]
    yield from callbacks(rows, kinds)
    yield from module_constants(table, True)
    yield from f08_interfaces(procedures, same_kinds)
    yield "end module"


def options_refused():
    """mpif.h is read with the options of the program, some of which change what its declarations mean. Then the compiler
    stops at a division by zero in a line that says what to do. The intrinsic functions are such as no program calls
    its variables."""
    yield from [
        "! An error here: an INTEGER of MPI has 4 bytes. Omit the option.", "      integer MPI_OMIT_FDEFAULT_INTEGER_8",
        "      parameter (MPI_OMIT_FDEFAULT_INTEGER_8=32/(64-bit_size(0)))",
        "! An error here: REAL(KIND=8) has 8 bytes. Omit the option.", "      integer MPI_LISLE_EXPONENT",
        "      parameter (MPI_LISLE_EXPONENT=maxexponent(1.0_8)-1024)", "      integer MPI_OMIT_FREAL_8_REAL",
        "      parameter (MPI_OMIT_FREAL_8_REAL=1/(1/(1+MPI_LISLE_EXPONENT**2)))"]


def mpif_h(table, removed):
    """Short lines that begin in column 7 are right in both source forms. All kinds are numbers: DOUBLE PRECISION is what
    the options of the program make of it."""
    yield from HEADER
    yield from options_refused()
    for kind, name, value in numbers(table):
        declared = re.sub(r"integer\(kind=mpi_offset_kind\)", "integer(kind=8)", kind)
        yield f"      {declared} {name}"
        yield f"      parameter ({name}={KIND_NUMBERS.get(value, value)})"
    for name, value in removed:
        yield from (f"      integer {name}", f"      parameter ({name}={value})")
    for name, (block, kind, shape) in PLACES.items():
        yield f"      {kind} {name}{shape}"
        yield f"      common /mpi_lisle_{block}/ {name}"
    for row in procedures_given(table, "f90"):
        yield f"      external {row['name']}"
    for name, kind in (("MPI_WTIME", "real(kind=8)"), ("MPI_WTICK", "real(kind=8)"), ("MPI_AINT_ADD", "integer(kind=8)"),
                       ("MPI_AINT_DIFF", "integer(kind=8)")):
        for prefix in ("", "P"):
            yield f"      {kind} {prefix}{name}"
            yield f"      external {prefix}{name}"


def main():
    data, output = sys.argv[1], pathlib.Path(sys.argv[2])
    procedures = fortran.procedures(data)
    table = standard.load(data, "constants.json")
    types = standard.load(data, "types.json")
    removed = list(removed_constants(data))
    kinds = standard.load(data, "kinds.json")["kinds"]
    same_kinds = {row["name"] for row in standard.load(data, "functions.json")["functions"] if row.get("f08_same_kinds")}
    output.mkdir(parents=True, exist_ok=True)
    for name, lines in (("mpif.h", mpif_h(table, removed)), ("mpi_f08_types.f90", types_module(types)), ("mpi_sizeof.f90", sizeof_module()),
                        ("mpi.f90", mpi_module(procedures, table, removed)),
                        ("mpi_f08.f90", mpi_f08_module(procedures, table, types["callbacks"], kinds, same_kinds))):
        (output / name).write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()

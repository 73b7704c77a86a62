# SPDX-License-Identifier: Apache-2.0
"""The predefined objects of a face, for tools/generate_face.py: data symbols where handles are addresses, tables where they
are integers."""
import sys

START = ["#pragma once", "", "#include <cstdint>", "", '#include "mpi.h"', "", "namespace lisle::face {", ""]
END = ["", "} // namespace lisle::face", ""]
VISIBLE = '[[gnu::visibility("default")]]'


def attribute_function(name, how):
    """What MPI_COMM_DUP_FN and its kin are in the other interface. @param how copy_nothing, copy or delete_nothing"""
    if how == "delete_nothing":
        return [f"{VISIBLE} int {name}(void *, int, void *, void *) {{", "    return 0;", "}"]
    copy = ["    *static_cast<void **>(out) = in;", "    *flag = 1;"] if how == "copy" else ["    *flag = 0;"]
    parameters = "void *, int, void *, void *in, void *out, int *flag" if how == "copy" else "void *, int, void *, void *, void *, int *flag"
    return [f"{VISIBLE} int {name}({parameters}) {{", *copy, "    return 0;", "}"]


def variable(face, name):
    """A constant that programs read from the library: the value is the standard's, since nothing says another."""
    return [f'{VISIBLE} extern void *const variable_{name} __asm__("{name}");',
            f"void *const variable_{name} = reinterpret_cast<void *>({face.value(name)});"]


def source(face):
    lines = ["#include <cstddef>", "#include <cstring>", "#include <iterator>", "", '#include "faces/chosen/handle.hpp"', ""]
    if not face.has_integers:
        lines += symbols(face)
    lines += ['extern "C" {']
    for name in face.table["variables"]:
        lines += variable(face, name)
    for name, how in face.table["attribute_functions"].items():
        lines += attribute_function(name, how)
    return lines + ["}", ""]


def symbols(face):
    """Predefined objects as data symbols, and the way back from the standard's constants."""
    sizes = face.table["object_bytes"]
    lines = ["namespace lisle::face {", "namespace {", "template <std::size_t Bytes> struct padded {", "    predefined content;",
             "    std::byte padding[Bytes - sizeof(predefined)];", "};", "} // namespace", "} // namespace lisle::face", "",
             "using lisle::face::padded;", "using lisle::face::predefined;", "", 'extern "C" {']
    for o in face.objects():
        sort = face.sort_of(o["name"])
        declared = f'padded<{sizes[sort]}> {o["symbol"]}'
        lines += [f"{VISIBLE} extern {declared};",
                  f"{declared}{{{{predefined::right_mark, {face.ours(o['name'])}, {o.get('fortran', -1)}}}, {{}}}};"]
    lines += ["}", "", "namespace lisle::face {", "", "const void *predefined_object(std::uintptr_t ours) noexcept {"]
    by_value = {face.ours(o["name"]): o["symbol"] for o in face.table["objects"]}
    lines += ["    static const void *const all[] = {",
              *(f"        {'&' + by_value[i] if i in by_value else 'nullptr'}," for i in range(max(by_value) + 1)), "    };",
              "    return ours < std::size(all) ? all[ours] : nullptr;", "}", ""]
    lines += ["const predefined *object_with_integer(const char *sort, int integer) noexcept {",
              "    struct row {", "        const char *sort;", "        int integer;", "        const predefined *object;", "    };",
              "    static const row all[] = {",
              *(f'        {{"{face.sort_of(o["name"])}", {o["fortran"]}, &{o["symbol"]}.content}},'
                for o in face.objects() if "fortran" in o), "    };",
              "    for (const row &one : all) {",
              "        if (one.integer == integer && std::strcmp(one.sort, sort) == 0) {", "            return one.object;", "        }",
              "    }", "    return nullptr;", "}"]
    return lines + END


SLOTS = 512


def slot_of(integer):
    """As slot_of() in the header. No two predefined objects of one sort share a slot."""
    return (integer ^ integer >> 23) % SLOTS


def integer_tables(face):
    """The integers of the standard's constants, and for each sort of handle a table of those integers' meanings."""
    by_value = {face.ours(o["name"]): face.integer(o) for o in face.table["objects"]}
    lines = [*START, "struct predefined {", "    std::uint32_t theirs;", "    std::uint32_t ours;",
             "};", "", "/// The integers of the standard's constants; 0: none.", "inline constexpr std::uint32_t integer_of_constant[] = {",
             *(f"    {by_value.get(i, 0):#x}," for i in range(max(by_value) + 1)), "};", "",
             "/// Where predefined_of<Handle>::rows tells of an integer, if it does.",
             "[[nodiscard]] constexpr std::uint32_t slot_of(std::uint32_t integer) noexcept {",
             f"    return (integer ^ integer >> 23) % {SLOTS};", "}", "",
             "template <class Handle> struct predefined_of;"]  # fmt: skip
    for h in face.types["handles"]:
        if h["tool"] or h["name"] == "MPI_File":
            continue
        rows = [o for o in face.objects() if face.sort_of(o["name"]) == h["name"]]
        by_slot = {slot_of(face.integer(o)): o for o in rows}
        if len(by_slot) != len(rows):
            sys.exit(f"predefined objects of {h['name']} share a slot")
        lines += [f"template <> struct predefined_of<{h['name']}> {{", f"    static constexpr predefined rows[{SLOTS}] = {{"]
        for slot in range(max(by_slot) + 1):
            row = by_slot.get(slot)
            lines.append(f"        {{{face.integer(row):#x}, {face.ours(row['name'])}}}," if row else "        {0, 0},")
        lines += ["    };", "};"]
    return lines + END

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages of the commands in a folder, from their tables of options and their help.

Usage: generate_manual.py BIN_DIR OUTPUT_DIR VERSION
"""
import pathlib
import re
import sys
import textwrap

from commands import ALIASES, COMMANDS, dashed, present, said, table

TOPICS = {"ranks": "Ranks", "environment": "Environment", "placement": "Placement", "fabric": "Fabric", "output": "Output",
          "control": "Control", "others": "Of other launchers, without effect here"}  # fmt: skip


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def head(name, section, about, version):
    return (f'.\\" Written by tools/generate_manual.py.\n.TH {name.upper()} {section} "" "Lisle {version}" "Lisle"\n'
            f".SH NAME\n{escaped(name)} \\- {escaped(about)}\n")  # fmt: skip


def as_it_is(text):
    return f".nf\n{escaped(textwrap.dedent(text).strip())}\n.fi\n"


def entry(names, values, about):
    bold = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    return f".TP\n{bold}{' ' if values and not values.startswith('[=') else ''}{escaped(values)}\n{escaped(about)}\n"


def see_also(name, pages):
    others = ", ".join(f"\\fB{escaped(page)}\\fR({number})" for page, number in pages if page != name)
    return f".SH SEE ALSO\n{others}\n"


def launcher_page(folder, version, pages):
    rows = table(folder)
    first = said(folder, "lislerun", "--help")
    examples = re.search(r"^Examples:\n(.*?)\n\n", first, re.DOTALL | re.MULTILINE)[1]
    codes = re.search(r"^The exit code.*", first, re.DOTALL | re.MULTILINE)[0]
    text = head("lislerun", 1, COMMANDS["lislerun"][0], version)
    text += (".SH SYNOPSIS\n\\fBlislerun\\fR [\\fIoptions\\fR] \\fIprogram\\fR [\\fIarguments\\fR] "
             "[: [\\fIoptions\\fR] \\fIprogram\\fR ...]\n"
             f".SH DESCRIPTION\n{escaped(first.partition(chr(10))[0])}\nmpirun and mpiexec are the same command.\n"
             f"{escaped('A word may have one dash or two; --option=value works, too.')}\n")  # fmt: skip
    text += f".SH EXAMPLES\n{as_it_is(examples)}.SH OPTIONS\n"
    for topic, title in TOPICS.items():
        text += f".SS {title}\n"
        same = []
        for row in rows:
            if row.topic == topic and row.help:
                text += entry(map(dashed, row.names), row.values, row.help)
            elif row.topic == topic:
                same += map(dashed, row.names)
        text += f".PP\nFurther spellings: {escaped(', '.join(same))}.\n" if same else ""
    text += f".SH EXIT STATUS\n{escaped(codes.strip())}\n"
    return text + ".SH ENVIRONMENT\nSettings are variables LISLE_*: \\fBlisle\\-settings\\fR(7).\n" + see_also("lislerun", pages)


def settings_page(folder, version, pages):
    text = head("lisle-settings", 7, "environment variables of Lisle", version)
    text += (".SH DESCRIPTION\nEach process reads the variables once, when it first needs one. The option \\fB\\-x\\fR of "
             "\\fBlislerun\\fR(1) sets one for the ranks; \\fBlisle\\-info\\fR(1) shows the values in force.\n.SH VARIABLES\n")  # fmt: skip
    for row in table(folder):
        if row.topic == "settings":
            text += entry(row.names, "= " + row.values.replace("|", " | "), row.help)
    return text + see_also("lisle-settings", pages)


def plain_page(folder, name, version, pages):
    about, asking = COMMANDS[name]
    return head(name, 1, about, version) + ".SH DESCRIPTION\n" + as_it_is(said(folder, name, *asking)) + see_also(name, pages)


def main():
    folder, output, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    names = present(folder)
    pages = [(name, 1) for name in names] + [("lisle-settings", 7)]
    texts = {f"man1/{name}.1": plain_page(folder, name, version, pages) for name in names if name != "lislerun"}
    texts["man1/lislerun.1"] = launcher_page(folder, version, pages)
    texts["man7/lisle-settings.7"] = settings_page(folder, version, pages)
    texts |= {f"man1/{alias}.1": f".so man1/{name}.1\n" for alias, name in ALIASES.items()}
    for place, text in texts.items():
        (output / place).parent.mkdir(parents=True, exist_ok=True)
        (output / place).write_text(text)


if __name__ == "__main__":
    main()

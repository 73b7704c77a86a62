# SPDX-License-Identifier: Apache-2.0
"""What packages say of a release: its version, its date and its notes, from CMakeLists.txt and CHANGELOG.md."""
import collections
import datetime
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

Section = collections.namedtuple("Section", "version date notes")


def version():
    return re.search(r"^project\(lisle VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def changelog():
    """The sections of CHANGELOG.md, the newest first; one that is not released has no date."""
    parts = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    sections = []
    for part in parts:
        heading, _, text = part.partition("\n")
        name, _, date = heading.partition(", ")
        notes = [" ".join(note.split()) for note in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]
        sections.append(Section(name, date or None, notes))
    return sections


def epoch():
    """The time that files in packages have, so that two builds of a state give the same bytes."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    committed = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    if committed.returncode == 0 and committed.stdout.strip():
        return int(committed.stdout)
    dates = [section.date for section in changelog() if section.date]
    return int(datetime.datetime.fromisoformat(dates[0] + "T00:00:00+00:00").timestamp()) if dates else 0

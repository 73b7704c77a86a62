#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the rows of the table of error classes, mpi/src/base/error_texts.cpp.

Usage: generate_error_texts.py DATA_DIR OUTPUT
"""
import pathlib
import sys

import standard


def main():
    data, output = sys.argv[1], pathlib.Path(sys.argv[2])
    classes = [c for c in standard.load(data, "constants.json")["constants"] if "error_class" in c["group"]]
    texts = standard.load(data, "error_texts.json")["texts"]
    if {c["name"] for c in classes} != set(texts):
        sys.exit(f"error_texts.json and constants.json differ in {set(texts) ^ {c['name'] for c in classes}}")
    rows = [f'    {{{c["value"]}, "{c["name"]}", "{texts[c["name"]]}"}},'
            for c in sorted(classes, key=lambda c: c["value"])]  # fmt: skip
    # Those of the extensions have numbers between the standard's last class and MPI_ERR_LASTCODE.
    rows[-1:-1] = [f'    {{{c["value"]}, "{c["name"]}", "{c["error_text"]}"}},'
                   for c in standard.load(data, "extensions.json")["constants"] if "error_text" in c]  # fmt: skip
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What gdb reads for a job of Lisle: from lislerun --gdb, by `source`, or by itself, as its name is that of the host
with `-gdb.py`, where gdb may (`add-auto-load-safe-path`)."""
import sys
from pathlib import Path

_folder = Path(__file__).resolve().parent / "gdb"
if "lisle_gdb" not in sys.modules:
    sys.path.insert(0, str(_folder))
    import lisle_gdb

    lisle_gdb.begin()

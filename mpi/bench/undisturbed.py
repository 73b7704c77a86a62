# SPDX-License-Identifier: Apache-2.0
"""Measuring where the host of a virtual machine gives the processors to others now and then."""
from pathlib import Path

MOST = 0.02  # of the processors' time: more than that disturbs a run
TRIES = 3

_repeated = 0


def _ticks():
    """(stolen, all) of all processors since the machine began."""
    try:
        counts = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    except OSError:
        return 0, 0
    return counts[7], sum(counts)


def undisturbed(run):
    """What run() returns when the host leaves it alone; of TRIES calls that it does not, the one it disturbs least."""
    global _repeated
    best = None
    for attempt in range(TRIES):
        stolen, all_ticks = _ticks()
        result = run()
        stolen_after, all_after = _ticks()
        share = (stolen_after - stolen) / max(all_after - all_ticks, 1)
        if best is None or share < best[0]:
            best = share, result
        if share <= MOST:
            break
        _repeated += attempt + 1 < TRIES
    return best[1]


def what_was_repeated():
    """A sentence about all calls so far."""
    return (f"Runs during which the host took more than {MOST:.0%} of the processors' time were repeated, "
            f"at most {TRIES - 1} times: {_repeated} repetitions.")

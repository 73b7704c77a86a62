# SPDX-License-Identifier: Apache-2.0
"""Killed processes, and survivors that recover, under lislerun --with-ft, and under orterun if it is installed.
LISLE_TEST_ROUNDS repeats the scenarios."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402

LISLERUN = os.environ["LISLE_TEST_LAUNCHER"]
RECOVER = os.environ["LISLE_TEST_RECOVER"]
ROUNDS = int(os.environ.get("LISLE_TEST_ROUNDS", "1"))

# scenario -> ranks that die, of 5
SCENARIOS = {"messages": 1, "any_source": 1, "collectives": 1, "revocation": 0, "agreements": 2, "last_one": 4,
             "long_messages": 0}
ORTERUN = ["orterun", "--allow-run-as-root", "--oversubscribe", "--enable-recovery", "-n", "5"]


def survives(name, words, scenario, survivors, **variables):
    environment = {**os.environ, "LISLE_NETWORK_INTERFACE": "lo", **variables}
    done = subprocess.run([*words, RECOVER, scenario], text=True, capture_output=True, timeout=LIMIT, check=False,
                          env=environment)
    what = f"{name}, {scenario}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    expect(done.returncode == 0, what)
    expect(done.stdout.count("recovered") == survivors, what)
    return done


def main():
    for _ in range(ROUNDS):
        for scenario, dead in SCENARIOS.items():
            done = survives("lislerun", [LISLERUN, "--with-ft", "ulfm", "-n", "5"], scenario, 5 - dead)
            # "The others go on" is said only while there are some.
            expect(done.stderr.count("was ended by SIGKILL (Killed)") == dead, done.stderr)
        # Ranks of one process fail together.
        shape = [LISLERUN, "--with-ft", "ulfm", "-P", "3", "-T", "2"]
        survives("lislerun, threads", shape, "revocation", 6)
        survives("lislerun, fibers", [*shape, "--ranks", "fiber"], "revocation", 6)
    for scenario, dead in SCENARIOS.items() if shutil.which(ORTERUN[0]) else ():
        survives("orterun", ORTERUN, scenario, 5 - dead, LISLE_RECOVERY="1")
    # Without the option a failure ends the job.
    done = subprocess.run([LISLERUN, "-n", "3", RECOVER, "messages"], text=True, capture_output=True, timeout=LIMIT,
                          check=False)
    expect(done.returncode == 137, f"exit status {done.returncode}\n{done.stdout}{done.stderr}")


main()

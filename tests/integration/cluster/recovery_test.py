# SPDX-License-Identifier: Apache-2.0
"""Killed processes, and survivors that recover, under lislerun --with-ft. LISLE_TEST_ROUNDS repeats the scenarios."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import expect  # noqa: E402

LISLERUN = os.environ["LISLE_TEST_LAUNCHER"]
RECOVER = os.environ["LISLE_TEST_RECOVER"]
ROUNDS = int(os.environ.get("LISLE_TEST_ROUNDS", "1"))

# scenario -> ranks that die, of 5
SCENARIOS = {"messages": 1, "any_source": 1, "collectives": 1, "revocation": 0, "agreements": 2, "last_one": 4,
             "long_messages": 0}


def survives(name, words, scenario, survivors, status=0):
    environment = {**os.environ, "LISLE_NETWORK_INTERFACE": "lo"}
    done = subprocess.run([*words, RECOVER, scenario], text=True, capture_output=True, timeout=100, check=False,
                          env=environment)
    what = f"{name}, {scenario}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    expect(status is None or done.returncode == status, what)
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
    # Without the option a failure ends the job.
    done = subprocess.run([LISLERUN, "-n", "3", RECOVER, "messages"], text=True, capture_output=True, timeout=100,
                          check=False)
    expect(done.returncode == 137, f"exit status {done.returncode}\n{done.stdout}{done.stderr}")


main()

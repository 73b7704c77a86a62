# SPDX-License-Identifier: Apache-2.0
"""lisle-info, manual pages and completion say what is true: they are compared with the tables of options and settings, with
the library, and with the machine.

Usage: check_manual.py BUILD_DIR WORK_DIR
"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import empty_directory, expect, run  # noqa: E402

VERSION_PROGRAM = """#include <mpi.h>
#include <stdio.h>
int main(void) {
    printf("%d.%d.%d %d", LISLE_VERSION_MAJOR, LISLE_VERSION_MINOR, LISLE_VERSION_PATCH, LISLE_VERSION_NUMBER);
    return 0;
}
"""


def told(build, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LISLE_") or name.startswith("LISLE_TEST_")}
    all_ = json.loads(run(build / "bin/lisle-info", "--json", *words, env={**environment, **variables}).stdout)
    return {section: {row["name"]: {"value": row["value"], "remark": row["remark"]} for row in rows} for section, rows in all_.items()}


def options_of(build):
    """Rows of the tables: topic, names, values, meaning."""
    rows = [line.split("\t") for line in run(build / "bin/lislerun", "--help", "table").stdout.splitlines()]
    expect(all(len(row) == 4 for row in rows) and len(rows) > 150, f"the table has {len(rows)} rows: {rows[:2]}")
    return rows


def check_settings(build, rows):
    options = {name for topic, names, _, _ in rows if topic != "settings" for name in names.split("|")}
    for topic, name, _, meaning in rows:
        for option in re.findall(r"lislerun --([\w-]+)", meaning if topic == "settings" else ""):
            expect(option in options, f"the setting {name} names --{option}, which is no option of lislerun")
    names = [name for topic, name, _, _ in rows if topic == "settings"]
    plain = told(build, "settings")["settings"]
    expect(list(plain) == names, f"lisle-info lists other settings than the table: {set(plain) ^ set(names)}")
    expect(all(row["remark"] == "default" for row in plain.values()), f"nothing is set, and yet {plain}")
    # The page of settings is written from the table by other code.
    page = (pathlib.Path(__file__).parents[3] / "docs/settings.md").read_text(encoding="utf-8")
    for name, default in re.findall(r"^\| `(LISLE_\w+)` \| (?:[^|]|\\\|)* \| ([^|]*) \|", page, re.MULTILINE):
        if name in plain:
            expect(plain[name]["value"] == default.replace("not set", ""), f"{name} is {plain[name]}, by the page {default}")
    changed = told(build, "settings", LISLE_EAGER_LIMIT="4096", LISLE_WAIT="sometimes", LISLE_COLLECTIVES="bcast=binomial",
                   LISLE_NETWORK_INTERFACE="eth7")["settings"]  # fmt: skip
    expect(changed["LISLE_EAGER_LIMIT"] == {"value": "4096", "remark": "environment"}, changed["LISLE_EAGER_LIMIT"])
    expect(changed["LISLE_WAIT"]["value"] == "auto" and "environment" in changed["LISLE_WAIT"]["remark"], changed["LISLE_WAIT"])
    expect(changed["LISLE_COLLECTIVES.bcast"] == {"value": "binomial", "remark": "environment"}, changed["LISLE_COLLECTIVES.bcast"])
    variables = told(build, "control-variables")["control-variables"]
    expect(list(variables) == names, f"control variables differ from settings: {set(variables) ^ set(names)}")
    for name, row in variables.items():
        expect((row["value"] == "can be changed") == ("." in name), f"{name}: {row}")


def check_fabrics(build):
    plain = told(build, "fabrics")["fabrics"]
    expect(plain["shared memory"]["value"] == "used", plain)
    ours = {name: row for name, row in plain.items() if name.startswith("lisle-tcp on ")}
    expect(sum(row["value"] == "used" for row in ours.values()) == 1, f"not one interface is used: {ours}")
    expect(all((row["value"] == "used") == (row["remark"] == "") for row in ours.values()), f"no reason is given: {ours}")
    narrow = told(build, "fabrics", LISLE_NETWORK_INTERFACE="lo")["fabrics"]
    expect(narrow["lisle-tcp on lo, 127.0.0.1"]["value"] == "used", narrow)
    nowhere = told(build, "fabrics", LISLE_NETWORK_INTERFACE="none7", LISLE_CMA_MINIMUM="off")["fabrics"]
    expect("none7" in nowhere["network"]["remark"], nowhere)
    expect(all(row["value"] == "not used" for name, row in nowhere.items() if name.startswith("lisle-tcp")), nowhere)
    expect(nowhere["copies between processes"] == {"value": "not used", "remark": "LISLE_CMA_MINIMUM=off"}, nowhere)


def check_build_and_machine(build, work):
    all_ = told(build)
    version = run(build / "bin/lislerun", "--version").stdout.split()[2].rstrip(",")
    expect(all_["build"]["library"]["value"].startswith(f"Lisle {version},"), all_["build"]["library"])
    expect(run(build / "bin/lisle-info", "--version").stdout.startswith(f"Lisle {version},"), "lisle-info --version")
    expect(all_["build"]["launcher"]["value"] == "installed", all_["build"]["launcher"])
    (work / "version.c").write_text(VERSION_PROGRAM, encoding="utf-8")
    run("cc", f"-I{build}/include", work / "version.c", "-o", work / "version")
    major, minor, patch = map(int, version.split("."))
    said = run(work / "version").stdout
    expect(said == f"{version} {major * 10000 + minor * 100 + patch}", f"mpi.h is of version {said}, the launcher of {version}")
    allowed = all_["machine"]["processors"]["value"].split()[0]
    expect(int(allowed) == len(os.sched_getaffinity(0)), f"processors: {allowed}")
    refused = run(build / "bin/lisle-info", "nothing", status=2)
    expect("'nothing' is no section" in refused.stderr, refused.stderr)


def read_page(page):
    """A manual page as text without marks."""
    text = re.sub(r"\\f[BRI]", "", page.read_text(encoding="utf-8"))
    return text.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def check_pages(build, rows):
    manual = build / "share/man"
    launcher, settings = read_page(manual / "man1/lislerun.1"), read_page(manual / "man7/lisle-settings.7")
    for topic, names, values, meaning in rows:
        page = settings if topic == "settings" else launcher
        for name in names.split("|"):
            spelled = name if topic == "settings" else ("-" if len(name) == 1 else "--") + name
            expect(spelled in page, f"the manual page does not have {spelled}")
        expect(meaning in page and (topic == "settings" or not meaning or values in page), f"the manual page does not explain {names}")
    info = read_page(manual / "man1/lisle-info.1")
    for line in run(build / "bin/lisle-info", "--help").stdout.splitlines():
        expect(line in info, f"lisle-info(1) lacks: {line}")
    for name in ("mpicxx", "mpifort", "mpirun"):
        target = read_page(manual / f"man1/{name}.1").split()[1]
        expect((manual / target).exists(), f"{name}(1) leads to {target}, which is not there")
    if shutil.which("mandoc"):
        for page in (manual / "man1/lislerun.1", manual / "man1/mpicc.1", manual / "man7/lisle-settings.7"):
            said = run("mandoc", "-T", "lint", "-W", "error", page, status=None)
            expect(said.returncode == 0, said.stdout)


def completed(build, *words):
    """What bash offers for the last word."""
    file = build / "share/bash-completion/completions" / words[0]
    script = f'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _{words[0].replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return run("bash", "-c", script, "bash", file, *words).stdout.split()


def check_completion(build, rows):
    offered = completed(build, "lislerun", "-")
    meant = {("-" if len(name) == 1 else "--") + name for topic, names, _, _ in rows if topic not in ("settings", "others")
             for name in names.split("|")}  # fmt: skip
    expect(set(offered) == meant, f"completion differs from the tables: {set(offered) ^ meant}")
    expect(completed(build, "lislerun", "--ranks", "t") == ["thread"], "values of --ranks")
    expect("LISLE_EAGER_LIMIT" in completed(build, "lislerun", "-x", "LISLE_E"), "variables of -x")
    expect("placement" in completed(build, "lislerun", "--help", ""), "topics of --help")
    expect({"fabrics", "--json"} <= set(completed(build, "lisle-info", "")), "lisle-info")
    for name in ("lisle-task", "lisle-tiles"):
        if (build / "bin" / name).exists():
            said, offered = run(build / "bin" / name, "--help").stdout, completed(build, name, "")
            expect("--help" in offered and all(word in said for word in offered) and len(offered) > 5, f"{name}: {offered}")
    if shutil.which("zsh"):
        for file in (build / "share/zsh/site-functions").iterdir():
            run("zsh", "-n", file)


def check_examples(build, work):
    said = run(build / "bin/lislerun", "--examples", work / "examples").stdout
    expect((work / "examples/Makefile").exists() and "make -C" in said, said)
    again = run(build / "bin/lislerun", "--examples", work / "examples", status=1).stderr
    expect("is there already" in again, again)


def main():
    build, work = pathlib.Path(sys.argv[1]), empty_directory(sys.argv[2])
    rows = options_of(build)
    check_settings(build, rows)
    check_fabrics(build)
    check_build_and_machine(build, work)
    check_pages(build, rows)
    check_completion(build, rows)
    check_examples(build, work)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The site is built without a dead link, which the checker finds where there is one; it has what readers look for.

Usage: check_site_builds.py PROJECT_DIR SITE_DIR
"""
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
WANTED = ["index.html", "mpi/docs/settings.html", "mpi/docs/info.html", "docs/stability.html", "reference/index.html", "search/search_index.json",
          "reference/classlisle_1_1communicator.html"]  # fmt: skip


def main():
    project, site = map(pathlib.Path, sys.argv[1:])
    for command in ("mkdocs", "doxygen"):
        if not shutil.which(command):
            print(f"skipped: {command} is not installed")
            sys.exit(SKIPPED)
    subprocess.run([project / "tools/build_site", site], check=True)
    for name in WANTED:
        if not (site / name).exists():
            sys.exit(f"FAILED: the site has no {name}")
    if 'name="viewport"' not in (site / "index.html").read_text():
        sys.exit("FAILED: telephones show the page in miniature")
    (site / "mpi/docs/info.html").unlink()
    done = subprocess.run([sys.executable, project / "tools/check_site.py", site], capture_output=True, text=True, check=False)
    if done.returncode == 0 or "mpi/docs/launching.html: there is no info.html" not in done.stderr.splitlines():
        sys.exit(f"FAILED: a page that is missing is not missed: {done.stderr[:500]}")


if __name__ == "__main__":
    main()

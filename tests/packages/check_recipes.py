# SPDX-License-Identifier: Apache-2.0
"""The recipes of other packagers can be read by what reads them, as far as that is here, and say the project's version.

Usage: check_recipes.py PROJECT_DIR
"""
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys

faults = []


def expect(condition, reason):
    if not condition:
        faults.append(reason)


def assigned(source):
    """What a file of Python gives to names at its top, as far as these are plain values."""
    values = {}
    for each in ast.parse(source).body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            try:
                values[each.targets[0].id] = ast.literal_eval(each.value)
            except ValueError:
                values[each.targets[0].id] = None
    return values


def check_spack(folder):
    tree = ast.parse((folder / "packages/lisle/package.py").read_text())
    recipe = next(each for each in tree.body if isinstance(each, ast.ClassDef))
    calls = [each.value for each in recipe.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    provided = [call.args[0].value for call in calls if call.func.id == "provides"]
    expect(recipe.name == "Lisle" and provided == ["mpi@:5.0"], f"Spack's recipe provides {provided}")


def check_options(project, name, text):
    """Options of the build that a recipe names are there."""
    known = set(re.findall(r"^(?:option|set)\((LISLE_\w+)", (project / "CMakeLists.txt").read_text(), re.MULTILINE))
    for option in re.findall(r"(?:-D|define(?:_from_variant)?\(\")(LISLE_\w+)", text):
        expect(option in known, f"{name} sets {option}, which is no option of CMakeLists.txt")


def check_yaml(path):
    """The file as an object; None where no interpreter at hand knows YAML."""
    text = re.sub(r"\{%.*?%\}\n", "", path.read_text())
    text = re.sub(r"\{\{.*?\}\}", "x", text) if path.name == "meta.yaml" else text
    for interpreter in (sys.executable, "/usr/bin/python3"):
        if pathlib.Path(interpreter).exists() and subprocess.run([interpreter, "-c", "import yaml"], capture_output=True, check=False).returncode == 0:
            script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin), default=str))"
            done = subprocess.run([interpreter, "-c", script], input=text, capture_output=True, text=True, check=False)
            expect(done.returncode == 0, f"{path}: {done.stderr}")
            return json.loads(done.stdout) if done.returncode == 0 else None
    print(f"nobody here reads YAML, so {path} was not looked at")
    return None


def check_container(project, path):
    words = {"FROM", "RUN", "COPY", "WORKDIR", "ENV", "USER", "CMD"}
    for line in path.read_text().splitlines():
        expect(not line or line[0] == "#" or line.split()[0] in words, f"{path}: {line}")
    for source in re.findall(r"^COPY --from=build (.*)", path.read_text(), re.MULTILINE):
        for place in source.split()[:-1]:
            inside = place.removeprefix("/lisle/")
            expect(inside == place or inside.startswith("build/") or (project / inside).exists(), f"{path}: there is no {place}")


def check_workflow(project, flow):
    """The targets of make that it calls are there."""
    lines = re.findall(r"^([\w-]+(?: [\w-]+)*):", (project / "Makefile").read_text(), re.MULTILINE)
    known = {name for line in lines for name in line.split()}
    for job in flow["jobs"].values():
        wanted = list(job.get("strategy", {}).get("matrix", {}).get("target", []))
        for step in job["steps"]:
            words = re.sub(r"\$\{\{.*?\}\}", "", step.get("run", "")).split()
            wanted += words[1:] if words[:1] == ["make"] else []
        for name in wanted:
            expect(name in known, f"the workflow calls make {name}, which there is not")


def main():
    project = pathlib.Path(sys.argv[1])
    packaging = project / "packaging"
    version = re.search(r"^project\(lisle VERSION ([\d.]+)", (project / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    check_spack(packaging / "spack")
    easybuild = (packaging / "easybuild/lisle.eb").read_text()
    expect(assigned(easybuild)["version"] == version, f"EasyBuild's file is of another version than {version}")
    for name in ("spack/packages/lisle/package.py", "conda/meta.yaml", "nix/flake.nix", "easybuild/lisle.eb"):
        check_options(project, name, (packaging / name).read_text())
    pattern = re.search(r'regex_pattern="(.*?)"', (packaging / "conda/meta.yaml").read_text())[1].replace("\\\\", "\\")
    expect(re.search(pattern, (project / "CMakeLists.txt").read_text())[1] == version, "conda's recipe finds another version")
    conda, flow = check_yaml(packaging / "conda/meta.yaml"), check_yaml(packaging / "forge/workflow.yml")
    expect(conda is None or {"package", "source", "build", "requirements", "test", "about"} <= set(conda), "conda's recipe lacks a part")
    if flow:
        check_workflow(project, flow)
    check_container(project, packaging / "container/Containerfile")
    if nix := shutil.which("nix-instantiate"):
        done = subprocess.run([nix, "--parse", packaging / "nix/flake.nix"], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, done.stderr)
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()

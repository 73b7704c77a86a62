#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes completion for bash and zsh, from the tables of options of the commands in a folder.

Usage: generate_completion.py BIN_DIR OUTPUT_DIR
"""
import pathlib
import re
import sys

from commands import ALIASES, COMMANDS, dashed, present, said, table

# Words that may stand for a value; by the value's name in the table what else there is.
WORDS = {
    "ranks": "process thread fiber",
    "bind-to": "none core hwthread l1cache l2cache l3cache numa package",
    "abi": "auto standard openmpi",
    "with-ft": "ulfm none",
    "through": "ssh srun prterun orterun mpiexec.hydra",
    "display": "map bind allocation",
}
FILES = {"FILE"}
FOLDERS = {"DIR", "DIRECTORY"}


def launcher_options(folder):
    """Pairs of a spelling and its row, of the options that mean something here."""
    return [(dashed(name), row) for row in table(folder) if row.topic not in ("settings", "others") for name in row.names]


def settings(folder):
    return [row.names[0] for row in table(folder) if row.topic == "settings" and "." not in row.names[0]]


def topics(folder):
    return sorted({row.topic for row in table(folder)} | {"settings", "all"})


def options_in(help_text):
    """The words with dashes that begin a line of a help text."""
    lines = re.findall(r"^\s+(-\S+(?:, -\S+)*)", help_text, re.MULTILINE)
    return sorted({word for line in lines for word in re.split(r",\s*", line) if re.fullmatch(r"--?[A-Za-z][\w-]*", word)})


def first_words_in(help_text):
    """Sections of lisle-info, or commands within a command."""
    listed = re.search(r"^(?:Sections|Subcommands)\b.*?\n(.*?)(?:\n\n|\Z)", help_text, re.DOTALL | re.MULTILINE)
    return re.findall(r"^  ([a-z][a-z-]*)\s", listed[1], re.MULTILINE) if listed else []


def bash_cases(folder):
    by_answer = {}
    for option, row in launcher_options(folder):
        name = option.lstrip("-")
        if row.names[0] in WORDS or name in WORDS:
            answer = f'compgen -W "{WORDS.get(name) or WORDS[row.names[0]]}" -- "$word"'
        elif row.values in FILES:
            answer = 'compgen -f -- "$word"'
        elif row.values in FOLDERS:
            answer = 'compgen -d -- "$word"'
        elif name == "x":
            answer = f'compgen -W "{" ".join(settings(folder))}" -- "$word"'
        elif name == "help":
            answer = f'compgen -W "{" ".join(topics(folder))}" -- "$word"'
        elif row.values and not row.values.startswith("[="):
            answer = ":"
        else:
            continue
        by_answer.setdefault(answer, []).append(option)
    return "".join(f"    {' | '.join(options)}) mapfile -t COMPREPLY < <({answer}); return ;;\n" for answer, options in by_answer.items())


def bash_launcher(folder):
    names = " ".join(option for option, _ in launcher_options(folder))
    return f"""# bash completion for lislerun, mpirun and mpiexec. Written by tools/generate_completion.py.
_lislerun() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  case $before in
{bash_cases(folder)}  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "{names}" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word") ;;
  esac
}}
complete -o filenames -F _lislerun lislerun mpirun mpiexec
"""


def bash_words(name, words):
    function = "_" + name.replace("-", "_")
    return f"""# bash completion for {name}. Written by tools/generate_completion.py.
{function}() {{
  mapfile -t COMPREPLY < <(compgen -W "{' '.join(words)}" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F {function} {name}
"""


def zsh_quoted(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_launcher(folder):
    lines = []
    for option, row in launcher_options(folder):
        name = option.lstrip("-")
        words = WORDS.get(name) or WORDS.get(row.names[0])
        action = (f"({words})" if words else "_files" if row.values in FILES else "_directories" if row.values in FOLDERS else
                  f"({' '.join(settings(folder))})" if name == "x" else f"({' '.join(topics(folder))})" if name == "help" else " ")  # fmt: skip
        values = "" if row.values.startswith("[=") else row.values or ("topic" if name == "help" else "")
        spelled = option.replace("?", "\\?")
        lines.append(f"  '*{spelled}[{zsh_quoted(row.help or 'another spelling')}]" + (f":{zsh_quoted(values)}:{action}'" if values else "'"))
    return ("#compdef lislerun mpirun mpiexec\n# Written by tools/generate_completion.py.\n_arguments -S \\\n" +
            " \\\n".join(lines) + " \\\n  '1:program:_files' \\\n  '*::arguments:_files'\n")  # fmt: skip


def zsh_words(name, words):
    return f"#compdef {name}\n# Written by tools/generate_completion.py.\ncompadd -- {' '.join(words)}\n"


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    bash, zsh = output / "bash-completion/completions", output / "zsh/site-functions"
    for path in (bash, zsh):
        path.mkdir(parents=True, exist_ok=True)
    (bash / "lislerun").write_text(bash_launcher(folder))
    (zsh / "_lislerun").write_text(zsh_launcher(folder))
    for alias, name in ALIASES.items():
        if name == "lislerun":
            (bash / alias).unlink(missing_ok=True)
            (bash / alias).symlink_to("lislerun")
    for name in present(folder):
        if name.startswith("lisle-"):
            text = said(folder, name, *COMMANDS[name][1])
            words = first_words_in(text) + options_in(text)
            (bash / name).write_text(bash_words(name, words))
            (zsh / f"_{name}").write_text(zsh_words(name, words))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Bazel knows no MPI by itself: projects ask pkg-config, or the compiler wrapper, in a rule like this one."""

def _ask(context, option):
    done = context.execute(["pkg-config", option, context.attr.package])
    if done.return_code != 0:
        fail("pkg-config knows no %s: %s" % (context.attr.package, done.stderr))
    return [word for word in done.stdout.strip().split(" ") if word]

def _pkg_config_library(context):
    folders = [word[2:] for word in _ask(context, "--cflags-only-I") if word.startswith("-I")]
    for number, folder in enumerate(folders):
        context.symlink(folder, "include%d" % number)
    includes = ["include%d" % number for number in range(len(folders))]
    context.file("BUILD", """cc_library(name = "library", hdrs = glob(["include*/*.h"]), includes = %r, linkopts = %r,
    visibility = ["//visibility:public"])
""" % (includes, _ask(context, "--libs")))

pkg_config_library = repository_rule(implementation = _pkg_config_library, attrs = {"package": attr.string()}, local = True)

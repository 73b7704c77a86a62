# SPDX-License-Identifier: Apache-2.0
"""Another MPI's binary interface as a table (data/openmpi.json, data/mpich.json) beside the standard's, for the generators of its face."""
import re

import standard

# Constants that stand for each other: functions ours_SPACE and theirs_SPACE translate a value of one of these groups of
# constants.json. What no constant names is itself.
SPACES = {
    "rank": ["MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT"],
    "tag": ["MPI_ANY_TAG"],
    "comparison": {"comparison"},
    "topology": {"topology"},
    "split_type": {"split_type"},
    "thread_level": {"thread_level"},
    "combiner": {"combiner"},
    "typeclass": {"typeclass"},
    "order": {"array_order"},
    "distribution": ["MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC", "MPI_DISTRIBUTE_NONE"],
    "distribution_argument": ["MPI_DISTRIBUTE_DFLT_DARG"],
    "whence": {"file_seek"},
    "displacement": {"file_displacement"},
    "lock_type": {"lock_type"},
    "flavor": {"win_flavor"},
    "model": {"win_model"},
    "keyval": {"comm_attribute_key", "win_attribute_key"},
    "error_class": {"error_class", "mpi_t_error_class"},
    "bind": {"mpi_t_bind"},
    "verbosity": {"mpi_t_verbosity"},
    "variable_class": {"mpi_t_pvar_class"},
    "scope": {"mpi_t_scope"},
    "callback_safety": {"mpi_t_cb_safety"},
    "source_order": {"mpi_t_source_order"},
}
# Values that are sums of constants.
SETS = {"file_mode": {"file_mode"}, "assertion": {"rma_assertion"}}

# The space of the values that parameters of a kind have.
SPACE_OF_KIND = {
    "RANK": "rank", "RANK_NNI": "rank", "TAG": "tag", "COMM_COMPARISON": "comparison", "GROUP_COMPARISON": "comparison",
    "TOPOLOGY_TYPE": "topology", "SPLIT_TYPE": "split_type", "THREAD_LEVEL": "thread_level", "COMBINER": "combiner",
    "TYPECLASS": "typeclass", "ORDER": "order", "DISTRIB_ENUM": "distribution", "DTYPE_DISTRIBUTION": "distribution_argument",
    "UPDATE_MODE": "whence", "LOCK_TYPE": "lock_type", "KEYVAL": "keyval", "ERROR_CODE": "error", "ERROR_CLASS": "error",
    "BIND_TYPE": "bind", "TOOL_VAR_VERBOSITY": "verbosity", "PVAR_CLASS": "variable_class", "VARIABLE_SCOPE": "scope",
    "ACCESS_MODE": "file_mode", "ASSERT": "assertion",
}  # fmt: skip
# Arrays of ranks in which no constant can stand.
RANKS_ALONE = {"MPI_Group_incl", "MPI_Group_excl", "MPI_Group_range_incl", "MPI_Group_range_excl", "MPI_Graph_create",
               "MPI_Graph_get", "MPI_Graph_map", "MPI_Graph_neighbors", "MPI_Dist_graph_create",
               "MPI_Dist_graph_create_adjacent", "MPI_Dist_graph_neighbors"}  # fmt: skip


# Calls that no library of another interface has.
NOWHERE = re.compile(r"MPI_(F_sync_reg|Sizeof|Status_f082f|Status_f2f08)")


class Face:
    def __init__(self, data, key):
        self.table = standard.load(data, f"{key}.json")
        self.absent_calls = re.compile(self.table["absent_calls"] or "-")
        self.constants = standard.load(data, "constants.json")["constants"]
        self.types = standard.load(data, "types.json")
        functions = standard.load(data, "functions.json")
        outside = [f for f in functions["outside_abi_header"] if f["c"]]
        self.functions = [f for f in functions["functions"] + outside if self.has(f)]
        self.functions += [self.removed(row["name"], row["replaced_by"]) for row in functions["removed_functions"]]
        # Callbacks with a state and sections of arrays, on which Fortran's procedures are built.
        self.functions += [f for f in standard.extensions(data)["functions"] if f["name"].endswith("_x") or f["name"] == "MPIX_Type_create_section"]
        self.callbacks = [c for c in standard.extensions(data)["callbacks"] if re.search("_function_x$|Destructor", c["name"])]
        self.groups = [standard.EXTENSION_GROUP] + list(functions["groups"])

    def removed(self, name, successor):
        """A call that the standard has removed and these libraries still have: its successor under another name, but for
        those that ask for one of two results."""
        row = next(f for f in self.functions if f["name"] == successor)
        if successor != "MPI_Type_get_extent":
            return {**row, "name": name, "calls": successor}
        result = {"name": "result", "c_type": "MPI_Aint *", "pointer": 1, "kind": "DISPLACEMENT", "direction": "out"}
        return {**row, "name": name, "c_params": [row["c_params"][0], result]}

    def has(self, function):
        """Whether the library of that interface has a function of this name."""
        name = function["name"]
        if function["group"] == "abi" or name.endswith(("_toint", "_fromint")) or NOWHERE.fullmatch(name):
            return False
        if self.absent_calls.fullmatch(name):
            return False
        return self.table["large_counts"] or not function.get("large_count_of")

    def value(self, name):
        """Their value of a constant, or None if they have none."""
        if name in self.table["absent"]:
            return None
        return self.table["constants"].get(name, self.ours(name))

    def ours(self, name):
        return next(c["value"] for c in self.constants if c["name"] == name)

    def names_in(self, groups):
        if isinstance(groups, list):
            return groups
        return [c["name"] for c in self.constants if c["group"] in groups and not c.get("alias_of")]

    def objects(self):
        return self.table["objects"] + self.table["further_objects"]

    @property
    def has_integers(self):
        """Whether handles are integers, not addresses."""
        return self.table["handles"] == "integers"

    def integer(self, row):
        """The integer of a predefined object where handles are integers."""
        return int(row["value"], 16)

    def sort_of(self, name):
        """The handle type of a predefined object."""
        return next(c["c_type"] for c in self.constants if c["name"] == name)

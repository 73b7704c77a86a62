#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each mistake of the programs is named, with the lines that its source marks, and its twin is quiet.

Usage: twins_test.py LISLERUN KIND LEVELS [-- PROGRAM SOURCE...]...

LEVELS are those of LISLE_CHECK at which twins are run, as "0,1,2".
"""
import os
import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

# The least level of LISLE_CHECK at which a mistake is named, and the sentence. Lines are in the sources.
NAMED = {
    # attributes.c
    "attribute_key_freed": (0, r"MPI_Comm_set_attr: keyval \d+ is not a key for communicators"),
    "attribute_other_kind": (0, r"MPI_Comm_set_attr: keyval \d+ is not a key for communicators"),
    "attribute_of_system": (0, r"MPI_Comm_set_attr: keyval \d+ is one of the standard's"),
    "attribute_delete_fails": (0, r"MPI_Comm_free: the delete function of keyval \d+ failed with code \d+"),
    "attribute_key_left": (1, r"MPI_Finalize: 1 attribute key that MPI_Win_create_keyval made at"),
    "error_class_in_use": (0, r"MPI_Remove_error_class: error class \d+ still has 1 codes"),
    # counts.c
    "count_truncated": (0, r"MPI_Recv_c: the message from rank 0 with tag 5 is longer than the receive buffer"),
    "count_overflow": (0, r"MPI_Type_contiguous: count is -1073741824; it must not be negative"),
    "count_of_contents": (0, r"MPI_Type_get_envelope: the datatype was made with large counts"),
    "count_places_overlap": (2, r"MPI_Gatherv_c at .* names bytes that it writes more than once"),
    "count_no_room": (0, r"MPI_Bsend_c: a message of 400 bytes is larger than the attached buffer of 392 bytes"),
    "count_lengths": (1, r"MPI_Allgather_c: rank 1 takes 8 bytes where it gives 4"),
    # files.c
    "file_left": (1, r"MPI_Finalize: 1 file that MPI_File_open made at"),
    "file_modes": (0, r"MPI_File_open: amode is \d+ at rank 1 and \d+ at rank 0"),
    "file_read_only": (0, r"MPI_File_write_at: the file .* was opened with MPI_MODE_RDONLY"),
    "file_part_of_etype": (0, r"MPI_File_write_at: the data are 6 bytes in the file, which is no multiple of the 8 bytes"),
    "file_split_twice": (0, r"MPI_File_read_at_all_begin: a split collective access is under way"),
    "file_split_open": (0, r"MPI_File_close: the file is closed between MPI_File_write_at_all_begin and"),
    "file_other_call": (1, r"rank 1 calls MPI_File_read_at_all.*, rank 0 calls MPI_File_write_at_all"),
    "file_changed": (2, r"the buffer of MPI_File_iwrite_at at .* was changed before MPI_Wait at"),
    "file_backwards": (0, r"MPI_File_set_view: the filetype has data at byte 0 after byte 16"),
    "file_code_ignored": (2, r"note: an error came as a code that the program has not asked about, at files.c:\d+: MPI_File_open: .*nowhere"),
    # intercomms.c
    "intercomm_tags": (0, r"waits for tag 3 from rank 1 on MPI_COMM_WORLD; it has a message .* under tag 4"),
    "intercomm_no_such_rank": (0, r"MPI_Send: rank 1 is outside the communicator, which has 1 remote rank"),
    "intercomm_roots": (1, r"rank 0 names MPI_ROOT, rank 0 of the other group MPI_ROOT, so both groups are the root's"),
    "intercomm_types": (1, r"MPI_Bcast: rank 0 sends elements of another type than this rank expects from it: 2 MPI_INT"),
    "intercomm_in_place": (0, r"MPI_Allreduce: MPI_IN_PLACE is not allowed on an inter-communicator"),
    "intercomm_scan": (0, r"MPI_Scan: a scan is not defined on inter-communicators"),
    # partitions.c
    "partition_never_ready": (0, r"its program to mark partition 3 ready for rank 1"),
    "partition_ready_twice": (0, r"MPI_Pready: partition 1 has been marked ready already"),
    "partition_ready_before_start": (0, r"MPI_Pready_range: the request has not been started"),
    "partition_outside": (0, r"MPI_Pready_range: partition 4 is outside the message, which has 4 partitions"),
    "partition_not_of_receive": (0, r"MPI_Parrived: partition 3 is outside the message, which has 1 partitions"),
    "partition_length": (0, r"MPI_Wait: the message from rank 0 with tag 5 is longer than the receive buffer"),
    "partition_type": (1, r"MPI_Wait: the message from rank 0 with tag 5 has elements of another type"),
    "partition_changed": (2, r"the ready part of the send buffer of MPI_Psend_init at .* was changed before MPI_Wait at"),
    "partition_freed": (1, r"MPI_Request_free at .* frees .* before the program knows that it is complete"),
    # persistent.c
    "persistent_order": (1, r"rank 1 calls MPI_Reduce_init|rank 1 calls MPI_Allreduce_init"),
    "persistent_started_twice": (0, r"MPI_Start: the persistent request has been started already"),
    "persistent_changed": (2, r"the send buffer of MPI_Allreduce_init at .* was changed before MPI_Wait at"),
    "persistent_root": (1, r"rank 1 names the root 1, rank 0 names the root 0"),
    "persistent_types": (1, r"rank 1 takes elements of another type than it gives: 4 MPI_FLOAT, and gives 4 MPI_INT"),
    "persistent_left": (1, r"MPI_Finalize: 1 request that MPI_Bcast_init made at"),
    "persistent_freed": (1, r"MPI_Request_free at .* frees .* before the program knows that it is complete"),
    "persistent_never_started": (0, r"rank 0 calls MPI_Wait on MPI_COMM_WORLD where rank 1 calls MPI_Finalize"),
    # requests.c
    "ready_early": (2, r"MPI_Rsend at .* of rank 0 with tag 5 has sent before MPI_Recv at .* was there to take it"),
    "attached_frame": (2, r"the buffer of MPI_Buffer_attach at .* does not exist any more in MPI_Bsend at"),
    "attached_elsewhere": (0, r"MPI_Bsend: no buffer is attached for buffered sends"),
    "message_left": (1, r"MPI_Finalize: 1 message that MPI_Mprobe made at"),
    "sendrecv_overlaps": (2, r"MPI_Isendrecv at .*: the buffers of this call overlap"),
    "sendrecv_changed": (2, r"the receive buffer of MPI_Isendrecv_replace at .* was changed before MPI_Wait at"),
    # sessions.c
    "session_left": (1, r"MPI_Finalize: 1 session that MPI_Session_init made at"),
    "session_groups_mixed": (1, r"MPI_Group_union at .* is given objects of two sessions"),
    "session_requests_mixed": (1, r"MPI_Waitall at .* is given objects of two sessions"),
    "session_communicator_left": (1, r"MPI_Session_finalize: 1 communicator that MPI_Comm_create_from_group made at"),
    "session_request_left": (2, r"MPI_Session_finalize: 1 request that MPI_Irecv made at"),
    "session_tags": (0, r"rank 0 waits in MPI_Comm_create_from_group for rank 1, rank 1 waits in"),
    "session_unknown_set": (0, r"MPI_Group_from_session_pset: there is no process set called \"app://ocean\""),
    "session_ended": (0, r"MPI_Session_get_num_psets: session .* is not a valid session"),
    # spawn.c
    "spawn_both_wait": (0, r"no rank of 2 jobs that have met can go on"),
    "spawn_type": (1, r"MPI_Recv: .* has elements of another type .*MPI_INT.*takes MPI_FLOAT"),
    "spawn_left": (1, r"MPI_Finalize: 1 communicator that MPI_Comm_spawn made at"),
    "spawn_no_program": (0, r"MPI_Comm_spawn: the new job has ended before its ranks called MPI_Init|there is no file"),
    "port_unknown": (0, r"MPI_Lookup_name: no service called \"lisle_twin_\d+_\d\" is published"),
    # threads.c
    "thread_same_request": (1, r"MPI_Wait: the request is waited for by another thread of the rank already, in MPI_Wait at"),
    "thread_two_makings": (1, r"MPI_Comm_dup.* is called on MPI_COMM_WORLD while another thread of the rank is in MPI_Comm_dup"),
    "thread_finalizes": (1, r"MPI_Finalize at .* is called by another thread than the one that called MPI_Init"),
    "thread_probes": (0, r"rank 0 waits in MPI_Finalize for rank 1, rank 1 waits in MPI_Recv for rank 0"),
    "thread_locks": (0, r"MPI_Win_lock: target 1 is locked already"),
    # topologies.c
    "topology_one_sided": (1, r"rank 0 names 1 as a destination, but rank 1 does not name 0 as a source"),
    "topology_outside": (0, r"MPI_Cart_rank: coordinate 0 is 2, but that dimension has 2 places and is not periodic"),
    "topology_too_large": (0, r"MPI_Cart_create: the grid has more places \(at least 3\) than MPI_COMM_WORLD has ranks"),
    "topology_sizes": (1, r"rank 1 gives the grid, sizes and periods, 1 0, rank 0 gives 2 0"),
    "topology_types": (1, r"MPI_Neighbor_alltoall: rank 1 sends elements of another type .*: MPI_FLOAT"),
    "topology_lengths": (0, r"MPI_Wait: rank 0 sent more than the 4 bytes that this rank expects from it"),
    "topology_none": (0, r"MPI_Neighbor_allgather: MPI_COMM_WORLD has no topology"),
    # types.c
    "type_not_committed": (0, r"MPI_Bcast: datatype is a datatype that was not committed"),
    "type_freed": (0, r"MPI_Bcast: datatype .* is not a valid datatype"),
    "type_outside_array": (0, r"MPI_Type_create_subarray: array_of_starts\[0\] is 3, which is not in 0..2"),
    "type_no_such_result": (0, r"MPI_Allreduce: MPI_MINLOC is not defined for MPI_INT"),
    "type_overlaps": (2, r"MPI_Recv at .* names bytes that it writes more than once"),
    "type_unpacked_beyond": (0, r"MPI_Unpack: the data have 12 bytes, but the packed buffer only has 8"),
    "type_of_processes": (0, r"MPI_Type_create_darray: the process grid has 3 places, but size is 2"),
    "type_host_variable": (2, r"MPI_Recv at .* writes 8 MPI_INT in the variable field, whose elements are of type double"),
    # windows.c
    "window_same_op": (1, r"update bytes 0 to 3 of rank 0's part with MPI_(SUM and MPI_PROD|PROD and MPI_SUM), although"),
    "window_noput": (1, r"rank 0 \(MPI_Put at .*\) writes to the part of rank 1 \(MPI_Win_fence at .*MPI_MODE_NOPUT"),
    "window_outside": (0, r"MPI_Put: the data at displacement 3 \(times 4 bytes\) of target \d take bytes 0 to 8"),
    "window_not_attached": (0, r"MPI_Put: target \d has not attached the 4 bytes"),
    "window_attached_twice": (0, r"MPI_Win_attach: the 16 bytes at .* overlap with memory that is attached"),
    "window_no_epoch": (0, r"MPI_Put: target \d is accessed outside of an epoch"),
    "window_freed_locked": (0, r"MPI_Win_free: the window is freed although all targets are locked"),
    "window_other_group": (0, r"rank 1 waits in MPI_Win_wait for itself"),
    "window_compared_type": (0, r"MPI_Compare_and_swap: compare_and_swap takes integers, logicals and bytes only"),
    "window_no_locks": (0, r"MPI_Win_lock: the window was made with the hint no_locks"),
    "window_result_changed": (2, r"the result buffer of MPI_Fetch_and_op at .* was changed before MPI_Win_unlock_all at"),
    "window_request_left": (2, r"MPI_Finalize: 1 request that MPI_Rput made at"),
    # twins.cpp
    "exception_passes": (2, r"the buffer of MPI_Isend at .* does not exist any more"),
    "vector_grows": (2, r"the send buffer of MPI_Isend at .* was changed|the buffer of MPI_Isend at .* does not exist any more"),
    "destructor_late": (0, r"MPI_Type_free: called after MPI_Finalize"),
    "closure_refers": (2, r"the buffer of MPI_Irecv at .* does not exist any more"),
    "objects_differ": (1, r"rank 1 names elements of another type than rank 0: 4 of \{3 MPI_FLOAT, MPI_INT\}"),
    "fence_denies": (2, r"MPI_Win_fence at .* says MPI_MODE_NOPRECEDE, but there are accesses since MPI_Win_fence at"),
    "duplicate_early": (0, r"MPI_Bcast: comm is a communicator that MPI_Comm_idup has begun to make"),
    # twins.f90
    "f08_type": (1, r"MPI_Recv: .* has elements of another type .*: 4 MPI_DOUBLE.*takes 8 MPI_FLOAT"),
    "f08_kind": (2, r"MPI_Bcast at .* in the variable field, whose elements are of type real\(kind=8\)"),
    "f08_returned": (2, r"the buffer of MPI_Isend at .* does not exist any more"),
    "f08_section": (2, r"the send buffer of MPI_Isend at .* was changed before MPI_Wait at"),
    "mpi_left": (1, r"MPI_Finalize: 1 datatype that MPI_Type_vector made at"),
    "mpi_section": (2, r"the send buffer of MPI_Isend at .* was changed before MPI_Wait at"),
    "old_both_receive": (0, r"rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Recv for rank 0"),
    "old_root": (1, r"rank 1 names the root 1, rank 0 names the root 0"),
}


def is_continued(source, before):
    """Whether the statement of a line that comes after this one begins there, or even before."""
    if source.suffix == ".f90":
        return before.endswith("&")
    return not re.search(r"([;{}:]|\*/|^)$", before.split(" // ")[0].strip())


def beginning(source, lines, number):
    """The line in which the statement begins that a mark in this one is of: one that stands alone is of the next."""
    if lines[number - 1].strip().startswith("/*"):
        return number + 1
    while is_continued(source, lines[number - 2].strip()):
        number -= 1
    return number


def marked(sources):
    """The mistakes by name: where a report has to say that they are, as "file:line"."""
    found = {}
    for source in sources:
        lines = source.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            for names in re.findall(r"(?:/\*|//|!) A ([a-z0-9_ ]+?)(?: \*/)?$", line):
                place = f"{source.name}:{beginning(source, lines, number)}"
                for name in names.split():
                    found.setdefault(name, []).append(place)
    return found


def mistakes_of(sources):
    return [name for name in NAMED
            if any(re.search(rf"\b{name}\b['\"]", source.read_text()) for source in sources)]


def main():
    launcher, kind, levels, *rest = sys.argv[1:]
    programs = []
    for word in rest:
        if word == "--":
            programs.append([])
        else:
            programs[-1].append(word)

    def make(folder, level, program, *arguments):
        return run(launcher, "-n", "2", "--ranks", kind, program, *arguments, status=None, cwd=folder,
                   env={**os.environ, "LISLE_CHECK": str(level)})

    def look_at(folder, program, name, places):
        level, sentence = NAMED[name]
        wrong = make(folder, level, program, name)
        about = f"{kind}: {name} at level {level}: exit code {wrong.returncode}\n{wrong.stderr}"
        expect(re.search(sentence, wrong.stderr), f"not named: {about}")
        for place in places:
            expect(place in wrong.stderr, f"{place} is not there: {about}")
        for level in levels.split(","):
            twin = make(folder, level, program, name, "right")
            expect(twin.returncode == 0 and not twin.stderr,
                   f"{kind}: the twin of {name} at level {level}: exit code {twin.returncode}\n{twin.stderr}")

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as workers:
        for program, *sources in programs:
            sources = [pathlib.Path(source) for source in sources]
            places = marked(sources)
            names = mistakes_of(sources)
            list(workers.map(lambda name: look_at(folder, program, name, places.get(name, [])), names))


if __name__ == "__main__":
    main()

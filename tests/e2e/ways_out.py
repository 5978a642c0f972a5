"""Tries every way out of a confinement that is known, and prints for each how it ended.

    ways_out.py FACTS     FACTS: a file of NAME=VALUE lines, which say what is there to be harmed

A line for each: CATEGORY <tab> NAME <tab> stopped | open | absent | later <tab> why <tab> row. `open` ones
name the row of `git txn version --enforces` that says so; `absent` is what this machine, or this user, has not
got; `later` ones are judged by what became of them when the command had ended. What is changed where nothing
stops it is put back at once, and nothing that would hurt the machine itself is here."""
import ctypes
import errno
import fcntl
import os
import socket
import sys
import termios

sys.dont_write_bytecode = True  # nothing beside the program is ours
from ways_base import (
    FACTS, HOME, TREE, REPO, OTHER, ELSEWHERE, VICTIM, FILE, TMP, ATTEMPT, Absent, call, opened, write, run)
from ways_by_files import (
    linked_file, hard_link, exchange, moved, temporary_file, by_ring, from_memory, same_mode, fchmod,
    chmod_by_link, same_times, attribute, set_flags, remount, bind, unmount, new_mount, set_attributes,
    detached_copy, new_namespaces, others_namespace, others_namespaces, changed_root)
from ways_by_programs import (
    pid_signal, thread_signal, queued_signal, signal_by_descriptor, own_run, trace, write_memory,
    others_descriptor, connect, send, known_daemon, raw_packets, network_device, terminal, others_terminal,
    device, disk, there, scheduled, program, control_group, reached, host_name, set_user_program, gained_rights,
    shared_memory, others_memory, queue, key, limits, disk_priority, memory_score, handle, delete_objects,
    database, verb, compensation)

NETWORK = "What a confined command does on the network"
DAEMONS = "What programs that already run do for a confined command"
KERNEL = "What the kernel keeps for a user beside files"
LATER = "What a confined command leaves for later in caches"
LEFT = "What a confined command leaves for later in its worktree"
TEMPORARY = "Files in temporary directories"
# Without a mount namespace nobody keeps modes, owners, times and attributes back.
MODES = None if FACTS["namespaces"] == "yes" else "Modes, owners, times and attributes of files outside"
GIVEN = "Modes, owners, times and attributes of files outside"

PARENT = os.getppid()
LATER_ON = object()  # judged afterwards, by exit status or by what is there
WAYS = [
    ("writes", "make a file", lambda: write(HOME + "/made")),
    ("writes", "write a file", lambda: write(FILE)),
    ("writes", "append to a file", lambda: opened(HOME + "/.profile", os.O_WRONLY | os.O_APPEND)),
    ("writes", "truncate a file", lambda: os.truncate(FILE, 0)),
    ("writes", "remove a file", lambda: os.unlink(FILE)),
    ("writes", "make a directory", lambda: os.mkdir(HOME + "/made")),
    ("writes", "remove a directory", lambda: os.rmdir(HOME + "/empty")),
    ("writes", "rename a file", lambda: os.rename(FILE, HOME + "/.ssh/moved")),
    ("writes", "take a file into the worktree", lambda: os.rename(FILE, TREE + "/moved")),
    ("writes", "exchange a file with one's own", exchange),
    ("writes", "move the repository", lambda: moved(FACTS["top"])),
    ("writes", "link a nameless file", temporary_file),
    ("writes", "write another directory", lambda: write(ELSEWHERE + "/made")),
    ("writes", "edit the checkout", lambda: write(REPO + "/README")),
    ("writes", "write by io_uring", lambda: by_ring(HOME + "/made")),
    ("writes", "write by a program from memory", from_memory),
    ("writes", "write by handle", handle),
    ("writes", "write what standard input was opened from", lambda: opened("/proc/self/fd/0", os.O_WRONLY)),
    ("links", "make a symbolic link", lambda: os.symlink("/", HOME + "/made")),
    ("links", "link a file into the worktree", lambda: hard_link(TREE)),
    ("links", "link a file into a temporary directory", lambda: hard_link(TMP)),
    ("links", "write through a link", linked_file),
    ("links", "write through /proc/self/root", lambda: write("/proc/self/root" + FILE)),
    ("links", "write through the parent's root", lambda: write("/proc/%d/root%s" % (PARENT, FILE))),
    ("links", "write through a process outside", lambda: write("/proc/%d/root%s" % (VICTIM, FILE))),
    ("links", "write through its directory", lambda: write("/proc/%d/cwd/made" % VICTIM)),
    ("links", "write through its descriptor",
     lambda: opened("/proc/%d/fd/%s" % (VICTIM, FACTS["held"]), os.O_WRONLY)),
    ("mounts", "remount", remount),
    ("mounts", "mount over", bind),
    ("mounts", "mount something new", new_mount),
    ("mounts", "unmount", unmount),
    ("mounts", "change a mount", set_attributes),
    ("mounts", "change a copy of a mount", detached_copy),
    ("mounts", "mount in new namespaces", new_namespaces),
    ("mounts", "enter the namespace outside", lambda: others_namespace(VICTIM)),
    ("mounts", "enter the namespace outside by process", others_namespaces),
    ("mounts", "leave by another root", changed_root),
    ("mounts", "change the root", lambda: call(155, b".", b".")),
    ("mounts", "make a file system of one's own", lambda: there("/dev/fuse", lambda path: opened(path, os.O_RDWR))),
    ("metadata", "chmod", lambda: same_mode(HOME + "/.ssh"), MODES),
    ("metadata", "chmod by descriptor", lambda: fchmod(os.open(HOME + "/.ssh", os.O_RDONLY)), MODES),
    ("metadata", "chmod by link", chmod_by_link, MODES),
    ("metadata", "chmod what standard input was opened from", lambda: fchmod(0), MODES),
    ("metadata", "chmod what standard error goes to", lambda: fchmod(2), GIVEN),
    ("metadata", "chown", lambda: os.chown(FILE, os.getuid(), os.getgid()), MODES),
    ("metadata", "set times", same_times, MODES),
    ("metadata", "set an attribute", attribute, MODES),
    ("metadata", "set flags", set_flags, MODES),
    ("metadata", "chmod the store", lambda: same_mode(REPO + "/.git/txn/kernel.db"), MODES),
    ("signals", "kill", lambda: os.kill(VICTIM, 15)),
    ("signals", "kill by descriptor of a process", pid_signal),
    ("signals", "kill a thread", thread_signal),
    ("signals", "queue a signal", queued_signal),
    ("signals", "have the kernel signal", signal_by_descriptor),
    ("signals", "kill another transaction's agent", lambda: os.kill(int(FACTS["agent"]), 9)),
    ("signals", "kill what watches it", lambda: os.kill(int(FACTS["supervisor"]), 9)),
    ("signals", "kill what watches oneself", own_run),
    ("processes", "trace a process", lambda: trace(VICTIM)),
    ("processes", "write a process's memory", write_memory),
    ("processes", "open a process's memory", lambda: opened("/proc/%d/mem" % VICTIM, os.O_RDWR)),
    ("processes", "take a process's descriptor", others_descriptor),
    ("processes", "run a program as its owner", set_user_program),
    ("processes", "gain rights by a file", gained_rights),
    ("processes", "limit a process", limits, KERNEL),
    ("processes", "nice a process", lambda: os.setpriority(os.PRIO_PROCESS, VICTIM, os.getpriority(0, VICTIM)), KERNEL),
    ("processes", "bind a process to processors",
     lambda: os.sched_setaffinity(VICTIM, os.sched_getaffinity(VICTIM)), KERNEL),
    ("processes", "set a process's disk priority", disk_priority, KERNEL),
    ("processes", "offer a process to be killed first", memory_score, KERNEL),
    ("processes", "share memory", shared_memory, KERNEL),
    ("processes", "write shared memory of others", others_memory, KERNEL),
    ("processes", "make a message queue", queue, KERNEL),
    ("processes", "keep a key", key, KERNEL),
    ("sockets", "connect to an abstract socket",
     lambda: connect(socket.SOCK_STREAM, socket.AF_UNIX, "\0" + FACTS["abstract"])),
    ("sockets", "send to an abstract socket", lambda: send("\0" + FACTS["abstract"] + ".dgram")),
    ("sockets", "connect to a daemon", lambda: connect(socket.SOCK_STREAM, socket.AF_UNIX, FACTS["socket"]), DAEMONS),
    ("sockets", "send to a daemon", lambda: send(FACTS["socket"] + ".dgram"), DAEMONS),
    ("sockets", "ask Docker", lambda: known_daemon("/var/run/docker.sock"), DAEMONS),
    ("sockets", "ask the system's bus", lambda: known_daemon("/run/dbus/system_bus_socket"), DAEMONS),
    ("sockets", "ask the ssh agent", lambda: known_daemon(os.environ.get("SSH_AUTH_SOCK")), DAEMONS),
    ("sockets", "have systemd run something", lambda: program("systemd-run", "--user", "true"), DAEMONS),
    ("sockets", "connect to the network",
     lambda: connect(socket.SOCK_STREAM, socket.AF_INET, ("127.0.0.1", int(FACTS["port"]))), NETWORK),
    ("sockets", "send packets of any kind", raw_packets, NETWORK),
    ("sockets", "set a network device", network_device),
    ("terminal", "type into the terminal", lambda: terminal(0x5412)),
    ("terminal", "paste into the terminal", lambda: terminal(0x541C)),
    ("terminal", "type into another terminal", lambda: others_terminal(lambda fd: fcntl.ioctl(fd, 0x5412, b"x"))),
    ("terminal", "write to another terminal", lambda: others_terminal(lambda fd: os.write(fd, b"x")), KERNEL),
    ("terminal", "set another terminal",
     lambda: others_terminal(lambda fd: termios.tcsetattr(fd, termios.TCSANOW, termios.tcgetattr(fd))), KERNEL),
    ("machine", "set what is run for a crash", lambda: opened("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
    ("machine", "set what is run for a device", lambda: there("/sys/kernel/uevent_helper",
                                                              lambda path: opened(path, os.O_WRONLY))),
    ("machine", "ask the kernel for a reset", lambda: opened("/proc/sysrq-trigger", os.O_WRONLY)),
    ("machine", "make a control group", control_group),
    ("machine", "make a device", device),
    ("machine", "open a disk", disk),
    ("machine", "name the machine", host_name),
    ("machine", "remove a module", lambda: reached(lambda: call(176, b"git_txn_none", 0o4000))),
    ("machine", "stop swapping", lambda: reached(lambda: call(168, b"/nonexistent"))),
    ("machine", "reboot", lambda: reached(lambda: call(169, 0, 0, 0, 0))),
    ("machine", "load a filter into the kernel",
     lambda: reached(lambda: call(321, 5, ctypes.create_string_buffer(128), 128))),
    ("machine", "have cron run something", lambda: scheduled("/etc/cron.d")),
    ("machine", "have a user's cron run something", lambda: scheduled("/var/spool/cron")),
    ("machine", "have at run something", lambda: program("at", "-l")),
    ("compensations", "leave one that makes a file", lambda: compensation("touch", HOME + "/by-compensation"), LATER_ON),
    ("compensations", "leave one that kills", lambda: compensation("sh", "-c", "kill %d" % VICTIM), LATER_ON),
    ("compensations", "leave one that writes the store",
     lambda: compensation("sh", "-c", "echo x >>'%s/.git/txn/kernel.db'" % REPO), LATER_ON),
    ("compensations", "leave one that runs another transaction",
     lambda: compensation("git", "-C", REPO, "txn", "run", "--confine", "off", "--", "touch", HOME + "/by-another"), LATER_ON),
    ("compensations", "register one that is not confined", lambda: run("git", "txn", "compensate", "--", "true", env={
        name: value for name, value in os.environ.items() if name != "GIT_TXN_OBSERVED"})),
    ("store", "edit the configuration", lambda: write(REPO + "/.git/config")),
    ("store", "set a configuration", lambda: run("git", "-C", REPO, "config", "core.fsmonitor", "false")),
    ("store", "add a hook", lambda: write(REPO + "/.git/hooks/post-commit")),
    ("store", "add attributes", lambda: write(REPO + "/.git/info/attributes")),
    ("store", "add a place of objects", lambda: write(REPO + "/.git/objects/info/alternates")),
    ("store", "write the index of the checkout", lambda: opened(REPO + "/.git/index", os.O_WRONLY)),
    ("store", "move a branch", lambda: run("git", "-C", REPO, "update-ref", "refs/heads/side", "HEAD")),
    ("store", "name work as kept", lambda: write(REPO + "/.git/refs/txn/made")),
    ("store", "pack references", lambda: run("git", "-C", REPO, "pack-refs", "--all")),
    ("store", "remove an object", delete_objects),
    ("store", "push over the branch", lambda: run("git", "push", "-q", "--no-verify", "txn-target", "HEAD:main")),
    ("store", "write the store", lambda: database("kernel.db")),
    ("store", "write the store's log", lambda: opened(REPO + "/.git/txn/kernel.db-wal", os.O_WRONLY)),
    ("store", "remove a lock of the store", lambda: os.unlink(REPO + "/.git/txn/kernel.lock")),
    ("store", "say that the store is damaged", lambda: write(REPO + "/.git/txn/damaged")),
    ("store", "approve a proposal", lambda: verb("promote", FACTS["proposal"], "--approve")),
    ("store", "abort another transaction", lambda: verb("abort", FACTS["open"])),
    ("store", "trust a policy", lambda: verb("trust")),
    ("store", "set a budget", lambda: verb("budget", "set", "--wall", "1h")),
    ("store", "run something unconfined",
     lambda: verb("run", "--confine", "off", "--", "touch", HOME + "/made")),
    ("store", "run something in another transaction",
     lambda: verb("exec", FACTS["open"], "--confine", "off", "--", "touch", HOME + "/made")),
    ("worktree", "write another worktree", lambda: write(OTHER + "/README")),
    ("worktree", "make a file in another worktree", lambda: write(OTHER + "/made")),
    ("worktree", "chmod another worktree", lambda: same_mode(OTHER), MODES),
    ("worktree", "configure another worktree", lambda: opened(OTHER + "/.git/config", os.O_WRONLY)),
    ("worktree", "add a hook to another worktree", lambda: write(OTHER + "/.git/hooks/post-commit")),
    ("worktree", "move another worktree", lambda: moved(os.path.dirname(OTHER))),
    ("worktree", "move one's own from below git-txn", lambda: moved(ATTEMPT)),
    ("worktree", "forge what one has read", lambda: opened(ATTEMPT + "/trace.1", os.O_WRONLY)),
    ("worktree", "unmark one's own", lambda: os.unlink(ATTEMPT + "/git-txn.worktree")),
    ("later", "leave something in a cache", lambda: write(FACTS["cache"] + "/way-out"), LATER),
    ("later", "leave a configuration in the worktree", lambda: run("git", "config", "alias.way", "out"), LEFT),
    ("later", "leave a hook in the worktree", lambda: write(TREE + "/.git/hooks/post-merge"), LEFT),
    ("later", "write a temporary file of others", lambda: write(FACTS["temporary"]), TEMPORARY),
]

for category, name, way, *row in WAYS:
    try:
        way()
        how, why = "open", ""
    except Absent as error:
        how, why = "absent", str(error)
    except OSError as error:
        how, why = "stopped", errno.errorcode.get(error.errno, str(error))
    if row == [LATER_ON]:
        how, row = "later" if how == "open" else how, []
    print(category, name, how, why, *filter(None, row), sep="\t", flush=True)

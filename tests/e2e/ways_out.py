"""Tries every way out of a confinement that is known, and prints for each how it ended.

    ways_out.py FACTS     FACTS: a file of NAME=VALUE lines, which say what is there to be harmed

A line for each: NAME <tab> stopped | open | absent <tab> why <tab> row. `open` ones name the row of
`git txn version --enforces` that says so; `absent` is what this machine has not got. Nothing that would
hurt the machine itself, were it not stopped, is here."""
import ctypes
import errno
import os
import socket
import subprocess
import sys

FACTS = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1]))
HOME, TREE, REPO = FACTS["home"], os.getcwd(), FACTS["repo"]
OTHER, ELSEWHERE = FACTS["other"], FACTS["elsewhere"]
VICTIM = int(FACTS["victim"])
FILE = HOME + "/.ssh/config"
libc = ctypes.CDLL(None, use_errno=True)

NETWORK = "What a confined command does on the network"
DAEMONS = "What programs that already run do for a confined command"
KERNEL = "What the kernel keeps for a user beside files"
LATER = "What a confined command leaves for later"
TEMPORARY = "Files in temporary directories"


class Absent(Exception):
    """What this machine has not got."""


def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        code = ctypes.get_errno()
        if code == errno.ENOSYS:
            raise Absent("no such call")
        raise OSError(code, os.strerror(code))
    return result


def checked(result):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def opened(path, flags, mode=0o600):
    os.close(os.open(path, flags, mode))


def write(path, text=b"x"):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)


def run(*argv, **options):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, **options)
    if done.returncode != 0:
        said = done.stdout.decode(errors="replace").strip().splitlines() or [""]
        raise PermissionError(errno.EPERM, said[0])


def in_child(work):
    """For what changes the process that does it."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "open"
        try:
            work()
        except Absent as error:
            said = "absent " + str(error)
        except OSError as error:
            said = str(error.errno or errno.EPERM)
        os.write(write_end, said.encode())
        os._exit(0)
    os.close(write_end)
    said = os.read(read_end, 200).decode()
    os.close(read_end)
    os.waitpid(pid, 0)
    if said.startswith("absent"):
        raise Absent(said[7:])
    if said != "open":
        raise OSError(int(said), os.strerror(int(said)))


def linked_file():
    os.symlink(FILE, TREE + "/link-to-config")
    try:
        write(TREE + "/link-to-config")
    finally:
        os.unlink(TREE + "/link-to-config")


def hard_link():
    os.link(FILE, TREE + "/hard-link")
    os.unlink(TREE + "/hard-link")


def temporary_file():
    descriptor = os.open(HOME, os.O_TMPFILE | os.O_WRONLY, 0o600)
    os.link("/proc/self/fd/%d" % descriptor, HOME + "/made", follow_symlinks=True)


def fchmod():
    descriptor = os.open(HOME + "/.ssh", os.O_RDONLY)
    os.fchmod(descriptor, 0)


def chmod_by_link():
    descriptor = os.open(HOME + "/.ssh", os.O_PATH)
    os.chmod("/proc/self/fd/%d" % descriptor, 0)


def set_flags():
    import fcntl
    import struct
    descriptor = os.open(FILE, os.O_RDONLY)
    fcntl.ioctl(descriptor, 0x40086602, struct.pack("l", 0x40))  # FS_IOC_SETFLAGS, no dump


MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18


def remount():
    for place in (HOME, REPO, FACTS["top"]):
        if libc.mount(None, place.encode(), None, MS_REMOUNT | MS_BIND, None) == 0:
            write(HOME + "/made")
    raise OSError(ctypes.get_errno(), "remount")


def bind():
    checked(libc.mount(TREE.encode(), (HOME + "/.ssh").encode(), None, MS_BIND, None))


def unmount():
    for place in (REPO, HOME, FACTS["top"]):
        if libc.umount2(place.encode(), 0) == 0:
            write(FILE)
    raise OSError(ctypes.get_errno(), "umount")


def clear_read_only(at=-100, path=b"/"):
    attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # attr_clr = MOUNT_ATTR_RDONLY
    call(442, at, path, 0x8000 | (0x1000 if not path else 0), ctypes.byref(attributes), 32)


def set_attributes():
    clear_read_only()
    os.chmod(HOME + "/.ssh", 0)


def detached_copy():
    copy = call(428, -100, HOME.encode(), 1)
    clear_read_only(copy, b"")
    os.chmod("/proc/self/fd/%d/.ssh" % copy, 0)


def new_namespaces():
    def work():
        checked(libc.unshare(0x10000000 | 0x00020000))  # user and mount
        try:
            clear_read_only()
        except OSError:
            remount()
        os.chmod(HOME + "/.ssh", 0)
    in_child(work)


def others_namespace(pid):
    def work():
        descriptor = os.open("/proc/%d/ns/mnt" % pid, os.O_RDONLY)
        checked(libc.setns(descriptor, 0))
        os.chmod(HOME + "/.ssh", 0)
    in_child(work)


def changed_root():
    def work():
        os.chroot(TREE)
        os.chdir("/")
        for _ in range(30):
            os.chdir("..")
        os.chroot(".")
        write(FILE)
    in_child(work)


def pid_signal():
    call(424, os.pidfd_open(VICTIM), 15, None, 0)


def trace(pid):
    checked(libc.ptrace(0x4206, pid, None, None) and 1)  # PTRACE_SEIZE


def write_memory():
    buffer = ctypes.create_string_buffer(b"x", 1)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 1)
    remote = (ctypes.c_void_p * 2)(0x400000, 1)
    call(311, VICTIM, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)


def others_descriptor():
    call(438, os.pidfd_open(VICTIM), 0, 0)  # pidfd_getfd


def connect(kind, family, address):
    with socket.socket(family, kind) as one:
        one.settimeout(5)
        one.connect(address)


def send(address):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", address)


def terminal(request):
    import fcntl
    import pty
    try:
        _, slave = pty.openpty()
    except OSError as error:
        raise SystemExit("no terminal can be had, which is no way out: " + str(error))
    fcntl.ioctl(slave, request, b"\x02x")


def device():
    path = TREE + "/disk"
    os.mknod(path, 0o600 | 0o060000, os.makedev(254, 0))
    try:
        opened(path, os.O_RDWR)
    finally:
        os.unlink(path)


def disk():
    for name in ("vda", "sda", "nvme0n1", "mem"):
        if os.path.exists("/dev/" + name):
            return opened("/dev/" + name, os.O_WRONLY)
    raise Absent("no disk is seen here")


def host_name():
    name = socket.gethostname().encode()
    checked(libc.sethostname(name, len(name)))


def shared_memory():
    segment = libc.shmget(os.getpid(), 4096, 0o1600)
    checked(0 if segment >= 0 else -1)
    libc.shmctl(segment, 0, None)  # IPC_RMID


def limits():
    import resource
    resource.prlimit(VICTIM, resource.RLIMIT_CORE, (0, 0))


def handle():
    buffer = ctypes.create_string_buffer(128 + 8)
    ctypes.cast(buffer, ctypes.POINTER(ctypes.c_uint32))[0] = 128
    mount = ctypes.c_int()
    call(303, -100, FILE.encode(), buffer, ctypes.byref(mount), 0)
    at = os.open(HOME, os.O_RDONLY)
    os.close(call(304, at, buffer, os.O_WRONLY))


def delete_objects():
    for folder, _, files in os.walk(REPO + "/.git/objects"):
        for name in files:
            return os.unlink(os.path.join(folder, name))
    raise Absent("no object")


def database():
    import sqlite3
    try:
        with sqlite3.connect(REPO + "/.git/txn/kernel.db", timeout=2) as store:
            store.execute("CREATE TABLE way_out (x)")
    except sqlite3.OperationalError as error:
        raise PermissionError(errno.EROFS, str(error)) from error


UNSET = {name: value for name, value in os.environ.items() if name != "GIT_TXN_ID"}


def verb(*words):
    run("git", "txn", *words, cwd=REPO, env=UNSET)


PARENT = os.getppid()
WAYS = [
    ("make a file", lambda: write(HOME + "/made")),
    ("write a file", lambda: write(FILE)),
    ("append to a file", lambda: opened(HOME + "/.profile", os.O_WRONLY | os.O_APPEND)),
    ("truncate a file", lambda: os.truncate(FILE, 0)),
    ("remove a file", lambda: os.unlink(FILE)),
    ("make a directory", lambda: os.mkdir(HOME + "/made")),
    ("remove a directory", lambda: os.rmdir(HOME + "/empty")),
    ("rename a file", lambda: os.rename(FILE, HOME + "/.ssh/moved")),
    ("take a file into the worktree", lambda: os.rename(FILE, TREE + "/moved")),
    ("move the repository", lambda: os.rename(FACTS["top"], FACTS["top"] + ".moved")),
    ("link a nameless file", temporary_file),
    ("write another directory", lambda: write(ELSEWHERE + "/made")),
    ("edit the checkout", lambda: write(REPO + "/README")),
    ("edit the configuration", lambda: write(REPO + "/.git/config")),
    ("add a hook", lambda: write(REPO + "/.git/hooks/post-commit")),
    ("move a branch", lambda: run("git", "-C", REPO, "update-ref", "refs/heads/side", "HEAD")),
    ("remove an object", delete_objects),
    ("push over the branch", lambda: run("git", "push", "-q", "--no-verify", "txn-target", "HEAD:main")),
    ("make a symbolic link", lambda: os.symlink("/", HOME + "/made")),
    ("link a file into the worktree", hard_link),
    ("write through a link", linked_file),
    ("write through /proc/self/root", lambda: write("/proc/self/root" + FILE)),
    ("write through the parent's root", lambda: write("/proc/%d/root%s" % (PARENT, FILE))),
    ("write through a process outside", lambda: write("/proc/%d/root%s" % (VICTIM, FILE))),
    ("write by handle", handle),
    ("remount", remount),
    ("mount over", bind),
    ("unmount", unmount),
    ("change a mount", set_attributes),
    ("change a copy of a mount", detached_copy),
    ("mount in new namespaces", new_namespaces),
    ("enter the namespace outside", lambda: others_namespace(VICTIM)),
    ("leave by another root", changed_root),
    ("chmod", lambda: os.chmod(HOME + "/.ssh", 0)),
    ("chmod by descriptor", fchmod),
    ("chmod by link", chmod_by_link),
    ("chown", lambda: os.chown(FILE, os.getuid(), os.getgid())),
    ("set times", lambda: os.utime(FILE, (1, 1))),
    ("set an attribute", lambda: os.setxattr(FILE, "user.way", b"out")),
    ("set flags", set_flags),
    ("chmod the store", lambda: os.chmod(REPO + "/.git/txn/kernel.db", 0)),
    ("kill", lambda: os.kill(VICTIM, 15)),
    ("kill by descriptor", pid_signal),
    ("kill another transaction's agent", lambda: os.kill(int(FACTS["agent"]), 9)),
    ("kill what watches it", lambda: os.kill(int(FACTS["supervisor"]), 9)),
    ("trace a process", lambda: trace(VICTIM)),
    ("write a process's memory", write_memory),
    ("take a process's descriptor", others_descriptor),
    ("limit a process", limits, KERNEL),
    ("share memory", shared_memory, KERNEL),
    ("connect to an abstract socket", lambda: connect(socket.SOCK_STREAM, socket.AF_UNIX, "\0" + FACTS["abstract"])),
    ("send to an abstract socket", lambda: send("\0" + FACTS["abstract"] + ".dgram")),
    ("connect to a daemon", lambda: connect(socket.SOCK_STREAM, socket.AF_UNIX, FACTS["socket"]), DAEMONS),
    ("connect to the network", lambda: connect(socket.SOCK_STREAM, socket.AF_INET, ("127.0.0.1", int(FACTS["port"]))),
     NETWORK),
    ("type into the terminal", lambda: terminal(0x5412)),
    ("paste into the terminal", lambda: terminal(0x541C)),
    ("set the machine", lambda: opened("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
    ("make a device", device),
    ("open a disk", disk),
    ("name the machine", host_name),
    ("write the store", database),
    ("remove a lock of the store", lambda: os.unlink(REPO + "/.git/txn/kernel.lock")),
    ("approve a proposal", lambda: verb("promote", FACTS["proposal"], "--approve")),
    ("abort another transaction", lambda: verb("abort", FACTS["open"])),
    ("write another worktree", lambda: write(OTHER + "/README")),
    ("make a file in another worktree", lambda: write(OTHER + "/made")),
    ("chmod another worktree", lambda: os.chmod(OTHER, 0)),
    ("leave something in a cache", lambda: write(FACTS["cache"] + "/way-out"), LATER),
    ("write a temporary file of others", lambda: write(FACTS["temporary"]), TEMPORARY),
]

for name, way, *row in WAYS:
    try:
        way()
        how, why = "open", ""
    except Absent as error:
        how, why = "absent", str(error)
    except OSError as error:
        how, why = "stopped", errno.errorcode.get(error.errno, str(error))
    print(name, how, why, *row, sep="\t", flush=True)

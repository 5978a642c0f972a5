"""Ways out of a confinement by processes, sockets, terminals, the machine and git-txn itself. For ways_out.py."""
import ctypes
import errno
import fcntl
import os
import pty
import shutil
import socket
import struct
import subprocess
import time

from ways_base import (
    FACTS, HOME, TREE, REPO, VICTIM, FILE, libc, TMP, ROOT, Absent, call, checked, opened, write, run)


def pid_signal():
    call(424, os.pidfd_open(VICTIM), 15, None, 0)


def thread_signal():
    call(234, VICTIM, VICTIM, 15)  # tgkill


def queued_signal():
    information = ctypes.create_string_buffer(struct.pack("iiiiII", 15, 0, -1, 0, os.getpid(), os.getuid()), 128)
    call(129, VICTIM, 15, information)


def signal_by_descriptor():
    """The kernel signals whoever is named the owner of a descriptor. It ends them, as they do not expect it."""
    mine, theirs = socket.socketpair()
    fcntl.fcntl(mine, fcntl.F_SETOWN, VICTIM)
    fcntl.fcntl(mine, fcntl.F_SETFL, fcntl.fcntl(mine, fcntl.F_GETFL) | os.O_ASYNC)
    theirs.send(b"x")
    time.sleep(0.2)
    with open("/proc/%d/stat" % VICTIM) as stat:
        if stat.read().split(") ")[1][0] != "Z":
            raise PermissionError(errno.EPERM, "no signal came")


def ancestors():
    pid = os.getppid()
    while pid > 1:
        with open("/proc/%d/stat" % pid) as stat:
            name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
        yield pid, name
        pid = int(rest.split()[1])


def own_run():
    """Signal 0 asks no more than whether it may be done. The highest of them was not started by us."""
    above = [pid for pid, name in ancestors() if name.startswith("git-txn")]
    if not above:
        raise Absent("no git-txn is above")
    for pid in above:
        os.kill(pid, 0)


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


def known_daemon(*paths):
    for path in paths:
        if path and os.path.exists(path):
            return connect(socket.SOCK_STREAM, socket.AF_UNIX, path)
    raise Absent("none listens here")


def raw_packets():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


def network_device():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        flags = fcntl.ioctl(one, 0x8913, struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(one, 0x8914, flags)  # SIOCSIFFLAGS, the same


def terminal(request):
    _, slave = pty.openpty()
    fcntl.ioctl(slave, request, b"\x02x")


def others_terminal(work):
    descriptor = os.open(FACTS["terminal"], os.O_RDWR | os.O_NOCTTY)
    try:
        work(descriptor)
    finally:
        os.close(descriptor)


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


def there(path, way):
    if not os.path.exists(path):
        raise Absent("there is no " + path)
    way(path)


def scheduled(folder):
    if not os.path.isdir(folder):
        raise Absent("there is no " + folder)
    write(folder + "/git-txn-way-out", b"# left by a test\n")
    os.unlink(folder + "/git-txn-way-out")


def program(name, *words):
    if shutil.which(name) is None:
        raise Absent("there is no " + name)
    run(name, *words)


def control_group():
    for folder in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if os.path.exists(folder + "/cgroup.procs"):
            os.mkdir(folder + "/git-txn-way-out")
            return os.rmdir(folder + "/git-txn-way-out")
    raise Absent("there are no control groups")


def reached(work):
    """Whatever it says but that it may not be done: it could be done with other arguments."""
    try:
        work()
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.EROFS):
            raise


def host_name():
    name = socket.gethostname().encode()
    checked(libc.sethostname(name, len(name)))


def set_user_program():
    """Whether one that belongs to root runs as root: then the loader keeps silent about it."""
    for name in ("su", "mount", "passwd"):
        path = shutil.which(name)
        if path and os.stat(path).st_mode & 0o4000:
            break
    else:
        raise Absent("there is no such program")
    said = subprocess.run([path, "--version"], env={"LD_SHOW_AUXV": "1"}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60).stdout
    user = [line.split()[1] for line in said.splitlines() if line.startswith(b"AT_EUID")]
    if user and int(user[0]) == os.getuid() and not ROOT:
        raise PermissionError(errno.EPERM, "it ran as its user")
    if ROOT:
        raise Absent("its user is root already")


def gained_rights():
    """CAP_SYS_ADMIN by a file that has it."""
    path = TMP + "/cat-with-rights"
    shutil.copy(shutil.which("cat"), path)
    try:
        os.setxattr(path, "security.capability", struct.pack("<5I", 0x02000001, 1 << 21, 0, 0, 0))
        said = subprocess.run([path, "/proc/self/status"], stdout=subprocess.PIPE, timeout=60, check=True).stdout
        rights = [int(line.split()[1], 16) for line in said.splitlines() if line.startswith(b"CapEff")][0]
        if not rights >> 21 & 1:
            raise PermissionError(errno.EPERM, "it has no more rights")
    finally:
        os.unlink(path)


def shared_memory():
    segment = libc.shmget(os.getpid(), 4096, 0o1600)
    checked(0 if segment >= 0 else -1)
    libc.shmctl(segment, 0, None)  # IPC_RMID


def others_memory():
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(int(FACTS["segment"]), None, 0)
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "shmat")
    ctypes.memset(at, 120, 1)


def queue():
    name = b"git-txn-way-out-%d" % os.getpid()
    os.close(call(240, name, os.O_CREAT | os.O_RDWR, 0o600, None))  # mq_open
    call(241, name)


def key():
    added = call(248, b"user", b"git-txn-way-out", b"x", 1, -4)  # add_key, of the user
    call(250, 9, added, -4, 0, 0)  # KEYCTL_UNLINK


def limits():
    import resource
    resource.prlimit(VICTIM, resource.RLIMIT_CORE, resource.prlimit(VICTIM, resource.RLIMIT_CORE))


def disk_priority():
    call(251, 1, VICTIM, call(252, 1, VICTIM))  # ioprio_set, ioprio_get


def memory_score():
    path = "/proc/%d/oom_score_adj" % VICTIM
    with open(path) as score:
        value = score.read()
    write(path, value.encode())


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


def database(name):
    import sqlite3
    try:
        with sqlite3.connect(REPO + "/.git/txn/" + name, timeout=2) as store:
            store.execute("CREATE TABLE way_out (x)")
    except sqlite3.OperationalError as error:
        raise PermissionError(errno.EROFS, str(error)) from error


UNSET = {name: value for name, value in os.environ.items() if name not in ("GIT_TXN_ID", "GIT_TXN_OBSERVED")}


def verb(*words):
    run("git", "txn", *words, cwd=REPO, env=UNSET)


def compensation(*command):
    run("git", "txn", "compensate", "--", *command)

"""Tries every way out of a confinement that is known, and prints for each how it ended.

    ways_out.py FACTS     FACTS: a file of NAME=VALUE lines, which say what is there to be harmed

A line for each: CATEGORY <tab> NAME <tab> stopped | open | absent | later <tab> why <tab> row. `open` ones
name the row of `git txn version --enforces` that says so; `absent` is what this machine, or this user, has not
got; `later` ones are judged by what became of them when the command had ended. What is changed where nothing
stops it is put back at once, and nothing that would hurt the machine itself is here."""
import ctypes
import errno
import fcntl
import mmap
import os
import pty
import shutil
import socket
import struct
import subprocess
import sys
import termios
import time

FACTS = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1]))
HOME, TREE, REPO = FACTS["home"], os.getcwd(), FACTS["repo"]
OTHER, ELSEWHERE = FACTS["other"], FACTS["elsewhere"]
VICTIM = int(FACTS["victim"])
FILE = HOME + "/.ssh/config"
libc = ctypes.CDLL(None, use_errno=True)

NETWORK = "What a confined command does on the network"
DAEMONS = "What programs that already run do for a confined command"
KERNEL = "What the kernel keeps for a user beside files"
LATER = "What a confined command leaves for later in caches"
LEFT = "What a confined command leaves for later in its worktree"
TEMPORARY = "Files in temporary directories"
# Without a mount namespace nobody keeps modes, owners, times and attributes back.
MODES = None if FACTS["namespaces"] == "yes" else "Modes, owners, times and attributes of files outside"
GIVEN = "Modes, owners, times and attributes of files outside"
TMP = os.environ.get("TMPDIR", "/tmp")
ATTEMPT = os.path.dirname(TREE)
ROOT = os.getuid() == 0


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


def hard_link(place):
    os.link(FILE, place + "/hard-link")
    os.unlink(place + "/hard-link")


def exchange():
    mine = TREE + "/mine"
    write(mine)
    try:
        call(316, -100, mine.encode(), -100, FILE.encode(), 2)  # renameat2, RENAME_EXCHANGE
        call(316, -100, mine.encode(), -100, FILE.encode(), 2)
    finally:
        os.unlink(mine)


def moved(path):
    os.rename(path, path + ".moved")
    os.rename(path + ".moved", path)


def temporary_file():
    descriptor = os.open(HOME, os.O_TMPFILE | os.O_WRONLY, 0o600)
    os.link("/proc/self/fd/%d" % descriptor, HOME + "/made", follow_symlinks=True)


def by_ring(path):
    """Opens it for writing by io_uring, which no filter of system calls sees."""
    parameters = bytearray(120)
    buffer = (ctypes.c_char * 120).from_buffer(parameters)
    ring = call(425, 2, buffer)
    words = struct.unpack_from("30I", parameters)
    sq, cq = words[10:20], words[20:30]
    entries = mmap.mmap(ring, 4096, offset=0x10000000)
    submits = mmap.mmap(ring, sq[6] + 4 * words[0], offset=0)
    completes = mmap.mmap(ring, cq[5] + 16 * words[1], offset=0x8000000)
    name = ctypes.create_string_buffer(path.encode())
    entries[:48] = struct.pack("=BBHiQQIIQQ", 18, 0, 0, -100, 0, ctypes.addressof(name), 0o600,
                               os.O_WRONLY | os.O_CREAT, 7, 0)
    submits[sq[6]:sq[6] + 4] = struct.pack("I", 0)
    submits[sq[1]:sq[1] + 4] = struct.pack("I", 1)
    call(426, ring, 1, 1, 1, None, 0)
    result = struct.unpack_from("=Qi", completes, cq[5])[1]
    if result < 0:
        raise OSError(-result, os.strerror(-result))


def from_memory():
    descriptor = os.memfd_create("way-out")
    with open("/usr/bin/touch", "rb") as program:
        os.write(descriptor, program.read())
    run("/proc/self/fd/%d" % descriptor, HOME + "/made", pass_fds=(descriptor,))


def same_mode(path):
    mode = os.stat(path).st_mode & 0o7777
    os.chmod(path, mode ^ 0o100)
    os.chmod(path, mode)


def fchmod(descriptor):
    mode = os.fstat(descriptor).st_mode & 0o7777
    os.fchmod(descriptor, mode ^ 0o100)
    os.fchmod(descriptor, mode)


def chmod_by_link():
    descriptor = os.open(HOME + "/.ssh", os.O_PATH)
    same_mode("/proc/self/fd/%d" % descriptor)


def same_times():
    before = os.stat(FILE)
    os.utime(FILE, ns=(before.st_atime_ns, before.st_mtime_ns))


def attribute():
    os.setxattr(FILE, "user.way", b"out")
    os.removexattr(FILE, "user.way")


def set_flags():
    descriptor = os.open(FILE, os.O_RDONLY)
    flags = fcntl.ioctl(descriptor, 0x80086601, struct.pack("l", 0))  # FS_IOC_GETFLAGS
    fcntl.ioctl(descriptor, 0x40086602, flags)  # FS_IOC_SETFLAGS


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


def new_mount():
    made = call(430, b"tmpfs", 0)  # fsopen
    call(431, made, 6, None, None, 0)  # fsconfig, create
    call(432, made, 0, 0)  # fsmount


def clear_read_only(at=-100, path=b"/"):
    attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # attr_clr = MOUNT_ATTR_RDONLY
    call(442, at, path, 0x8000 | (0x1000 if not path else 0), ctypes.byref(attributes), 32)


def set_attributes():
    clear_read_only()
    same_mode(HOME + "/.ssh")


def detached_copy():
    copy = call(428, -100, HOME.encode(), 1)
    clear_read_only(copy, b"")
    same_mode("/proc/self/fd/%d/.ssh" % copy)


def new_namespaces():
    def work():
        checked(libc.unshare(0x10000000 | 0x00020000))  # user and mount
        try:
            clear_read_only()
        except OSError:
            remount()
        same_mode(HOME + "/.ssh")
    in_child(work)


def others_namespace(pid):
    def work():
        descriptor = os.open("/proc/%d/ns/mnt" % pid, os.O_RDONLY)
        checked(libc.setns(descriptor, 0))
        write(HOME + "/made")
    in_child(work)


def others_namespaces():
    def work():
        call(308, os.pidfd_open(VICTIM), 0x00020000)  # setns by process, mounts
        write(HOME + "/made")
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

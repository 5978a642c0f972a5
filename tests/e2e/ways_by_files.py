"""Ways out of a confinement by files, links, modes and mounts. For ways_out.py."""
import ctypes
import fcntl
import mmap
import os
import struct

from ways_base import FACTS, HOME, TREE, REPO, VICTIM, FILE, libc, call, checked, write, run, in_child


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

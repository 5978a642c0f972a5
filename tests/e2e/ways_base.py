"""What there is to be harmed, and how a way out of a confinement is tried. For ways_out.py."""
import ctypes
import errno
import os
import subprocess
import sys

FACTS = dict(line.rstrip("\n").split("=", 1) for line in open(sys.argv[1]))
HOME, TREE, REPO = FACTS["home"], os.getcwd(), FACTS["repo"]
OTHER, ELSEWHERE = FACTS["other"], FACTS["elsewhere"]
VICTIM = int(FACTS["victim"])
FILE = HOME + "/.ssh/config"
libc = ctypes.CDLL(None, use_errno=True)

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

/* What a shell cannot do: programs for the tests of the trace, built by them twice (dynamic and
 * static). helper MODE; exit status 0 when the calls themselves did what was expected. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char** environ;
#define NEED(x)                                                                    \
  do {                                                                             \
    if (!(x)) {                                                                    \
      fprintf(stderr, "helper: line %d: %s: %s\n", __LINE__, #x, strerror(errno)); \
      exit(1);                                                                     \
    }                                                                              \
  } while (0)

static void touch(const char* name) {
  int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  NEED(fd >= 0);
  close(fd);
}

static void* open_one(void* arg) {
  char name[32];
  for (int i = 0; i < 50; ++i) {
    snprintf(name, sizeof name, "thread-%d-%d", (int)(intptr_t)arg, i);
    close(open(name, O_RDONLY));
  }
  return NULL;
}
static void threads(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], NULL, open_one, (void*)(intptr_t)i);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
}

static void* exec_here(void* arg) {
  execl("/bin/cat", "cat", "from-thread", (char*)NULL);
  return arg;
}
static void thread_exec(void) {
  pthread_t t;
  touch("from-thread");
  pthread_create(&t, NULL, exec_here, NULL);
  pthread_join(t, NULL);
}

static void spawn(void) {
  int status;
  pid_t pid;
  char* args[] = {"cat", "spawned", NULL};
  touch("spawned");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "spawn-out", O_WRONLY | O_CREAT, 0644);
  NEED(posix_spawnp(&pid, "cat", &actions, NULL, args, environ) == 0);
  NEED(waitpid(pid, &status, 0) == pid && status == 0);
  touch("vforked");
  pid = vfork();
  if (pid == 0) {
    execl("/bin/cat", "cat", "vforked", (char*)NULL);
    _exit(1);
  }
  NEED(waitpid(pid, &status, 0) == pid && status == 0);
}

static void raw(void) {
  uint64_t how[3] = {O_RDONLY, 0, 0};
  struct stat st;
  touch("raw");
  NEED(syscall(SYS_openat, AT_FDCWD, "raw", O_RDONLY) >= 0);
  NEED(syscall(437, AT_FDCWD, "raw-how", how, sizeof how) < 0);
#ifdef SYS_open
  NEED(syscall(SYS_open, "raw-open", O_RDONLY) < 0);
  NEED(syscall(SYS_creat, "raw-creat", 0644) >= 0);
  NEED(syscall(SYS_stat, "raw-stat", &st) < 0);
  NEED(syscall(SYS_lstat, "raw-lstat", &st) < 0);
  NEED(syscall(SYS_access, "raw-access", 0) < 0);
#endif
  NEED(syscall(SYS_openat, AT_FDCWD, (char*)8, O_RDONLY) < 0 && errno == EFAULT);
}

static void directories(void) {
  int top, sub, f;
  struct stat st;
  mkdir("d", 0755);
  mkdir("d/e", 0755);
  touch("d/e/f");
  NEED((top = open("d", O_RDONLY | O_DIRECTORY)) >= 0);
  NEED((sub = openat(top, "e", O_PATH | O_DIRECTORY)) >= 0);
  NEED((f = openat(sub, "f", O_RDONLY)) >= 0);
  NEED(fstat(f, &st) == 0);
  NEED(fstatat(sub, "../e/absent", &st, AT_SYMLINK_NOFOLLOW) < 0);
  NEED(fchdir(sub) == 0);
  NEED(access("f", R_OK) == 0);
  NEED(renameat(top, "e", top, "moved") == 0);
  NEED(faccessat(sub, "f", W_OK, 0) == 0); /* the same file has another path now */
  NEED(openat(f, "below-a-file", O_RDONLY) < 0 && errno == ENOTDIR);
  NEED(openat(777, "no-descriptor", O_RDONLY) < 0 && errno == EBADF);
  NEED(unlinkat(sub, "f", 0) == 0);
  NEED(unlinkat(top, "moved", AT_REMOVEDIR) == 0);
  NEED(open("gone", O_RDONLY) < 0);
}

static void aliases(void) {
  char name[64];
  int fd, dir;
  touch("aliased");
  NEED((fd = open("aliased", O_RDONLY)) >= 0);
  NEED((dir = open(".", O_PATH)) >= 0);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  NEED(open(name, O_RDONLY) >= 0);
  snprintf(name, sizeof name, "/proc/self/fd/%d/by-descriptor", dir);
  NEED(open(name, O_RDONLY) < 0);
  snprintf(name, sizeof name, "/proc/%d/cwd/by-cwd", getpid());
  NEED(open(name, O_RDONLY) < 0);
  NEED(open("/proc/self/root/nowhere", O_RDONLY) < 0);
  NEED(readlink("/proc/self/exe", name, sizeof name) > 0);
}

static void deep(void) {
  char name[201];
  memset(name, 'x', 200);
  name[200] = 0;
  for (int i = 0; i < 18;
       ++i) { /* 3600 bytes: the full path of what follows is longer than PATH_MAX */
    NEED(mkdir(name, 0755) == 0 && chdir(name) == 0);
  }
  char file[1100] = "";
  for (int i = 0; i < 4; ++i) {
    strcat(file, i ? "/" : "");
    strcat(file, name);
    NEED(mkdir(file, 0755) == 0);
  }
  strcat(file, "/file");
  touch(file);
  NEED(open(file, O_RDONLY) >= 0);
  strcat(file, "-absent");
  NEED(open(file, O_RDONLY) < 0);
}

static void too_deep(void) {
  char name[201];
  memset(name, 'x', 200);
  name[200] = 0;
  for (int i = 0; i < 22; ++i) NEED(mkdir(name, 0755) == 0 && chdir(name) == 0);
  touch("file");
}

static void odd(void) {
  struct sockaddr_un un = {.sun_family = AF_UNIX};
  char buffer[16];
  int fd;
  NEED(mkfifo("fifo", 0600) == 0);
  NEED((fd = socket(AF_UNIX, SOCK_STREAM, 0)) >= 0);
  strcpy(un.sun_path, "sock");
  NEED(bind(fd, (struct sockaddr*)&un, sizeof un) == 0);
  strcpy(un.sun_path, "no-sock");
  NEED(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)&un, sizeof un) < 0);
  memcpy(un.sun_path, "\0abstract", 9);
  NEED(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)&un, sizeof(sa_family_t) + 9) <
       0);
  touch("file");
  NEED(symlink("file", "link") == 0 && link("file", "hard") == 0);
  NEED(readlink("link", buffer, sizeof buffer) == 4);
  NEED(readlink("file", buffer, sizeof buffer) < 0 && errno == EINVAL);
  NEED(open("link", O_RDONLY | O_NOFOLLOW) < 0 && errno == ELOOP);
  NEED(open("file", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0 && errno == EEXIST);
  NEED(open("no-dir/file", O_CREAT | O_WRONLY, 0600) < 0 && errno == ENOENT);
  NEED(open("file/x", O_RDONLY) < 0 && errno == ENOTDIR);
  NEED(open(".", O_WRONLY) < 0 && errno == EISDIR);
  NEED(open("file", O_RDONLY | O_DIRECTORY) < 0 && errno == ENOTDIR);
  NEED(mkdir("file", 0755) < 0 && errno == EEXIST);
  NEED(rmdir("file") < 0 && errno == ENOTDIR);
  NEED(unlink("absent") < 0 && rename("absent", "x") < 0 && rename("file", "no-dir/x") < 0);
  NEED(truncate("file", 3) == 0 && chmod("file", 0600) == 0);
  NEED(utimensat(AT_FDCWD, "link", NULL, AT_SYMLINK_NOFOLLOW) == 0);
  NEED(syscall(SYS_renameat2, AT_FDCWD, "file", AT_FDCWD, "hard", 1) < 0 && errno == EEXIST);
  NEED(rename("file", "renamed") == 0);
  NEED(open("renamed", O_WRONLY | O_TRUNC) >= 0 && open("renamed", O_RDWR) >= 0);
}

/* the directory that a process stands in gets another path, by itself, a thread, and a child */
static void* move_down(void* arg) {
  NEED(chdir("down") == 0);
  return arg;
}
static void moving(void) {
  pthread_t t;
  NEED(mkdir("one", 0755) == 0 && chdir("one") == 0);
  NEED(access("1", F_OK) < 0);
  NEED(rename("../one", "../two") == 0);
  NEED(access("2", F_OK) < 0);
  if (fork() == 0) {
    NEED(access("3", F_OK) < 0);
    NEED(rename("../two", "../three") == 0);
    NEED(mkdir("down", 0755) == 0);
    _exit(0);
  }
  wait(NULL);
  NEED(access("4", F_OK) < 0);
  pthread_create(&t, NULL, move_down, NULL);
  pthread_join(t, NULL);
  NEED(access("5", F_OK) < 0);
  NEED(rmdir("../down") == 0 && mkdir("../down", 0755) == 0);
  NEED(open("6", O_CREAT | O_WRONLY, 0600) < 0); /* removed: nothing can be made here */
}

/* a no-op, then an openat of what is not there; prints the result, or that there is no io_uring */
static void uring(void) {
  struct io_uring_params params = {0};
  int fd = (int)syscall(425, 4, &params);
  if (fd < 0) {
    NEED(errno == ENOSYS || errno == EPERM);
    printf("refused\n");
    return;
  }
  size_t size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
  size_t sq_size = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
  int flags = MAP_SHARED | MAP_POPULATE;
  char* sq = mmap(NULL, sq_size, PROT_READ | PROT_WRITE, flags, fd, IORING_OFF_SQ_RING);
  char* cq = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, IORING_OFF_CQ_RING);
  struct io_uring_sqe* sqes = mmap(NULL, params.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE,
                                   flags, fd, IORING_OFF_SQES);
  NEED(sq != MAP_FAILED && cq != MAP_FAILED && (void*)sqes != MAP_FAILED);
  sqes[0].opcode = IORING_OP_NOP;
  sqes[1].opcode = IORING_OP_OPENAT;
  sqes[1].fd = AT_FDCWD;
  sqes[1].addr = (uint64_t)(uintptr_t)"through-the-ring";
  for (uint32_t i = 0; i < 2; ++i) ((uint32_t*)(void*)(sq + params.sq_off.array))[i] = i;
  __atomic_store_n((uint32_t*)(void*)(sq + params.sq_off.tail), 2, __ATOMIC_RELEASE);
  NEED(syscall(426, fd, 2, 2, IORING_ENTER_GETEVENTS, NULL, 0) == 2);
  struct io_uring_cqe* cqes = (void*)(cq + params.cq_off.cqes);
  printf("%d\n", cqes[1].res);
}

static void listener(void) {
  struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  struct sock_fprog program = {1, &allow};
  NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  long fd =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  printf("%s\n", fd >= 0 ? "listens" : errno == EBUSY ? "busy" : "other");
}

#ifdef __x86_64__
static void no_such_calls(int signal) {
  (void)signal;
  _exit(0); /* and nothing is printed */
}
#endif
static void compat(void) {
#ifdef __x86_64__
  signal(SIGSEGV, no_such_calls); /* where the kernel has none this is a fault */
  char* low =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  NEED(low != MAP_FAILED);
  strcpy(low, "/etc/passwd");
  long result = 5; /* open */
  __asm__ volatile("int $0x80"
                   : "+a"(result)
                   : "b"(low), "c"(0), "d"(0)
                   : "memory", "r8", "r9", "r10", "r11");
  printf("%ld\n", result);
#endif
}

/* a text that no page of this process holds yet: the call is the first to touch it */
static char* cold(const char* text) {
  static int number;
  char name[32];
  snprintf(name, sizeof name, "cold-%d", number++);
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  NEED(fd >= 0 && write(fd, text, strlen(text) + 1) > 0);
  char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  NEED(page != MAP_FAILED && close(fd) == 0);
  return page;
}
static void cold_arguments(void) {
  struct sockaddr_un un = {.sun_family = AF_UNIX};
  touch("a");
  NEED(access(cold("a"), F_OK) == 0);
  NEED(open(cold("cold-absent"), O_RDONLY) < 0);
  NEED(rename(cold("a"), cold("b")) == 0);
  NEED(symlink(cold("text"), cold("link")) == 0);
  NEED(open(cold("/proc/self/cwd/b"), O_RDONLY) >= 0);
  NEED(open((char*)8, O_RDONLY) < 0 && errno == EFAULT);
  NEED(mkdir("sub", 0755) == 0);
  int top = open("sub", O_PATH);
  NEED(top >= 0 && openat(top, cold("made"), O_CREAT | O_WRONLY, 0600) >= 0);
  char* address = cold("");
  int fd = open("address", O_RDWR | O_CREAT, 0600);
  strcpy(un.sun_path, "cold-socket");
  NEED(write(fd, &un, sizeof un) == sizeof un && ftruncate(fd, 4096) == 0);
  address = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  NEED(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)(void*)address, sizeof un) < 0);
  if (fork() == 0) {
    char* args[] = {cold("true"), cold("first word"), NULL};
    execv(cold("/bin/true"), args);
    _exit(1);
  }
  int status;
  NEED(wait(&status) > 0 && status == 0);
}

/* children that are not below their maker: a sibling, and one whose parent has ended */
static void orphans(void) {
  int ready[2];
  char byte;
  NEED(pipe(ready) == 0);
  touch("o");
  if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0) == 0) {
    NEED(open("by-sibling", O_RDONLY) < 0);
    NEED(write(ready[1], "s", 1) == 1);
    _exit(0);
  }
  if (fork() == 0) {
    pid_t parent = getpid();
    if (fork() == 0) {
      NEED(write(ready[1], "c", 1) == 1);
      while (getppid() == parent) usleep(1000);
      NEED(open("by-orphan", O_RDONLY) < 0);
      NEED(write(ready[1], "o", 1) == 1);
      _exit(0);
    }
    NEED(read(ready[0], &byte, 1) == 1);
    _exit(0);
  }
  wait(NULL);
  for (int i = 0; i < 2; ++i) NEED(read(ready[0], &byte, 1) == 1);
}

static void undumpable(void) {
  NEED(prctl(PR_SET_DUMPABLE, 0) == 0);
  close(open("hidden", O_RDONLY));
}

static volatile sig_atomic_t ticks;
static void tick(int signal) {
  ticks += signal != 0;
}
static void signals(void) { /* a timer hits path calls all the time: each is made, and made once */
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  struct itimerval every = {{0, 200}, {0, 200}};
  char name[32];
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  for (int i = 0; i < 1000; ++i) {
    snprintf(name, sizeof name, "signal-%d", i);
    int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    NEED(fd >= 0);
    close(fd);
  }
  NEED(ticks > 10);
}

/* ---- for the preloaded library ---- */

/* looks that are not the first of the process, so that the library records them itself */
static void warm_up(void) {
  for (int i = 0; i < 3; ++i) access("warm-up", F_OK);
}

static void many(void) {
  char name[32];
  for (int i = 0; i < 3000; ++i) {
    snprintf(name, sizeof name, "many-%d", i);
    NEED(access(name, F_OK) < 0 && errno == ENOENT);
  }
}

/* three processes, each forked from the one before: "pid name" a line, for the test */
static void forks(void) {
  const char* names[] = {"first", "second", "third"};
  warm_up();
  for (int i = 0; i < 3; ++i) {
    warm_up();
    NEED(access(names[i], F_OK) < 0);
    printf("%d %s\n", getpid(), names[i]);
    fflush(stdout);
    if (i < 2) {
      int status;
      pid_t child = fork();
      if (child == 0) continue;
      NEED(waitpid(child, &status, 0) == child && status == 0);
      NEED(access("again", F_OK) < 0);
      return;
    }
  }
}

/* calls of its own with what the last call left in a register they take nothing from: its lowest
 * byte used by the program, or in a child */
static long leftover_mkdir(const char* name) {
  long result = SYS_mkdir;
  __asm__ volatile(
      "movb $0, %%r9b\n"
      "syscall"
      : "+a"(result)
      : "D"(name), "S"(0755L)
      : "rcx", "r11", "r9", "memory");
  return result;
}
static void leftovers(void) {
  char far[300] = "/";
  int status;
  memset(far + 1, 'x', sizeof far - 2);
  warm_up();
  for (int i = 0; i < 3; ++i) {
    char name[] = "made-0";
    name[5] = (char)('0' + i);
    access(far, F_OK); /* too long for the ring: the library makes the call outside */
    NEED(leftover_mkdir(name) == 0);
    NEED(access(name, F_OK) == 0);
    NEED(rmdir(name) == 0); /* not by the library: what was recorded so far is taken as it is */
  }
  access(far, F_OK);
  pid_t child = fork();
  if (child == 0) {
    if (syscall(SYS_mkdir, "of-the-child", 0755) != 0) _exit(1);
    warm_up();
    access("by-the-child", F_OK);
    _exit(0);
  }
  NEED(waitpid(child, &status, 0) == child && status == 0);
  NEED(access("by-the-parent", F_OK) < 0);
}

/* a child that shares memory goes elsewhere and looks there; its parent has not moved */
static void borrowed(void) {
  int status;
  NEED(mkdir("inner", 0755) == 0);
  warm_up();
  NEED(access("parent-before", F_OK) < 0);
  pid_t child = vfork();
  if (child == 0) {
    if (chdir("inner") != 0) _exit(1);
    access("child-a", F_OK);
    access("child-b", F_OK);
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  NEED(waitpid(child, &status, 0) == child && status == 0);
  NEED(access("parent-after", F_OK) < 0);
}

/* where a process goes by itself, by a descriptor, and in a way that no library sees */
static void wandering(void) {
  int top;
  NEED(mkdir("a", 0755) == 0 && mkdir("b", 0755) == 0 && mkdir("c", 0755) == 0);
  NEED((top = open(".", O_RDONLY | O_DIRECTORY)) >= 0);
  warm_up();
  NEED(chdir("a") == 0);
  for (int i = 0; i < 3; ++i) access("in-a", F_OK);
  NEED(chdir("../b") == 0);
  for (int i = 0; i < 3; ++i) access("in-b", F_OK);
  NEED(fchdir(top) == 0);
  for (int i = 0; i < 3; ++i) access("in-top", F_OK);
  NEED(syscall(SYS_chdir, "c") == 0);
  for (int i = 0; i < 3; ++i) access("in-c", F_OK);
  for (int i = 0; i < 3; ++i) faccessat(top, "by-descriptor", F_OK, 0);
  struct stat st;
  for (int i = 0; i < 3; ++i) fstatat(top, "by-descriptor", &st, 0);
  NEED(dup2(open("../a", O_RDONLY | O_DIRECTORY), top) == top); /* the same number, another one */
  for (int i = 0; i < 3; ++i) fstatat(top, "by-same-number", &st, 0);
  NEED(rename("../a", "../moved") == 0);
  for (int i = 0; i < 3; ++i) fstatat(top, "by-moved", &st, 0);
}

/* a system call that nobody but the kernel sees */
static long made_here(long number, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

static int open_dir(const char* name) {
  return open(name, O_RDONLY | O_DIRECTORY);
}

/* often enough that the library believes its number */
static int known_dir(const char* name) {
  struct stat info;
  const int fd = open_dir(name);
  NEED(fd >= 0);
  for (int i = 0; i < 100; ++i) fstatat(fd, "known", &info, 0);
  return fd;
}

static void close_libc(int fd) {
  close(fd);
  NEED(open_dir("two") == fd);
}
static void close_and_dup(int fd) {
  const int two = open_dir("two");
  close(fd);
  NEED(dup(two) == fd);
}
static void close_range_and_dup(int fd) {
  const int two = open_dir("two");
  NEED(close_range((unsigned)fd, (unsigned)fd, 0) == 0 && dup(two) == fd);
}
static void closedir_and_dup(int fd) {
  const int two = open_dir("two");
  DIR* dir = fdopendir(fd);
  NEED(dir != NULL && closedir(dir) == 0 && dup(two) == fd);
}
static void by_dup2(int fd) {
  NEED(dup2(open_dir("two"), fd) == fd);
}
static void by_dup3(int fd) {
  NEED(dup3(open_dir("two"), fd, O_CLOEXEC) == fd);
}
static void by_syscall_dup2(int fd) {
  NEED(syscall(SYS_dup2, open_dir("two"), fd) == fd);
}
static void by_syscall_dup3(int fd) {
  NEED(syscall(SYS_dup3, open_dir("two"), fd, 0) == fd);
}
static void by_syscall_close(int fd) {
  const int two = open_dir("two");
  NEED(syscall(SYS_close, fd) == 0 && dup(two) == fd);
}
static void by_syscall_close_range(int fd) {
  const int two = open_dir("two");
  NEED(syscall(SYS_close_range, fd, fd, 0) == 0 && dup(two) == fd);
}
static void opened_unseen(int fd) { /* the monitor sees it */
  NEED(made_here(SYS_close, fd, 0, 0, 0) == 0);
  NEED(made_here(SYS_openat, AT_FDCWD, (long)"two", O_RDONLY | O_DIRECTORY, 0) == fd);
}
static void closed_unseen(int fd) { /* the library opens the next one */
  NEED(made_here(SYS_close, fd, 0, 0, 0) == 0);
  NEED(open_dir("two") == fd);
}

/* one number that means another directory each time: names are below "two", and never below "one" */
static void renumbered(void) {
  static const struct {
    const char* name;
    void (*change)(int);
  } ways[] = {{"close", close_libc},
              {"close-and-dup", close_and_dup},
              {"closedir-and-dup", closedir_and_dup},
              {"close_range-and-dup", close_range_and_dup},
              {"dup2", by_dup2},
              {"dup3", by_dup3},
              {"syscall-dup2", by_syscall_dup2},
              {"syscall-dup3", by_syscall_dup3},
              {"syscall-close", by_syscall_close},
              {"syscall-close_range", by_syscall_close_range},
              {"opened-unseen", opened_unseen},
              {"closed-unseen", closed_unseen}};
  struct stat info;
  NEED(mkdir("one", 0755) == 0 && mkdir("two", 0755) == 0);
  warm_up();
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    const int fd = known_dir("one");
    ways[i].change(fd);
    for (int n = 0; n < 3; ++n) fstatat(fd, ways[i].name, &info, 0);
    NEED(close_range(3, ~0u, 0) == 0);
  }
  const int fd = known_dir("one");
  const pid_t child = fork();
  if (child == 0) {
    by_dup2(fd);
    for (int n = 0; n < 3; ++n) fstatat(fd, "dup2-in-child", &info, 0);
    _exit(0);
  }
  NEED(waitpid(child, NULL, 0) == child);
  for (int n = 0; n < 3; ++n) fstatat(fd, "in-parent", &info, 0);
}

static int asked_first, asked_of_itself; /* descriptors of two directories */
static void* has_its_own(void* how) {
  struct stat info;
  NEED(how == NULL ? unshare(CLONE_FILES) == 0
                   : syscall(SYS_close_range, 1000, 1000, CLOSE_RANGE_UNSHARE) == 0);
  NEED(dup2(asked_of_itself, asked_first) == asked_first);
  for (int i = 0; i < 100; ++i) fstatat(asked_first, "own", &info, 0);
  return NULL;
}

/* threads for which one number means two directories: "one/shared" is asked for, and "two/own" */
static void parted(void) {
  static char other_way;
  struct stat info;
  NEED((mkdir("one", 0755) == 0 || errno == EEXIST) && (mkdir("two", 0755) == 0 || errno == EEXIST));
  warm_up();
  for (int way = 0; way < 2; ++way) {
    if (way == 0 && fork() != 0) {
      NEED(wait(NULL) > 0);
      continue;
    }
    pthread_t thread;
    asked_of_itself = open_dir("two");
    asked_first = known_dir("one");
    NEED(pthread_create(&thread, NULL, has_its_own, way == 0 ? &other_way : NULL) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    for (int i = 0; i < 3; ++i) fstatat(asked_first, way == 0 ? "ranged" : "unshared", &info, 0);
    if (way == 0) _exit(0);
  }
}

/* a descriptor that is known needs no question: here nobody may ask one */
static void standing(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  NEED(mkdir("one", 0755) == 0);
  warm_up();
  const int fd = known_dir("one");
  NEED(made_here(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0) == 0);
  NEED(made_here(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0) == 0);
  for (int i = 0; i < 100; ++i) {
    struct stat info;
    char name[32];
    snprintf(name, sizeof name, "unasked-%d", i);
    fstatat(fd, name, &info, 0);
  }
}

/* a file read before it is written, and one after */
static void order(void) {
  warm_up();
  for (int i = 0; i < 200; ++i) {
    char name[32];
    snprintf(name, sizeof name, "step-%d", i);
    NEED(access(name, F_OK) < 0);
    touch(name);
    NEED(access(name, F_OK) == 0);
    NEED(unlink(name) == 0);
  }
}

static void keeps_errno(void) {
  char* volatile nothing = NULL;
  struct stat st;
  char buffer[8];
  touch("there");
  for (int i = 0; i < 5; ++i) {
    errno = 4321;
    NEED(access("there", F_OK) == 0 && errno == 4321);
    NEED(stat("there", &st) == 0 && S_ISREG(st.st_mode) && errno == 4321);
    NEED(access(".", R_OK) == 0 && errno == 4321);
    NEED(stat("nowhere", &st) == -1 && errno == ENOENT);
    NEED(readlink("there", buffer, sizeof buffer) == -1 && errno == EINVAL);
    NEED(access(nothing, F_OK) == -1 && errno == EFAULT);
    NEED(open("", O_RDONLY) == -1 && errno == ENOENT);
  }
}

/* a sandbox that allows only what is asked for: any call the library adds is death */
static void sandbox(int by_prctl) {
  struct stat st;
  warm_up();
#define KILL_ON(number)                             \
  {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (number)}, {    \
    BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS \
  }
  struct sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                               KILL_ON(SYS_getpid),
                               KILL_ON(SYS_getcwd),
                               KILL_ON(SYS_fstat),
                               KILL_ON(SYS_mmap),
                               {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (by_prctl) {
    NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
  } else {
    NEED(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
  }
  for (int i = 0; i < 5; ++i) {
    NEED(access("in-sandbox", F_OK) < 0 && errno == ENOENT);
    NEED(stat(".", &st) == 0);
    int fd = open(".", O_RDONLY | O_DIRECTORY);
    NEED(fd >= 0 && close(fd) == 0);
  }
  _exit(0);
}
static void sandbox_prctl(void) {
  sandbox(1);
}
static void sandbox_seccomp(void) {
  sandbox(0);
}

static void closes_all(void) {
  int fd;
  warm_up();
  NEED(syscall(436, 3u, ~0u, 0u) == 0 || errno == ENOSYS); /* close_range */
  NEED((fd = open(".", O_RDONLY)) == 3);
  for (int i = 0; i < 5; ++i) NEED(access("still", F_OK) < 0);
}

/* handlers that look too, and one that never comes back */
static sigjmp_buf back;
static void look_and_jump(int signal) {
  int before = errno;
  ticks += signal != 0;
  access("in-handler", F_OK);
  errno = before;
  if (ticks % 3 == 0) siglongjmp(back, 1);
}
static void handlers(void) {
  struct sigaction action = {.sa_handler = look_and_jump};
  struct itimerval every = {{0, 100}, {0, 100}};
  static volatile int i;
  char name[32];
  warm_up();
  sigaction(SIGALRM, &action, NULL);
  sigsetjmp(back, 1);
  setitimer(ITIMER_REAL, &every, NULL);
  for (; i < 3000 || ticks < 10; ++i) { /* a fast machine is through before the timer is */
    snprintf(name, sizeof name, "handled-%d", i);
    access(name, F_OK);
  }
  signal(SIGALRM, SIG_IGN); /* there is nothing to jump back to any more */
}

static void list_here(void) {
  DIR* here = opendir(".");
  NEED(here != NULL);
  while (readdir(here) != NULL) {
  }
  closedir(here);
}

/* files that were seen, and are something else when they are opened */
static void retyped(void) {
  struct stat info;
  unlink("seen"); /* of a run before */
  unlink("listed");
  touch("seen");
  touch("listed");
  NEED(mkfifo("first", 0600) == 0 && mkfifo("second", 0600) == 0);
  warm_up();
  NEED(stat("seen", &info) == 0 && S_ISREG(info.st_mode));
  list_here();
  NEED(rename("first", "seen") == 0 && rename("second", "listed") == 0);
  NEED(open("seen", O_RDONLY | O_NONBLOCK) >= 0);
  NEED(open("listed", O_RDONLY | O_NONBLOCK) >= 0);
}

/* how many calls that read this process has made */
static long reads_so_far(void) {
  char text[512] = "";
  int fd = open("/proc/self/io", O_RDONLY);
  NEED(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
  close(fd);
  NEED(strstr(text, "syscr: ") != NULL);
  return atol(strstr(text, "syscr: ") + 7);
}

/* opens what it has seen or a directory has listed: nobody reads of that to see what it is */
static void met(void) {
  struct stat info;
  char name[32];
  for (int i = 0; i < 100; ++i) {
    snprintf(name, sizeof name, "met-%d", i);
    touch(name);
  }
  warm_up();
  const long at_first = reads_so_far();
  for (int i = 0; i < 100; ++i) {
    snprintf(name, sizeof name, "met-%d", i);
    NEED(stat(name, &info) == 0);
    int fd = open(name, O_RDONLY);
    NEED(fd >= 0);
    close(fd);
  }
  NEED(reads_so_far() < at_first + 10);
  NEED(chmod("met-1", 0600) == 0); /* all is forgotten */
  list_here();
  const long later = reads_so_far();
  for (int i = 0; i < 100; ++i) {
    snprintf(name, sizeof name, "met-%d", i);
    int fd = open(name, O_RDONLY);
    NEED(fd >= 0);
    close(fd);
  }
  NEED(reads_so_far() < later + 50); /* some have one place */
}

/* hangs in the open of a FIFO, is killed there */
static void killed(void) {
  char name[64], text[8] = "";
  NEED(mkfifo("fifo", 0600) == 0);
  pid_t child = fork();
  if (child == 0) {
    warm_up();
    open("fifo", O_RDONLY);
    _exit(0);
  }
  snprintf(name, sizeof name, "/proc/%d/syscall", child);
  while (strncmp(text, "257 ", 4) != 0) { /* openat */
    int fd = open(name, O_RDONLY);
    NEED(fd >= 0);
    NEED(read(fd, text, 4) >= 0);
    close(fd);
  }
  kill(child, SIGKILL);
  NEED(waitpid(child, NULL, 0) == child);
}

/* writes over the ring with what no library writes */
static void vandal(void) {
  char line[512];
  warm_up();
  FILE* maps = fopen("/proc/self/maps", "r");
  NEED(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    if (strstr(line, "git-txn-trace") == NULL) continue;
    NEED(sscanf(line, "%lx-%lx", &from, &to) == 2);
    memset((char*)from + 8192, 0xee, to - from - 8192);
  }
  fclose(maps);
  for (int i = 0; i < 600; ++i) access("after-the-damage", F_OK);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {{"threads", threads},
               {"thread-exec", thread_exec},
               {"spawn", spawn},
               {"raw", raw},
               {"directories", directories},
               {"aliases", aliases},
               {"deep", deep},
               {"too-deep", too_deep},
               {"odd", odd},
               {"moving", moving},
               {"uring", uring},
               {"listener", listener},
               {"compat", compat},
               {"undumpable", undumpable},
               {"cold", cold_arguments},
               {"orphans", orphans},
               {"signals", signals},
               {"many", many},
               {"forks", forks},
               {"leftovers", leftovers},
               {"borrowed", borrowed},
               {"wandering", wandering},
               {"renumbered", renumbered},
               {"standing", standing},
               {"parted", parted},
               {"order", order},
               {"errno", keeps_errno},
               {"sandbox-prctl", sandbox_prctl},
               {"sandbox-seccomp", sandbox_seccomp},
               {"closes-all", closes_all},
               {"handlers", handlers},
               {"retyped", retyped},
               {"met", met},
               {"killed", killed},
               {"vandal", vandal}};
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; ++i) {
    if (strcmp(argv[1], modes[i].name) == 0) {
      modes[i].run();
      return 0;
    }
  }
  return 2;
}

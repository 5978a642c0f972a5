// Memory of a process that computes much in a short time.
#pragma once

namespace gittxn {

// Asks the kernel for large pages for what the process will allocate next, 24 MiB of it. A process
// that parses a file spends a quarter of its time on faults of small pages otherwise. Nothing is
// touched, so memory that is not needed is not taken. It is a hint: where the kernel has no large
// pages, all works as before.
//
// The main thread calls it, before it allocates much.
void prefer_large_pages();

// Has threads that begin from now on allocate from the heap of the main thread, which grows by
// megabytes. libc's own heap of a thread grows by a system call for each page or two, which is a
// quarter of the time of a thread that fills megabytes with small things. Threads that allocate all
// the time get in each other's way: it is for one beside another that mostly waits. It holds until
// the process ends.
void share_heap();

}  // namespace gittxn

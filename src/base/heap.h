// Memory of a process that computes much in a short time.
#pragma once

#include <cstddef>

namespace gittxn {

// Asks the kernel for large pages for what this thread will allocate next, 24 MiB of it. A process
// that parses a file spends a quarter of its time on faults of small pages otherwise, and a thread
// of its own as much again on system calls, for its heap grows a page or two at a time. Nothing is
// touched, so memory that is not needed is not taken; addresses up to the first large page, less
// than 2 MiB, are left out until the thread ends. It is a hint: where the kernel has no large
// pages, all works as before.
//
// A thread calls it before it allocates much; calling it again does nothing.
void prefer_large_pages();

// Fills this thread's heap with memory for what it will allocate next, `bytes` of it and at most
// 24 MiB, by one system call instead of a page fault for each page. The pages are small: the kernel
// has those that a process gave back when it ended, whereas large pages of a virtual machine are
// mostly memory that nobody has touched and that its host has to provide first. It is a hint, too.
void take_memory_ahead(std::size_t bytes);

}  // namespace gittxn

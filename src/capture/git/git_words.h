// The things that words behind git's commands name: the parsers of the table (git_commands.h). Each
// adds to `use` what its words say was read. Pure.
#pragma once

#include "capture/git/git_commands.h"

namespace gittxn::capture::words {

void log(const GitWords& words, GitUse& use);         // revisions, then paths
void cherry(const GitWords& words, GitUse& use);      // revisions, one of them perhaps HEAD
void history(const GitWords& words, GitUse& use);     // the history, whatever the words are
void refs(const GitWords& words, GitUse& use);        // branch, tag: lists, or makes one
void diff(const GitWords& words, GitUse& use);        // compares trees, or one with the worktree
void diff_tree(const GitWords& words, GitUse& use);   // of one commit: its patch
void blame(const GitWords& words, GitUse& use);       // a file and a revision, in either order
void grep(const GitWords& words, GitUse& use);        // the contents at and below the paths
void ls_files(const GitWords& words, GitUse& use);    // names, or with -s and the like contents
void ls_tree(const GitWords& words, GitUse& use);     // a tree and paths in it
void archive(const GitWords& words, GitUse& use);     // a tree and paths in it
void cat_file(const GitWords& words, GitUse& use);    // objects by name
void rev_parse(const GitWords& words, GitUse& use);   // ids of objects by name
void rev_list(const GitWords& words, GitUse& use);    // with --objects: ids of every file
void status(const GitWords& words, GitUse& use);      // its branch lines
void starts(const GitWords& words, GitUse& use);      // commits that are built on
void restore(const GitWords& words, GitUse& use);     // ... named by --source
void merge_tree(const GitWords& words, GitUse& use);  // the whole trees of its commits
void whole_tree(const GitWords& words, GitUse& use);  // the id of the whole index
void checkout_index(const GitWords& words, GitUse& use);  // copies files elsewhere
void remove(const GitWords& words, GitUse& use);          // rm: what else is in a directory
void worktree(const GitWords& words, GitUse& use);        // another checkout of everything
void submodule(const GitWords& words, GitUse& use);       // the list of submodules
void config(const GitWords& words, GitUse& use);          // --blob
void bundle(const GitWords& words, GitUse& use);          // create: everything

}  // namespace gittxn::capture::words

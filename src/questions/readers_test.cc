// Tests of what becomes of what a program reads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "questions/question.h"

namespace gittxn::questions {
namespace {

using Vector = std::vector<std::string>;

std::string said(const Vector& argv) {
  std::string text;
  for (const std::string& word : argv) text += word + " ";
  return text;
}

TEST(Readers, ShowWhatTheyRead) {
  for (const Vector& argv : std::vector<Vector>{{"cat", "f"},
                                                {"/usr/bin/cat", "-n", "f", "g"},
                                                {"head", "-n", "5", "f"},
                                                {"tail", "-20", "f"},
                                                {"sed", "-n", "10,20p", "f"},
                                                {"sed", "-n", "/x/{p;q}", "f"},
                                                {"nl", "-ba", "f"},
                                                {"wc", "-l", "f"},
                                                {"sort", "-u", "f"},
                                                {"md5sum", "f"},
                                                {"git", "show", "HEAD:f"},
                                                {"git", "--no-pager", "diff", "HEAD"},
                                                {"git", "blame", "HEAD", "--", "f"}}) {
    EXPECT_TRUE(only_shows(argv)) << said(argv);
  }
}

// Some tell it by a status, which a shell can go by, or by what else they do.
TEST(Readers, TellMoreThanTheyShow) {
  for (const Vector& argv : std::vector<Vector>{{},
                                                {"grep", "-q", "x", "f"},
                                                {"grep", "-n", "x", "f"},
                                                {"rg", "x"},
                                                {"test", "f", "-nt", "g"},
                                                {"cmp", "f", "g"},
                                                {"diff", "f", "g"},
                                                {"jq", "-e", ".x", "f"},
                                                {"sort", "-c", "f"},
                                                {"sort", "-nC", "f"},
                                                {"sort", "--check=quiet", "f"},
                                                {"sort", "-o", "g", "f"},
                                                {"md5sum", "-c", "f"},
                                                {"base64", "-d", "f"},
                                                {"sed", "-n", "/x/q5", "f"},
                                                {"sed", "-n", "/x/ Q 5", "f"},
                                                {"sed", "-i", "s/a/b/", "f"},
                                                {"sed", "s/a/b/w g", "f"},
                                                {"awk", "{print}", "f"},
                                                {"python3", "-c", "print(1)"},
                                                {"git", "diff", "--exit-code"},
                                                {"git", "diff", "--quiet", "HEAD"},
                                                {"git", "grep", "x"},
                                                {"git", "-C", "d", "show", "HEAD:f"},
                                                {"git", "add", "f"},
                                                {"pytest"}}) {
    EXPECT_FALSE(only_shows(argv)) << said(argv);
  }
}

TEST(Readers, EditWhatTheyRead) {
  for (const Vector& argv :
       std::vector<Vector>{{"sed", "-i", "s/a/b/", "f"},
                           {"/usr/bin/sed", "-i", "-e", "s/a/b/gI", "-e", "/x/d", "f", "g"},
                           {"sed", "-Ei", "s/(a)/b/2", "f"},
                           {"sed", "--in-place", "--regexp-extended", "s/a/b/", "f"},
                           {"sed", "-i", "3a\\new line", "f"},
                           {"sed", "-i", "/x/c other\n$d", "f"},
                           {"sed", "-i", "1i first", "f"},
                           {"sed", "-i", "/a/,/b/{s/x/y/;/z/d}", "f"},
                           {"patch", "-p1", "-i", "fix.diff"},
                           {"patch", "-p0", "f"},
                           {"git", "apply", "--index", "fix.diff"},
                           {"chmod", "+x", "f"},
                           {"chmod", "-x", "f"},
                           {"git", "apply", "-p1", "-R", "fix.diff"}}) {
    EXPECT_TRUE(only_edits(argv)) << said(argv);
  }
}

// A command that carries lines elsewhere, goes by what it read, or keeps a copy.
TEST(Readers, DoMoreThanToEdit) {
  for (const Vector& argv : std::vector<Vector>{{},
                                                {"sed"},
                                                {"sed", "s/a/b/", "f"},
                                                {"sed", "-i.bak", "s/a/b/", "f"},
                                                {"sed", "-ie", "s/a/b/", "f"},
                                                {"sed", "--in-place=.bak", "s/a/b/", "f"},
                                                {"sed", "-i", "-n", "/x/p", "f"},
                                                {"sed", "-i", "-z", "s/a/b/", "f"},
                                                {"sed", "-i", "-f", "script", "f"},
                                                {"sed", "-i", "s/a/date/e", "f"},
                                                {"sed", "-i", "s/a/b/w g", "f"},
                                                {"sed", "-i", "s/a/b/e;s/c/d/", "f"},
                                                {"sed", "-i", "1w g", "f"},
                                                {"sed", "-i", "1r g", "f"},
                                                {"sed", "-i", "1e date", "f"},
                                                {"sed", "-i", "1{h;d};$G", "f"},
                                                {"sed", "-i", "N;P;D", "f"},
                                                {"sed", "-i", "=", "f"},
                                                {"sed", "-i", ":a;s/x/y/;ta", "f"},
                                                {"sed", "-i", "/x/q", "f"},
                                                {"sed", "-i", "y/a/b/", "f"},
                                                {"sed", "-i", "{s/a/b/;{1e date\n}}", "f"},
                                                {"apply", "fix.diff"},
                                                {"chmod", "--reference=g", "f"},
                                                {"chmod", "--ref", "g", "f"},
                                                {"patch", "-b", "-p1"},
                                                {"patch", "-o", "g", "f"},
                                                {"patch", "-D", "X", "f"},
                                                {"git", "apply", "-3", "fix.diff"},
                                                {"git", "apply", "--reject", "fix.diff"},
                                                {"git", "-c", "x=y", "apply", "fix.diff"},
                                                {"git", "am", "fix.diff"},
                                                {"perl", "-i", "-pe", "s/a/b/", "f"},
                                                {"python3", "-c", "x"},
                                                {"ed", "f"}}) {
    EXPECT_FALSE(only_edits(argv)) << said(argv);
  }
}

TEST(Readers, ThatShowAFileOnAScreen) {
  for (const Vector& argv : std::vector<Vector>{{"vim", "f"},
                                                {"/usr/bin/vim.basic", "+12", "f", "g"},
                                                {"vi"},
                                                {"nano", "+12,3", "f"},
                                                {"emacs", "-nw", "f"},
                                                {"nvim", "--", "f"}}) {
    EXPECT_TRUE(edits_on_screen(argv)) << said(argv);
  }
}

// Whoever gives an editor a command lets it compute.
TEST(Readers, OfAScript) {
  for (const Vector& argv : std::vector<Vector>{{},
                                                {"vim", "-c", "%!sort", "f"},
                                                {"vim", "+%!sort", "f"},
                                                {"vim", "-es", "f"},
                                                {"vim", "-S", "script", "f"},
                                                {"vim", "-u", "settings", "f"},
                                                {"emacs", "--batch", "f"},
                                                {"emacs", "-l", "f"},
                                                {"ed", "f"},
                                                {"ex", "f"},
                                                {"less", "f"},
                                                {"code", "f"}}) {
    EXPECT_FALSE(edits_on_screen(argv)) << said(argv);
  }
}

}  // namespace
}  // namespace gittxn::questions

// Programs of bytes and lines, each with what is refused of it.
#include <gtest/gtest.h>

#include "questions/question.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::expect_none;
using testing::expect_pure;

TEST(PureCoreutils, AreQuestions) {
  expect_pure({"cat -nE a b",
               "cat",
               "cat -- -n",
               "head -5 a",
               "head -n5 a",
               "head -n -5 a",
               "head --lines=5 -q a b",
               "tail -n +3 a",
               "tail -3 a",
               "wc -lwc a",
               "wc --total=never",
               "sort -k2,2n -t : a",
               "sort --sort=numeric -u a",
               "sort -c a",
               "uniq -c",
               "uniq a",
               "uniq -2 a",
               "cut -d: -f1,3 a",
               "cut -f -3 a",
               "tr a-z A-Z",
               "tr -d '\n'",
               "nl -ba a",
               "tac a",
               "rev a",
               "fold -80 a",
               "fold -sw 80",
               "fmt -w 70 a",
               "expand -t4 a",
               "unexpand -a a",
               "paste -sd, a",
               "join -1 2 -t, a b",
               "comm -12 a b",
               "md5sum a",
               "sha256sum -c sums",
               "cksum -a sha1 a",
               "b2sum a",
               "base64 -d a",
               "base64 -w0 a",
               "basename a/b .c",
               "dirname a/b",
               "seq -5 5",
               "seq 10 -1 1",
               "echo -x --anything",
               "printf '%s\n' a",
               "true x",
               "false",
               "test -f a",
               "[ -s a -a 3 -lt 5 ]",
               "test a != -5"});
}

constexpr testing::NoneRow kNoPureCoreutilsAreNoneWhereTheyDoMore[] = {
    {"tail -f a", "-f waits for changes"},
    {"tail -5f a", "-f waits"},
    {"tail --follow=name a", "--follow waits"},
    {"tail --fol a", "not on the list"},
    {"tail -F a", "waits"},
    {"tail --pid=3 a", "waits"},
    {"tail +3 a", "+3"},
    {"sort -o b a", "writes files"},
    {"sort -uob a", "writes files"},
    {"sort -R a", "is random"},
    {"sort --random-source=a a", "is random"},
    {"sort --sort=random a", "'random'"},
    {"sort -T d a", "writes files"},
    {"sort --compress-program=x a", "runs other programs"},
    {"sort --files0-from=x", "names of its files from a file"},
    {"sort +1 a", "+1"},
    {"uniq a b", "one operand more writes files"},
    {"uniq -- a b", "one operand more writes files"},
    {"wc --files0-from=a", "names of its files"},
    {"cat --number-all a", "not on the list"},
    {"printf '%(%F)T'", "depends on the time"},
    {"test a -nt b", "-nt is not on the list"},
    {"test a -ef b", "-ef"},
    {"[ -O a ]", "-O"},
    {"test -N a", "-N"},
    {"test -w a", "-w"},
    {"test -t 1", "-t"}};

TEST(PureCoreutils, AreNoneWhereTheyDoMore) {
  expect_none(kNoPureCoreutilsAreNoneWhereTheyDoMore);
}

}  // namespace
}  // namespace gittxn::questions

// Tests of programs that compare and dump, and of the scripts of sed and jq.
#include <gtest/gtest.h>

#include "questions/question.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::expect_none;
using testing::expect_pure;

constexpr testing::NoneRow kNoPureTextIsCompared[] = {
    {"diff -u a b", "shows times"},
    {"diff -ru a b", "shows times"},
    {"diff -U3 a b", "shows times"},
    {"diff --unified=3 --label=x a b", "shows times"},
    {"diff -p a b", "shows times"},
    {"diff --unified a b", "shows times"},
    {"diff --context a b", "shows times"},
    {"diff -c a b", "shows times"},
    {"diff -l a b", "runs other programs"},
    {"xxd -r a", "-r writes files"},
    {"xxd a b", "one operand more"},
    {"xxd -revert a", "writes files"},
    {"hexdump -f a b", "takes what it is to do from a file"},
    {"strings @a", "from a file"},
    {"file -C -m a", "writes files"},
    {"file -z a", "runs other programs"},
    {"file -f a", "from a file"}};

TEST(PureText, IsCompared) {
  expect_pure({"diff a b", "diff -rq a b", "diff -y -W 80 a b", "diff -u --label a -L b a b",
               "diff -w --color=never a b", "diff -5 a b", "cmp -s a b", "od -An -tx1 -w16 a",
               "od -c a", "xxd a", "xxd -l 16 -s -4 a", "xxd -l16 -p a", "hexdump -C -n 16 a",
               "strings -n 8 a", "strings -8 a", "file -b --mime-type a"});
  expect_none(kNoPureTextIsCompared);
}

constexpr testing::NoneRow kNoPureSedReadsItsScripts[] = {
    {"sed -i s/a/b/ a", "-i writes files"},
    {"sed -i.bak s/a/b/ a", "-i writes files"},
    {"sed -ni p a", "-i writes files"},
    {"sed --in-place=x p a", "writes files"},
    {"sed --in-pl p a", "not on the list"},
    {"sed -f script a", "from a file"},
    {"sed -n 1e a", "command e runs other programs"},
    {"sed '1e date' a", "command e runs"},
    {"sed '/x/,/y/e' a", "command e runs"},
    {"sed 's/a/b/e' a", "flag e runs other programs"},
    {"sed 's/a/b/ge' a", "flag e runs"},
    {"sed 's/a/b/w out' a", "flag w writes files"},
    {"sed 's/a/b/;w out' a", "command w writes files"},
    {"sed -n '/x/w out' a", "command w writes files"},
    {"sed 'W out' a", "command W writes files"},
    {"sed '1{p;w out\n}' a", "command w"},
    {"sed -e p -e 'w out' a", "command w"},
    {"sed '1!!w out' a", "command w"},
    {"sed 'y/a/b/;e' a", "command e"},
    {"sed 'bx;w out' a", "command w"},
    {"sed '}' a", "opening brace"},
    {"sed '{p' a", "closing brace"},
    {"sed '1' a", "no command"},
    {"sed '1,p' a", "half a range"},
    {"sed 's/a/b' a", "end of an expression"},
    {"sed 's/a\nb/c/' a", "end of an expression"},
    {"sed 'saxaya' a", "such a delimiter"},
    {"sed 'a\\ x\\\nw out' a", "blank behind a backslash"},
    {"sed 'a\\\\\\\nw out' a", "text of many lines"},
    {"sed 'p x' a", "more behind a command"},
    {"sed 'k' a", "command k is not on the list"}};

TEST(PureSed, ReadsItsScripts) {
  expect_pure({"sed -n 10,20p a",
               "sed -n '$=' a",
               "sed -n '/x/,/y/p;/z/q' a",
               "sed s/a/b/g a",
               "sed 's,a/b,c\\,d,2p' a",
               "sed -e s/a/b/ -e '$!d' a",
               "sed -nE '/^(a|b)/{p;n;p}' a",
               "sed '1~2d' a",
               "sed '0,/x/s//y/' a",
               "sed '2,+3!d' a",
               "sed '\\,x,Id' a",
               "sed ':a;N;$!ba;s/\\n/ /g' a",
               "sed 'y/abc/xyz/' a",
               "sed '1i text; w out' a",
               "sed '1i\\\n more text' a",
               "sed 'r other' a",
               "sed '5q' a",
               "sed --quiet 1p a",
               "sed --expression=1p --regexp-extended a",
               "sed 's/x/w e/;s/e/w/' a",
               "sed '# w out\np' a",
               "sed 's/a\\\nb/c/' a",
               "sed -s -n '$p' a b",
               "sed '' a",
               "sed -z s/a/b/ a",
               "sed 's/[/]x/' a",
               "sed -- p a"});
  expect_none(kNoPureSedReadsItsScripts);
}

constexpr testing::NoneRow kNoPureJqReadsItsFilters[] = {
    {"jq now a", "jq with now depends on the time"},
    {"jq '.a | now' a", "now depends on the time"},
    {"jq '\"x\\(now)\"' a", "now depends"},
    {"jq '\"x\\(\"y\\(now)\")\"' a", "now depends"},
    {"jq '@text \"\\(now)\"' a", "now depends"},
    {"jq '{a: now}' a", "now depends"},
    {"jq '{(now): 1}' a", "now depends"},
    {"jq '.[now:5]' a", "now depends"},
    {"jq '{a: .[now:5]}' a", "now depends"},
    {"jq '..now' a", "now depends"},
    {"jq '[now, 1]' a", "now depends"},
    {"jq 'localtime' a", "localtime depends on the time"},
    {"jq 'env.HOME' a", "env is not on the list"},
    {"jq '$ENV.HOME' a", "$ENV is not on the list"},
    {"jq '$ ENV.HOME' a", "ENV is not on the list"},
    {"jq 'include \"x\"; .' a", "include is not on the list"},
    {"jq 'import \"x\" as y; y::f' a", "import is not on the list"},
    {"jq 'y::f' a", "uses modules"},
    {"jq 'def f: now; f' a", "def is not on the list"},
    {"jq '. # \"\n now' a", "has remarks"},
    {"jq 'input_line_numbers' a", "not on the list"},
    {"jq '@own' a", "format of its own"},
    {"jq '(' a", "lacks a closing"},
    {"jq '\"x' a", "lacks a closing"},
    {"jq '(]' a", "another bracket"},
    {"jq -f filter a", "from a file"},
    {"jq -L d . a", "from a file"},
    {"jq --from-file filter a", "from a file"},
    {"jq", "asks nothing"}};

TEST(PureJq, ReadsItsFilters) {
  expect_pure({"jq . a",
               "jq -r .name a",
               "jq '.[] | select(.a == \"x\") | {name, id: .i}' a",
               "jq '\"now\"' a",
               "jq '.now' a",
               "jq '{now: 1, now}' a",
               "jq '{\"now\": .x}' a",
               "jq --arg now 1 '$now' a",
               "jq -n '[inputs | .a // \"b\"] | length' a",
               "jq 'to_entries[] | \"\\(.key)=\\(.value|tostring)\"' a",
               "jq -nr '1e5, 1.5' a",
               "jq 'reduce .[] as [$a, {b: $c}] (0; . + $a)' a",
               "jq '@tsv \"\\(.a)\"' a",
               "jq 'if .a then .b else empty end' a",
               "jq --slurpfile x b '$x' a",
               "jq -e 'has(\"x\")' a",
               "jq -S --indent 2 . a",
               "jq '.a[1:3]' a",
               "gojq -c . a",
               "jq '[.[] | {(.k): .v}] | add' a",
               "jq 'keys_unsorted | @csv' a",
               "jq '.. | .a? // \"x\"' a",
               "jq '$__loc__' a"});
  expect_none(kNoPureJqReadsItsFilters);
}

}  // namespace
}  // namespace gittxn::questions

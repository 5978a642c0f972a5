// Words that both sides added to one list without an order, and columns of a table.
#include <gtest/gtest.h>

#include "semantic/merge.h"

namespace gittxn::semantic {
namespace {

// The merged text; empty where it is in conflict.
std::string merged_words(std::string_view path, const Sides<std::string>& texts) {
  const auto merged = merge_file(MergeAs(path, texts[kLeft]), texts, {});
  EXPECT_TRUE(merged);
  return merged && merged->clean() ? merged->text : std::string();
}

struct WordList {
  std::string_view path;
  std::string head, tail, left, right;

  Sides<std::string> sides(const std::string& l, const std::string& r) const {
    return {head + tail, head + l + tail, head + r + tail};
  }
};

TEST(WordLists, WordsThatBothAddToOne) {
  const WordList all[] = {
      {"Makefile", "OBJS = main.o util.o", "\n\nall: prog\n", " parse.o", " net.o"},
      {"sub/rules.mk", ".PHONY: all clean", "\nall: prog\n", " lint", " bench"},
      {"Makefile", "SRCS = a.c \\\n  b.c \\\n", "  z.c\n\nall:\n", "  l.c \\\n", "  r.c \\\n"},
      {"CMakeLists.txt", "target_sources(tool PRIVATE\n  src/a.cc\n", ")\n", "  src/l.cc\n",
       "  src/r.cc\n"},
      {"Dockerfile", "RUN apt-get update && apt-get install -y \\\n    curl \\\n",
       "    && rm -rf /x\n", "    jq \\\n", "    make \\\n"},
      {"schema.sql", "CREATE TABLE users (\n  id INT PRIMARY KEY,\n", "  name TEXT\n);\n",
       "  email TEXT,\n", "  age NUMERIC(3, 0),\n"},
  };
  for (const WordList& each : all) {
    EXPECT_EQ(merged_words(each.path, each.sides(each.left, each.right)),
              each.head + each.left + each.right + each.tail);
    EXPECT_EQ(merged_words(each.path, each.sides(each.left, "  ?" + each.right)), "");
  }
}

TEST(WordLists, TheLastOfAListOnLines) {
  EXPECT_EQ(merged_words("schema.sql", {"CREATE TABLE a (\n  id INT\n);\n",
                                        "CREATE TABLE a (\n  id INT,\n  l TEXT\n);\n",
                                        "CREATE TABLE a (\n  id INT,\n  q INT,\n  r INT\n);\n"}),
            "CREATE TABLE a (\n  id INT,\n  l TEXT,\n  q INT,\n  r INT\n);\n");
  EXPECT_EQ(merged_words("Makefile", {"SRCS = a.c \\\n  b.c\n\nall:\n",
                                      "SRCS = a.c \\\n  b.c \\\n  l.c\n\nall:\n",
                                      "SRCS = a.c \\\n  b.c \\\n  r.c\n\nall:\n"}),
            "SRCS = a.c \\\n  b.c \\\n  l.c \\\n  r.c\n\nall:\n");
}

TEST(WordLists, WhatMayHaveAnOrderOrIsNoWord) {
  const auto line = [](const std::string& base, const std::string& left, const std::string& right) {
    return merged_words("Makefile", {base + "\n", base + left + "\n", base + right + "\n"});
  };
  EXPECT_NE(line("OBJS = a.o b.o", " l.o", " r.o"), "");
  EXPECT_EQ(line("OBJS = a.o b.o", " l.o", " l.o r.o"), "");  // one word of both
  EXPECT_EQ(line("FLAGS = -a -b", " -l", " -r"), "");
  EXPECT_EQ(line("OBJS = a.o b.o", " l.o", " $(MORE)"), "");
  EXPECT_EQ(line("OBJS = a.o b.o", " l.o", " make"), "");
  EXPECT_EQ(line("CC = gcc", " left", " right"), "");  // one word is no list
  const auto table = [](const std::string& left, const std::string& right) {
    const std::string head = "CREATE TABLE a (\n  id INT,\n", tail = "  z INT\n);\n";
    return merged_words("a.sql", {head + tail, head + left + tail, head + right + tail});
  };
  EXPECT_NE(table("  l INT,\n", "  r INT,\n"), "");
  EXPECT_EQ(table("  l INT,\n", "  L TEXT,\n"), "");
  EXPECT_EQ(table("  l INT,\n", "  PRIMARY KEY (r),\n"), "");
  const auto in = [](const std::string& opens) {
    return merged_words("Dockerfile", {opens + "  a \\\n  z\n", opens + "  a \\\n  l \\\n  z\n",
                                       opens + "  a \\\n  r \\\n  z\n"});
  };
  EXPECT_NE(in("RUN apk add \\\n"), "");
  EXPECT_EQ(in("RUN cp \\\n"), "");
  EXPECT_EQ(in("RUN apk add a && cp \\\n"), "");
  const auto link = [](const std::string& opens) {
    return merged_words("CMakeLists.txt", {opens + "  a.x\n)\n", opens + "  a.x\n  l.x\n)\n",
                                           opens + "  a.x\n  r.x\n)\n"});
  };
  EXPECT_NE(link("add_library(a\n"), "");
  EXPECT_EQ(link("target_link_libraries(a\n"), "");
}

}  // namespace
}  // namespace gittxn::semantic

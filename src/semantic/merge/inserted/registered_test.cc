// Options, routes and handlers that both sides register under one text, or at one place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

struct Registry {
  std::string_view language;
  std::string head, middle, tail;
  std::string left, right, apart;  // two of one text, and one of another

  Sides<std::string> sides(const std::string& first, const std::string& last) const {
    return {head + middle + tail, head + first + middle + tail, head + middle + last + tail};
  }
};

const Registry kRegistries[] = {
    {"python", "def options():\n    p = Parser()\n",
     "    p.add_argument(\"path\")\n    p.add_argument(\"--jobs\", type=int)\n"
     "    p.add_argument(\"--color\", type=int)\n",
     "    return p\n", "    p.add_argument(\"--wait\", type=int)\n",
     "    p.add_argument(\"-w\", \"--wait\")\n", "    p.add_argument(\"-w\", \"--width\")\n"},
    {"python", "@app.command()\n",
     "@app.option(\"--jobs\", type=int)\n@app.option(\"--color\", "
     "type=int)\n@app.option(\"--x\")\n",
     "def run(jobs, color):\n    pass\n", "@app.option(\"--wait\", type=int)\n",
     "@app.option(\"--wait\")\n", "@app.option(\"--width\")\n"},
    {"python", "urls = [\n", "    path(\"a/\", a),\n    path(\"b/\", b),\n    path(\"c/\", c),\n",
     "]\n", "    path(\"new/\", left),\n", "    path(\"new/\", right),\n",
     "    path(\"other/\", right),\n"},
    {"javascript", "const app = express();\n\n",
     "app.get(\"/\", (req, res) => {\n  res.send(\"home\");\n});\n\n"
     "app.get(\"/users\", (req, res) => {\n  res.send(\"users\");\n});\n\n",
     "app.listen(3000);\n", "app.get(\"/health\", (req, res) => {\n  res.send(\"ok\");\n});\n\n",
     "app.get(\"/health\", (req, res) => {\n  res.json({});\n});\n\n",
     "app.post(\"/health\", (req, res) => {\n  res.json({});\n});\n\n"},
    {"go", "package a\n\nfunc routes(mux *Mux) {\n",
     "\tmux.Handle(\"/a\", a)\n\tmux.Handle(\"/b\", b)\n\tmux.Handle(\"/c\", c)\n", "}\n",
     "\tmux.Handle(\"/new\", left)\n", "\tmux.Handle(\"/new\", right)\n",
     "\tmux.Handle(\"/other\", right)\n"},
    {"go", "package a\n\nfunc main() {\n",
     "\tport := flag.Int(\"port\", 80, \"\")\n\thost := flag.String(\"host\", \"\", \"\")\n"
     "\tflag.BoolVar(&all, \"all\", false, \"\")\n",
     "\trun(port, host)\n}\n", "\twait := flag.Int(\"wait\", 1, \"\")\n",
     "\tlimit := flag.Duration(\"wait\", 1, \"\")\n", "\tlimit := flag.Int(\"limit\", 1, \"\")\n"},
    {"rust", "fn app() -> Router {\n    Router::new()\n",
     "        .route(\"/a\", get(a))\n        .route(\"/b\", get(b))\n        .route(\"/c\", "
     "get(c))\n",
     "        .layer(x)\n}\n", "        .route(\"/new\", get(left))\n",
     "        .route(\"/new\", post(right))\n", "        .route(\"/other\", post(right))\n"},
    {"kotlin", "fun routes() {\n",
     "    get(\"/a\") {\n        say(1)\n    }\n    get(\"/b\") {\n        say(2)\n    }\n"
     "    get(\"/c\") {\n        say(3)\n    }\n",
     "}\n", "    get(\"/new\") {\n        say(4)\n    }\n",
     "    get(\"/new\") {\n        say(5)\n    }\n",
     "    get(\"/other\") {\n        say(5)\n    }\n"},
    {"ruby", "Parser.new do |opts|\n",
     "  opts.on(\"--jobs N\") { |v| a = v }\n  opts.on(\"--quiet\") { |v| b = v }\n"
     "  opts.on(\"--color\") { |v| c = v }\n",
     "end\n", "  opts.on(\"--wait N\") { |v| d = v }\n", "  opts.on(\"--wait\") { |v| e = v }\n",
     "  opts.on(\"--width\") { |v| e = v }\n"},
};

TEST(Registered, UnderOneTextAtTwoPlaces) {
  for (const Registry& each : kRegistries) {
    EXPECT_THAT(why_not_as(each.language, each.sides(each.left, each.right)),
                HasSubstr("both sides added a call of "))
        << each.left;
    EXPECT_TRUE(merged_as(each.language, each.sides(each.left, each.apart)).clean()) << each.apart;
  }
}

TEST(Registered, UnderTwoTextsAtOnePlace) {
  for (const Registry& each : kRegistries) {
    const auto with = [&](const std::string& more) {
      return each.head + each.middle + more + each.tail;
    };
    const Merged merged = merged_as(each.language, {with(""), with(each.left), with(each.apart)});
    // There these are links of a chain, and of another callee.
    const bool told = each.language != "rust" && each.language != "javascript";
    EXPECT_EQ(merged.clean(), told) << each.left << merged.why;
    if (merged.clean()) EXPECT_EQ(merged.text, with(each.left + each.apart));
    why_not_as(each.language, {with(""), with(each.left), with(each.right)});
  }
}

TEST(Registered, AtOnePlaceWhereTheOrderMaySaySomething) {
  const std::string head = "app.get(\"/\", home);\napp.get(\"/a\", a);\n", tail = "app.start();\n";
  const auto clean = [&](const std::string& left, const std::string& right) {
    return merged_as("javascript", {head + tail, head + left + tail, head + right + tail}).clean();
  };
  const std::string left = "app.get(\"/b/new\", l);\n";
  EXPECT_TRUE(clean(left, "app.get(\"/b/old\", r);\n"));
  EXPECT_TRUE(clean(left, "app.get(\"/c/:id\", r);\n"));
  EXPECT_FALSE(clean(left, "app.get(\"/b/:id\", r);\n"));
  EXPECT_FALSE(clean(left, "app.get(\"*\", r);\n"));
  EXPECT_FALSE(clean(left, "app.post(\"/b/old\", r);\n"));
  EXPECT_FALSE(clean(left, "app.get(\"/b/old\", r);\nstart();\n"));
  EXPECT_FALSE(clean(left, "let r = 1;\napp.get(\"/b/old\", r);\n"));
  EXPECT_FALSE(clean("run(\"/b\", 1);\n", "run(\"/c\", 1);\n"));  // the base has none
}

TEST(Registered, WhatIsSaidTwiceWithoutHarm) {
  const auto clean = [](const std::string& before, const std::string& left,
                        const std::string& right) {
    const Registry in = {"javascript", "function f(a, b) {\n", before, "}\n", "", "", ""};
    return merged_as("javascript", in.sides(left, right)).clean();
  };
  const auto on = [](const std::string& what, const std::string& name, const std::string& by) {
    return "  " + what + "(\"" + name + "\", " + by + ");\n";
  };
  const std::string several = on("a.on", "x", "1") + on("a.on", "y", "1") + on("a.on", "z", "1");
  EXPECT_FALSE(clean(several, on("a.on", "new", "1"), on("a.on", "new", "2")));
  EXPECT_TRUE(clean(several, on("a.on", "new", "1"), on("b.on", "new", "2")));  // of another
  EXPECT_TRUE(clean(several, on("let l = a.on", "new", "1"), on("let r = a.on", "new", "2")));
  const std::string left = "  a.on(\"new\", \"l\");\n", right = "  a.on(\"new\", \"r\");\n";
  EXPECT_TRUE(clean(several, left, right));  // two texts tell it
  EXPECT_FALSE(clean(several, left, "  a.on(\"new\", \"l\", 1);\n"));
  // Nothing that tells apart: one text is there twice, or none yet.
  EXPECT_TRUE(
      clean(several + on("a.on", "x", "2"), on("a.on", "new", "1"), on("a.on", "new", "2")));
  EXPECT_TRUE(clean("  g();\n  h();\n  i();\n", on("a.on", "new", "1"), on("a.on", "new", "2")));
  const std::string logs = on("a.log", "x", "1") + on("a.log", "y", "1") + on("a.log", "z", "1");
  EXPECT_TRUE(clean(logs, on("a.log", "new", "1"), on("a.log", "new", "2")));
  const std::string branch = "  if (b) {\n" + several + "  }\n";
  EXPECT_TRUE(clean(several + branch, on("a.on", "new", "1"),
                    "  if (b > 1) {\n  " + on("a.on", "new", "2") + "  }\n"));
}

}  // namespace
}  // namespace gittxn::semantic

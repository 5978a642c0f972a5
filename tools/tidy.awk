# The C++ half of tools/tidy: reads sources and headers, prints one line a violation:
# rule TAB path TAB line TAB what. Works with mawk and gawk, in the C locale.
#
# Variables: deps (file of "module dep dep..." lines), root (prefix to cut from names).
#
# A line is first stripped of comments and of the contents of strings and characters, so that rules about
# code do not see prose. Functions are found by their braces: one that opens outside any function, after
# a text with parentheses that names no namespace, is a function body.

BEGIN {
  while ((getline line < deps) > 0) {
    n = split(line, word, " ")
    known[word[1]] = 1
    for (i = 1; i <= n; i++) may[word[1], word[i]] = 1
  }
  edge = "(^|[^A-Za-z0-9_])"
  # ban(rule, pattern, where it is allowed, why)
  faces = "^src/(cli|bench|hammer)/|_test[.]cc$|/testing/"
  tests = "_test[.]cc$|/testing/"
  ban("shell", edge "(system|popen)[ ]*\\(", "^$", "run programs with base/subprocess: no shell strings")
  ban("environment", edge "((secure_)?getenv|setenv|unsetenv|putenv)[ ]*\\(|" edge "environ[^a-zA-Z_]", faces,
      "the environment is passed in")
  ban("print", edge "(std::(cout|cerr|clog)|f?printf|v?dprintf|puts|fputs|perror|fmt::print)" edge, faces,
      "the library never prints")
  ban("exit", edge "(exit|quick_exit)[ ]*\\(", faces, "the library never exits")
  ban("unbounded", edge "(v?sprintf|strcpy|strcat|gets|scanf|sscanf|alloca|atoi|atol|strtok)[ ]*\\(", "^$",
      "use bounded functions that say when they fail")
  ban("clock", "_clock::now|" edge "(clock_gettime|gettimeofday|nanosleep|sleep_for|sleep_until)[ ]*\\(|" \
      edge "time[ ]*\\((nullptr|NULL|0|&)", "^src/base/|" tests, "time is passed in as base/clock")
  ban("random", edge "(random_device|mt19937|mt19937_64)" edge "|" edge "s?rand(om)?[ ]*\\(", "^src/base/random[.]|" tests,
      "randomness is passed in as base/random")
  ban("namespace", edge "using namespace (std|fmt|nlohmann)", "^$", "name what is used")
  ban("throw", edge "throw[ ;]", tests, "errors are values")
}

function ban(rule, pattern, allowed, why) {
  bans++
  ban_rule[bans] = rule; ban_pattern[bans] = pattern; ban_allowed[bans] = allowed; ban_why[bans] = why
}

function report(rule, line, what) { print rule "\t" path "\t" line "\t" what }

# What `line` is to the compiler, strings emptied. Carries block comments and raw strings over lines.
function strip(line,    out, c, two, end, i, quote) {
  out = ""
  for (i = 1; i <= length(line); ) {
    if (in_comment) {
      end = index(substr(line, i), "*/")
      if (!end) return out
      in_comment = 0; i += end + 1
      continue
    }
    if (raw_end != "") {
      end = index(substr(line, i), raw_end)
      if (!end) return out
      i += end + length(raw_end) - 1
      raw_end = ""; out = out "\""
      continue
    }
    c = substr(line, i, 1); two = substr(line, i, 2)
    if (two == "//") return out
    if (two == "/*") { in_comment = 1; i += 2; continue }
    if (two == "R\"" && (out == "" || substr(out, length(out)) !~ /[A-Za-z0-9_]/)) {
      end = index(substr(line, i + 2), "(")
      raw_end = ")" substr(line, i + 2, end - 1) "\""
      out = out "\""; i += 2 + end
      continue
    }
    if (c == "'" && substr(out, length(out)) ~ /[0-9A-Fa-f]/ && substr(line, i + 1, 1) ~ /[0-9A-Fa-f]/ &&
        substr(line, i + 2, 1) != "'") { i++; continue }  # a digit separator
    if (c == "\"" || c == "'") {
      quote = c
      for (i++; i <= length(line) && substr(line, i, 1) != quote; i++)
        if (substr(line, i, 1) == "\\") i++
      out = out quote quote; i++
      continue
    }
    out = out c; i++
  }
  return out
}

# Follows braces; reports functions that are too long.
function braces(code,    i, c, kind) {
  for (i = 1; i <= length(code); i++) {
    c = substr(code, i, 1)
    if (c == "{") {
      kind = "scope"
      if (inside == 0 && head ~ /\)[^:]*[^:]:[^:]/ && head ~ /[A-Za-z0-9_>][ ]*$/) kind = "init"
      else if (inside == 0 && head ~ /\(/ && head !~ /^[ ]*(inline )?namespace/) kind = "function"
      depth++
      scope[depth] = kind; began[depth] = head_line ? head_line : FNR
      if (kind == "function") inside++
      if (kind != "init") { head = ""; head_line = 0 }
    } else if (c == "}") {
      kind = depth > 0 ? scope[depth] : ""
      if (kind == "function") {
        inside--
        if (FNR - began[depth] + 1 > 60)
          report("function-size", began[depth], "a function of " FNR - began[depth] + 1 " lines; at most 60")
      }
      if (depth > 0) depth--
      if (kind == "init") head = head "}"
      else { head = ""; head_line = 0 }
    } else if (c == ";") {
      head = ""; head_line = 0
    } else {
      if (c != " " && !head_line) head_line = FNR
      head = head c
    }
  }
  head = head " "
}

function finish_file() {
  if (path == "") return
  if (lines > 500) report("file-size", lines, lines " lines; at most 500")
  if (is_header && !has_once) report("header", 1, "no #pragma once")
  if (depth != 0) report("braces", lines, "the scanner lost count of braces here: write it plainer")
}

FNR == 1 {
  finish_file()
  path = FILENAME
  sub(/^\.\//, "", path)
  if (root != "" && index(path, root) == 1) path = substr(path, length(root) + 1)
  split(path, part, "/")
  module = part[2]
  is_header = path ~ /\.h$/
  is_test = path ~ /_test\.cc$|\/testing\//
  has_once = 0; in_comment = 0; raw_end = ""; depth = 0; inside = 0; head = ""; head_line = 0; skip = 0
  if (is_header && $0 !~ /^\/\//) report("header", 1, "a header opens with a comment that says what it is")
  if (!(module in known)) report("layers", 1, "module '" module "' is not declared in CMakeLists.txt")
}

{
  lines = FNR
  columns = $0
  gsub(/[\200-\277]/, "", columns)  # continuation bytes of UTF-8 take no column
  if (length(columns) > 100) report("columns", FNR, length(columns) " columns; at most 100")
  if ($0 ~ /(^|[^A-Z])(TO[D]O|FIX[M]E|XX[X]|HA[C]K)([^A-Z]|$)/) report("unfinished", FNR, "finish it or write an issue")
  if ($0 ~ /^#pragma once/) has_once = 1
}

/^#include "/ {
  split($0, quoted, "\"")
  split(quoted[2], included, "/")
  target = included[1]
  if (index(quoted[2], "/") == 0) report("layers", FNR, "include by full name: \"module/file.h\"")
  else if (!((module, target) in may) && !(is_test && target == "base"))
    report("layers", FNR, module "/ may not include " target "/ (CMakeLists.txt)")
}

path != "src/base/json.cc" && path !~ /_test\.cc$/ && /^#include <nlohmann\/json/ {
  report("heavy-include", FNR, "base/json.h; the library is for base/json.cc, and for tests")
}
is_header && path != "src/base/precompiled.h" && /^#include (<(CLI\/|toml\+\+|httplib))/ {
  report("heavy-include", FNR, "slow to compile: only in a .cc file")
}

skip || /^[ ]*#/ {  # the preprocessor's lines are not scanned, nor those they continue on
  skip = ($0 ~ /\\$/)
  next
}

{
  code = strip($0)
  for (b = 1; b <= bans; b++)
    if (code ~ ban_pattern[b] && path !~ ban_allowed[b]) report(ban_rule[b], FNR, ban_why[b])
  if (is_header && !is_test && code ~ /[(,] *(const )?bool [a-z_]+( = (true|false))?[,)]/)
    report("bool-parameter", FNR, "an enum or an options struct says what the caller means")
  if (is_header && code ~ /using namespace/) report("namespace", FNR, "a header opens no namespace for others")
  braces(code)
}

END { finish_file() }

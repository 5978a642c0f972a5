// Observations of an agent by another source than the trace, in the words of this module: who reads
// agents' formats translates. It is what somebody wrote, so it may make reads, and put one line
// range in the place of one open that the trace saw; it takes nothing else away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/read.h"

namespace gittxn::capture {

// A read that was declared (kDeclared) counts as one, of what the snapshot has there; all others
// add what the trace did not see.
struct Observed {
  enum class What {
    kFile,       // its content, or `lines` of it
    kDirectory,  // the names in it
    kAbsent,     // it was looked for and was not there
    kSearch,     // what `query` asked below `path`
    kUrl,        // `path` is the address
  };
  What what = What::kFile;
  std::string path;  // as the agent wrote it: absolute, or relative to `cwd`
  std::string cwd;   // "" unknown: then a relative path says nothing
  // kFile: count 0 goes to the end: by itself that is the whole file.
  LineSpan lines;
  // kSearch: canonical JSON (search/query.h), whose roots are not looked at; "" is one that is
  // not understood, which may have seen all that is below.
  std::string query;
  ReadSource source = ReadSource::kHook;
  std::string session;
  std::string agent;
  std::string call;           // joins what several sources say of one tool call
  std::string tool;           // what the tool is called
  bool shown = false;         // its answer went to the agent alone, as far as its hooks say
  std::int64_t start_ms = 0;  // of the tool call, since 1970; 0 unknown
  std::int64_t end_ms = 0;
};

// What several sources say of one call, once: of the same session, call and thing the best source
// stays, with the times of whoever knows them.
std::vector<Observed> joined(std::vector<Observed> observed);

}  // namespace gittxn::capture

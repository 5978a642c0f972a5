// Contents of a catalogue, as bytes. Not a format for others: it changes with the version of the
// analysis, and what was written by another version is not found. So every change of what is found
// out about a file must change the version.
//
// Decoding is strict and bounded by the bytes that are there: a length, a place or a kind that does
// not fit is kCorrupt, and nothing is believed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/names.h"
#include "model/change.h"
#include "semantic/file_facts.h"

namespace gittxn::catalogue {

// A file of a directory: the object, and which names are in it.
struct FileNames {
  std::string name;
  TreeEntry entry;
  NameSet names;  // that it defines, uses, mentions or imports; empty when it is no file
};

struct Subdirectory {
  std::string name;
  Oid tree;
};

// A git tree, and the names in its files.
struct Directory {
  std::vector<FileNames> files;              // sorted by name
  std::vector<Subdirectory> subdirectories;  // sorted by name
};

// The names of the file stand in front, so that they can be had alone.
std::string encode(const semantic::FileFacts& facts);
Result<semantic::FileFacts> decode_facts(std::string_view bytes);
Result<NameSet> decode_names(std::string_view bytes);

std::string encode(const Directory& directory);
Result<Directory> decode_directory(std::string_view bytes);

// Raise it when code in semantic/ or codec.cc changes what is kept of a file. A test compares what
// is kept of the samples with golden/analysis.txt and says when it must be raised.
inline constexpr int kAnalysis = 21;

// A digest of the queries and of the pinned grammars, made when the program is built.
std::string_view analysis_inputs();

// Of both.
const Digest& analysis_version();

}  // namespace gittxn::catalogue

// Contents of a catalogue, as bytes. Not a format for others: it changes with the version of the
// analysis (version.h), and what was written by another version is not found.
//
// Decoding is strict and bounded by the bytes that are there: a length, a place or a kind that does
// not fit is kCorrupt, and nothing is believed.
#pragma once

#include <cstdint>
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

}  // namespace gittxn::catalogue

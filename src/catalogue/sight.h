// Which files of a tree see which others, by what they import, and why a use of a name there is not
// sure to mean a certain subject.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/links.h"
#include "catalogue/subjects.h"

namespace gittxn::catalogue {

struct Linked {
  Link link = Link::kNo;
  std::vector<const semantic::Import*> by;
};

// A file with what it imports.
struct Importer {
  std::string_view path, language;
  const std::vector<semantic::Import>& imports;
};

// It is found behind a value of its type, not by its name alone.
bool is_member(const Subject& subject);

// One per question: it remembers what it has looked up.
class Sight {
 public:
  Sight(Catalogue& catalogue, const Oid& tree) : catalogue_(catalogue), tree_(tree) {}

  // Every path of the tree comes here once, then read_go_modules(), then the questions.
  void note_path(const std::string& path, const std::string& name);
  Status read_go_modules();

  // Paths whose last part is that of `file`.
  const std::vector<std::string>& namesakes(std::string_view file) const;
  Layout layout_of(const std::string& file) const { return {namesakes(file), go_modules_}; }
  // How `from` sees the file `to`, by its imports.
  Linked linked(const Importer& from, const std::string& to);

  Result<semantic::FileFacts> facts_at(const std::string& path);
  // The text of a manifest; "" for one that is too large.
  Result<std::string> manifest(const std::string& path) const;

 private:
  bool reaches(const std::string& from, const std::vector<semantic::Import>& imports,
               const std::string& to, std::set<std::string>* seen);
  const std::vector<semantic::Import>& includes_of(const std::string& path);

  Catalogue& catalogue_;
  const Oid& tree_;
  std::vector<std::string> go_mods_;
  std::map<std::string, std::string, std::less<>> go_modules_;  // by folder
  std::unordered_map<std::string, std::vector<std::string>> by_file_name_;
  std::unordered_map<std::string, std::vector<semantic::Import>> includes_;
};

struct UsedIn {
  semantic::Reference reference;
  std::shared_ptr<const Subject> in;  // what it stands in
};

enum class Near { kNo, kYes };  // in the same file or package

// Of a name that has one definition, in a file that is near or linked. Empty when it is sure.
std::string doubt_of_place(const UsedIn& use, const Subject& subject, const Linked& link,
                           Near near);

}  // namespace gittxn::catalogue

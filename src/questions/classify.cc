// Finds the family that a program is of.
#include <algorithm>

#include "base/fs.h"
#include "questions/options.h"

namespace gittxn::questions {

const Program* find_pure(std::string_view name) {
  for (const auto table :
       {coreutils_programs(), text_programs(), name_programs(), search_programs()}) {
    if (const Program* const program = find_program(table, name); program != nullptr)
      return program;
  }
  return nullptr;
}

bool only_prints(std::string_view program) {
  return find_pure(program) != nullptr;
}

Classified classify(const std::vector<std::string>& argv) {
  if (argv.empty() || argv[0].empty()) return no_question("a program without a name is not known");
  const std::string name = base_name(argv[0]);
  const Words words = Words(argv).subspan(1);
  if (name == "git") return classify_git(words);
  if (const Program* const program = find_pure(name); program != nullptr)
    return ask(*program, name, words);
  return classify_runner(name, words);
}

}  // namespace gittxn::questions

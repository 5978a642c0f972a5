#include "hammer/journal.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/names.h"

namespace gittxn::hammer {
namespace {

constexpr std::size_t kMostJournal = 1u << 30;

constexpr NameTable<Ended, 3> kEnded{{
    {Ended::kMade, "made"},
    {Ended::kRefused, "refused"},
    {Ended::kOpen, "open"},
}};

}  // namespace

void fields(FieldIo& io, Operation& operation) {
  io.thing("operation");
  io.text("tag", operation.tag);
  io.text("verb", operation.verb);
  io.integer("begun_ns", operation.begun_ns);
  io.integer("ended_ns", operation.ended_ns);
  io.choice("ended", operation.ended, kEnded);
  io.integer("seq", operation.seq);
  io.object("facts", operation.facts);
}

Result<UniqueFd> open_journal(const std::string& dir, const Who& who) {
  const std::string path = fmt::format("{}/{}.{}.journal", dir, who.place, who.life);
  return open_fd(path, O_WRONLY | O_CREAT | O_APPEND | O_EXCL, 0600);
}

Status record(const UniqueFd& journal, const Operation& operation) {
  return write_all(journal.get(), canonical_text(field_list(operation)) + "\n");
}

Result<std::vector<Operation>> read_journals(const std::string& dir) {
  std::vector<Operation> all;
  const auto add = [&](const Json& line) -> Status {
    auto operation = TRY(read_fields<Operation>(line));
    const bool begun = !all.empty() && all.back().tag == operation.tag;
    if (begun == (operation.ended == Ended::kOpen)) {
      return fail(Code::kCorrupt, fmt::format("{} ends or begins out of turn", operation.tag));
    }
    if (begun) all.pop_back();
    all.push_back(std::move(operation));
    return {};
  };
  for (const DirEntry& entry : TRY(list_dir(dir))) {
    if (!entry.name.ends_with(".journal")) continue;
    const std::string path = dir + "/" + entry.name;
    const std::string text = TRY(read_file(path, kMostJournal));
    TRY(each_json_line(text, path, add));
  }
  std::ranges::sort(all, {}, &Operation::begun_ns);
  return all;
}

}  // namespace gittxn::hammer

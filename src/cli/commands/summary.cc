// summary add, show, list, check, remove.
#include <fmt/format.h>

#include "api/kernel.h"
#include "base/fs.h"
#include "base/json_value.h"
#include "cli/session.h"
#include "cli/verb_flags.h"

namespace gittxn::cli {
namespace {

bool is_inside(const Session& session) {
  const auto found = session.host.env.find("GIT_TXN_OBSERVED");
  return found != session.host.env.end() && !found->second.empty();
}

Json line_json(const api::SummaryLine& line) {
  Json json{{"name", encode_path(line.name)},
            {"digest", line.digest.str()},
            {"bytes", line.bytes},
            {"made_by", encode_path(line.made_by)},
            {"time", line.time},
            {"sources", line.sources}};
  if (!line.judged) return json;
  json["holds"] = line.holds;
  json["stale"] = line.holds ? Json()
                             : Json{{"source", encode_path(line.stale_source)},
                                    {"digest", encode_path(line.source_digest)},
                                    {"now", encode_path(line.source_now)}};
  return json;
}

std::string line_text(const api::SummaryLine& line) {
  const std::string state =
      line.holds ? "holds"
                 : fmt::format("stale: {} changed",
                               line.stale_source.empty() ? "." : clean(line.stale_source));
  return fmt::format("{}  {}, {}, by {}  {}\n", clean(line.name),
                     counted(static_cast<std::int64_t>(line.sources), "source"),
                     counted(line.bytes, "byte"), clean(line.made_by), state);
}

Result<int> add(Session& session, const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return fail(Code::kUsage, "git txn summary add needs a name and a file",
                "git txn summary add NAME FILE PATH...");
  }
  api::SummaryRequest request;
  request.name = words[0];
  auto text = read_file(join_path(session.host.cwd, words[1]), kMaxSummaryBytes);
  if (!text) {
    return fail(Code::kUsage, fmt::format("'{}': {}", words[1], text.error().message),
                "name a file with the summary, of at most 1 MiB");
  }
  request.text = *std::move(text);
  request.paths.assign(words.begin() + 2, words.end());
  request.reads_of = session.flag("--reads-of");
  request.onto = session.flag("--onto");
  if (is_inside(session)) {
    TRY(api::request_summary(session.host, request));
    if (session.json()) {
      session.out->json({{"name", encode_path(request.name)}, {"pending", true}});
    } else if (!session.quiet()) {
      session.out->text("it is stored when this transaction has landed\n");
    }
    return kExitDone;
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::SummaryLine line = TRY(kernel.add_summary(request));
  if (session.json()) {
    session.out->json(line_json(line));
  } else if (!session.quiet()) {
    session.out->text(fmt::format("stored '{}', made from {}\n", clean(line.name),
                                  counted(static_cast<std::int64_t>(line.sources), "source")));
  }
  return kExitDone;
}

Result<int> show_summary(Session& session, const std::vector<std::string>& words) {
  if (words.size() != 1) {
    return fail(Code::kUsage, "git txn summary show needs one name",
                "git txn summary list names them");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  using api::Kernel;
  const auto if_stale =
      session.args.has("--stale") ? Kernel::IfStale::kShow : Kernel::IfStale::kRefuse;
  const auto shown = TRY(kernel.summary(words[0], session.flag("--onto"), if_stale));
  const std::string& stale = shown.line.stale_source;
  const std::string source = stale.empty() ? "something" : "'" + clean(stale) + "'";
  if (session.json()) {
    Json json = line_json(shown.line);
    json["text"] = shown.text ? Json(encode_path(*shown.text)) : Json();
    session.out->json(json);
  } else if (shown.text && shown.line.holds) {
    session.out->text(*shown.text);
  } else if (shown.text) {
    session.out->text(
        fmt::format("[stale: {} changed since this was made]\n{}", source, *shown.text));
  }
  if (shown.text) return kExitDone;
  if (session.json()) return kExitNo;
  return fail(
      Code::kStale,
      fmt::format("the summary '{}' is stale: {} changed since it was made", words[0], source),
      is_inside(session)
          ? "look at what it was made from; --stale shows it, and nothing vouches for it"
          : "store it again with git txn summary add; --stale shows it all the same");
}

Result<int> remove_summary(Session& session, const std::vector<std::string>& words) {
  if (words.size() != 1) {
    return fail(Code::kUsage, "git txn summary remove needs one name",
                "git txn summary list names them");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  TRY(kernel.remove_summary(words[0]));
  if (session.json()) {
    session.out->json({{"name", encode_path(words[0])}, {"removed", true}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("removed '{}'\n", clean(words[0])));
  }
  return kExitDone;
}

enum class Only { kAll, kStale };
Result<int> list_summaries(Session& session, const std::vector<std::string>& words, Only only) {
  if (is_inside(session)) {
    // Judging looks at everything they were made from, and would be a read of all of it.
    return fail(Code::kRefused, "summaries are judged outside of transactions",
                "git txn summary show NAME shows one, and whether it holds is judged at the end");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  std::size_t stale = 0;
  for (const api::SummaryLine& line : TRY(kernel.summaries(session.flag("--onto"), words))) {
    stale += line.holds ? 0 : 1;
    if (only == Only::kStale && line.holds) continue;
    if (session.json()) {
      session.out->json(line_json(line));
    } else {
      session.out->text(line_text(line));
    }
  }
  return only == Only::kStale && stale > 0 ? kExitNo : kExitDone;
}

}  // namespace

Result<int> summary_command(Session& session) {
  const std::string& verb = session.args.operands.at(0);
  constexpr VerbFlag kFlags[] = {{"--stale", "show"}, {"--reads-of", "add"}};
  TRY(check_verb_flags(session.args, verb, kFlags));
  const std::vector<std::string> words(session.args.operands.begin() + 1,
                                       session.args.operands.end());
  if (verb == "add") return add(session, words);
  if (verb == "show") return show_summary(session, words);
  if (verb == "remove") return remove_summary(session, words);
  return list_summaries(session, words, verb == "check" ? Only::kStale : Only::kAll);
}

}  // namespace gittxn::cli

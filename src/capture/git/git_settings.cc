#include "capture/git/git_settings.h"

#include <algorithm>

#include "base/text.h"
#include "capture/git/git_options.h"

namespace gittxn::capture {
namespace {

enum class Part { kUnknown, kMatters, kSaysNothing, kUpstream, kFilter };

// Whole keys; what is shown and how, and how files are compared.
constexpr std::string_view kSettingsThatMatter =
    "core.filemode core.symlinks core.ignorecase core.precomposeunicode core.quotepath core.abbrev "
    "core.whitespace core.autocrlf core.eol core.excludesfile core.attributesfile "
    "core.bigfilethreshold core.checkroundtripencoding core.safecrlf column.ui column.status "
    "diff.renames diff.renamelimit diff.algorithm diff.context diff.interhunkcontext "
    "diff.noprefix diff.mnemonicprefix diff.colormoved diff.colormovedws diff.indentheuristic "
    "diff.suppressblankempty diff.wserrorhighlight diff.statgraphwidth diff.statnamewidth "
    "diff.relative diff.dirstat diff.wordregex diff.ignoresubmodules status.short status.branch "
    "status.showuntrackedfiles status.relativepaths status.renames status.renamelimit "
    "status.displaycommentprefix status.aheadbehind log.abbrevcommit log.follow log.mailmap "
    "log.showroot log.diffmerges log.initialdecorationset grep.linenumber grep.column "
    "grep.patterntype grep.extendedregexp grep.fullname grep.threads i18n.logoutputencoding "
    "i18n.commitencoding blame.blankboundary blame.coloring blame.showemail blame.showroot "
    "blame.date";
// Keys that have other values, too, with which git would do something else.
constexpr std::string_view kSettingsThatMatterSo =
    "log.decorate=no log.decorate=false log.decorate=auto log.date=iso log.date=iso8601 "
    "log.date=iso-strict log.date=short log.date=raw log.date=unix log.date=default log.date=rfc "
    "format.pretty=oneline format.pretty=short format.pretty=medium format.pretty=full "
    "format.pretty=fuller";
constexpr std::string_view kSettingsOfNoMatterSo =
    "core.bare=false core.fsmonitor=false core.untrackedcache=false core.splitindex=false "
    "core.repositoryformatversion=0 core.untrackedcache=keep log.showsignature=false "
    "submodule.recurse=false diff.external= core.fsmonitor=";
constexpr std::string_view kSettingsOfNoMatter =
    "core.logallrefupdates core.editor core.pager core.askpass core.sshcommand core.hookspath "
    "core.compression core.loosecompression core.packedgitwindowsize core.packedgitlimit "
    "core.deltabasecachelimit core.preloadindex core.sharedrepository core.createobject "
    "core.commentchar core.multipackindex core.commitgraph core.fsync core.fsyncmethod "
    "core.fsyncobjectfiles core.longpaths core.protecthfs core.protectntfs core.hidedotfiles "
    "core.fscache core.gitproxy core.trustctime core.checkstat diff.tool diff.guitool "
    "index.version index.threads index.skiphash lfs.repositoryformatversion include.path";
// Sections about what changes, sends, fetches or makes something.
constexpr std::string_view kSectionsOfNoMatter =
    "user author committer remote push pull fetch init credential gc commit rebase http https url "
    "alias safe txn gpg tag transfer receive uploadpack maintenance pack repack rerere sendemail "
    "man help gui web browser instaweb difftool mergetool interactive add am apply checkout clone "
    "stash worktree sequence imap protocol trace2 includeif ssh lfs gitlab github";

Part part_of(std::string_view key, std::string_view value) {
  const std::string whole = std::string(key) + "=" + lower_ascii(std::string(value));
  if (among(kSettingsThatMatter, key) || among(kSettingsThatMatterSo, whole)) return Part::kMatters;
  if (among(kSettingsOfNoMatter, key) || among(kSettingsOfNoMatterSo, whole))
    return Part::kSaysNothing;
  const std::string_view section = key.substr(0, key.find('.'));
  if (section == "advice" || section == "color") return Part::kMatters;
  if (section == "filter") return Part::kFilter;
  if (section == "branch") {
    return key.ends_with(".remote") ? Part::kUpstream : Part::kSaysNothing;
  }
  // Merge drivers are used by no command that only reads.
  if (section == "merge") return Part::kSaysNothing;
  return among(kSectionsOfNoMatter, section) ? Part::kSaysNothing : Part::kUnknown;
}

}  // namespace

GitSettings git_settings(const std::vector<std::pair<std::string, std::string>>& values) {
  GitSettings settings;
  for (const auto& [key, value] : values) {
    switch (part_of(key, value)) {
      case Part::kMatters:
        settings.matter.push_back(key + "=" + value);
        break;
      case Part::kUpstream:
        // The last value is the worktree's own: the branch is pulled from the place where
        // the transaction began, at the snapshot and at the head alike.
        if (key.ends_with(".remote")) settings.upstream = value != "txn-target";
        break;
      case Part::kFilter:
        settings.filters = true;
        break;
      case Part::kUnknown:
        if (settings.unknown.empty()) settings.unknown = key;
        break;
      case Part::kSaysNothing:
        break;
    }
  }
  return settings;
}

bool is_git_setting(std::string_view setting) {
  const std::size_t equals = setting.find('=');
  if (equals == setting.npos) return false;
  return part_of(setting.substr(0, equals), setting.substr(equals + 1)) == Part::kMatters;
}

bool is_plain_for_git(const std::vector<std::string>& variables) {
  constexpr std::string_view kNames =
      "GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_ASKPASS GIT_TERMINAL_PROMPT GIT_SSH "
      "GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE "
      "GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_OPTIONAL_LOCKS "
      "GIT_MERGE_AUTOEDIT GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM";
  return std::ranges::all_of(variables, [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('='));
    if (!name.starts_with("GIT_") || name.starts_with("GIT_TXN_")) return true;
    // Given by git to what it starts, as git-txn is.
    if (variable == "GIT_EXEC_PATH=/usr/lib/git-core") return true;
    if (variable == "GIT_EXEC_PATH=/usr/libexec/git-core") return true;
    return name.starts_with("GIT_SSL_") || name.starts_with("GIT_HTTP_") || among(kNames, name);
  });
}

}  // namespace gittxn::capture

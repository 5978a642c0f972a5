#include "txn/clone.h"
#include "land/remote.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <sstream>

#include "base/failpoint.h"
#include "store/clones.h"

namespace gittxn::api {

namespace {

constexpr std::string_view kJoinAgain = "git txn init --store URL --hub REMOTE";

FAILPOINT(fp_noted, "api.init.noted");
FAILPOINT(fp_claimed, "api.init.claimed");

constexpr std::string_view kNote = "txn.cloneNote";
constexpr std::string_view kUnclaimed = "?";  // no name of a clone
constexpr int kCloneIdLetters = 16;
constexpr std::string_view kUsualSchema = "git_txn";

std::string note_text(const CloneNote& note) {
  return fmt::format("{} {} {}", note.name.empty() ? kUnclaimed : note.name, note.id, note.place);
}

Status keep_note(State& state, const CloneNote& note) {
  TRY(state.repository.git().must(
      {"config", "--local", "--replace-all", std::string(kNote), note_text(note)},
      state.repository.here()));
  return {};
}

std::string set_by_hand(const CloneNote& note) {
  return fmt::format("git config {} '{}'", kNote, note_text(note));
}

std::string init_again(const Membership& membership) {
  const std::string schema =
      membership.schema == kUsualSchema ? "" : " --schema " + membership.schema;
  return fmt::format("git txn init --store '{}' --hub {}{}", membership.store,
                     membership.hub->remote, schema);
}

}  // namespace

bool is_clone_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxHubName && std::ranges::all_of(name, fits);
}

Result<Membership> membership_of(repo::Repository& repository) {
  repo::Config& config = repository.config();
  Membership membership;
  const auto hub = TRY(config.get("txn.hub"));
  if (!hub) return membership;
  membership.store = TRY(config.get("txn.store")).value_or("");
  membership.schema = TRY(config.get("txn.storeschema")).value_or("");
  membership.log = TRY(config.get("txn.log")).value_or("");
  const std::string clone = TRY(config.get("txn.clone")).value_or("");
  if (hub->empty() || membership.store.empty() || membership.schema.empty() ||
      membership.log.empty() || !is_clone_name(clone)) {
    return fail(Code::kUsage,
                "txn.hub is set, and not all of txn.store, txn.storeSchema, txn.log "
                "and txn.clone",
                fmt::format("git config --unset txn.hub, then {}", kJoinAgain));
  }
  membership.hub = land::Hub{*hub, clone};
  if (const auto limit = TRY(land::remote_timeout_ms(config))) {
    membership.hub->timeout_ms = *limit;
  }
  return membership;
}

store::Location location_of(const repo::Repository& repository, const Membership& membership) {
  store::Location place(repository.txn_dir());
  place.url = membership.store;
  if (membership.hub) place.schema = membership.schema;
  return place;
}

Result<CloneNote> clone_note(State& state) {
  CloneNote note;
  std::istringstream words(TRY(state.repository.config().get("txn.clonenote")).value_or(""));
  if (!(words >> note.name >> note.id >> note.place)) return CloneNote{};
  if (note.name == kUnclaimed) note.name.clear();
  return note;
}

Result<std::string> clone_place(const State& state) {
  return place_of_folder(state.repository.place().common_dir);
}

// Not the device's number, which may be another one after the next boot.
Result<std::string> place_of_folder(const std::string& folder) {
  struct statx found{};
  if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &found) != 0) {
    return fail_errno(errno, "look at '" + folder + "'");
  }
  const bool dated = (found.stx_mask & STATX_BTIME) != 0;
  return fmt::format("{}-{}.{:09}", found.stx_ino, dated ? found.stx_btime.tv_sec : 0,
                     dated ? found.stx_btime.tv_nsec : 0);
}

Status claim_name(State& state, const std::string& name) {
  CloneNote note = TRY(clone_note(state));
  const std::string here = TRY(clone_place(state));
  if (note.place == here && note.name == name) {
    TRY(store::claim_clone(*state.store, name, note.id));
    return {};
  }
  if (note.place != here) note = {"", state.host.random->name(kCloneIdLetters), here};
  note.name.clear();
  TRY(keep_note(state, note));
  TRY(fp_noted.hit());
  const Status claimed = store::claim_clone(*state.store, name, note.id);
  if (!claimed && claimed.error().code == Code::kExists) {
    std::string hint = "give this one another name with --clone";
    if (const auto other = TRY(store::id_of_clone(*state.store, name))) {
      hint += fmt::format(
          "; or, when that clone is gone and this one takes its place: {}, and init "
          "again",
          set_by_hand({name, *other, here}));
    }
    return fail(Code::kRefused, fmt::format("another clone of this hub is called '{}'", name),
                hint);
  }
  if (!claimed) return claimed;
  TRY(fp_claimed.hit());
  note.name = name;
  return keep_note(state, note);
}

std::unexpected<Error> is_a_copy(const State& state, const CloneNote& note) {
  CloneNote moved = note;
  if (const auto here = clone_place(state)) moved.place = *here;
  return fail(Code::kRefused,
              fmt::format("this is a copy of the clone '{}': what that noted of its folder is not "
                          "true of this one",
                          note.name.empty() ? state.membership.hub->clone : note.name),
              fmt::format("name it: {} --clone NEWNAME; or, when it was moved here and there is no "
                          "other: {}",
                          init_again(state.membership), set_by_hand(moved)));
}

Status check_clone(State& state) {
  if (!state.membership.hub) return {};
  const CloneNote note = TRY(clone_note(state));
  if (!note.id.empty() && note.place != TRY(clone_place(state))) return is_a_copy(state, note);
  if (note.name == state.membership.hub->clone) return {};
  return fail(Code::kRefused,
              fmt::format("the clone '{}' has not claimed its name in the log",
                          state.membership.hub->clone),
              init_again(state.membership));
}

}  // namespace gittxn::api

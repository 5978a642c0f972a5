// Codecs: random values come back as they were, fixed values have fixed bytes (they are hashed and
// stored), and anything malformed is refused by name.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "base/hash.h"
#include "base/json.h"
#include "base/random.h"
#include "base/testing/random_fields.h"
#include "model/change.h"
#include "model/event.h"
#include "model/fields.h"
#include "model/policy.h"
#include "model/read.h"
#include "model/txn.h"

namespace gittxn {
namespace {

// Every run is another seed; a failure prints it. Replay with GTEST_RANDOM_SEED or
// --gtest_random_seed.
class Codecs : public ::testing::Test {
 protected:
  Codecs() : seed_(seed()), random_(seed_) {}
  static std::uint64_t seed() {
    const int given = ::testing::UnitTest::GetInstance()->random_seed();
    return given != 0 ? static_cast<std::uint64_t>(given) : Random().next();
  }
  void SetUp() override { RecordProperty("seed", std::to_string(seed_)); }
  void TearDown() override {
    if (HasFailure()) std::cerr << "seed " << seed_ << "\n";
  }

  template <typename T>
  T any() {
    return testing::random_value<T>(random_);
  }
  ReadSet reads() {
    ReadSet set = any<ReadSet>();
    set.reads.resize(random_.below(12));
    for (Read& one : set.reads) one = any<Read>();
    return set;
  }
  Changes changes() {
    std::map<std::string, PathChange> sorted;
    for (std::uint64_t i = random_.below(10); i > 0; --i) {
      PathChange change = any<PathChange>();
      sorted[change.path] = change;
    }
    Changes out;
    for (const auto& [path, change] : sorted) out.push_back(change);
    return out;
  }
  // Through text and back, as the log and the artifacts do it.
  template <typename T>
  void comes_back() {
    const T value = any<T>();
    const std::string text = canonical_text(field_list(value));
    const Json json = parse_json(text).value();
    EXPECT_EQ(canonical_json(json), text);
    const Result<T> back = read_fields<T>(json);
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    EXPECT_EQ(*back, value) << text;
    Json more = json;
    more["one_too_many"] = 1;
    EXPECT_FALSE(read_fields<T>(more)) << text;
  }

  const std::uint64_t seed_;
  Random random_;
};

TEST_F(Codecs, ReturnWhatWasWritten) {
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    comes_back<PathChange>();
    comes_back<Read>();
    comes_back<SummarySource>();
    comes_back<Summary>();
    comes_back<Identity>();
    comes_back<Attempt>();
    comes_back<Conflict>();
    comes_back<Txn>();
    comes_back<Certificate>();
    comes_back<Compensation>();
    comes_back<Workflow>();
    comes_back<PhaseEvidence>();
    comes_back<PhaseVerdict>();
    comes_back<PhaseMember>();
  }
}

TEST_F(Codecs, LinesReturnTheSet) {
  for (int i = 0; i < 200; ++i) {
    ReadSet set = reads();
    const Digest digest = digest_of(set);
    const std::string lines = reads_to_lines(set);
    normalize(set);
    EXPECT_EQ(reads_to_lines(set), lines) << "the order of recording does not matter";
    EXPECT_EQ(sha256(lines), digest);
    const Result<ReadSet> back = reads_from_lines(lines);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->reads, set.reads);
    EXPECT_EQ(back->complete, set.complete);
    EXPECT_EQ(back->unknown_reason, set.unknown_reason);
    EXPECT_EQ(back->tool_env_digest, set.tool_env_digest);
    EXPECT_EQ(back->notes, set.notes);

    const Changes written = changes();
    const Result<Changes> read_back = changes_from_lines(changes_to_lines(written));
    ASSERT_TRUE(read_back) << read_back.error().message;
    EXPECT_EQ(*read_back, written);
    if (HasFailure()) return;
  }
}

TEST_F(Codecs, WorseDuplicatesDoNotChangeTheDigest) {
  for (int i = 0; i < 100; ++i) {
    ReadSet set = reads();
    const Digest digest = digest_of(set);
    // A duplicate from a worse source, somewhere else in the list.
    if (!set.reads.empty()) {
      Read copy = set.reads[random_.below(set.reads.size())];
      if (copy.source != ReadSource::kCoarse) {
        copy.source = ReadSource::kCoarse;
        copy.strength = Strength::kSoft;
        set.reads.insert(set.reads.begin(), copy);
      }
    }
    EXPECT_EQ(digest_of(set), digest);
    if (HasFailure()) return;
  }
}

Read sample_read() {
  Read read;
  read.kind = ReadKind::kContent;
  read.subject = "src/caf\xe9 100%.c";
  read.digest = std::string(40, '1');
  read.snapshot = Oid(std::string(40, '2'));
  read.pid = 42;
  read.argv = "cc -c 'a b.c'";
  read.op = "openat";
  return read;
}

TEST(Golden, Read) {
  EXPECT_EQ(canonical_json(to_json(sample_read())),
            R"({"argv":"cc -c 'a b.c'","digest":"1111111111111111111111111111111111111111",)"
            R"("kind":"content","op":"openat","pid":42,)"
            R"("snapshot":"2222222222222222222222222222222222222222","source":"trace",)"
            R"("strength":"hard","subject":"src/caf%E9 100%25.c"})");
}

TEST(Golden, ReadSet) {
  ReadSet set;
  Read absence;
  absence.kind = ReadKind::kAbsence;
  absence.subject = "include/b.h";
  absence.op = "openat";
  set.reads = {sample_read(), absence};
  set.complete = true;
  set.tool_env_digest = Digest("e0");
  set.notes = {"setuid program"};
  EXPECT_EQ(reads_to_lines(set),
            R"({"complete":true,"notes":["setuid program"],"tool_env":"e0","unknown_reason":""})"
            "\n"
            R"({"digest":"","kind":"absence","op":"openat","source":"trace","strength":"hard",)"
            R"("subject":"include/b.h"})"
            "\n" +
                canonical_json(to_json(sample_read())) + "\n");
}

TEST(Reads, ASearchKeepsItsQueryAndAPartItsLines) {
  Read search = sample_read();
  search.kind = ReadKind::kSearch;
  EXPECT_EQ(read_fields<Read>(to_json(search)).error().code, Code::kCorrupt) << "it has no query";
  search.query = "{}";
  EXPECT_EQ(read_fields<Read>(to_json(search)).value(), search);
  Read part = sample_read();
  part.lines = {3, 4};
  EXPECT_EQ(read_fields<Read>(to_json(part)).value(), part);
  part.kind = ReadKind::kAbsence;
  EXPECT_EQ(read_fields<Read>(to_json(part)).error().code, Code::kCorrupt);
  part.kind = ReadKind::kContent;
  part.query = "{}";
  EXPECT_EQ(read_fields<Read>(to_json(part)).error().code, Code::kCorrupt);
}

TEST(Reads, OneObservationOfTwoSourcesKeepsTheBetterAndWhoMadeIt) {
  Read traced = sample_read();
  Read hooked = sample_read();
  hooked.source = ReadSource::kHook;
  hooked.call = "toolu_1";
  hooked.tool = "Read";
  hooked.agent = "a7";
  for (const bool first : {true, false}) {
    ReadSet set;
    set.reads = first ? std::vector{traced, hooked} : std::vector{hooked, traced};
    normalize(set);
    ASSERT_EQ(set.reads.size(), 1u);
    EXPECT_EQ(set.reads[0].source, ReadSource::kTrace);
    EXPECT_EQ(set.reads[0].call, "toolu_1");
    EXPECT_TRUE(maker_of(set.reads[0]).starts_with("Read call toolu_1")) << maker_of(set.reads[0]);
    EXPECT_EQ(set.reads[0].agent, "a7");
  }
  Read part = hooked;
  part.lines = {1, 5};
  ReadSet set;
  set.reads = {hooked, part};
  normalize(set);
  EXPECT_EQ(set.reads.size(), 2u) << "a part is not the whole";
}

TEST(Golden, Change) {
  const PathChange change{"bin/run", {}, {FileMode::kExecutable, Oid(std::string(40, 'a'))}};
  EXPECT_EQ(canonical_json(to_json(change)),
            R"({"after":{"mode":"100755","oid":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},)"
            R"("before":null,"path":"bin/run"})");
}

TEST(Golden, Txn) {
  Txn txn;
  txn.id = TxnId("t-7k2m");
  txn.name = "fix auth";
  txn.target = RefName("refs/heads/main");
  txn.command = {"make"};
  txn.owner = "Ada";
  txn.committer = {"Ada", "ada@example.org"};
  txn.slot = 3;
  txn.attempts.resize(1);
  txn.created_wall_ms = 1'700'000'000'000;
  EXPECT_EQ(
      canonical_json(to_json(txn)),
      R"({"attached":false,"attempts":[{"base":"","base_seq":0,"command_exit":null,"kept":"",)"
      R"("number":1,"reads":"","reads_complete":false,"tool_env":"","traces":[],)"
      R"("unknown_reason":"","worktree":"","writes":""}],"author":null,"command":["make"],)"
      R"("committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,)"
      R"("id":"t-7k2m","isolation":"semantic","landed_commit":"","name":"fix auth","owner":"Ada",)"
      R"("priority":0,"slot":3,"state":"open","subdir":"","target":"refs/heads/main",)"
      R"("version":0,"waiting_reason":"","waiting_subject":""})");
  // What older logs do not have is there only where it says something.
  txn.workflow = "release";
  txn.phase = "build";
  txn.parent = TxnId("t-1a2b");
  txn.depth = 1;
  txn.clone = "build3";
  const std::string more = canonical_json(to_json(txn));
  EXPECT_NE(more.find(R"("parent":"t-1a2b","phase":"build")"), std::string::npos) << more;
  EXPECT_NE(more.find(R"("workflow":"release"})"), std::string::npos) << more;
  EXPECT_NE(more.find(R"("depth":1,)"), std::string::npos) << more;
  EXPECT_NE(more.find(R"("clone":"build3",)"), std::string::npos) << more;
}

TEST(Golden, CertificateAndConflict) {
  Certificate certificate;
  certificate.gate = GateName("test");
  certificate.passed = true;
  EXPECT_EQ(canonical_json(to_json(certificate)),
            R"({"duration_ms":0,"exit_status":0,"gate":"test","gate_version":"","inputs":"",)"
            R"("output":"","parent":"","passed":true,"timed_out":false,"tool_env":"","tree":"",)"
            R"("txn":""})");
  const Conflict conflict{ConflictKind::kWriteWrite, "a", "1", "2", "t-1", "rebase", "pid 7", ""};
  EXPECT_EQ(canonical_json(to_json(conflict)),
            R"({"changed_by":"t-1","head_digest":"2","hint":"rebase","kind":"write-write",)"
            R"("read_by":"pid 7","read_digest":"1","subject":"a"})");
}

TEST(Golden, EventHash) {
  Event event;
  event.seq = 1;
  event.time = "2026-11-21T11:02:25.000Z";
  event.type = "txn.nothing";
  event.subject = "t-1";
  event.dedup_key = "seq:1";
  event.payload = R"({"why":"no change"})";
  event.prev_hash = Digest(std::string(64, '0'));
  const std::string text =
      R"({"dedup_key":"seq:1","payload":"{\"why\":\"no change\"}",)"
      R"("prev_hash":"0000000000000000000000000000000000000000000000000000000000000000",)"
      R"("schema_version":1,"seq":1,"subject":"t-1","time":"2026-11-21T11:02:25.000Z",)"
      R"("type":"txn.nothing"})";
  EXPECT_EQ(event_hash(event), sha256(event.prev_hash.str() + text));
}

TEST(EventHash, CoversEveryColumnButItself) {
  Event event;
  event.seq = 7;
  const Digest before = event_hash(event);
  const auto differs = [&](auto change) {
    Event other = event;
    change(other);
    return event_hash(other) != before;
  };
  EXPECT_TRUE(differs([](Event& e) { e.seq = 8; }));
  EXPECT_TRUE(differs([](Event& e) { e.time = "x"; }));
  EXPECT_TRUE(differs([](Event& e) { e.type = "x"; }));
  EXPECT_TRUE(differs([](Event& e) { e.subject = "x"; }));
  EXPECT_TRUE(differs([](Event& e) { e.schema_version = 2; }));
  EXPECT_TRUE(differs([](Event& e) { e.dedup_key = "x"; }));
  EXPECT_TRUE(differs([](Event& e) { e.payload = "x"; }));
  EXPECT_TRUE(differs([](Event& e) { e.payload = "\xff"; }));
  EXPECT_TRUE(differs([](Event& e) { e.prev_hash = Digest("x"); }));
  EXPECT_FALSE(differs([](Event& e) { e.hash = Digest("x"); }));
}

// What is refused, and by what name.
std::string refusal(const std::string& text) {
  const Result<Read> read = read_fields<Read>(parse_json(text).value());
  if (read) return "accepted";
  EXPECT_EQ(read.error().code, Code::kCorrupt);
  return read.error().message;
}

TEST(Strict, NamesWhatIsWrong) {
  const std::string good = R"({"kind":"content","subject":"a","digest":"","strength":"hard",)"
                           R"("source":"trace","op":"open")";
  EXPECT_EQ(refusal(good + "}"), "accepted");
  EXPECT_EQ(refusal("[]"), "read: not a JSON object");
  EXPECT_EQ(refusal("{}"), "read: field 'kind': missing");
  EXPECT_EQ(refusal(good + R"(,"mood":1})"), "read: field 'mood': unknown field");
  EXPECT_EQ(refusal(good + R"(,"pid":"1"})"), "read: field 'pid': not a whole number");
  EXPECT_EQ(refusal(good + R"(,"pid":1.5})"), "read: field 'pid': not a whole number");
  EXPECT_EQ(refusal(good + R"(,"pid":18446744073709551615})"), "read: field 'pid': out of range");
  EXPECT_EQ(refusal(good + R"(,"snapshot":"HEAD"})"), "read: field 'snapshot': not an object id");
  EXPECT_EQ(refusal(good + R"(,"snapshot":["a"]})"), "read: field 'snapshot': not a string");
  std::string odd = good + "}";
  odd.replace(odd.find("content"), 7, "glance!");
  EXPECT_EQ(refusal(odd), "read: field 'kind': unknown value 'glance!'");
}

// As many fields as were asked for, and yet not those.
TEST(Strict, AnUnknownFieldDoesNotHideBehindAnAbsentOne) {
  const Json json{{"a", 1}, {"c", 1}};
  int a = 0;
  int b = 0;
  const Status done = read_json(json, "thing", [&](FieldIo& io) {
    io.integer("a", a);
    EXPECT_FALSE(io.maybe("b", b));
  });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "thing: field 'c': unknown field");
}

TEST(Strict, NamesTheElementAndTheLine) {
  Txn txn;
  txn.attempts.resize(2);
  Json json = to_json(txn);
  json["attempts"][1]["kept"] = 5;
  EXPECT_EQ(read_fields<Txn>(json).error().message,
            "transaction: field 'attempts': element 1: attempt: field 'kept': not a string");
  json = to_json(txn);
  json["priority"] = std::int64_t{1} << 40;
  EXPECT_EQ(read_fields<Txn>(json).error().message, "transaction: field 'priority': out of range");

  ReadSet set;
  set.reads = {sample_read()};
  std::string lines = reads_to_lines(set);
  const Result<ReadSet> cut = reads_from_lines(lines.substr(0, lines.size() - 1));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "read set, line 2: the line is cut off");
  lines.replace(lines.find("\"hard\""), 6, "\"firm\"");
  const Result<ReadSet> edited = reads_from_lines(lines);
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().where, "read set, line 2");
  EXPECT_FALSE(reads_from_lines(""));
  EXPECT_TRUE(changes_from_lines("")->empty());
}

TEST(Strict, ChangesStayInOrder) {
  const Oid blob(std::string(40, 'a'));
  const Changes changes{{"b", {}, {FileMode::kFile, blob}}, {"a", {}, {FileMode::kFile, blob}}};
  EXPECT_EQ(changes_from_lines(changes_to_lines(changes)).error().code, Code::kCorrupt);
  const Changes twice{changes[0], changes[0]};
  EXPECT_EQ(changes_from_lines(changes_to_lines(twice)).error().code, Code::kCorrupt);
}

TEST(Normalize, BetterSourceStaysAndHardWins) {
  Read traced = sample_read();
  traced.strength = Strength::kSoft;
  Read declared = traced;
  declared.source = ReadSource::kDeclared;
  declared.strength = Strength::kHard;
  declared.pid = 1;
  ReadSet set;
  set.reads = {declared, traced};
  normalize(set);
  ASSERT_EQ(set.reads.size(), 1u);
  EXPECT_EQ(set.reads[0].source, ReadSource::kTrace);
  EXPECT_EQ(set.reads[0].pid, traced.pid);
  EXPECT_EQ(set.reads[0].strength, Strength::kHard);
}

TEST(Normalize, FirstObserverOfEquallyGoodOnesStays) {
  Read first = sample_read();
  Read second = first;
  second.pid = 7;
  ReadSet set;
  set.reads = {first, second};
  normalize(set);
  ASSERT_EQ(set.reads.size(), 1u);
  EXPECT_EQ(set.reads[0].pid, first.pid);
}

TEST(Normalize, TwoDigestsOfOnePathAreTwoReads) {
  Read first = sample_read();
  Read second = first;
  second.digest = std::string(40, '9');
  ReadSet set;
  set.reads = {second, first, second};
  set.notes = {"b", "a", "b"};
  normalize(set);
  EXPECT_EQ(set.reads, (std::vector<Read>{first, second}));
  EXPECT_EQ(set.notes, (std::vector<std::string>{"a", "b"}));
}

TEST(FilesOf, DropsDirectoriesButNotTheFilesTheyReplace) {
  const TreeEntry file{FileMode::kFile, Oid(std::string(40, 'a'))};
  const TreeEntry tree{FileMode::kTree, Oid(std::string(40, 'b'))};
  const Changes files = files_of(
      {{"d", {}, tree}, {"d/f", {}, file}, {"was-dir", tree, file}, {"was-file", file, tree}});
  EXPECT_EQ(files, (Changes{{"d/f", {}, file}, {"was-dir", {}, file}, {"was-file", file, {}}}));
}

TEST(Names, ComeBack) {
  for (int i = 0; i < 9; ++i) {
    Txn txn;
    txn.state = static_cast<TxnState>(i);
    const Json json = to_json(txn);
    EXPECT_EQ(json["state"], state_name(txn.state));
    EXPECT_EQ(read_fields<Txn>(json).value().state, txn.state);
  }
  for (int i = 0; i < 11; ++i) {
    const auto kind = static_cast<ReadKind>(i);
    EXPECT_EQ(value_in(kReadKinds, "kind", read_kind_name(kind)).value(), kind);
  }
  for (int i = 0; i < 5; ++i) {
    const auto level = static_cast<Isolation>(i);
    EXPECT_EQ(isolation_from_name(isolation_name(level)).value(), level);
  }
  EXPECT_EQ(isolation_from_name("snapshop").error().hint,
            "one of: read-committed, snapshot, semantic, serializable, strict");
}

// The whole diagram, from each state to each: what is not listed is refused.
TEST(States, MoveAsTheDiagramSays) {
  using enum TxnState;
  const std::map<TxnState, std::set<TxnState>> diagram{
      {kOpen, {kPrepared, kRepairing, kQuarantined, kNothing, kAborted}},
      {kPrepared, {kLanding, kRepairing, kRejected, kQuarantined, kNothing, kAborted, kOpen}},
      {kLanding, {kLanded, kPrepared}},
      {kLanded, {}},
      {kNothing, {}},
      {kRejected, {kOpen, kPrepared, kRepairing, kAborted}},
      {kAborted, {kOpen}},
      {kQuarantined, {kOpen, kPrepared, kAborted}},
      {kRepairing, {kPrepared, kOpen, kRejected, kQuarantined, kNothing, kAborted}},
  };
  for (const auto& [from, allowed] : diagram) {
    for (const auto& [to, unused] : diagram) {
      EXPECT_EQ(may_follow(from, to), allowed.contains(to))
          << state_name(from) << " -> " << state_name(to);
    }
  }
  EXPECT_TRUE(is_final(kLanded) && is_final(kNothing) && is_final(kAborted));
  EXPECT_FALSE(is_final(kOpen) || is_final(kPrepared) || is_final(kLanding) ||
               is_final(kRejected) || is_final(kQuarantined) || is_final(kRepairing));
}

}  // namespace
}  // namespace gittxn

"""What two runs of the same scripts differ in, for whoever reads it as the model and as the person do.

    alike.py FREE CONFINED      folders with `requests` (model.py) and with the outputs of each script

Every answer to a tool call is compared, word by word, its lines in any order (grep -r and rg print them so); of
everything else (outputs, errors, logs of the
agents) the lines that speak of an error or a refusal. What belongs to one run alone (ids, times, places) counts by
being there. Prints what is different, and how much was compared; fails where the confined run has a line that the
other has not."""
import difflib
import json
import os
import re
import sys

ALONE = [
    (r"(?:/[^/\s\"'\\]+)+/state/git-txn/[^/\s\"'\\]+/t-[a-z0-9]+/\d+", "ATTEMPT"),
    (r"(?:/[^/\s\"'\\]+)+/w/(?:off|writes)\b", "WORLD"),
    (r"-tmp-git-txn-e2e[-.A-Za-z0-9]*", "PROJECT"),
    (r"\bt-[a-z0-9]{4,}\b", "TXN"),
    (r"\b(?:toolu|msg|call|resp|req)_[A-Za-z0-9_]+", "ID"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "ID"),
    (r"\btmp\.[A-Za-z0-9]+", "TEMPORARY"),
    (r"\bChunk ID: \w+", "CHUNK"),
    (r'"(chunk_id|nickname|task_id|run_id)":"[-\w]+"', "NAME"),
    (r"\bwith ID: \w+|\btasks/\w+\.output", "TASK"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z?", "TIME"),
    (r"\b(?=[a-z]*\d)[0-9a-z]{7,64}\b", "HEX"),
    (r"\d+(?:\.\d+)?", "N"),
]
BAD = re.compile(r"error|fail|denied|EROFS|EACCES|EPERM|not permitted|read-only|cannot|unable|refus|outside of", re.I)


# Claude Code writes its settings beside them and renames. In a home directory that is read-only it writes them in
# place then, which nobody is told of but its debug log.
DRAFTS = re.compile(r"\.claude\.json\.(tmp|lock)|Failed to save config with lock|ELOCKED")


def plain(text):
    for pattern, name in ALONE:
        text = re.sub(pattern, name, text)
    return text


def texts(value):
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(texts(part) for part in value)
    if isinstance(value, dict):
        if value.get("type") == "image":
            return "an image of %d" % len(json.dumps(value))
        return texts(value.get("text", "")) or texts(value.get("content", "")) or texts(value.get("output", ""))
    return ""


def answers(body):
    """The script of a conversation, and what its tools answered."""
    said = [m.get("content") for m in body.get("messages", []) + body.get("input", []) if m.get("role") == "user"]
    found = re.search(r"SCRIPT:([a-z]+)", "\n".join(map(texts, said)))
    results = []
    for message in body.get("messages", []):
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") == "tool_result":
                results.append((part["tool_use_id"], ("error: " if part.get("is_error") else "") + texts(part)))
    for item in body.get("input", []):
        if item.get("type", "").endswith("_call_output"):
            results.append((item["call_id"], texts(item.get("output"))))
    # By the time when they were called (model.py): calls at once are answered in any order.
    results.sort(key=lambda one: int(one[0].split("_")[-2]))
    return found.group(1) if found else "", [text for _, text in results]


def conversations(folder):
    longest = {}
    with open(folder + "/requests") as requests:
        for line in requests:
            script, results = answers(json.loads(line)["request"])
            if script and len(results) >= len(longest.get(script, [])):
                longest[script] = results
    return {script: ["\n".join(sorted(plain(one).splitlines())) for one in results] for script, results in longest.items()}


def complaints(folder):
    found = {}
    for place, _, files in os.walk(folder + "/said"):
        for name in files:
            with open(os.path.join(place, name), errors="replace") as lines:
                for line in lines:
                    for part in re.split(r"\\n|\n", line):
                        known = plain(part)
                        for hit in BAD.finditer(known):
                            found.setdefault(known[max(0, hit.start() - 60):hit.end() + 60], (name, part.strip()[:300]))
    return found


def main():
    free, confined = sys.argv[1:]
    bad = 0
    ours, theirs = conversations(confined), conversations(free)
    for script in sorted(set(ours) | set(theirs)):
        a, b = theirs.get(script, []), ours.get(script, [])
        for number in range(max(len(a), len(b))):
            one = a[number] if number < len(a) else "(none)"
            other = b[number] if number < len(b) else "(none)"
            if one != other:
                bad += 1
                print("%s, answer %d, free and confined:" % (script, number + 1))
                print("\n".join(difflib.unified_diff(one.splitlines(), other.splitlines(), lineterm="", n=1))[:3000])
    known = complaints(free)
    new = complaints(confined)
    excused = 0
    for around, (name, line) in new.items():
        if around not in known and DRAFTS.search(line):
            excused += 1
        elif around not in known:
            bad += 1
            print("%s: %s\n  of: %s" % (name, around, line))
    print("%d answers of tools in %d conversations, and %d complaints, were compared: %d differences" % (
        sum(map(len, ours.values())), len(ours), len(new), bad))
    if excused:
        print("%d lines of a log tell that the settings were written in place, not renamed into it" % excused)
    return 1 if bad or not ours else 0


sys.exit(main())

"""What Codex looks like from outside: runs the hooks of its command line, but only those whose hash
the command line trusts, as Codex 0.169.0 does; "exec SCRIPT" runs SCRIPT as one shell call."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib

settings, words, arguments = {}, [], sys.argv[1:]
while arguments:
    word = arguments.pop(0)
    if word == "-c":
        name, value = arguments.pop(0).split("=", 1)
        settings[name] = tomllib.loads("value = " + value)["value"]
    else:
        words.append(word)
assert words[0] == "exec", words
session = "01a1fd65-f4bf-7c22-93fe-52bbfdd2a559"
folder = os.path.join(os.environ["HOME"], ".codex/sessions/2026/11/21")
os.makedirs(folder, exist_ok=True)
rollout = os.path.join(folder, "rollout-2026-11-21T09-18-00-%s.jsonl" % session)


def event(name, **fields):
    snake = re.sub("(?<!^)([A-Z])", r"_\1", name).lower()
    for group, setting in enumerate(settings.get("hooks." + name, [])):
        for index, hook in enumerate(setting["hooks"]):
            identity = {"event_name": snake, "hooks": [dict(hook, **{"async": False})]}
            text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            key = "/<session-flags>/config.toml:%s:%d:%d" % (snake, group, index)
            trusted = settings.get("hooks.state", {}).get(key, {}).get("trusted_hash")
            if trusted != "sha256:" + hashlib.sha256(text.encode()).hexdigest():
                continue  # without a word
            told = dict(session_id=session, turn_id="t", transcript_path=rollout, cwd=os.getcwd(),
                        hook_event_name=name, **fields)
            subprocess.run(["sh", "-c", hook["command"]], input=json.dumps(told).encode(), check=True,
                           timeout=hook["timeout"], env={"PATH": os.environ["PATH"], "HOME": "/"})


def line(kind, payload):
    with open(rollout, "a") as out:
        out.write(json.dumps({"timestamp": "2026-11-21T09:18:00.000Z", "type": kind,
                              "payload": payload}) + "\n")


line("session_meta", {"id": session, "cwd": os.getcwd()})
event("SessionStart", source="startup")
event("UserPromptSubmit", prompt="go")
call = {"tool_name": "Bash", "tool_input": {"command": words[1]}, "tool_use_id": "call_1"}
event("PreToolUse", **call)
done = subprocess.run(["bash", "-c", words[1]], capture_output=True, text=True)
event("PostToolUse", tool_response=done.stdout, **call)
line("event_msg", {"type": "item_completed", "item": {"type": "CommandExecution", "id": "call_1",
     "command": ["bash", "-c", words[1]], "cwd": os.getcwd(), "exit_code": done.returncode}})
event("Stop", last_assistant_message="done")
event("SessionEnd", reason="other")

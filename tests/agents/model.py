"""A model that says what a script tells it to, on loopback: enough of the Messages API for Claude
Code and of the Responses API for Codex. Python's standard library and nothing else.

    model.py SCRIPT.json LOG.jsonl      prints its port, then serves until its standard input ends

SCRIPT.json is {"NAME": [TURN, ...]}; a conversation plays NAME when its first prompt has SCRIPT:NAME.
A turn is a list of {"text": T}, {"tool": NAME, "input": OBJECT}, {"custom": NAME, "input": TEXT} (Codex; {"patch":
TEXT} is that of apply_patch), and of
{"touch": FILE} and {"wait": FILE}, which happen before the answer: what one agent sees is so put
before what another one does. Which turn it is follows from the conversation alone. Every request is
a line of LOG.jsonl. "{HERE}" in the strings of a turn is the working directory that the agent told.
"""

import http.server
import json
import os
import re
import sys
import threading
import time

SCRIPT = json.load(open(sys.argv[1]))
LOG = open(sys.argv[2], "a", buffering=1)
LOCK = threading.Lock()
PATIENCE_S = float(os.environ.get("MODEL_PATIENCE_S", "60"))
QUIET = [{"text": "Nothing to say."}]


def texts(value):
    """All text of a message's content, whatever its form."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(texts(part) for part in value)
    if isinstance(value, dict):
        return texts(value.get("text", "")) + texts(value.get("content", ""))
    return ""


def script_of(prompts):
    for prompt in prompts:
        found = re.search(r"SCRIPT:([a-z]+)", prompt)
        if found:
            return SCRIPT.get(found.group(1), [])
    return []


def prepare(turn, here):
    """The turn's answers, after what it is to wait for."""
    answers = []
    for step in json.loads(json.dumps(turn).replace("{HERE}", here)):
        if "touch" in step:
            open(step["touch"], "w").close()
        elif "wait" in step:
            end = time.monotonic() + PATIENCE_S
            while not os.path.exists(step["wait"]):
                if time.monotonic() > end:
                    answers.append({"text": "waited in vain for " + step["wait"]})
                    break
                time.sleep(0.02)
        else:
            answers.append(step)
    return answers


def log(kind, turn, body):
    with LOCK:
        LOG.write(json.dumps({"api": kind, "turn": turn, "request": body}) + "\n")


def of_messages(body):
    """Anthropic: a turn for each assistant message so far."""
    messages = body.get("messages", [])
    # Small questions that the program asks for itself (titles, topics) have no tools.
    script = script_of(texts(m.get("content")) for m in messages if m["role"] == "user")
    turn = sum(1 for m in messages if m["role"] == "assistant")
    log("messages", turn, body)
    if not script or not body.get("tools"):
        return QUIET
    found = re.search(r"[Ww]orking directory: ([^\s<]+)", texts(body.get("system")) + texts(
        [m.get("content") for m in messages]))
    here = found.group(1) if found else ""
    return prepare(script[turn], here) if turn < len(script) else QUIET


def of_responses(body):
    """OpenAI: a turn for each run of things the model said."""
    items = body.get("input", [])
    script = script_of(texts(i.get("content")) for i in items if i.get("role") == "user")
    turn, speaking = 0, False
    for item in items:
        said = item.get("type") in ("function_call", "custom_tool_call", "reasoning") or (
            item.get("type") == "message" and item.get("role") == "assistant")
        turn += said and not speaking
        speaking = said
    log("responses", turn, body)
    found = re.search(r"<cwd>([^<]+)</cwd>", json.dumps(items))
    here = found.group(1) if found else ""
    return prepare(script[turn], here) if turn < len(script) else QUIET


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def events(self, events):
        data = "".join("event: %s\ndata: %s\n\n" % (e["type"], json.dumps(e)) for e in events)
        self.answer(200, "text/event-stream", data.encode())

    def do_GET(self):
        self.answer(200, "application/json", b'{"data": [], "models": []}')

    def do_HEAD(self):
        self.answer(200, "application/json", b"")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return self.answer(400, "application/json", b"{}")
        if self.path.split("?")[0].endswith("/messages"):
            return self.events(messages_events(body, of_messages(body)))
        if self.path.split("?")[0].endswith("/responses"):
            return self.events(responses_events(of_responses(body)))
        return self.answer(200, "application/json", b'{"input_tokens": 1}')


def name_of(step, index):
    return "%s_%d_%d" % (step.get("id", "call"), time.monotonic_ns(), index)


def messages_events(body, answers):
    message = {"id": "msg_%d" % time.monotonic_ns(), "type": "message", "role": "assistant",
               "model": body.get("model", "model"), "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    events = [{"type": "message_start", "message": message}]
    calls = False
    for index, step in enumerate(answers):
        if "tool" in step:
            calls = True
            block = {"type": "tool_use", "id": "toolu_" + name_of(step, index), "name": step["tool"],
                     "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step["input"])}
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": step["text"]}
        events += [{"type": "content_block_start", "index": index, "content_block": block},
                   {"type": "content_block_delta", "index": index, "delta": delta},
                   {"type": "content_block_stop", "index": index}]
    stop = "tool_use" if calls else "end_turn"
    events += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": 5}}, {"type": "message_stop"}]
    return events


def responses_events(answers):
    response = {"id": "resp_%d" % time.monotonic_ns()}
    events = [{"type": "response.created", "response": response}]
    for index, step in enumerate(answers):
        if "tool" in step:
            item = {"type": "function_call", "name": step["tool"], "call_id": name_of(step, index),
                    "arguments": json.dumps(step["input"])}
            if "namespace" in step:
                item["namespace"] = step["namespace"]
        elif "patch" in step or "custom" in step:
            item = {"type": "custom_tool_call", "name": step.get("custom", "apply_patch"),
                    "call_id": name_of(step, index), "input": step.get("patch") or step["input"]}
        else:
            item = {"type": "message", "role": "assistant", "id": name_of(step, index),
                    "content": [{"type": "output_text", "text": step["text"]}]}
        events.append({"type": "response.output_item.done", "item": item})
    usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5,
             "output_tokens_details": None, "total_tokens": 15}
    events.append({"type": "response.completed", "response": dict(response, usage=usage)})
    return events


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()  # the end of whoever started us


main()

"""Lets lwtest test the list and watch calls of the Kubernetes client for Python. Requests are lines of JSON on stdin, answers are
lines on stdout (docs/protocol.md). Each request has a thread, so that one that waits holds up no other."""
import functools, json, os, queue, re, sys, tempfile, threading

import kubernetes
from kubernetes import client, watch

clients, watches, opened_by = {}, {}, {}  # what is open, by handle; watches also by the id of the request that opened them
stdout = threading.Lock()


def say(message):
    with stdout:
        print(json.dumps(message), flush=True)


def open_client(r):
    config = client.Configuration(host=r["server"]["url"])
    config.api_key = {"authorization": "Bearer " + r["server"].get("token", "")}
    if "ca" in r["server"]:
        with tempfile.NamedTemporaryFile("w", delete=False) as ca:  # the library takes a file, and reads it at once
            ca.write(r["server"]["ca"])
        config.ssl_ca_cert = ca.name
    core = client.CoreV1Api(client.ApiClient(config))
    if config.ssl_ca_cert:
        os.unlink(config.ssl_ca_cert)
    call = core.list_config_map_for_all_namespaces
    if "namespace" in r:
        call = functools.partial(core.list_namespaced_config_map, r["namespace"])
        call.__doc__ = core.list_namespaced_config_map.__doc__
    clients[r["h"]] = call


def arguments(options):
    """The options under the library's names: resource_version for resourceVersion."""
    snake = {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name): value for name, value in options.items()}
    return {"_continue" if name == "continue" else name: value for name, value in snake.items()}


def as_json(object):
    return client.ApiClient().sanitize_for_serialization(object)


def list_objects(r):
    found = as_json(clients[r["h"]](**arguments(r["options"])))
    return {"options": r["options"], "metadata": found["metadata"], "items": found["items"]}


class Watch:
    """A watch of the library, read by a thread: the library itself heeds stop only after the next event."""

    def __init__(self, call, options):
        self.opened, self.found, self.watch = queue.Queue(), queue.Queue(), watch.Watch()
        threading.Thread(target=self.run, args=(call, arguments(options)), daemon=True).start()

    def run(self, call, options):
        @functools.wraps(call)  # Watch reads in its doc what type the objects have
        def opens(**options):
            response = call(**options)
            self.opened.put(None)
            return response
        try:
            for e in self.watch.stream(opens, **options):
                self.found.put({"event": {"type": e["type"], "object": as_json(e["object"])}})
        except Exception as e:
            self.opened.put(e)
            self.found.put(e)
        self.found.put(None)

    def read(self):
        found = self.found.get()
        if isinstance(found, Exception):
            raise found
        if found is None:
            self.found.put(None)  # every later read says so, too
        return found or {"ended": True}

    def stop(self):
        self.watch.stop()
        self.opened.put(InterruptedError("stopped before it was open"))
        self.found.put(None)


def open_watch(r):
    w = watches[r["w"]] = opened_by[r["id"]] = Watch(clients[r["h"]], r["options"])
    failed = w.opened.get()
    if failed:
        raise failed
    return {"options": r["options"]}


def cancel(r):
    if r["of"] in opened_by:
        opened_by[r["of"]].stop()


def end_case(r):
    for w in watches.values():
        w.stop()
    for opened in clients, watches, opened_by:
        opened.clear()


ops = {
    "hello": lambda r: {
        "protocol": 1, "implementation": "kubernetes client for Python", "version": kubernetes.__version__,
        "offers": [{"kind": "listerwatcher", "features": ["lists", "watches", "retries", "field-selectors", "all-namespaces", "json"]}],
    },
    "case.begin": lambda r: None, "case.end": end_case, "barrier": lambda r: None, "cancel": cancel,
    "crash": lambda r: os._exit(7), "shutdown": lambda r: None,
    "lw.open": open_client, "lw.list": list_objects, "lw.watch": open_watch,
    "lw.read": lambda r: watches[r["w"]].read(), "lw.stop": lambda r: watches[r["w"]].stop(),
}


def status_of(e):
    """The Status of an ERROR event: Watch.stream raises its code, and "reason: message"."""
    reason, _, message = e.reason.partition(": ")
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": e.status, "reason": reason, "message": message}


def answer(r):
    if r["op"] not in ops:
        return say({"id": r["id"], "skip": "there is no such op"})
    try:
        say({"id": r["id"], "ok": ops[r["op"]](r) or {}})
    except Exception as e:
        err = {"msg": f"{type(e).__name__}: {e}"}
        if isinstance(e, client.ApiException) and e.status:
            err["status"] = json.loads(e.body) if e.body else status_of(e)
        say({"id": r["id"], "err": err})
    if r["op"] == "shutdown":
        os._exit(0)


for line in sys.stdin:
    threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
os._exit(0)

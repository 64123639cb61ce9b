// Connects the list and watch calls of the npm package k8s to lwtest.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import k8s from 'k8s';

const { version } = JSON.parse(readFileSync(new URL('node_modules/k8s/package.json', import.meta.url)));
const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');

const clients = new Map(), watches = new Map(); // by handle
const calls = new Map(); // the AbortController of each request, by its id: a watch is cancelled by it after the answer, too

function open({ h, server, namespace }) {
  const api = k8s.api({ endpoint: server.url, version: '/api/v1', strictSSL: Boolean(server.ca), auth: { token: server.token, caCert: server.ca } });
  clients.set(h, { api, path: `${namespace ? `namespaces/${namespace}/` : ''}configmaps` });
}

// list cannot be cancelled: the library has nothing for it.
async function list({ h, options }) {
  const { api, path } = clients.get(h);
  const body = await api.get(`${path}?${new URLSearchParams(options)}`);
  const items = Array.isArray(body?.items) ? body.items : []; // the library hands on whatever JSON came with 200
  return { options, metadata: body?.metadata ?? {}, items };
}

// watch opens a watch. The library returns before the server has answered. A watch that is refused brings one object, the Status.
function watch({ h, w, options }, signal) {
  const { api, path } = clients.get(h);
  const opened = { events: [], ended: false, failed: undefined, more: () => {} };
  opened.request = api.watch(`watch/${path}?${new URLSearchParams(options)}`,
    (event) => { opened.events.push(event); opened.more(); },
    (e) => { opened.ended = true; opened.failed = e; opened.more(); });
  watches.set(w, opened);
  signal.addEventListener('abort', () => stop({ w }));
  return { options };
}

// stop aborts the request, which watch returned. The library tells nobody that a request was aborted.
function stop({ w }) {
  const opened = watches.get(w);
  opened.request.abort();
  opened.ended = true;
  opened.more();
}

async function read({ w }) {
  const opened = watches.get(w);
  while (!opened.events.length && !opened.ended) await new Promise((more) => { opened.more = more; });
  if (opened.events.length) {
    const event = opened.events.shift();
    if (event?.kind === 'Status') throw JSON.stringify(event);
    return { event: { type: event?.type ?? '', object: event?.object ?? null } };
  }
  const e = opened.failed;
  opened.failed = undefined;
  if (e) throw e;
  return { ended: true };
}

function end() {
  for (const w of watches.keys()) stop({ w });
  for (const call of calls.values()) call.abort();
  for (const all of [clients, watches, calls]) all.clear();
}

// failure is an error as the library tells it: an Error, or the body of the answer as a string.
function failure(e, options) {
  let status;
  try { status = JSON.parse(e); } catch { /* it is none */ }
  return { msg: String(status?.message ?? e?.message ?? e) || 'an answer without a body', status: status?.kind === 'Status' ? status : undefined, options };
}

const ops = {
  hello: () => ({ protocol: 1, implementation: 'k8s', version,
    offers: [{ kind: 'listerwatcher', features: ['lists', 'watches', 'field-selectors', 'all-namespaces'] }] }),
  'case.begin': () => {}, 'case.end': end, barrier: () => {}, crash: () => process.exit(7), shutdown: () => {},
  cancel: ({ of }) => { calls.get(of)?.abort(); },
  'lw.open': open,
  'lw.list': list,
  'lw.watch': watch,
  'lw.read': read,
  'lw.stop': stop,
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, op, ...request } = JSON.parse(line);
  if (!ops[op]) return say({ id, skip: 'no such op' });
  const call = new AbortController();
  calls.set(id, call);
  try {
    say({ id, ok: await ops[op](request, call.signal) ?? {} });
  } catch (e) {
    say({ id, err: failure(e, request.options) });
  }
  if (op === 'shutdown') process.stdout.write('', () => process.exit(0));
}).on('close', () => process.exit(0));

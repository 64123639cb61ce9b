// Connects the list and watch calls of kubernetes-client, GoDaddy's, to lwtest.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import kubernetes from 'kubernetes-client';
import Request from 'kubernetes-client/backends/request/index.js';

const { Client, KubeConfig } = kubernetes;
const { version } = JSON.parse(readFileSync(new URL('node_modules/kubernetes-client/package.json', import.meta.url)));
const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');

// The library makes its calls from an OpenAPI document. This is the part of Kubernetes' own that is called here.
const spec = { paths: {
  '/api/v1/configmaps': { get: {} },
  '/api/v1/namespaces/{namespace}/configmaps': { get: {} },
  '/api/v1/watch/configmaps': { get: { 'x-kubernetes-action': 'watchlist' } },
  '/api/v1/watch/namespaces/{namespace}/configmaps': { get: { 'x-kubernetes-action': 'watchlist' } },
} };

const clients = new Map(), watches = new Map(); // by handle
const calls = new Map(); // the AbortController of each request, by its id: a watch is cancelled by it after the answer, too

function open({ h, server, namespace }) {
  const cluster = server.ca
    ? { server: server.url, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') }
    : { server: server.url, 'insecure-skip-tls-verify': true };
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromString(JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'lwtest',
    clusters: [{ name: 'lwtest', cluster }], users: [{ name: 'lwtest', user: { token: server.token } }],
    contexts: [{ name: 'lwtest', context: { cluster: 'lwtest', user: 'lwtest' } }],
  }));
  const { v1 } = new Client({ backend: new Request({ kubeconfig }), spec }).api;
  clients.set(h, namespace
    ? { lists: v1.namespaces(namespace).configmaps, watches: v1.watch.namespaces(namespace).configmaps }
    : { lists: v1.configmaps, watches: v1.watch.configmaps });
}

// list cannot be cancelled: the library has nothing for it.
async function list({ h, options }) {
  const { body } = await clients.get(h).lists.get({ qs: options });
  const items = Array.isArray(body?.items) ? body.items : []; // the library hands on whatever came with 200
  return { options, metadata: body?.metadata ?? {}, items };
}

// watch opens a stream. The library gives it to its user before the server has answered. A watch that is refused is a stream
// with one object, the Status.
async function watch({ h, w, options }, signal) {
  const stream = await clients.get(h).watches.getObjectStream({ qs: options });
  const opened = { stream, events: [], ended: false, more: () => {} };
  const end = () => { opened.ended = true; opened.more(); };
  stream.on('data', (event) => { opened.events.push(event); opened.more(); });
  for (const name of ['end', 'close', 'error']) stream.on(name, end);
  watches.set(w, opened);
  signal.addEventListener('abort', () => stream.destroy());
  return { options };
}

async function read({ w }) {
  const opened = watches.get(w);
  while (!opened.events.length && !opened.ended) await new Promise((more) => { opened.more = more; });
  if (!opened.events.length) return { ended: true };
  const event = opened.events.shift();
  if (event.kind === 'Status') throw Object.assign(new Error(event.message), { status: event });
  return { event: { type: event.type ?? '', object: event.object ?? null } };
}

function end() {
  for (const { stream } of watches.values()) stream.destroy();
  for (const call of calls.values()) call.abort();
  for (const all of [clients, watches, calls]) all.clear();
}

// failure is an error as the library tells it: of a Status it has the code and the message.
function failure(e, options) {
  const status = e.status ?? (e.statusCode && { kind: 'Status', status: 'Failure', code: e.statusCode, message: e.message });
  return { msg: String(e.message ?? e), status, options };
}

const ops = {
  hello: () => ({ protocol: 1, implementation: 'kubernetes-client', version,
    offers: [{ kind: 'listerwatcher', features: ['lists', 'watches', 'json', 'field-selectors', 'all-namespaces'] }] }),
  'case.begin': () => {}, 'case.end': end, barrier: () => {}, crash: () => process.exit(7), shutdown: () => {},
  cancel: ({ of }) => { calls.get(of)?.abort(); },
  'lw.open': open,
  'lw.list': list,
  'lw.watch': watch,
  'lw.read': read,
  'lw.stop': ({ w }) => { watches.get(w).stream.destroy(); },
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

// Puts @kubernetes/client-node to lwtest: its informer (makeInformer) and its list and watch calls (CoreV1Api, Watch).
// README.md says how the talk goes. One file serves all versions: those before 1.0 take positional arguments, and
// answer with {response, body}.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import * as k8s from '@kubernetes/client-node';

const { version } = createRequire(import.meta.url)('@kubernetes/client-node/package.json');
const old = version.startsWith('0.');

const say = (o) => process.stdout.write(JSON.stringify(o) + '\n');

// What is open, by handle.
const clients = new Map(), watches = new Map(), informers = new Map();
const calls = new Map(); // how to call off a request, by its id: a watch also when its opening was answered

// client is one of a server, as a user's code makes it.
function client({ server, resource, namespace }) {
  const kc = new k8s.KubeConfig();
  const caData = server.ca && Buffer.from(server.ca).toString('base64');
  kc.loadFromClusterAndUser(
    { name: 'lwtest', server: server.url, caData, skipTLSVerify: server.url.startsWith('http:') },
    { name: 'lwtest', token: server.token });
  const api = kc.makeApiClient(k8s.CoreV1Api);
  const path = `/api/v1${namespace ? '/namespaces/' + namespace : ''}/${resource.resource}`;
  const list = (options, call) => {
    if (old) return namespace ? api.listNamespacedConfigMap(namespace) : api.listConfigMapForAllNamespaces();
    return namespace ? api.listNamespacedConfigMap({ namespace, ...options }, call) : api.listConfigMapForAllNamespaces(options, call);
  };
  return { kc, path, list };
}

// until has a call of the library end with a signal. It offers that by a middleware alone, and from 1.4 on: before, it is waited for.
const soon = (x) => new k8s.Observable(Promise.resolve(x));
const until = (signal) => k8s.RequestContext.prototype.setSignal && { middleware: [{ pre: (c) => (c.setSignal(signal), soon(c)), post: soon }] };

// failure is an error as the library tells it: a list's has the server's body, a watch's only its code.
function failure(e, options) {
  let status = e.body;
  try { status = JSON.parse(status); } catch { /* it is none */ }
  const code = e.statusCode ?? (typeof e.code === 'number' ? e.code : undefined);
  if (status?.kind !== 'Status') status = code && { status: 'Failure', code, message: e.message };
  return { code: '', msg: String(e.message ?? e), status, options };
}

// informer is the library's with what its users are told to add: after an error they start it again, after a pause.
function informer(r) {
  const { kc, path, list } = client(r);
  const { labelSelector, fieldSelector } = r; // which a user has to say twice
  const inf = k8s.makeInformer(kc, path, () => list({ labelSelector, fieldSelector }), labelSelector, fieldSelector);
  const i = { inf, handlers: new Map(), run: false, pause: 0 };
  const failed = (e) => {
    if (r.failures) say({ ev: 'failed', h: r.h, err: failure(e) });
    if (i.run) i.again = setTimeout(i.start, i.pause = Math.min(2 * i.pause || 250, 8000));
  };
  i.start = () => inf.start().catch(failed);
  i.stop = () => { i.run = false; clearTimeout(i.again); return inf.stop(); };
  inf.on('error', failed);
  for (const verb of ['add', 'update', 'delete']) inf.on(verb, () => { i.pause = 0; });
  return i;
}

// handle adds a handler; its calls are synchronous, and nobody can make them wait.
function handle({ h, as }) {
  const i = informers.get(h);
  let seq = 0;
  const tell = (type) => (object) => {
    const { name, namespace } = object.metadata;
    say({ ev: 'notice', h, as, seq: ++seq, type, object, held: i.inf.get(name, namespace) });
  };
  const verbs = { add: tell('ADD'), update: tell('UPDATE'), delete: tell('DELETE') };
  i.handlers.set(as, verbs);
  for (const verb in verbs) i.inf.on(verb, verbs[verb]);
}

function unhandle({ h, as }) {
  const i = informers.get(h);
  for (const [verb, f] of Object.entries(i.handlers.get(as))) i.inf.off(verb, f);
}
// watch opens one. The library cannot be called off before the headers have come, and is waited for.
async function watch({ h, w, options }, signal) {
  const { kc, path } = clients.get(h);
  const x = { events: [], ended: false, failed: undefined, more: () => {}, stop: () => {} };
  watches.set(w, x);
  const opening = new k8s.Watch(kc).watch(path, options,
    (type, object) => { x.events.push({ type: type ?? '', object: object ?? null }); x.more(); },
    (e) => { x.ended = true; x.failed = e; x.more(); });
  x.stop = () => opening.then((c) => c.abort());
  signal.addEventListener('abort', x.stop);
  await opening;
  if (x.ended && x.failed) throw x.failed;
}

async function read({ w }) {
  const x = watches.get(w);
  while (!x.events.length && !x.ended) await new Promise((more) => { x.more = more; });
  return x.events.length ? { event: x.events.shift() } : { ended: true };
}

async function end() {
  for (const i of informers.values()) await i.stop();
  for (const x of watches.values()) x.stop();
  for (const call of calls.values()) call.abort();
  for (const all of [clients, watches, informers, calls]) all.clear();
}

const ops = {
  hello: () => {
    if (/^1\.(0\.|1\.0)/.test(version)) throw new Error(`client-node ${version} speaks no plain HTTP, as lwtest's server does: take 1.1.2 or later`);
    return { protocol: 1, implementation: '@kubernetes/client-node', version, offers: [
      { kind: 'informer', features: ['handlers', 'removal', 'new-state-only', 'error-hook', 'all-namespaces', ...old ? [] : ['selectors']] },
      ...old ? [] : [{ kind: 'listerwatcher', features: ['lists', 'watches', 'field-selectors', 'all-namespaces'] }],
    ] };
  },
  'case.begin': () => ({}), 'case.end': end, barrier: () => ({}), crash: () => process.exit(7), shutdown: () => ({}),
  cancel: ({ of }) => calls.get(of)?.abort(),
  'lw.open': (r) => { clients.set(r.h, client(r)); },
  'lw.list': async ({ h, options }, signal) => {
    const { metadata, items } = await clients.get(h).list({ ...options, _continue: options.continue }, until(signal));
    return { options, metadata: { ...metadata, continue: metadata?._continue }, items: items ?? [] };
  },
  'lw.watch': async (r, signal) => { await watch(r, signal); return { options: r.options }; },
  'lw.read': read,
  'lw.stop': ({ w }) => { watches.get(w)?.stop(); },
  'inf.open': (r) => { informers.set(r.h, informer(r)); },
  'inf.run': async ({ h }, signal) => {
    const i = informers.get(h);
    i.run = true;
    i.start();
    await new Promise((stop) => signal.addEventListener('abort', stop));
    await i.stop();
  },
  'inf.get': ({ h, key }) => { const [name, ns] = key.split('/').reverse(); return { object: informers.get(h).inf.get(name, ns) }; },
  'inf.list': ({ h }) => ({ objects: informers.get(h).inf.list() }),
  'inf.handle': handle, 'inf.unhandle': unhandle,
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, op, ...r } = JSON.parse(line);
  if (!ops[op]) return say({ id, skip: 'no such op' });
  const call = new AbortController();
  calls.set(id, call);
  try {
    say({ id, ok: await ops[op](r, call.signal) ?? {} });
  } catch (e) {
    say({ id, err: failure(e, r.options) });
  }
  if (op === 'shutdown') process.stdout.write('', () => process.exit(0));
}).on('close', () => process.exit(0));

// Connects the Watcher of kubernetes-fluent-client to lwtest, as an informer. The library keeps no copy that a user can read:
// the user's callback does. Here it keeps a Map by namespace and name.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { K8s, WatchEvent, kind } from 'kubernetes-fluent-client';

const { version } = JSON.parse(readFileSync(new URL('node_modules/kubernetes-fluent-client/package.json', import.meta.url)));
const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');

const informers = new Map(); // by handle
const calls = new Map(); // the AbortController of each request under way, by its id

// The library reads the file KUBECONFIG at each request. A case may have several informers, each with a token of its own: so
// each informer sees an environment of its own, from the timers and streams that it has started, too.
const folder = mkdtempSync(join(tmpdir(), 'fluentclient-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const kubeconfig = new AsyncLocalStorage();
process.env = new Proxy(process.env, { get: (env, name) => (name === 'KUBECONFIG' ? kubeconfig.getStore() : env[name]) });

function writeKubeconfig(h, server) {
  const file = join(folder, h);
  const cluster = server.ca
    ? { server: server.url, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') }
    : { server: server.url, 'insecure-skip-tls-verify': true };
  writeFileSync(file, JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'lwtest',
    clusters: [{ name: 'lwtest', cluster }], users: [{ name: 'lwtest', user: { token: server.token } }],
    contexts: [{ name: 'lwtest', context: { cluster: 'lwtest', user: 'lwtest' } }],
  }));
  return file;
}

const keyOf = ({ metadata: { namespace, name } }) => (namespace ? `${namespace}/${name}` : name);
const requirements = (selector) => (selector ?? '').split(',').filter(Boolean).map((r) => r.split(/=(?!.*=)/));
const told = { ADDED: 'ADD', MODIFIED: 'UPDATE', DELETED: 'DELETE' };
const errors = [WatchEvent.LIST_ERROR, WatchEvent.WATCH_ERROR, WatchEvent.NETWORK_ERROR, WatchEvent.DATA_ERROR, WatchEvent.GIVE_UP];

function open({ h, server, namespace, labelSelector, fieldSelector, failures }) {
  const i = { store: new Map(), kubeconfig: writeKubeconfig(h, server), handler: undefined };
  let query = K8s(kind.ConfigMap);
  if (namespace) query = query.InNamespace(namespace);
  for (const [label, value] of requirements(labelSelector)) query = query.WithLabel(label, value);
  for (const [field, value] of requirements(fieldSelector)) query = query.WithField(field, value);
  kubeconfig.run(i.kubeconfig, () => { i.watcher = query.Watch((object, phase) => callback(h, i, object, phase)); });
  const failed = (e) => say({ ev: 'failed', h, err: { msg: String(e?.message ?? e) } });
  if (failures) for (const name of errors) i.watcher.events.on(name, failed);
  informers.set(h, i);
}

// callback is what a user writes: it keeps the copy, and does its work. The library awaits it.
async function callback(h, i, object, phase) {
  if (!told[phase] || informers.get(h) !== i) return;
  const key = keyOf(object);
  if (phase === 'DELETED') i.store.delete(key); else i.store.set(key, object);
  if (!i.handler) return;
  const { as, hold, held } = i.handler;
  const seq = ++i.handler.seq;
  const released = hold && new Promise((release) => held.set(seq, release));
  say({ ev: 'notice', h, as, seq, type: told[phase], object, held: i.store.get(key) });
  await released;
}

async function run({ h }, signal) {
  const { watcher, kubeconfig: file } = informers.get(h);
  kubeconfig.run(file, () => watcher.start());
  if (!signal.aborted) await new Promise((stop) => signal.addEventListener('abort', stop));
  watcher.close();
}

function end() {
  for (const i of informers.values()) i.watcher.close();
  informers.clear();
  for (const call of calls.values()) call.abort();
}

const ops = {
  hello: () => ({ protocol: 1, implementation: 'kubernetes-fluent-client', version, offers: [{ kind: 'informer', holds: true,
    features: ['handlers', 'new-state-only', 'error-hook', 'all-namespaces', 'selectors', 'notices-silence', 'writes'] }] }),
  'case.begin': () => {}, 'case.end': end, barrier: () => {}, crash: () => process.exit(7), shutdown: () => {},
  cancel: ({ of }) => { calls.get(of)?.abort(); },
  'inf.open': open,
  'inf.run': run,
  'inf.get': ({ h, key }) => ({ object: informers.get(h).store.get(key) }),
  'inf.list': ({ h }) => ({ objects: [...informers.get(h).store.values()] }),
  'inf.handle': ({ h, as, hold }) => { informers.get(h).handler = { as, hold, seq: 0, held: new Map() }; },
  'inf.release': ({ h, seq }) => { informers.get(h).handler.held.get(seq)?.(); },
  'inf.write': async ({ h, key, note }) => {
    const [namespace, name] = key.split('/');
    const object = { metadata: { namespace, name, annotations: { note } } };
    return { object: await kubeconfig.run(informers.get(h).kubeconfig, () => K8s(kind.ConfigMap).Apply(object, { force: true })) };
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, op, ...request } = JSON.parse(line);
  if (!ops[op]) return say({ id, skip: 'no such op' });
  const call = new AbortController();
  calls.set(id, call);
  try {
    say({ id, ok: await ops[op](request, call.signal) ?? {} });
  } catch (e) {
    say({ id, err: { msg: String(e?.message ?? e) } });
  }
  calls.delete(id);
  if (op === 'shutdown') process.stdout.write('', () => process.exit(0));
}).on('close', () => process.exit(0));

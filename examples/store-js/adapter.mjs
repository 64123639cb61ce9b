// Puts Cache to lwtest's suite of stores: requests are lines of JSON on stdin, answers lines on stdout (docs/protocol.md).
import { createInterface } from 'node:readline';
import { Cache } from './cache.mjs';

const stores = new Map(); // by handle

// change does one of store.apply.
const change = (s, { verb, object }) => (verb === 'DELETE' ? s.delete(object) : s.set(object));

// ops are what lwtest asks for, and what is answered under ok.
const ops = {
  hello: () => ({ protocol: 1, implementation: 'Cache', version: '1.0.0', offers: [{ kind: 'store', features: ['map'] }] }),
  'case.begin': () => ({}),
  'case.end': () => { stores.clear(); return {}; },
  barrier: () => ({}),
  cancel: () => ({}),
  crash: () => process.exit(7),
  shutdown: () => { setImmediate(() => process.exit(0)); return {}; }, // when that is answered
  'store.open': ({ h }) => { stores.set(h, new Cache()); return {}; },
  'store.apply': (r, s) => { r.changes.forEach((c) => change(s, c)); return {}; },
  'store.replace': (r, s) => { s.relist(r.objects); return {}; },
  'store.resync': () => ({}),
  'store.get': (r, s) => ({ object: s.get(r.key ?? Cache.key(r.object)) }),
  'store.list': (r, s) => ({ objects: s.list() }),
  'store.keys': (r, s) => ({ names: s.keys() }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const r = JSON.parse(line);
  const say = (answer) => process.stdout.write(JSON.stringify({ id: r.id, ...answer }) + '\n');
  const s = stores.get(r.h);
  if (!ops[r.op]) return say({ skip: `there is no ${r.op} here` });
  if (r.h && !s && r.op !== 'store.open') return say({ err: { msg: `nothing is open as ${r.h}` } });
  say({ ok: ops[r.op](r, s) });
});

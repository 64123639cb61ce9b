// A small operator: each namespace with the label example.com/settings gets a ConfigMap with the label's value. It does what the one in
// examples/controller does, with @kubernetes/client-node.
import { setTimeout as sleep } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';

const label = 'example.com/settings', name = 'settings';

const kc = new k8s.KubeConfig();
kc.loadFromDefault();
const core = kc.makeApiClient(k8s.CoreV1Api);

// inform returns an informer that starts again after errors, and how to start it. changed is called with each object that is added, updated
// or deleted.
function inform(path, list, changed) {
  const informer = k8s.makeInformer(kc, path, list);
  let pause = 0;
  const start = () => informer.start().catch(again);
  const again = async (e) => { // the library stops an informer at an error
    console.error(`${path}: ${e.message}`);
    await sleep(pause = Math.min(2 * pause || 250, 8000));
    await start();
  };
  informer.on('error', again);
  informer.on('change', (object) => { pause = 0; changed(object); });
  return [informer, start];
}

const [maps, startMaps] = inform('/api/v1/configmaps', () => core.listConfigMapForAllNamespaces(), (m) => m.metadata.name === name && enqueue(m.metadata.namespace));
const [namespaces, startNamespaces] = inform('/api/v1/namespaces', () => core.listNamespace(), (ns) => enqueue(ns.metadata.name));

// reconcile makes a namespace as it should be. It throws if it must be tried again.
async function reconcile(namespace) {
  const ns = namespaces.get(namespace), value = ns?.metadata.labels?.[label];
  if (value === undefined || ns.metadata.deletionTimestamp) return;
  const have = maps.get(name, namespace);
  if (!have) {
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: ns.metadata.uid, controller: true, blockOwnerDeletion: true };
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, ownerReferences: [owner] }, data: { value } } });
  } else if (have.data?.value !== value) {
    await core.replaceNamespacedConfigMap({ name, namespace, body: { ...have, data: { value } } }); // refused if have is old
  }
}

// work is what is under way, by namespace: true if it must be done once more.
const work = new Map();

// enqueue reconciles a namespace, one call at a time, with pauses after failures.
async function enqueue(namespace) {
  const busy = work.has(namespace);
  work.set(namespace, true);
  if (busy) return;
  for (let pause = 250; work.get(namespace);) {
    work.set(namespace, false);
    try {
      await reconcile(namespace);
      pause = 250;
    } catch (e) {
      console.error(`${namespace}: ${e.message}`);
      work.set(namespace, true);
      await sleep(pause);
      pause = Math.min(2 * pause, 30000);
    }
  }
  work.delete(namespace);
}

process.on('SIGTERM', () => process.exit(0));

await startMaps(); // first, so that a namespace that has its ConfigMap is not given another
await startNamespaces();

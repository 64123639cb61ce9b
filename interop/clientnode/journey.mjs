// A user of @kubernetes/client-node does what users do, and prints each answer. The API server of KUBECONFIG must be empty. What servers
// choose themselves (uids, versions, times, tokens, addresses) is left out, so that the output is the same on each API server. So are the
// two differences that docs/fidelity.md has: managedFields before the first apply, and a diff of internal types in a message.
import * as k8s from '@kubernetes/client-node';

const kc = new k8s.KubeConfig();
kc.loadFromDefault();
const [core, apps, custom, objects] = [k8s.CoreV1Api, k8s.AppsV1Api, k8s.CustomObjectsApi].map((c) => kc.makeApiClient(c)).concat(k8s.KubernetesObjectApi.makeApiClient(kc));
const namespace = 'default';
const chosen = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'time', 'token', 'expirationTimestamp', 'clusterIP', 'clusterIPs', 'lastTransitionTime', '_continue', 'continue']);

// plain is a value without what servers choose, with the keys in order.
function plain(v) {
  if (Array.isArray(v)) return v.map(plain);
  if (typeof v === 'string') return v.replace(/\n@@[^]*/, '\n');
  if (v === null || typeof v !== 'object') return v;
  if (v instanceof Date) return 'a time';
  return Object.fromEntries(Object.keys(v).sort().filter((k) => v[k] !== undefined && k !== 'managedFields').map((k) => [k, chosen.has(k) && v[k] ? 'chosen' : plain(v[k])]));
}

const say = (name, v) => console.log(name + ': ' + JSON.stringify(plain(v)));

// step prints what a call returns, or the status that the server refuses it with.
async function step(name, call) {
  try {
    const v = await call();
    say(name, v);
    return v;
  } catch (e) {
    let status = e.body;
    try { status = JSON.parse(status); } catch { /* it is an object, or none */ }
    say(name, { refused: e.code ?? String(e), status });
  }
}

const as = (type) => k8s.setHeaderOptions('Content-Type', type);
const map = (name, data, labels) => ({ metadata: { name, labels }, data });

async function configMaps() {
  await step('namespaces', async () => (await core.listNamespace()).items.map((n) => n.metadata.name));
  for (const n of ['a', 'b', 'c', 'd', 'e']) await step('create ' + n, () => core.createNamespacedConfigMap({ namespace, body: map(n, { k: n }, { even: String('bd'.includes(n)) }) }));
  await step('create again', () => core.createNamespacedConfigMap({ namespace, body: map('a') }));
  await step('create invalid', () => core.createNamespacedConfigMap({ namespace, body: map('A_', { 'k/': 'x' }) }));
  await step('create strictly', () => core.createNamespacedConfigMap({ namespace, fieldValidation: 'Strict', body: { ...map('x'), metadata: { name: 'x', labels: { 'a b': 'c' } } } }));
  await step('dry run', () => core.createNamespacedConfigMap({ namespace, dryRun: 'All', body: map('dry') }));
  await step('read none', () => core.readNamespacedConfigMap({ namespace, name: 'dry' }));
  await step('even', async () => (await core.listNamespacedConfigMap({ namespace, labelSelector: 'even=true' })).items.map((m) => m.metadata.name));
  await step('by field', async () => (await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=c' })).items.map((m) => m.metadata.name));
  await step('wrong field', () => core.listNamespacedConfigMap({ namespace, fieldSelector: 'data.k=c' }));
  for (let page = 1, _continue; page === 1 || _continue; page++) {
    const l = await step('page ' + page, () => core.listNamespacedConfigMap({ namespace, limit: 2, _continue }));
    _continue = l.metadata._continue;
  }
  const a = await core.readNamespacedConfigMap({ namespace, name: 'a' });
  await step('replace', () => core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...a, data: { k: '2' } } }));
  await step('replace the old one', () => core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...a, data: { k: '3' } } }).catch((e) => { throw Object.assign(e, { body: undefined }); }));
  await step('json patch', () => core.patchNamespacedConfigMap({ namespace, name: 'a', body: [{ op: 'test', path: '/data/k', value: '2' }, { op: 'add', path: '/data/l', value: 'x' }] }, as(k8s.PatchStrategy.JsonPatch)));
  await step('json patch refused', () => core.patchNamespacedConfigMap({ namespace, name: 'a', body: [{ op: 'test', path: '/data/k', value: '9' }] }, as(k8s.PatchStrategy.JsonPatch)));
  await step('merge patch', () => core.patchNamespacedConfigMap({ namespace, name: 'a', body: { data: { k: null, m: 'y' } } }, as(k8s.PatchStrategy.MergePatch)));
  await step('strategic patch', () => core.patchNamespacedConfigMap({ namespace, name: 'a', body: { metadata: { labels: { s: 't' } } } }, as(k8s.PatchStrategy.StrategicMergePatch)));
  const apply = (fieldManager, data, force) => core.patchNamespacedConfigMap({ namespace, name: 'f', fieldManager, force, body: { apiVersion: 'v1', kind: 'ConfigMap', ...map('f', data) } }, as(k8s.PatchStrategy.ServerSideApply));
  await step('apply', () => apply('one', { x: '1' }));
  await step('apply in conflict', () => apply('two', { x: '2' }));
  await step('apply by force', () => apply('two', { x: '2' }, true));
  await step('delete', () => core.deleteNamespacedConfigMap({ namespace, name: 'b' }));
  await step('delete none', () => core.deleteNamespacedConfigMap({ namespace, name: 'b' }));
}

async function workloads() {
  const pod = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }] } };
  const deployment = { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: pod } };
  await step('deployment', () => apps.createNamespacedDeployment({ namespace, body: deployment }));
  await step('deployment without selector', () => apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'w' }, spec: { template: pod } } }));
  await step('scale', async () => {
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
    return apps.replaceNamespacedDeploymentScale({ namespace, name: 'web', body: { ...scale, spec: { replicas: 5 } } });
  });
  await step('strategic patch of a list', () => apps.patchNamespacedDeployment({ namespace, name: 'web', body: { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } } }, as(k8s.PatchStrategy.StrategicMergePatch)));
  await step('service', () => core.createNamespacedService({ namespace, body: { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } } }));
  await step('pod', () => core.createNamespacedPod({ namespace, body: { metadata: { name: 'p' }, spec: pod.spec } }));
  await step('log of a pod on no node', () => core.readNamespacedPodLog({ namespace, name: 'p' }));
  await step('change an image', () => core.patchNamespacedPod({ namespace, name: 'p', body: [{ op: 'replace', path: '/spec/containers/0/image', value: 'nginx:2' }] }, as(k8s.PatchStrategy.JsonPatch)));
  await step('change a port', () => core.patchNamespacedPod({ namespace, name: 'p', body: [{ op: 'replace', path: '/spec/containers/0/ports/0/containerPort', value: 81 }] }, as(k8s.PatchStrategy.JsonPatch)));
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'toys.example.com' },
  spec: {
    group: 'example.com', scope: 'Namespaced', names: { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
    versions: [{
      name: 'v1', served: true, storage: true, subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', properties: {
        spec: { type: 'object', properties: { wheels: { type: 'integer', minimum: 0, _default: 4 }, colour: { type: 'string', _enum: ['red', 'blue'] } }, x_kubernetes_validations: [{ rule: 'self.wheels != 3', message: 'three wheels fall over' }] },
        status: { type: 'object', properties: { sold: { type: 'boolean' } } },
      } } },
    }],
  },
};

async function customObjects() {
  await step('definition', async () => { const d = await objects.create(definition); return d.spec; });
  const established = async () => (await objects.read(definition)).status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True');
  while (!(await established())) await new Promise((done) => setTimeout(done, 50));
  const toy = (name, spec) => ({ apiVersion: 'example.com/v1', kind: 'Toy', metadata: { name, namespace }, spec });
  const which = { group: 'example.com', version: 'v1', namespace, plural: 'toys' };
  for (let i = 0; i < 100; i++) { // it is served a moment after it is established
    if (await custom.listNamespacedCustomObject(which).catch(() => null)) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  await step('toy', () => objects.create(toy('car', { colour: 'red' })));
  await step('toy of no colour', () => objects.create(toy('bus', { colour: 'green' })));
  await step('toy that falls over', () => objects.create(toy('trike', { wheels: 3 })));
  await step('toy without a prune', () => objects.create(toy('van', { engine: 1 })));
  await step('toys', () => custom.listNamespacedCustomObject(which));
  await step('merge patch of a toy', () => objects.patch(toy('car', { wheels: 6 }), undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch));
  await step('status of a toy', () => custom.patchNamespacedCustomObjectStatus({ ...which, name: 'car', body: { status: { sold: true }, spec: { wheels: 1 } } }, as(k8s.PatchStrategy.MergePatch)));
  await step('list of objects', async () => (await objects.list('example.com/v1', 'Toy', namespace)).items.map((t) => t.metadata.name));
  await step('delete a toy', () => objects.delete(toy('car')));
  await step('an unknown kind', () => objects.create({ apiVersion: 'example.com/v2', kind: 'Toy', metadata: { name: 'x', namespace } }));
}

// watches has an informer and a watch see the same objects come, change and go, until both have seen the last.
async function watches() {
  const seen = [], watched = [];
  const path = '/api/v1/namespaces/default/secrets';
  const informer = k8s.makeInformer(kc, path, () => core.listNamespacedSecret({ namespace }));
  for (const verb of ['add', 'update', 'delete']) informer.on(verb, (o) => seen.push(`${verb} ${o.metadata.name} ${o.data?.k ?? ''}`));
  informer.on('error', (e) => seen.push('error ' + e));
  const secret = (name, k) => ({ metadata: { name }, data: { k } });
  await core.createNamespacedSecret({ namespace, body: secret('before', 'YQ==') });
  await informer.start();
  const { metadata } = await core.listNamespacedSecret({ namespace });
  const abort = await new k8s.Watch(kc).watch(path, { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true }, (type, o) => {
    if (type !== 'BOOKMARK') watched.push(`${type} ${o.metadata.name} ${o.data?.k ?? ''}`);
  }, () => {});
  await core.createNamespacedSecret({ namespace, body: secret('s', 'Yg==') });
  await core.patchNamespacedSecret({ namespace, name: 's', body: { data: { k: 'Yw==' } } }, as(k8s.PatchStrategy.MergePatch));
  await core.deleteCollectionNamespacedSecret({ namespace });
  await core.createNamespacedSecret({ namespace, body: secret('z', 'ZA==') });
  for (let i = 0; i < 200 && !(seen.at(-1)?.startsWith('add z') && watched.at(-1)?.startsWith('ADDED z')); i++) await new Promise((done) => setTimeout(done, 50));
  await informer.stop();
  abort.abort();
  say('informer', seen);
  say('watch', watched);
  say('the store of the informer', informer.list(namespace).map((o) => o.metadata.name));
}

// accounts has a service account's token be somebody who may do nothing, until a role lets it.
async function accounts() {
  const rbac = kc.makeApiClient(k8s.RbacAuthorizationV1Api);
  await step('service account', () => core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'robot' } } }));
  const made = await step('token', () => core.createNamespacedServiceAccountToken({ namespace, name: 'robot', body: { spec: { audiences: [], expirationSeconds: 3600 } } }).then((t) => (t.spec.audiences = [], t)));
  const robot = new k8s.KubeConfig();
  robot.loadFromClusterAndUser(kc.getCurrentCluster(), { name: 'robot', token: made.status.token });
  const robots = robot.makeApiClient(k8s.CoreV1Api);
  await step('who', async () => (await robot.makeApiClient(k8s.AuthenticationV1Api).createSelfSubjectReview({ body: {} })).status.userInfo.username);
  await step('may not', () => robots.listNamespacedConfigMap({ namespace }));
  await step('role', () => rbac.createNamespacedRole({ namespace, body: { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }] } }));
  await step('binding', () => rbac.createNamespacedRoleBinding({ namespace, body: { metadata: { name: 'r' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }] } }));
  for (let i = 0; i < 100 && !(await robots.listNamespacedConfigMap({ namespace }).catch(() => null)); i++) await new Promise((done) => setTimeout(done, 50));
  await step('may', async () => (await robots.listNamespacedConfigMap({ namespace })).items.map((m) => m.metadata.name));
  await step('may it?', async () => (await robot.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({ body: { spec: { resourceAttributes: { verb: 'delete', resource: 'configmaps', namespace } } } })).status);
}

for (const part of [configMaps, workloads, customObjects, watches, accounts]) await part();

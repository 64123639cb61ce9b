// Cache is what is under test: a small cache of objects by namespace and name, as a controller in JavaScript might have it.
export class Cache {
  #objects = new Map();

  static key({ namespace, name }) { return namespace ? `${namespace}/${name}` : name; }

  set(o) { this.#objects.set(Cache.key(o), o); }
  delete(o) { this.#objects.delete(Cache.key(o)); }
  get(key) { return this.#objects.get(key); }
  list() { return [...this.#objects.values()]; }
  keys() { return [...this.#objects.keys()]; }

  // relist takes what a list has brought.
  relist(objects) {
    if (!process.env.CACHE_MERGES) this.#objects.clear(); // with the bug what is gone stays
    for (const o of objects) this.set(o);
  }
}

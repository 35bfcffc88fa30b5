/**
 * Values that follow another one: made anew for each that comes, and looked up at each use.
 * @module
 */

/** Gives what `make` makes of the newest source; made once for each. */
export function derived<S extends object, T>(source: () => S, make: (source: S) => T): () => T {
  let known: { readonly source: S; readonly value: T } | undefined;
  return () => {
    const now = source();
    if (known?.source !== now) known = { source: now, value: make(now) };
    return known.value;
  };
}

/**
 * A record whose fields are those of what `current` gives, looked up at each use; a copy (`{...view}`)
 * keeps those of its moment. Only for plain records: methods would be called on the view.
 */
export function liveView<T extends object>(current: () => T): T {
  return new Proxy({ ...current() }, {
    get: (_, key) => Reflect.get(current(), key),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(current(), key);
      if (descriptor === undefined) return undefined;
      const value: unknown = Reflect.get(current(), key);
      return { value, enumerable: true, configurable: true, writable: false };
    },
  });
}

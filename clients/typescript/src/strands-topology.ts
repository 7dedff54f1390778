// The rule of writers: an event has no namespace, so two stores that write one conversation would
// write everything twice.

import { refused } from './strands-options.js';

/** The conversation that a store's messages go to. */
export interface WritePlace {
  readonly server: string;
  readonly memory: string;
  readonly actor: string;
  readonly session: string;
}

/** A store, as far as it is looked at here. */
export interface StoreForm {
  readonly name: string;
  readonly writable?: boolean;
  readonly extraction?: unknown;
  readonly writePlace?: WritePlace;
}

/**
 * Throws unless each memory, actor and session has at most one writable store. With
 * `expectExtraction` each has exactly one that is writable and extracts. The error names every
 * conversation that breaks the rule. Stores of other kinds are passed over. Call it after
 * `initialize` where one store names its memory by name and another by id.
 */
export function assertWritableTopology(
  stores: readonly StoreForm[],
  { expectExtraction = false }: { expectExtraction?: boolean } = {},
): void {
  const places = new Map<string, { place: WritePlace; writers: StoreForm[] }>();
  for (const store of stores) {
    const place = store.writePlace;
    if (!place) continue;
    const key = JSON.stringify([place.server, place.memory, place.actor, place.session]);
    const known = places.get(key) ?? { place, writers: [] };
    if (store.writable) known.writers.push(store);
    places.set(key, known);
  }
  const broken: string[] = [];
  for (const [, { place, writers }] of [...places].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const of = `memory '${place.memory}', actor '${place.actor}', session '${place.session}'`;
    const names = writers.map(({ name }) => name).join(', ');
    if (writers.length > 1) broken.push(`at most one writable store is allowed for ${of}; found: ${names}`);
    else if (expectExtraction && !writers.some(({ extraction }) => extraction)) {
      broken.push(`no writable store with extraction for ${of}`);
    }
  }
  if (broken.length > 0) throw refused(broken.join('; '));
}

/**
 * Returns the store that writes: the one that is flagged; else, with extraction, the first that is
 * not flagged false.
 */
export function writerOf(flags: readonly (boolean | undefined)[], extraction: unknown): number | undefined {
  const flagged = flags.flatMap((flag, at) => (flag ? [at] : []));
  if (flagged.length > 1) throw refused('at most one store may be writable');
  if (flagged.length === 1 || !extraction) return flagged[0];
  const first = flags.findIndex((flag) => flag === undefined || flag === null);
  if (first < 0) throw refused('extraction needs a writable store, and all opted out with writable: false');
  return first;
}

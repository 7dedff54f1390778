/**
 * `managerWithConsolidation`: Strands' `MemoryManager` with `consolidate`, the upkeep of the documents of its
 * stores. It imports no Strands: the class is an argument.
 */

import type { ConsolidationRun } from './api.js';
import type { ConsolidateOptions } from './strands.js';

/** A store as the manager has it; one that keeps documents consolidates them. */
export interface ConsolidatedStore {
  name: string;
  writable?: boolean;
  consolidate?(options?: ConsolidateOptions): Promise<ConsolidationRun>;
}

/** The runs of stores by name, or the error of a store that failed. */
export type Consolidated = Record<string, ConsolidationRun | Error>;

/** Stores of managers: what Strands' class has of them is its own. */
const STORES = new WeakMap<object, readonly ConsolidatedStore[]>();

/**
 * Plans the upkeep of every writable store that keeps documents, or does it with `apply`. A store that fails
 * stops no other.
 */
export async function consolidate(stores: readonly ConsolidatedStore[], options: ConsolidateOptions = {}): Promise<Consolidated> {
  const runs: Consolidated = {};
  for (const store of stores) {
    if (!store.writable || !store.consolidate) continue;
    try {
      runs[store.name] = await store.consolidate(options);
    } catch (error) {
      runs[store.name] = error instanceof Error ? error : new Error(String(error));
    }
  }
  return runs;
}

/**
 * Returns a class of managers that has `consolidate`: `new (managerWithConsolidation(MemoryManager))({ stores
 * })`.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function managerWithConsolidation<Base extends new (...args: any[]) => object>(MemoryManager: Base) {
  return class extends MemoryManager {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    constructor(...args: any[]) {
      super(...args);
      STORES.set(this, args[0]?.stores ?? []);
    }

    /** The runs of the manager's stores. */
    consolidate(options: ConsolidateOptions = {}): Promise<Consolidated> {
      return consolidate(STORES.get(this) ?? [], options);
    }
  };
}

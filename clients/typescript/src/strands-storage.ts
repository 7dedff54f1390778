// `LociStorage`: a memory of Loci as a `Storage` of Strands, under `FileMemoryStore`, sessions and offloaded
// context. Keys that end in `.md` are documents of a tree: searched by meaning, mirrored, kept in order.
// Whatever else is parked as bytes, until the memory's events expire. It is a storage by its form and does
// not need Strands.

import type * as api from './api.js';
import { Client } from './client.js';
import { Conflict, InvalidArgument, LociError, NotFound } from './errors.js';
import { memoryId } from './memory-id.js';
import type { CallOptions } from './operations.js';

/** Where documents of a tree lie. */
const DOCUMENTS = 'knowledge/';

export interface LociStorageConfig {
  /** By name or id. */
  memory: string;
  /** Where the documents lie, such as `/files/alice`, and a part of the name of what is parked. */
  namespace: string;
  /** The server, else `LOCI_URL`; or a client in its place. */
  url?: string;
  /** A key's token, else `LOCI_TOKEN`. */
  apiKey?: string;
  client?: Client;
  /** How many documents a search gives, 1 to 100; 20 where it is absent. */
  maxSearchResults?: number;
}

/** A document that was found. */
export interface LociStorageSearchResult {
  key: string;
  score: number;
  data: Uint8Array;
}

/** Bytes under keys, in one namespace of a memory. */
export class LociStorage {
  private readonly client: Client;
  private readonly parked: string;
  private readonly place: { namespace: string };
  private memoryId: string | undefined;

  constructor(private readonly config: LociStorageConfig) {
    if (!/[^/ ]/.test(config.namespace) || config.namespace.includes('{')) {
      throw new TypeError('LociStorage: namespace must be a place such as /files/alice');
    }
    this.client = config.client ?? new Client({ url: config.url, token: config.apiKey });
    this.place = { namespace: config.namespace };
    // One segment: what lies beneath a namespace is no part of it, as with documents.
    this.parked = `${encodeURIComponent(config.namespace.split('/').filter(Boolean).join('/'))}/`;
  }

  /** Puts bytes in the place of what was there. */
  async write(key: string, data: Uint8Array): Promise<void> {
    const path = normal(key);
    if (!isDocument(path)) {
      await this.client.objectPut(await this.id(), this.parked + path, data);
      return;
    }
    const done = await this.put(path, data);
    if (done.state !== 'active') {
      throw new LociError('HELD_BACK', `the document is ${done.state}: a person decides whether it may be read`);
    }
  }

  /** The bytes, or `null` where there are none. */
  async read(key: string): Promise<Uint8Array | null> {
    const path = normal(key);
    if (!isDocument(path)) return orNull(async () => this.client.objectGet(await this.id(), this.parked + path));
    const found = await this.document(path);
    return found?.key === path ? new TextEncoder().encode(found.body) : null;
  }

  /** Removes what is there, if anything is. */
  async delete(key: string): Promise<void> {
    const path = normal(key);
    await orNull(async () => {
      if (!isDocument(path)) return this.client.objectDelete(await this.id(), this.parked + path);
      if ((await this.document(path))?.key !== path) return null;
      return this.client.documentDelete(await this.id(), DOCUMENTS + path, { ...this.place, force: '1' });
    });
  }

  /** The keys that begin so, in order. */
  async list(query = ''): Promise<string[]> {
    const prefix = normalPrefix(query);
    const keys = new Set([...(await this.documents(prefix)), ...(await this.objects(prefix))]);
    return [...keys].filter((key) => key.startsWith(prefix)).sort();
  }

  /**
   * Documents by words and meaning, best first; nothing for a blank query. What is parked is not searched.
   */
  async search(query: string): Promise<LociStorageSearchResult[]> {
    if (query.trim() === '') return [];
    const { hits } = await this.client.search({
      memory: await this.id(),
      query,
      namespaces: [this.place.namespace],
      kinds: ['document'],
      top_k: this.config.maxSearchResults ?? 20,
    });
    const found = hits.map(({ record, relevance }) => ({ path: record.path ?? '', text: record.text, score: relevance }));
    return found
      .filter(({ path }) => path.startsWith(DOCUMENTS) && isDocument(path))
      .map(({ path, text, score }) => ({ key: path.slice(DOCUMENTS.length), score, data: new TextEncoder().encode(text) }));
  }

  /** Writes a document as a file, so that it comes back byte for byte. */
  private async put(key: string, data: Uint8Array): Promise<api.DocumentWritten> {
    const write = async (query: { force?: string }, options: CallOptions = {}) => {
      const file = { contentType: 'text/markdown', ...options };
      return this.client.documentPut(await this.id(), DOCUMENTS + key, data as never, { ...this.place, raw: '1', ...query }, file);
    };
    try {
      return await write({}, { ifAbsent: true });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
    // Whoever writes last has written, unless it is another key that only looks the same.
    const found = await this.document(key);
    if (found && found.key !== key) {
      const message = `key '${key}' and '${found.key}' are one place: they differ in case or composition alone; choose another`;
      throw new InvalidArgument('INVALID_ARGUMENT', message, { field: 'key' });
    }
    return write({ force: '1' });
  }

  /**
   * The document of a key: its text, and its own key, which may be spelled otherwise. One that was moved is
   * at its old key, too.
   */
  private async document(key: string): Promise<{ key: string; body: string } | null> {
    return orNull(async () => {
      const found = await this.client.documentGet(await this.id(), DOCUMENTS + key, this.place);
      return { key: (found.redirected_from ?? found.path).slice(DOCUMENTS.length), body: found.body };
    });
  }

  private async documents(prefix: string): Promise<string[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const keys: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { ...this.place, prefix: DOCUMENTS + folder, cursor };
      const page = await this.client.treeList(await this.id(), query);
      const files = page.entries.filter((one) => one.type === 'file' && isDocument(one.path));
      keys.push(...files.map((one) => one.path.slice(DOCUMENTS.length)));
      cursor = page.next_cursor;
    } while (cursor);
    return keys;
  }

  private async objects(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.client.objectsList(await this.id(), { prefix: this.parked + prefix, cursor });
      keys.push(...page.objects.map((one) => one.key.slice(this.parked.length)));
      cursor = page.next_cursor;
    } while (cursor);
    return keys;
  }

  private async id(): Promise<string> {
    this.memoryId ??= await memoryId(this.client, this.config.memory);
    return this.memoryId;
  }
}

async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

function isDocument(key: string): boolean {
  return key.endsWith('.md');
}

function normal(key: string): string {
  const parts = key.split('/').filter(Boolean);
  if (parts.length === 0 || key.includes('\\') || parts.includes('..')) {
    const message = `key '${key}' must be a path without backslashes and '..'`;
    throw new InvalidArgument('INVALID_ARGUMENT', message, { field: 'key' });
  }
  return parts.join('/');
}

function normalPrefix(prefix: string): string {
  const normalized = prefix.replace(/\/+/g, '/').replace(/^\//, '');
  if (prefix.includes('\\') || normalized.split('/').includes('..')) {
    const message = `prefix '${prefix}' must be without backslashes and '..'`;
    throw new InvalidArgument('INVALID_ARGUMENT', message, { field: 'query' });
  }
  return normalized;
}

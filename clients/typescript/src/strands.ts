// `LociMemoryStore`: a memory of Loci as a store of Strands agents (`MemoryManager` of
// `@strands-agents/sdk`). It is a store by its form and does not need Strands: who wants its tools gives
// Strands' `tool`. It never widens its scope, keeps no state of the conversation, and swallows no error: the
// manager isolates stores.

import type {
  ConsolidationRun,
  ConsolidationStart,
  EventCreate,
  MetadataFilter,
  Record as StoredRecord,
  RecordListing,
} from './api.js';
import { Client } from './client.js';
import { EventsNotStored, LociError, NotFound } from './errors.js';
import type { EventFailure } from './errors.js';
import { memoryId } from './memory-id.js';
import { checkedMetadata, eventsOf } from './strands-forms.js';
import type { EventForm, Json, MessageForm, MetadataProvider } from './strands-forms.js';
import {
  RESULTS_DEFAULT,
  Scope,
  TURNS_DEFAULT,
  checkedCount,
  checkedNames,
  checkedRelevance,
  checkedText,
  checkedTurns,
  filled,
  nameOfTemplates,
  refused,
} from './strands-options.js';
import { assertWritableTopology, writerOf } from './strands-topology.js';
import type { WritePlace } from './strands-topology.js';

export { assertWritableTopology } from './strands-topology.js';
export type { StoreForm, WritePlace } from './strands-topology.js';
export type { MetadataProvider } from './strands-forms.js';

export type ToolName = 'memory_timeline' | 'memory_history' | 'memory_forget';

/** Strands' `tool`, as far as it is needed here. */
export type ToolFactory = (config: {
  name: string;
  description: string;
  inputSchema: any;
  callback: (input: any) => Promise<any>;
}) => any;

export interface LociMemoryStoreConfig {
  /** Name or id of the memory. */
  memory: string;
  /** The actor. */
  actor: string;
  /** The server, else `LOCI_URL`; or a client in its place. */
  url?: string;
  /** A key's token, else `LOCI_TOKEN`. */
  apiKey?: string;
  client?: Client;
  /** The conversation that messages belong to; a new one where it is absent. */
  session?: string;
  /**
   * Reads this namespace and no other (exact), or these. `{actorId}` and `{sessionId}` stand for
   * the two.
   */
  namespace?: string | readonly string[];
  /**
   * Reads this namespace with all beneath it, or these; `/facts/{actorId}` where neither is given.
   * `add` writes to the first. Messages become records where a strategy of the memory puts them:
   * give its namespaces here.
   */
  namespacePath?: string | readonly string[];
  /** Follows from the namespaces where it is absent: `users-facts` for `/users/{actorId}/facts`. */
  name?: string;
  description?: string;
  /** 5 where it is absent. */
  maxSearchResults?: number;
  /** False where it is absent. At most one store of a memory, actor and session is writable. */
  writable?: boolean;
  /** As Strands takes it: `true`, or a configuration. The server reads the messages. */
  extraction?: any;
  /** Conditions on metadata that hold for every search. */
  filters?: readonly MetadataFilter[];
  /** The least relevance of an entry, 0 to 1. */
  relevanceMin?: number;
  /** Tokens of all entries of a search together. */
  budgetTokens?: number;
  /**
   * Returns the metadata of the event that a message goes into: at most 15 keys of 1 to 128
   * characters, values of at most 256; letters and digits of ASCII, white space and `._:/=+@-`.
   * Neighbours with equal metadata share an event.
   */
  metadataProvider?: MetadataProvider;
  /** Messages of one event, 1 to 100; 50 where it is absent. */
  maxTurnsPerEvent?: number;
  /** Which tools the agent gets; `memory_forget` of a writable store only. Needs `tool`. */
  tools?: readonly ToolName[];
  tool?: ToolFactory;
  /** Receives warnings; `console.warn` where it is absent. */
  warn?: (text: string) => void;
}

/** Options of a run of consolidation; `apply` does it, else it is a plan. */
export type ConsolidateOptions = Omit<ConsolidationStart, 'dry_run'> & { apply?: boolean };

const OPTIONS: readonly string[] = [
  ...['memory', 'actor', 'url', 'apiKey', 'client', 'session', 'namespace', 'namespacePath', 'name', 'description'],
  ...['maxSearchResults', 'writable', 'extraction', 'filters', 'relevanceMin', 'budgetTokens', 'metadataProvider'],
  ...['maxTurnsPerEvent', 'tools', 'tool', 'warn'],
];

/** Options of a search; all but the first are of this store. */
export interface LociSearchOptions {
  maxSearchResults?: number;
  /** Conditions that come to those of the store. */
  filter?: readonly MetadataFilter[];
  /** The least relevance of an entry, 0 to 1. */
  relevanceMin?: number;
  /** What was true and known then. */
  asOf?: string;
  budgetTokens?: number;
}

/**
 * Something that was found; `metadata` holds what was stored, and `_id`, `_score`, `_namespaces`,
 * `_createdAt`.
 */
export interface LociMemoryEntry {
  content: string;
  metadata: { [key: string]: Json };
}

export class LociMemoryStore {
  readonly name: string;
  readonly description: string | undefined;
  readonly maxSearchResults: number;
  readonly writable: boolean;
  readonly extraction: any;
  readonly #actor: string;
  readonly #session: string;
  private readonly client: Client;
  private readonly scope: Scope;
  private readonly turnsMax: number;
  private memoryId: string | undefined;
  /** Sequence numbers of every run begin at the same number: a run has a name of its own. */
  private readonly run = crypto.randomUUID().replaceAll('-', '');
  private forgotten = 0;

  constructor(private readonly config: LociMemoryStoreConfig) {
    checkedNames(config, OPTIONS);
    checkedText('memory', config.memory);
    this.#actor = checkedText('actor', config.actor);
    this.#session = checkedText('session', config.session ?? crypto.randomUUID());
    this.scope = Scope.of(config.namespace, config.namespacePath, this.#actor, this.#session);
    if (typeof (config.name ?? '') !== 'string') throw refused('name must be a string');
    this.name = config.name?.trim() ? config.name : nameOfTemplates(this.scope.templates);
    this.description = config.description;
    this.maxSearchResults = checkedCount('maxSearchResults', config.maxSearchResults ?? RESULTS_DEFAULT);
    this.turnsMax = checkedTurns(config.maxTurnsPerEvent ?? TURNS_DEFAULT);
    checkedRelevance(config.relevanceMin);
    checkedCount('budgetTokens', config.budgetTokens ?? 1);
    if (typeof (config.metadataProvider ?? (() => ({}))) !== 'function') {
      throw refused('metadataProvider must be a function of a message');
    }
    if (config.tools?.length && !config.tool) throw refused('tools need `tool` of Strands');
    if (config.tools?.includes('memory_forget') && !config.writable) {
      throw refused('memory_forget is a tool of writable stores');
    }
    this.writable = config.writable ?? false;
    // Extraction needs messages, and a store that is not writable gets none.
    this.extraction = this.writable ? config.extraction : undefined;
    if (config.extraction && !this.writable) {
      this.warn('extraction is configured on a store that is not writable, and left out');
    }
    this.client = config.client ?? new Client({ url: config.url, token: config.apiKey });
  }

  /** The conversation that messages belong to. */
  get session(): string {
    return this.#session;
  }

  /** The conversation that the store would write, for `assertWritableTopology`. */
  get writePlace(): WritePlace {
    const memory = this.memoryId ?? this.config.memory;
    return { server: this.client.url, memory, actor: this.#actor, session: this.#session };
  }

  /**
   * Fails where the memory is not there or may not be read; tells where what is extracted would not be found.
   */
  async initialize(): Promise<void> {
    const memory = await this.client.memoryGet(await this.id());
    await this.client.recordList(memory.id, { ...this.scope.query, limit: 1 });
    const reached = memory.strategies.some((strategy) => this.reaches(strategy.namespace));
    if (this.writable && this.extraction && !reached) {
      this.warn('no strategy writes to a namespace of the store');
    }
  }

  /** Returns the most relevant entries, best first. */
  async search(query: string, options: LociSearchOptions = {}): Promise<LociMemoryEntry[]> {
    const topK = checkedCount('maxSearchResults', options.maxSearchResults ?? this.maxSearchResults);
    const relevanceMin = checkedRelevance(options.relevanceMin) ?? this.config.relevanceMin;
    checkedCount('budgetTokens', options.budgetTokens ?? 1);
    const { hits } = await this.client.search({
      memory: await this.id(),
      query,
      ...this.scope.query,
      top_k: topK,
      metadata: [...(this.config.filters ?? []), ...(options.filter ?? [])],
      as_of: options.asOf,
      relevance_min: relevanceMin,
      budget_tokens: options.budgetTokens ?? this.config.budgetTokens,
    });
    return hits.map((hit) => entry(hit.record, hit.relevance));
  }

  /** Remembers a text; the same one again, in the same run, is the same record. */
  async add(content: string, metadata: { [key: string]: Json } = {}): Promise<{ id: string }> {
    if (typeof content !== 'string' || !content.trim()) throw refused('content must be a string, and not blank');
    const record = { namespace: this.scope.namespaces[0] as string, text: content, metadata: checkedMetadata(metadata) };
    // What was forgotten may be remembered again: then it is another write.
    const named = JSON.stringify([this.run, this.forgotten, this.config.memory, record]);
    const options = { idempotencyKey: await digest(named) };
    const { items } = await this.client.recordsCreate(await this.id(), { records: [record] }, options);
    const made = items[0];
    if (made?.error || !made) throw new LociError(made?.error?.code ?? 'BUG', made?.error?.message ?? 'nothing was made');
    return { id: made.id };
  }

  /**
   * Stores messages as events of the session, which the memory's strategies read. A batch that is
   * sent again is stored once. Throws `EventsNotStored` with every failure. All metadata is checked
   * before the first call.
   */
  async addMessages(
    messages: readonly MessageForm[],
    context: { readonly sequenceNumbers?: readonly number[] } = {},
  ): Promise<{ events: string[] }> {
    const events = eventsOf(messages, context.sequenceNumbers, this.turnsMax, this.config.metadataProvider);
    const memory = events.length > 0 ? await this.id() : '';
    const stored: string[] = [];
    const failures: EventFailure[] = [];
    let heldUp: LociError | undefined;
    for (const event of events) {
      try {
        if (heldUp) throw heldUp;
        stored.push(await this.eventStored(memory, event));
      } catch (error) {
        if (!(error instanceof LociError)) throw error;
        failures.push({ first: event.first, last: event.last, error });
        // Nothing overtakes what may pass; an event that is refused for good holds nobody up.
        heldUp = isFinal(error) ? undefined : error;
      }
    }
    const [first, ...others] = failures;
    if (first) throw new EventsNotStored([first, ...others], stored);
    return { events: stored };
  }

  private async eventStored(memory: string, { first, last, metadata, payload }: EventForm): Promise<string> {
    const event: EventCreate = { actor: this.#actor, session: this.#session, payload };
    if (Object.keys(metadata).length > 0) event.metadata = metadata;
    const named = /^[\x20-\x7e]+$/.test(this.#actor) ? this.#actor : encodeURIComponent(this.#actor);
    const key = first === undefined ? undefined : `${memory}-${named}-${this.run}-${first}-${last}`;
    return (await this.client.eventCreate(memory, event, { idempotencyKey: key })).event.id;
  }

  /** The tools that were asked for. */
  getTools(): any[] {
    const { tool, tools = [] } = this.config;
    if (!tool) return [];
    const one = { type: 'object', properties: { id: { type: 'string', description: 'Id of the memory' } }, required: ['id'] };
    const limit = { type: 'integer', minimum: 1, maximum: 100, description: 'How many' };
    const described = {
      memory_timeline: {
        description: 'What was remembered last, newest first.',
        inputSchema: { type: 'object', properties: { limit } },
        callback: (input: { limit?: number }) => this.timeline(input.limit),
      },
      memory_history: {
        description: 'How a memory changed: its versions, and why it stands where it does.',
        inputSchema: one,
        callback: (input: { id: string }) => this.history(input.id),
      },
      memory_forget: {
        description: 'Forget a memory for good, such as when the user asks for it.',
        inputSchema: one,
        callback: (input: { id: string }) => this.forget(input.id),
      },
    };
    return tools.map((name) => tool({ name, ...described[name] }));
  }

  /** What was remembered last, newest first. */
  async timeline(limit = 20): Promise<{ [key: string]: Json }[]> {
    const asked: RecordListing = { ...this.scope.query, limit };
    return (await this.client.recordList(await this.id(), asked)).records.map(shown);
  }

  /** The versions of a record, and its changes of state. */
  async history(id: string): Promise<{ [key: string]: Json }> {
    await this.own(id);
    const { versions, changes } = await this.client.recordHistory(await this.id(), id);
    return { versions: versions.map(shown), changes: changes as unknown as Json };
  }

  /** Deletes a record. */
  async forget(id: string): Promise<{ forgotten: string }> {
    if (!this.writable) throw refused(`store '${this.name}' is read-only`);
    await this.own(id);
    await this.client.recordDelete(await this.id(), id);
    this.forgotten += 1;
    return { forgotten: id };
  }

  /** Says that a record is useful, or wrong. An agent says it: one alone hides nothing. */
  async feedback(
    id: string,
    verdict: 'useful' | 'wrong',
    reason?: string,
  ): Promise<{ useful: number; wrong: number; state: string }> {
    if (!this.writable) throw refused(`store '${this.name}' is read-only`);
    await this.own(id);
    const said = { verdict, by: 'agent' as const, ...(reason === undefined ? {} : { reason }) };
    const { useful, wrong, state } = await this.client.recordFeedback(await this.id(), id, said);
    return { useful, wrong, state };
  }

  /**
   * Plans the upkeep of the documents of the first namespace, or does it with `apply`; `start` has members of
   * a `ConsolidationStart`. Returns the run.
   */
  async consolidate({ apply = false, ...start }: ConsolidateOptions = {}): Promise<ConsolidationRun> {
    if (!this.writable) throw new TypeError(`LociMemoryStore: store '${this.name}' is read-only`);
    const asked = { namespace: this.scope.namespaces[0], ...start, dry_run: !apply };
    return this.client.consolidationStart(await this.id(), asked);
  }

  /** Refuses a record outside of the scope, as if it were not there: ids come from a model. */
  private async own(id: string): Promise<void> {
    checkedText('id', id);
    const record = await this.client.recordGet(await this.id(), id);
    if (!this.scope.has(record.namespace)) {
      throw new NotFound('NOT_FOUND', 'there is no such record', { field: 'id' });
    }
  }

  private reaches(template: string): boolean {
    return this.scope.has(filled(template, this.#actor, this.#session));
  }

  private warn(text: string): void {
    (this.config.warn ?? console.warn)(`store=<${this.name}>, memory=<${this.config.memory}> | ${text}`);
  }

  private async id(): Promise<string> {
    this.memoryId ??= await memoryId(this.client, this.config.memory);
    return this.memoryId;
  }
}

/** Options of one store of several: the place, and what may differ from store to store. */
export type LociPlaceConfig = Omit<Partial<LociMemoryStoreConfig>, 'memory' | 'actor' | 'session' | 'extraction' | 'client'>;

/**
 * A store for each place of one conversation, over one client; at most one of them writes: the one
 * with `writable`; else, with `extraction`, the first that does not say `writable: false`.
 */
export function lociMemoryStores(
  places: readonly LociPlaceConfig[],
  { extraction, ...shared }: LociMemoryStoreConfig,
): LociMemoryStore[] {
  if (places.length === 0) throw refused('lociMemoryStores needs at least one place');
  const writer = writerOf(places.map(({ writable }) => writable), extraction);
  const session = shared.session ?? crypto.randomUUID();
  const client = shared.client ?? new Client({ url: shared.url, token: shared.apiKey });
  const stores: LociMemoryStore[] = [];
  places.forEach((place, at) => {
    const writable = at === writer;
    const own = { ...shared, ...place, session, client, writable, extraction: writable ? extraction : undefined };
    const store = new LociMemoryStore(own);
    const taken = stores.map(({ name }) => name);
    if (!taken.includes(store.name)) {
      stores.push(store);
      return;
    }
    if (place.name) throw refused(`two stores have the name '${store.name}'`);
    // A place that is read in two ways has one name.
    let number = 2;
    while (taken.includes(`${store.name}-${number}`)) number += 1;
    stores.push(new LociMemoryStore({ ...own, name: `${store.name}-${number}` }));
  });
  assertWritableTopology(stores);
  return stores;
}

/** True where the event itself is at fault. A key that was revoked is no fault of a message. */
function isFinal({ status, retryable }: LociError): boolean {
  return [400, 409, 413, 422].includes(status ?? 0) && !retryable;
}

function entry(record: StoredRecord, score: number): LociMemoryEntry {
  const times = { _createdAt: record.created_at, _observedAt: record.timestamp };
  const known = { _id: record.id, _score: score, _namespaces: [record.namespace], ...times };
  return { content: record.text, metadata: { ...record.metadata, ...known } };
}

function shown({ id, text, kind, state, timestamp }: StoredRecord): { [key: string]: Json } {
  return { id, text, kind, state, timestamp };
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

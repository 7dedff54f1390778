// `LociMemoryStore`: a memory of Loci as a store of Strands agents (`MemoryManager` of `@strands-agents/sdk`).
// It is a store by its form and does not need Strands: who wants its tools gives Strands' `tool`. It never widens its scope,
// keeps no state of the conversation, and swallows no error: the manager isolates stores.

import type {
  ConsolidationRun,
  ConsolidationStart,
  EventCreate,
  MetadataFilter,
  Record as StoredRecord,
  RecordListing,
} from './api.js';
import { Client } from './client.js';
import { LociError, NotFound } from './errors.js';
import { memoryId } from './memory-id.js';
import { batches, checkedMetadata } from './strands-forms.js';
import type { Json, MessageForm } from './strands-forms.js';

export type ToolName = 'memory_timeline' | 'memory_history' | 'memory_forget';

/** Strands' `tool`, as far as it is needed here. */
export type ToolFactory = (config: {
  name: string;
  description: string;
  inputSchema: any;
  callback: (input: any) => Promise<any>;
}) => any;

export interface LociMemoryStoreConfig {
  /** By name or id. */
  memory: string;
  /** Whose memory it is. */
  actor: string;
  /** The server, else `LOCI_URL`; or a client in its place. */
  url?: string;
  /** A key's token, else `LOCI_TOKEN`. */
  apiKey?: string;
  client?: Client;
  /** Which conversation messages belong to; a new one where it is absent. */
  session?: string;
  /**
   * Where it searches, each with all beneath it; `add` writes to the first. `{actorId}` and `{sessionId}` stand for the two. Messages
   * become records where a strategy of the memory puts them: give its namespaces here. `/facts/{actorId}` where it is absent.
   */
  namespaces?: readonly string[];
  name?: string;
  description?: string;
  /** 5 where it is absent. */
  maxSearchResults?: number;
  /** False where it is absent. */
  writable?: boolean;
  /** As Strands takes it: `true`, or a configuration. The server reads the messages. */
  extraction?: any;
  /** Conditions on metadata that hold for every search. */
  filters?: readonly MetadataFilter[];
  /** Only what is at least as relevant, 0 to 1. */
  relevanceMin?: number;
  /** How much a search gives, together. */
  budgetTokens?: number;
  /** Which tools the agent gets; `memory_forget` of a writable store only. Needs `tool`. */
  tools?: readonly ToolName[];
  tool?: ToolFactory;
  /** Where it tells what is odd; `console.warn` where it is absent. */
  warn?: (text: string) => void;
}

/** Options of a run of consolidation; `apply` does it, else it is a plan. */
export type ConsolidateOptions = Omit<ConsolidationStart, 'dry_run'> & { apply?: boolean };

/** What a search may be told; what is beyond the first is of this store. */
export interface LociSearchOptions {
  maxSearchResults?: number;
  /** Conditions that come to those of the store. */
  filter?: readonly MetadataFilter[];
  /** What was true and known then. */
  asOf?: string;
  budgetTokens?: number;
}

/** Something that was found; `metadata` holds what was stored, and `_id`, `_score`, `_namespaces`, `_createdAt`. */
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
  readonly session: string;
  private readonly client: Client;
  private readonly namespaces: string[];
  private memoryId: string | undefined;
  /** Sequence numbers begin anew in every run: a run has a name of its own. */
  private readonly run = crypto.randomUUID().replaceAll('-', '');
  private forgotten = 0;

  constructor(private readonly config: LociMemoryStoreConfig) {
    const { memory, actor, name = 'loci', namespaces = ['/facts/{actorId}'] } = config;
    for (const [field, value] of Object.entries({ memory, actor, name })) {
      if (!value?.trim()) throw new TypeError(`LociMemoryStore: ${field} must be a non-empty string`);
    }
    if (!Array.isArray(namespaces) || namespaces.length === 0) {
      throw new TypeError('LociMemoryStore: namespaces must be a list of at least one');
    }
    if (config.tools?.length && !config.tool) throw new TypeError('LociMemoryStore: tools need `tool` of Strands');
    if (config.tools?.includes('memory_forget') && !config.writable) {
      throw new TypeError('LociMemoryStore: memory_forget is a tool of writable stores');
    }
    this.name = name;
    this.description = config.description;
    this.maxSearchResults = positive(config.maxSearchResults ?? 5);
    this.writable = config.writable ?? false;
    this.extraction = config.extraction;
    this.session = config.session ?? crypto.randomUUID();
    this.client = config.client ?? new Client({ url: config.url, token: config.apiKey });
    this.namespaces = namespaces.map((template) => resolved(template, actor, this.session));
  }

  /** Fails where the memory is not there or may not be read; tells where what is extracted would not be found. */
  async initialize(): Promise<void> {
    const memory = await this.client.memoryGet(await this.id());
    await this.client.recordList(memory.id, { namespace_paths: this.namespaces, limit: 1 });
    const reached = memory.strategies.some((strategy) => this.reaches(strategy.namespace));
    if (this.writable && this.extraction && !reached) {
      const warn = this.config.warn ?? console.warn;
      warn(`store=<${this.name}>, memory=<${this.config.memory}> | no strategy writes to a namespace of the store`);
    }
  }

  /** What is most relevant, best first. */
  async search(query: string, options: LociSearchOptions = {}): Promise<LociMemoryEntry[]> {
    const { hits } = await this.client.search({
      memory: await this.id(),
      query,
      namespace_paths: this.namespaces,
      top_k: positive(options.maxSearchResults ?? this.maxSearchResults),
      metadata: [...(this.config.filters ?? []), ...(options.filter ?? [])],
      as_of: options.asOf,
      relevance_min: this.config.relevanceMin,
      budget_tokens: options.budgetTokens ?? this.config.budgetTokens,
    });
    return hits.map((hit) => entry(hit.record, hit.relevance));
  }

  /** Remembers a text; the same one again, in the same run, is the same record. */
  async add(content: string, metadata: { [key: string]: Json } = {}): Promise<{ id: string }> {
    if (!content.trim()) throw new TypeError('LociMemoryStore: content must not be blank');
    const record = { namespace: this.namespaces[0] as string, text: content, metadata: checkedMetadata(metadata) };
    // What was forgotten may be remembered again: then it is another write.
    const named = JSON.stringify([this.run, this.forgotten, this.config.memory, record]);
    const options = { idempotencyKey: await digest(named) };
    const { items } = await this.client.recordsCreate(await this.id(), { records: [record] }, options);
    const made = items[0];
    if (made?.error || !made) throw new LociError(made?.error?.code ?? 'BUG', made?.error?.message ?? 'nothing was made');
    return { id: made.id };
  }

  /** Stores messages as events of the session, which the memory's strategies read. A batch that is sent again is stored once. */
  async addMessages(
    messages: readonly MessageForm[],
    context: { readonly sequenceNumbers?: readonly number[] } = {},
  ): Promise<{ events: string[] }> {
    const memory = await this.id();
    const { actor } = this.config;
    const named = /^[\x20-\x7e]+$/.test(actor) ? actor : encodeURIComponent(actor);
    const events: string[] = [];
    for (const { first, last, payload } of batches(messages, context.sequenceNumbers)) {
      const event: EventCreate = { actor, session: this.session, payload };
      const key = first === undefined ? undefined : `${memory}-${named}-${this.run}-${first}-${last}`;
      const made = await this.client.eventCreate(memory, event, { idempotencyKey: key });
      events.push(made.event.id);
    }
    return { events };
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
    const asked: RecordListing = { namespace_paths: this.namespaces, limit };
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
    if (!this.writable) throw new TypeError(`LociMemoryStore: store '${this.name}' is read-only`);
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
    if (!this.writable) throw new TypeError(`LociMemoryStore: store '${this.name}' is read-only`);
    await this.own(id);
    const said = { verdict, by: 'agent' as const, ...(reason === undefined ? {} : { reason }) };
    const { useful, wrong, state } = await this.client.recordFeedback(await this.id(), id, said);
    return { useful, wrong, state };
  }

  /**
   * Plans the upkeep of the documents of the first namespace, or does it with `apply`; `start` has members of a `ConsolidationStart`.
   * Returns the run.
   */
  async consolidate({ apply = false, ...start }: ConsolidateOptions = {}): Promise<ConsolidationRun> {
    if (!this.writable) throw new TypeError(`LociMemoryStore: store '${this.name}' is read-only`);
    const asked = { namespace: this.namespaces[0], ...start, dry_run: !apply };
    return this.client.consolidationStart(await this.id(), asked);
  }

  /** Refuses a record outside of the scope, as if it were not there: ids come from a model. */
  private async own(id: string): Promise<void> {
    const record = await this.client.recordGet(await this.id(), id);
    if (!this.namespaces.some((namespace) => isWithin(record.namespace, namespace))) {
      throw new NotFound('NOT_FOUND', 'there is no such record', { field: 'id' });
    }
  }

  private reaches(template: string): boolean {
    const values = { '{actorId}': this.config.actor, '{sessionId}': this.session };
    const namespace = replaced(template, values);
    return this.namespaces.some((own) => isWithin(namespace, own));
  }

  private async id(): Promise<string> {
    this.memoryId ??= await memoryId(this.client, this.config.memory);
    return this.memoryId;
  }
}

function positive(results: number): number {
  if (!Number.isInteger(results) || results < 1) {
    throw new RangeError('LociMemoryStore: maxSearchResults must be a positive integer');
  }
  return results;
}

function resolved(template: string, actor: string, session: string): string {
  if (/[{}]/.test(replaced(template, { '{actorId}': '', '{sessionId}': '' }))) {
    throw new TypeError(`LociMemoryStore: namespace '${template}' may hold {actorId} and {sessionId}, and no other brace`);
  }
  return replaced(template, { '{actorId}': actor, '{sessionId}': session });
}

function replaced(template: string, values: { '{actorId}': string; '{sessionId}': string }): string {
  return template.replace(/\{actorId\}|\{sessionId\}/g, (found) => values[found as keyof typeof values]);
}

function isWithin(namespace: string, node: string): boolean {
  const [inner, outer] = [namespace, node].map((path) => path.split('/').filter(Boolean)) as [string[], string[]];
  return outer.every((part, at) => inner[at] === part);
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

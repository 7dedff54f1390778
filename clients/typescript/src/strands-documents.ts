/**
 * `LociDocuments`: the documents of a memory that every prompt of a Strands agent begins with.
 * `knowledge/system/` stands in full, the other documents as a listing with their descriptions, in one budget
 * of tokens. It imports no Strands: a `ContextInjector` calls `render`.
 */

import { Client } from './client.js';

/** The documents and their budget. */
export interface LociDocumentsConfig {
  /** By name or id; without it the mount, by default `default`. */
  memory?: string;
  /** The namespace of the memory; `/` without it. */
  namespace?: string;
  /** A mount of the server's configuration. */
  mount?: string;
  /** How much the text may have; 2,500 where it is absent. */
  budgetTokens?: number;
  url?: string;
  apiKey?: string;
  /** In the place of `url` and `apiKey`. */
  client?: Client;
}

/** Renders the documents of a memory's namespace, or of a mount. */
export class LociDocuments {
  private readonly client: Client;
  private readonly asked: { memory?: string; namespace?: string; mount?: string; budget_tokens?: number };

  constructor(config: LociDocumentsConfig) {
    const { memory, namespace, mount, budgetTokens } = config;
    for (const [field, value] of Object.entries({ memory, namespace, mount })) {
      if (value !== undefined && (typeof value !== 'string' || value.trim() === '')) {
        throw new TypeError(`LociDocuments: ${field} must be a non-empty string`);
      }
    }
    if ((memory !== undefined && mount !== undefined) || (memory === undefined && namespace !== undefined)) {
      throw new TypeError('LociDocuments: give memory and, where it is not /, namespace; or give mount');
    }
    if (budgetTokens !== undefined && (!Number.isInteger(budgetTokens) || budgetTokens < 1)) {
      throw new RangeError('LociDocuments: budgetTokens must be a positive integer');
    }
    this.client = config.client ?? new Client({ url: config.url, token: config.apiKey });
    this.asked = { memory, namespace, mount, budget_tokens: budgetTokens };
  }

  /** Returns the text; empty where there are no documents. */
  async text(): Promise<string> {
    return (await this.client.promptDocuments(this.asked)).text;
  }

  /** Returns the text for an injector of Strands, which ignores `undefined`. */
  readonly render = async (): Promise<string | undefined> => (await this.text()) || undefined;
}

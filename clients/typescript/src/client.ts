// `Client`: every operation of the native API on one server. The operations are generated; here is how a call
// is made. It holds no rule: what is refused is refused by the server.

import { InvalidAnswer, InvalidArgument, errorOf } from './errors.js';
import { Operations } from './operations.js';
import type { CallOptions, Operation, Sent } from './operations.js';
import { Repeats, SYSTEM_CLOCK } from './repeats.js';
import type { Clock } from './repeats.js';
import { ANSWER_MAX, Transport } from './transport.js';
import type { Answer } from './transport.js';

export interface ClientConfig {
  /** `http://…` or `https://…`; else the environment's `LOCI_URL`. */
  url?: string;
  /** The bearer token of a key; else the environment's `LOCI_TOKEN`. */
  token?: string;
  /** Which memory calls of tools mean, by name or id. Operations name their memory themselves. */
  memory?: string;
  /** Of a call, all tries together; 10,000 where it is absent. */
  timeoutMs?: number;
  /**
   * Further tries after an error that the server calls retryable, or no answer at all, of calls that change
   * nothing or carry an idempotency key; 2 where it is absent. Others are tried again only where the server
   * did not begin (429).
   */
  retries?: number;
  /** Longer answers are refused; 32 MiB where it is absent. */
  answerBytesMax?: number;
  /** In the place of the global `fetch`. */
  fetch?: typeof fetch;
  /** In the place of the system's. */
  clock?: Clock;
}

/** A request of any kind, for what is no JSON. */
export interface RawRequest {
  headers?: { [name: string]: string };
  content?: Uint8Array | string;
  timeoutMs?: number;
  mayRepeat?: boolean;
  signal?: AbortSignal;
}

export class Client extends Operations {
  /** The address of the server. */
  readonly url: string;
  private readonly transport: Transport;
  private readonly repeats: Repeats;

  constructor(config: ClientConfig = {}) {
    super();
    const url = config.url ?? environment('LOCI_URL');
    if (!url) throw new TypeError('no server: give url, or set LOCI_URL');
    this.url = url;
    const headers = headersOf(config.token ?? environment('LOCI_TOKEN'), config.memory);
    const fetcher = config.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.transport = new Transport(url, headers, fetcher, config.answerBytesMax ?? ANSWER_MAX);
    this.repeats = new Repeats(config.timeoutMs ?? 10_000, config.retries ?? 2, config.clock ?? SYSTEM_CLOCK);
  }

  /** Any request, for what is no JSON, such as a document as a file. Throws a `LociError` where it fails. */
  async request(method: string, path: string, raw: RawRequest = {}): Promise<Answer> {
    const { headers = {}, content, signal } = raw;
    const one = async (leftMs: number): Promise<Answer> => {
      const answer = await this.transport.exchange({ method, path, headers, content, signal }, leftMs);
      if (answer.status < 200 || answer.status > 299) {
        throw errorOf(answer.status, parsed(answer), answer.headers.get('retry-after'));
      }
      return answer;
    };
    return this.repeats.run(one, raw.mayRepeat ?? false, raw.timeoutMs);
  }

  protected async call<Result>(
    operation: Operation,
    parameters: { [name: string]: string },
    options: CallOptions,
    sent: Sent = {},
  ): Promise<Result> {
    const { body } = sent;
    const query = queryOf({ ...sent.query, ...options.query });
    const answer = await this.request(operation.method, pathOf(operation.path, parameters) + query, {
      headers: callHeaders(operation, options, body),
      content: body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body),
      timeoutMs: options.timeoutMs,
      mayRepeat: operation.repeat !== 'never',
      signal: options.signal,
    });
    return read(operation, answer) as Result;
  }
}

function read(operation: Operation, answer: Answer): unknown {
  if (operation.answer === 'bytes') return answer.content;
  if (operation.answer === 'nothing' || answer.status === 204) return undefined;
  const value = answer.headers.get('content-type')?.startsWith('application/json') ? parsed(answer) : undefined;
  if (value === undefined || value === null) {
    const message = 'the answer is no JSON: ask with `request` for what is none, else: is the address right?';
    throw new InvalidAnswer('INVALID_ANSWER', message, { status: answer.status });
  }
  return value;
}

function parsed(answer: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(answer.content));
  } catch {
    return undefined;
  }
}

function pathOf(template: string, parameters: { [name: string]: string }): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = parameters[name];
    // What stands for nothing, or for a folder above, would be another operation.
    if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
      throw new InvalidArgument('INVALID_ARGUMENT', `${name} must be a text that is not empty`, { field: name });
    }
    return encodeURIComponent(value);
  });
}

function queryOf(members: { [name: string]: unknown }): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

function callHeaders(operation: Operation, options: CallOptions, body: unknown): { [name: string]: string } {
  const headers: { [name: string]: string } = {};
  if (body instanceof Uint8Array) headers['Content-Type'] = options.contentType ?? 'application/octet-stream';
  else if (body !== undefined) headers['Content-Type'] = 'application/json';
  const key = options.idempotencyKey ?? (operation.repeat === 'key' ? crypto.randomUUID() : undefined);
  if (key) headers['Idempotency-Key'] = key;
  if (options.ifMatch !== undefined) headers['If-Match'] = options.ifMatch;
  if (options.ifAbsent) headers['If-None-Match'] = '*';
  return headers;
}

function headersOf(token?: string, memory?: string): { [name: string]: string } {
  for (const [name, value] of Object.entries({ token, memory })) {
    if (value && !/^[\x20-\x7e]+$/.test(value)) throw new TypeError(`${name} may have printable ASCII characters only`);
  }
  return {
    Accept: 'application/json',
    'User-Agent': 'locimem-typescript/0.1.0',
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(memory && { 'X-Loci-Memory': memory }),
  };
}

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };
  return process?.env?.[name];
}

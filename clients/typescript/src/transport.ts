// One HTTP request and its answer, with `fetch`. Tries once; whether to try again is the caller's.

import { InvalidAnswer, LociError, Unreachable } from './errors.js';

/** An answer may be this long, in bytes. */
export const ANSWER_MAX = 32 * 1024 * 1024;

/** What a server answered, whatever the status says. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly content: Uint8Array;
}

/** What is sent. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: { [name: string]: string };
  readonly content?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

export class Transport {
  private readonly base: string;

  constructor(
    url: string,
    private readonly headers: { [name: string]: string },
    private readonly fetcher: typeof fetch,
    private readonly answerBytesMax: number,
  ) {
    const parsed = new URL(url);
    if (!['http:', 'https:'].includes(parsed.protocol)) {
      throw new TypeError('the address of a server is http://… or https://…');
    }
    if (parsed.username || parsed.password || parsed.search || parsed.hash) {
      throw new TypeError('the address of a server has no user, question mark or hash: give the token as `token`');
    }
    this.base = parsed.origin + parsed.pathname.replace(/\/+$/, '');
  }

  /**
   * Throws `Unreachable`, `InvalidAnswer` where there is too much of it, and the reason of a signal that
   * called it off.
   */
  async exchange(request: Request, timeoutMs: number): Promise<Answer> {
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    try {
      // Redirects would carry the token to where nobody meant it to go.
      const response = await this.fetcher(this.base + request.path, {
        method: request.method,
        headers: { ...this.headers, ...request.headers },
        body: request.content as BodyInit | undefined,
        redirect: 'manual',
        signal,
      });
      return { status: response.status, headers: response.headers, content: await this.content(response) };
    } catch (error) {
      if (error instanceof LociError || request.signal?.aborted) throw error;
      const what = timeout.aborted ? 'no answer in time' : reason(error);
      throw new Unreachable('UNREACHABLE', `${this.base}: ${what}`, { retryable: true, cause: error });
    }
  }

  private async content(response: Response): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      pieces.push(piece.value);
      length += piece.value.length;
      if (length > this.answerBytesMax) {
        await reader?.cancel();
        const message = `the answer is longer than ${this.answerBytesMax} bytes`;
        throw new InvalidAnswer('INVALID_ANSWER', message, { status: response.status });
      }
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
}

/** `fetch` says "fetch failed", and why in the cause. */
function reason(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}

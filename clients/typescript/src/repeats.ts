// When a call is tried again: within its time, after the pause that the server asks for. What may be is the
// caller's to say.

import { LociError } from './errors.js';

/** Between two tries without advice of the server: this, then twice as long, and so on. */
const FIRST_PAUSE_MS = 100;
/** The server did not begin: whatever it was may be asked again. */
const NOT_BEGUN = 429;

/** How the time passes; of tests. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** The tries of a call. */
export class Repeats {
  constructor(
    private readonly timeoutMs: number,
    private readonly retries: number,
    private readonly clock: Clock,
  ) {
    if (!(timeoutMs > 0) || !(retries >= 0)) {
      throw new RangeError('timeoutMs is more than 0, retries are 0 or more');
    }
  }

  /** What a try gives; each is told how many milliseconds are left. */
  async run<T>(one: (leftMs: number) => Promise<T>, mayRepeat: boolean, timeoutMs = this.timeoutMs): Promise<T> {
    const end = this.clock.now() + timeoutMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await one(Math.max(end - this.clock.now(), 1));
      } catch (error) {
        const isSafe = error instanceof LociError && error.retryable && (mayRepeat || error.status === NOT_BEGUN);
        if (!isSafe || tries >= this.retries) throw error;
        const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** tries * (0.5 + Math.random() / 2);
        if (this.clock.now() + pause >= end) throw error;
        await this.clock.sleep(pause);
      }
    }
  }
}

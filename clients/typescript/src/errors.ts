// What may go wrong in a call. Every error has the server's code; those that programs treat differently have
// a class.

/** What is known of an error beside its code and message. */
export interface ErrorFacts {
  retryable?: boolean;
  retryAfterMs?: number;
  field?: string;
  details?: { [name: string]: unknown };
  status?: number;
  cause?: unknown;
}

/** A call gave no result. */
export class LociError extends Error {
  /** The server's word, such as `NOT_FOUND`. */
  readonly code: string;
  /** The same call may succeed later without a change. */
  readonly retryable: boolean;
  /** When, where the server says so. */
  readonly retryAfterMs: number | undefined;
  /** The member at fault. */
  readonly field: string | undefined;
  /** More, by code. */
  readonly details: { [name: string]: unknown };
  /** Of HTTP, where there was an answer. */
  readonly status: number | undefined;

  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.field = facts.field;
    this.details = facts.details ?? {};
    this.status = facts.status;
  }
}

/** An argument breaks a rule. */
export class InvalidArgument extends LociError {}
/** No such thing, as far as this caller may know. */
export class NotFound extends LociError {}
/** The state does not allow it, or one key is used for two different calls. */
export class Conflict extends LociError {}
/** More than a limit allows. */
export class TooLarge extends LociError {}
/** The server does not know who asks. */
export class AuthRequired extends LociError {}
/** Who asks may not do this. */
export class Forbidden extends LociError {}
/** Too much at once, or a quota is used up. */
export class RateLimited extends LociError {}
/** The server, or what it asks itself, cannot answer now. */
export class Unavailable extends LociError {}
/** There was no answer: no connection, or not in time. Whether the call was carried out is not known. */
export class Unreachable extends LociError {}
/** What answered is not this server's API. */
export class InvalidAnswer extends LociError {}

/**
 * An event that was not stored: the numbers of its first and last message, where they have any, and
 * the reason.
 */
export interface EventFailure {
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly error: LociError;
}

/**
 * Some events of a batch were not stored. `code` and the message are those of the first failure;
 * `retryable`: the same batch may succeed when it is sent again, and what was stored is stored
 * once.
 */
export class EventsNotStored extends LociError {
  /**
   * Every event that was not stored, those that were not sent after an error that may pass
   * included, in order.
   */
  readonly failures: readonly EventFailure[];
  /** Ids of the others. */
  readonly stored: readonly string[];

  constructor(failures: readonly [EventFailure, ...EventFailure[]], stored: readonly string[]) {
    const { error } = failures[0];
    const of = failures.length + stored.length;
    super(error.code, `${failures.length} of ${of} event(s) not stored; first error: ${error.message}`, {
      retryable: failures.some((failure) => failure.error.retryable),
      retryAfterMs: error.retryAfterMs,
      field: error.field,
      details: error.details,
      status: error.status,
      cause: error,
    });
    this.failures = failures;
    this.stored = stored;
  }
}

const CLASSES: { [code: string]: typeof LociError } = {
  INVALID: InvalidArgument,
  INVALID_ARGUMENT: InvalidArgument,
  CANNOT_PARSE: InvalidArgument,
  NOT_FOUND: NotFound,
  CONFLICT: Conflict,
  IDEMPOTENCY_KEY_REUSED: Conflict,
  STALE_VERSION: Conflict,
  PRECONDITION_REQUIRED: Conflict,
  TOO_LARGE: TooLarge,
  UNAUTHENTICATED: AuthRequired,
  DENIED: Forbidden,
  THROTTLED: RateLimited,
  QUOTA_EXCEEDED: RateLimited,
  UNAVAILABLE: Unavailable,
  UPSTREAM: Unavailable,
};

/** For codes that are finer than these. */
const CLASSES_BY_STATUS: { [status: number]: typeof LociError } = {
  400: InvalidArgument,
  401: AuthRequired,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  412: Conflict,
  413: TooLarge,
  428: Conflict,
  429: RateLimited,
  502: Unavailable,
  503: Unavailable,
};

interface Problem {
  code?: unknown;
  message?: unknown;
  field?: unknown;
  retryable?: unknown;
  details?: unknown;
}

/** The error of an answer that is one: `{"error": {code, message, field?, retryable, details?}}`. */
export function errorOf(status: number, body: unknown, retryAfter: string | null): LociError {
  const problem = isObject(body) && isObject(body.error) ? (body.error as Problem) : {};
  if (typeof problem.code !== 'string') {
    const message = `status ${status} without an error of this API: is the address right?`;
    return new InvalidAnswer('INVALID_ANSWER', message, { status, retryable: [502, 503, 504].includes(status) });
  }
  const details = isObject(problem.details) ? { ...problem.details } : {};
  const told = details.retry_after_ms;
  delete details.retry_after_ms;
  const seconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  const Kind = CLASSES[problem.code] ?? CLASSES_BY_STATUS[status] ?? LociError;
  return new Kind(problem.code, String(problem.message ?? ''), {
    status,
    details,
    retryable: problem.retryable === true,
    retryAfterMs: typeof told === 'number' ? told : seconds === undefined ? undefined : 1000 * seconds,
    field: typeof problem.field === 'string' ? problem.field : undefined,
  });
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Rules of what a `LociMemoryStore` is given: texts, numbers and places. Each error names its
// field. It calls nothing.

/** Entries of a search where neither store nor call gives a number. */
export const RESULTS_DEFAULT = 5;
/** Messages of one event where the store gives no number. */
export const TURNS_DEFAULT = 50;
/** The wire's limit of messages of one event. */
const TURNS_MAX = 100;
const PLACE_DEFAULT = '/facts/{actorId}';

/** An error of the store. */
export function refused(rule: string): TypeError {
  return new TypeError(`LociMemoryStore: ${rule}`);
}

/** Returns the value, which must be a text that is not blank. */
export function checkedText(field: string, value: unknown): string {
  if (typeof value !== 'string' || !value.trim()) throw refused(`${field} must be a non-empty string`);
  return value;
}

/** Returns the value, which must be an integer of at least 1, and at most `most`. */
export function checkedCount(field: string, value: unknown, most = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? 'a positive integer' : `an integer from 1 to ${most}`;
    throw new RangeError(refused(`${field} must be ${range}`).message);
  }
  return value as number;
}

/** Returns the number of messages that one event may hold. */
export function checkedTurns(value: unknown): number {
  return checkedCount('maxTurnsPerEvent', value, TURNS_MAX);
}

/** Returns the least relevance, which must lie between 0 and 1. */
export function checkedRelevance(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    throw new RangeError(refused('relevanceMin must be a number between 0 and 1').message);
  }
  return value;
}

/** Throws where an option has a name that is none. */
export function checkedNames(config: object, known: readonly string[]): void {
  const unknown = Object.keys(config).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw refused(`${unknown.join(', ')} is no option; options are ${known.join(', ')}`);
}

/** The namespaces of a store: each alone, or each with all beneath it. */
export class Scope {
  private constructor(
    readonly templates: readonly string[],
    readonly namespaces: readonly string[],
    private readonly isExact: boolean,
  ) {}

  /** The scope of one of the two options; the default where neither is given. */
  static of(namespace: unknown, namespacePath: unknown, actor: string, session: string): Scope {
    const isExact = namespace !== undefined && namespace !== null;
    const isPath = namespacePath !== undefined && namespacePath !== null;
    if (isExact && isPath) throw refused('give namespace (exact) or namespacePath (with all beneath it), not both');
    const field = isExact ? 'namespace' : 'namespacePath';
    const templates = templatesOf(field, isExact ? namespace : isPath ? namespacePath : PLACE_DEFAULT);
    const namespaces = templates.map((template) => resolved(field, template, actor, session));
    return new Scope(templates, namespaces, isExact);
  }

  /** The members of a search or listing. */
  get query(): { namespaces?: string[]; namespace_paths?: string[] } {
    return this.isExact ? { namespaces: [...this.namespaces] } : { namespace_paths: [...this.namespaces] };
  }

  /** True for a namespace that the store reads. */
  has(namespace: string): boolean {
    const inner = segments(namespace);
    return this.namespaces.map(segments).some((own) => {
      const isDeepEnough = this.isExact ? inner.length === own.length : inner.length >= own.length;
      return isDeepEnough && own.every((segment, at) => inner[at] === segment);
    });
  }
}

function templatesOf(field: string, given: unknown): string[] {
  const listed = typeof given === 'string' ? [given] : given;
  if (!Array.isArray(listed) || listed.length === 0) {
    throw refused(`${field} must be a non-empty string, or a list of them`);
  }
  return listed.map((template) => checkedText(field, template));
}

function resolved(field: string, template: string, actor: string, session: string): string {
  if (/[{}]/.test(filled(template, '', ''))) {
    throw refused(`${field} '${template}' may hold {actorId} and {sessionId}, and no other brace`);
  }
  const namespace = filled(template, actor, session);
  if (/[{}]/.test(namespace)) {
    throw refused(`${field} '${template}' would hold a brace of the actor or session, which no namespace may hold`);
  }
  return namespace;
}

/** One pass: a value is no template, and no pattern. */
export function filled(template: string, actor: string, session: string): string {
  return template.replace(/\{actorId\}|\{sessionId\}/g, (found) => (found === '{actorId}' ? actor : session));
}

function segments(namespace: string): string[] {
  return namespace.split('/').filter(Boolean);
}

/** Returns a name that follows from the namespaces: `/users/{actorId}/facts` is `users-facts`. */
export function nameOfTemplates(templates: readonly string[]): string {
  return templates.map(slug).filter(Boolean).join('-') || 'loci-memory';
}

function slug(template: string): string {
  const out: string[] = [];
  // Where an open placeholder begins in `out`; it is none where a segment ends first.
  let opened: number | undefined;
  for (const character of template) {
    if (character === '{' && opened === undefined) opened = out.length;
    else if (character === '}' && opened !== undefined) {
      out.length = opened;
      opened = undefined;
      continue;
    } else if (character === '/') opened = undefined;
    if (/^[A-Za-z0-9]$/.test(character)) out.push(character.toLowerCase());
    else if (out.length > 0 && out.at(-1) !== '-') out.push('-');
  }
  while (out.at(-1) === '-') out.pop();
  return out.join('');
}

// The form in which messages and metadata of Strands go to the server: parts of events, and
// metadata. It calls nothing.

import type { MetadataValue, PayloadItem } from './api.js';
import { refused } from './strands-options.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A message of Strands, as far as it is read. */
export interface MessageForm {
  readonly role: string;
  readonly content: readonly object[];
}

/**
 * Returns the metadata of the event that a message goes into; neighbours with equal metadata share
 * one.
 */
export type MetadataProvider = (message: any) => { [key: string]: unknown } | undefined;

/**
 * One event: the numbers of its first and last message, where they have any, its parts and its
 * metadata.
 */
export interface EventForm {
  first: number | undefined;
  last: number | undefined;
  metadata: { [key: string]: string };
  payload: PayloadItem[];
  turns: number;
}

/** The server's limit of parts of an event. */
const PARTS_MAX = 100;
const KEYS_MAX = 15;
const KEY_CHARS_MAX = 128;
const VALUE_CHARS_MAX = 256;
/** Characters of metadata on the wire; letters and digits of ASCII. */
const ALLOWED = /^[A-Za-z0-9 \t\n\v\f\r._:/=+@-]*$/;
const ALLOWED_IN_WORDS = 'letters, digits, white space and . _ : / = + @ -';

/**
 * Returns the events of a batch: neighbours with equal metadata, at most `turnsMax` of them. A
 * message is never in two.
 */
export function eventsOf(
  messages: readonly MessageForm[],
  numbers: readonly number[] | undefined,
  turnsMax: number,
  metadataProvider: MetadataProvider | undefined,
): EventForm[] {
  if (numbers && numbers.length !== messages.length) throw new RangeError('LociMemoryStore: one sequence number per message');
  const made: EventForm[] = [];
  messages.forEach((message, at) => {
    const parts = partsOf(message);
    if (parts.length === 0) return;
    const metadata = eventMetadata(metadataProvider?.(message));
    const number = numbers?.[at];
    let event = made.at(-1);
    const isFull = !event || event.turns >= turnsMax || event.payload.length + parts.length > PARTS_MAX;
    if (!event || isFull || !isSame(event.metadata, metadata)) {
      event = { first: number, last: number, metadata, payload: [], turns: 0 };
      made.push(event);
    }
    event.last = number;
    event.turns += 1;
    event.payload.push(...parts);
  });
  return made;
}

/** Both have their keys in order. */
function isSame(one: { [key: string]: string }, other: { [key: string]: string }): boolean {
  return JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other));
}

interface Block {
  text?: string;
  toolUse?: object;
  toolResult?: { content?: readonly object[] };
}

/** The text of a message as it was said, and calls of tools as evidence that strategies do not read. */
function partsOf({ role, content }: MessageForm): PayloadItem[] {
  const blocks = content as readonly Block[];
  const texts = blocks.map((block) => (typeof block.text === 'string' ? block.text.trim() : ''));
  const text = texts.filter(Boolean).join('\n');
  const parts: PayloadItem[] = [];
  if (text && (role === 'user' || role === 'assistant')) parts.push({ message: { role, text } });
  for (const { toolUse, toolResult } of blocks) {
    if (toolUse) parts.push({ blob: { toolUse } });
    if (toolResult) {
      const plain = (toolResult.content ?? []).filter((one) => 'text' in one || 'json' in one);
      parts.push({ blob: { toolResult: { ...toolResult, content: plain } } });
    }
  }
  return parts;
}

/** Returns metadata of an event as the wire takes it: at most 15 short texts of few characters. */
export function eventMetadata(metadata: unknown): { [key: string]: string } {
  if (metadata === undefined || metadata === null) return {};
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    throw refused('metadataProvider must return an object, or nothing');
  }
  const entries = Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length > KEYS_MAX) throw refused(`metadata must have at most ${KEYS_MAX} keys; found ${entries.length}`);
  return Object.fromEntries(entries.map(([key, value]) => [key, eventValue(key, value)]));
}

function eventValue(key: string, value: unknown): string {
  if (lengthOf(key) < 1 || lengthOf(key) > KEY_CHARS_MAX) {
    throw refused(`metadata key '${key}' must be a string of 1 to ${KEY_CHARS_MAX} characters`);
  }
  if (!ALLOWED.test(key)) throw refused(`metadata key '${key}' must hold only ${ALLOWED_IN_WORDS}`);
  if (value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value))) {
    throw refused(`metadata '${key}' must not be null, undefined, NaN or infinity: leave the key out`);
  }
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    throw refused(`metadata '${key}' must be a text, a number or a truth value`);
  }
  const text = String(value);
  if (lengthOf(text) > VALUE_CHARS_MAX) {
    const found = lengthOf(text);
    throw refused(`the value of metadata '${key}' must have at most ${VALUE_CHARS_MAX} characters; it has ${found}`);
  }
  if (!ALLOWED.test(text)) throw refused(`the value of metadata '${key}' must hold only ${ALLOWED_IN_WORDS}`);
  return text;
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** Texts, lists of texts and numbers as they are, the rest as JSON. Refuses what would not be what it was. */
export function checkedMetadata(metadata: { [key: string]: Json }): { [key: string]: MetadataValue } {
  const checked: { [key: string]: MetadataValue } = {};
  // In one order: the same metadata are the same write.
  for (const [key, value] of Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (key.startsWith('_')) {
      throw new TypeError(`LociMemoryStore: metadata key '${key}' begins with _, which is kept for the store's own`);
    }
    if (value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))) {
      throw new TypeError(`LociMemoryStore: metadata '${key}' is no value that can be kept: ${value}`);
    }
    const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string');
    const isKept = typeof value === 'string' || typeof value === 'number' || isTexts;
    checked[key] = isKept ? (value as MetadataValue) : JSON.stringify(value);
  }
  return checked;
}

// How what Strands gives is written for the server: messages as parts of events, and metadata. It calls nothing.

import type { MetadataValue, PayloadItem } from './api.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A message of Strands, as far as it is read. */
export interface MessageForm {
  readonly role: string;
  readonly content: readonly object[];
}

/** What becomes one event: the numbers of its first and last message, where they have any. */
export interface Batch {
  first: number | undefined;
  last: number | undefined;
  payload: PayloadItem[];
}

/** The server's limit of parts of an event. */
const PARTS_MAX = 100;

/** Whole messages, as many as an event may hold. */
export function batches(messages: readonly MessageForm[], numbers?: readonly number[]): Batch[] {
  if (numbers && numbers.length !== messages.length) throw new RangeError('LociMemoryStore: one sequence number per message');
  const made: Batch[] = [];
  messages.forEach((message, at) => {
    const parts = partsOf(message);
    if (parts.length === 0) return;
    const batch = made.at(-1);
    if (batch && batch.payload.length + parts.length <= PARTS_MAX) {
      batch.payload.push(...parts);
      batch.last = numbers?.[at];
    } else {
      made.push({ first: numbers?.[at], last: numbers?.[at], payload: parts });
    }
  });
  return made;
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

// The id of a memory that is named by its name or its id, as people give it. It keeps nothing.

import type { Client } from './client.js';
import { NotFound } from './errors.js';

/** Asks for a name; an id is told from one by its hyphen, which no name has. */
export async function memoryId(client: Client, named: string): Promise<string> {
  if (named.includes('-')) return named;
  const [found] = (await client.memoryList({ name: named })).memories;
  if (!found) throw new NotFound('NOT_FOUND', `there is no memory ${named}`, { field: 'memory' });
  return found.id;
}

// The memory tool of the Anthropic SDK for TypeScript on documents of Loci. Needs: npm install
// @anthropic-ai/sdk
//
//   const tool = lociMemoryTool('http://127.0.0.1:8411/v1/memory-tool?mount=default', 'loci_…');
//   client.beta.messages.toolRunner({ model: …, max_tokens: …, messages: […], tools: [tool] });

import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';

/** Every command goes to Loci; what Loci refuses, the model reads as the error of its tool. */
export function lociMemoryTool(url: string, key?: string) {
  const run = async (command: object): Promise<string> => {
    const headers = new Headers({ 'content-type': 'application/json' });
    if (key) headers.set('authorization', `Bearer ${key}`);
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(command) });
    if (!response.ok) throw new Error(`Loci answered ${response.status}: ${await response.text()}`);
    const { content, is_error } = (await response.json()) as { content: string; is_error: boolean };
    if (is_error) throw new ToolError(content);
    return content;
  };
  return betaMemoryTool({ view: run, create: run, str_replace: run, insert: run, delete: run, rename: run });
}

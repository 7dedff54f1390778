// A server on loopback that answers as it is told, and keeps what it was asked. It checks nothing itself.

import { createServer } from 'node:http';
import { once } from 'node:events';

/**
 * Gives its answers in their order: `{ body, status?, headers?, hangsUp?, isSilent? }`; bytes go as they are,
 * the rest as JSON.
 */
export async function recordedServer(answers, test) {
  const left = [...answers];
  const asked = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const isJson = request.headers['content-type'] === 'application/json';
    asked.push({
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: isJson ? JSON.parse(body.toString()) : body,
    });
    const answer = left.shift() ?? { status: 500, body: { error: { code: 'BUG', message: 'no answer is left' } } };
    if (answer.isSilent) return;
    if (answer.hangsUp) {
      request.socket.destroy();
      return;
    }
    const isBytes = answer.body instanceof Uint8Array;
    const kind = isBytes ? {} : { 'content-type': 'application/json' };
    response.writeHead(answer.status ?? 200, { ...kind, ...answer.headers });
    response.end(isBytes ? answer.body : JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await test(`http://127.0.0.1:${server.address().port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

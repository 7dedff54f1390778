// A server that runs for the tests of a file: the binary that `LOCI_BIN` names, on a folder of its own. It
// asks it nothing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_MS = 60_000;

/** Whether tests with a server are skipped, as `node:test` takes it. */
export const skip = process.env.LOCI_BIN ? false : 'LOCI_BIN names no binary';

/** The address of the server, and how to end it. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'loci-'));
  const portFile = join(folder, 'port');
  const env = { PATH: process.env.PATH, HOME: folder, LOCI_DATA_DIR: join(folder, 'data') };
  const server = spawn(process.env.LOCI_BIN, ['serve', '--listen', '127.0.0.1:0', '--port-file', portFile], {
    cwd: folder,
    env,
    stdio: 'ignore',
  });
  const port = await portOf(server, folder, portFile);
  const stop = async () => {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

function portOf(server, folder, portFile) {
  return new Promise((resolve, reject) => {
    const look = () => {
      try {
        const port = readFileSync(portFile, 'utf8').trim();
        if (port) settle(() => resolve(port));
      } catch {
        // Not there yet.
      }
    };
    const watcher = watch(folder, look);
    const timer = setTimeout(() => settle(() => reject(new Error('the server did not start'))), START_MS);
    const ended = () => settle(() => reject(new Error('the server ended')));
    server.once('exit', ended);
    const settle = (how) => {
      clearTimeout(timer);
      watcher.close();
      server.off('exit', ended);
      how();
    };
    look();
  });
}

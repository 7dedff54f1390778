// Runs every suite of this folder in order against the server the environment points at, and prints the
// closing line the runner reads. A test that does not end within a minute fails.

import { suite as control } from './control.mjs';
import { suite as data } from './data.mjs';
import { suite as store } from './store.mjs';

const TIMEOUT_MS = 60_000;
let passed = 0;
let failed = 0;

function withTimeout(promise) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

for (const suite of [control, data, store]) {
  for (const [name, test] of Object.entries(suite)) {
    try {
      await withTimeout(test());
      passed += 1;
      console.log(`ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

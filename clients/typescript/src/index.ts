// The package `locimem`: the native API of a server of Loci. The store for Strands agents is
// `locimem/strands`.

export type * as api from './api.js';
export { Client } from './client.js';
export type { ClientConfig, RawRequest } from './client.js';
export * from './errors.js';
export type { CallOptions } from './operations.js';
export type { Clock } from './repeats.js';
export type { Answer } from './transport.js';

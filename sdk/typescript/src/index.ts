/** The package: the client, its errors, verification of webhooks, and the types of the API. */
export { Client, type ChangeOptions, type ListPath, type ReadParameters } from "./client.js";
export type { Loose, Parameter } from "./calls.js";
export { ApiError, ConnectionFailedError, FirmdataError } from "./errors.js";
export type { ReadOptions } from "./http/reader.js";
export type { RetryPolicy } from "./http/retries.js";
export type { Seams } from "./http/seams.js";
export type * from "./model.js";
export type { components, paths } from "./openapi.js";
export { Pages, type Page, type RowOf } from "./pages.js";
export type { StreamOptions, TailOptions } from "./resources/events.js";
export type { ClientOptions } from "./settings.js";
export * as webhooks from "./webhooks.js";

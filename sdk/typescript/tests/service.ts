/** A service on the loopback interface that answers what a test says, and can fail in the middle of it. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach } from "vitest";
import { Client } from "../src/client.js";
import type { Problem } from "../src/model.js";
import type { ClientOptions } from "../src/settings.js";

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** The connection is cut after the body, which promised more. */
  readonly cut?: boolean;
  /** The answer stays open after the body. */
  readonly open?: boolean;
  /** Sent once it is fulfilled. */
  readonly after?: Promise<void>;
}

export interface Received {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Fulfilled when the caller has left before the answer was complete. */
  readonly dropped: Promise<void>;
}

export class Service {
  readonly received: Received[] = [];
  base = "";
  readonly #server = createServer((request, response) => void this.#take(request, response));

  constructor(private readonly reply: (url: URL, received: Received) => Reply) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const dropped = new Promise<void>((resolve) =>
      response.once("close", () => response.writableFinished || resolve()),
    );
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    const { url = "", method = "", headers } = request;
    const received = { url, method, headers, body, dropped };
    this.received.push(received);
    const reply = this.reply(new URL(url, this.base), received);
    await reply.after;
    send(response, reply);
  }
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body, cut = false, open = false }: Reply,
): void {
  const media = status < 400 ? "application/json" : "application/problem+json";
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const promised = cut && !open ? { "Content-Length": String(Buffer.byteLength(text) + 100) } : {};
  response.writeHead(status, { "Content-Type": media, ...promised, ...headers });
  if (cut) response.write(text, () => response.destroy());
  else if (open) response.write(text);
  else response.end(text);
}

const running: Service[] = [];

/** A running service; it ends with the test. */
export async function serving(reply: (url: URL, received: Received) => Reply): Promise<Service> {
  const service = await new Service(reply).start();
  running.push(service);
  return service;
}

/** A service that gives these answers, one after the other; the last again and again. */
export function playing(...replies: [Reply, ...Reply[]]): Promise<Service> {
  const [first, ...rest] = replies;
  const left = [first, ...rest];
  return serving(() => (left.length > 1 ? left.shift() : left[0]) ?? first);
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

/** A client that writes its waits down in place of waiting. */
export function clientOf(
  service: Service,
  options: ClientOptions = {},
): { readonly client: Client; readonly waits: number[] } {
  const waits: number[] = [];
  const sleep = (seconds: number, signal: AbortSignal | undefined): Promise<void> => {
    waits.push(seconds);
    signal?.throwIfAborted();
    return Promise.resolve();
  };
  const given = { apiKey: "firm_live_x", baseUrl: service.base, random: () => 0, sleep, ...options };
  return { client: new Client(given), waits };
}

interface Document {
  readonly paths: Record<
    string,
    { get?: { responses: Record<string, { content?: Record<string, { example?: unknown }> }> } }
  >;
  readonly components: {
    responses: Record<
      string,
      { content?: Record<string, { examples?: Record<string, { value: Problem }> }> }
    >;
  };
}

const DOCUMENT = join(import.meta.dirname, "../../../tests/architecture/openapi.json");
export const document = JSON.parse(readFileSync(DOCUMENT, "utf8")) as Document;

/** What an operation answers, by its example in the OpenAPI document. */
export function example(path: string): unknown {
  const found = document.paths[path]?.get?.responses["200"]?.content?.["application/json"]?.example;
  if (found === undefined) throw new Error(`the document has no example for ${path}`);
  return structuredClone(found);
}

/** A problem of the document, as it is answered. */
export function refusal(
  code: string,
  headers: Record<string, string> = {},
): Reply & { readonly body: Problem } {
  const problems = Object.values(document.components.responses).flatMap((response) =>
    Object.values(response.content?.["application/problem+json"]?.examples ?? {}).map(({ value }) => value),
  );
  const body = problems.find((one) => one.code === code);
  if (body === undefined) throw new Error(`the document has no problem ${code}`);
  const retry = body.retry_after === undefined ? {} : { "Retry-After": String(body.retry_after) };
  return { status: body.status, body, headers: { ...retry, ...headers } };
}

/** What a promise was rejected with. */
export async function thrown(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("nothing was thrown"),
    (error: unknown) => error,
  );
}

/** A service on the loopback interface that answers what a test says, with the headers of the true one. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { Problem } from "../src/model.js";

export const KEY = `firm_public_${"a".repeat(42)}`;

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Whether a page may read it. */
  readonly shared?: boolean;
  /** Sent once it is fulfilled. */
  readonly after?: Promise<void>;
}

export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  /** Fulfilled when the caller has gone before the answer. */
  readonly dropped: Promise<void>;
}

const CORS = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, If-None-Match, X-Request-Id",
};
const EXPOSED =
  "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, " +
  "X-RateLimit-Reset, X-Request-Id, Content-Location";

export class Service {
  readonly asked: Asked[] = [];
  base = "";
  readonly #server = createServer((request, response) => void this.#take(request, response));

  constructor(public reply: (url: URL, asked: Asked) => Reply) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Paths and parameters of the questions, without preflights and the public document. */
  get paths(): string[] {
    return this.asked.filter(({ url }) => url !== "/api/openapi.json").map(({ url }) => url);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = request.headers.origin ?? "*";
    if (request.method === "OPTIONS") {
      response.writeHead(204, { ...CORS, "Access-Control-Allow-Origin": origin }).end();
      return;
    }
    const dropped = new Promise<void>((resolve) =>
      response.once("close", () => response.writableEnded || resolve()),
    );
    const { url = "", method = "", headers } = request;
    const asked = { url, method, headers, dropped };
    this.asked.push(asked);
    if (url === "/api/openapi.json") {
      response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end();
      return;
    }
    const reply = this.reply(new URL(url, this.base), asked);
    await reply.after;
    this.#send(response, reply, origin);
  }

  #send(response: ServerResponse, reply: Reply, origin: string): void {
    const { status = 200, headers = {}, body, shared = true } = reply;
    const media = status < 400 ? "application/json" : "application/problem+json";
    const readable = { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED };
    response.writeHead(status, { "Content-Type": media, ...(shared ? readable : {}), ...headers });
    response.end(typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body));
  }
}

const running: Service[] = [];

/** A running service; it ends with the test. */
export async function serving(reply: (url: URL, asked: Asked) => Reply): Promise<Service> {
  const service = await new Service(reply).start();
  running.push(service);
  return service;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

export function refusal(problem: Problem, headers: Record<string, string> = {}): Reply {
  const retry = problem.retry_after === undefined ? {} : { "Retry-After": String(problem.retry_after) };
  return { status: problem.status, body: problem, headers: { ...retry, ...headers } };
}

export function held(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

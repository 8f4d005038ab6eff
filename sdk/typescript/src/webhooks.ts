/**
 * Verification of deliveries to a webhook, given the body as it came, whatever the framework.
 *
 *     const event = await webhooks.verify(await request.text(), request.headers, secret);
 *
 * The signature is that of Standard Webhooks: HMAC-SHA256 over id, time and body (docs/contract/contract.md 4.7). The body
 * must be the bytes that came: a body that was parsed and written again has another signature.
 */
import { FirmdataError } from "./errors.js";
import { objectIn } from "./http/exchange.js";
import type { WebhookEvent } from "./model.js";

export const TOLERANCE_SECONDS = 300;

/** Why a delivery is not to be believed. */
export type SignatureFault =
  "missing_header" | "malformed_timestamp" | "too_old" | "in_the_future" | "no_match" | "not_json";

/** The delivery is not to be believed; `reason` and the message say why. Answer it with 400. */
export class SignatureError extends FirmdataError {
  override readonly name = "SignatureError";

  constructor(
    readonly reason: SignatureFault,
    message: string,
  ) {
    super(message);
  }
}

/** Headers of a request, in any case: of `fetch`, of Node, or as pairs. */
export type HeadersLike =
  | Headers
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds by which the clocks may differ. */
  readonly toleranceSeconds?: number;
  /** Milliseconds of the epoch; left out: the clock's. */
  readonly now?: number;
  /** WebCrypto, where the runtime has no global one (Node 18: `webcrypto.subtle` of `node:crypto`). */
  readonly subtle?: Pick<SubtleCrypto, "importKey" | "verify">;
}

/**
 * The event in a delivery, if one of the secrets signed it. Throws SignatureError; TypeError where a secret is none.
 *
 * body: the bytes or the text that came. secret: of the subscription, `whsec_…`; several while it is being replaced.
 */
export async function verify(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  {
    toleranceSeconds = TOLERANCE_SECONDS,
    now = Date.now(),
    subtle = globalThis.crypto?.subtle,
  }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (subtle === undefined) throw new TypeError("this runtime has no WebCrypto of its own: give subtle");
  const given = byName(headers);
  const [id, sentAt, signatures] = ["id", "timestamp", "signature"].map((name) =>
    required(given, `webhook-${name}`),
  ) as [string, string, string];
  checkTime(sentAt, now / 1000, toleranceSeconds);
  const content = bytesOf(body);
  const signed = joined(new TextEncoder().encode(`${id}.${sentAt}.`), content);
  const keys = await Promise.all([secret].flat().map((one) => keyOf(one as string, subtle)));
  const claims = signatures
    .split(/\s+/)
    .flatMap((one) => (one.startsWith("v1,") ? [base64Bytes(one.slice(3))] : []));
  // Every pair is compared, so that the time taken tells nothing.
  const matches = await Promise.all(
    keys.flatMap((key) => claims.map((claim) => claim !== null && subtle.verify("HMAC", key, claim, signed))),
  );
  if (!matches.includes(true)) {
    throw new SignatureError(
      "no_match",
      "the signature does not match: is it this subscription's secret, and the body as it came?",
    );
  }
  const event = objectIn(new TextDecoder().decode(content));
  if (event === null || Array.isArray(event)) {
    throw new SignatureError("not_json", "the body is signed but no JSON object");
  }
  return event as WebhookEvent;
}

function byName(headers: HeadersLike): Map<string, string> {
  const pairs =
    Symbol.iterator in headers
      ? [...(headers as Iterable<readonly [string, string]>)]
      : Object.entries(headers);
  const named = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (value !== undefined)
      named.set(name.toLowerCase(), typeof value === "string" ? value : value.join(" "));
  }
  return named;
}

function required(headers: ReadonlyMap<string, string>, name: string): string {
  const value = headers.get(name);
  if (value === undefined || value === "")
    throw new SignatureError("missing_header", `there is no header ${name}`);
  return value;
}

function checkTime(sentAt: string, now: number, tolerance: number): void {
  if (!/^\d{1,12}$/.test(sentAt))
    throw new SignatureError("malformed_timestamp", "webhook-timestamp is no Unix time");
  const apart = now - Number(sentAt);
  if (Math.abs(apart) <= tolerance) return;
  const [reason, side] =
    apart > 0 ? (["too_old", "old"] as const) : (["in_the_future", "in the future"] as const);
  const seconds = Math.round(Math.abs(apart));
  throw new SignatureError(
    reason,
    `the delivery is ${seconds} s ${side}: it is a replay, or a clock is wrong`,
  );
}

async function keyOf(secret: string, subtle: Pick<SubtleCrypto, "importKey">): Promise<CryptoKey> {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ""));
  if (bytes === null || bytes.length === 0)
    throw new TypeError("the secret is not one: it begins with whsec_");
  return subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The bytes of a text in base64; null where it is none. */
function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[0-9A-Za-z+/]+={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

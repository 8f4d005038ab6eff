// A webhook receiver that uses only Node's standard library.
//
//     WEBHOOK_SECRET=whsec_... node receiver.mjs
//
// It verifies the Standard Webhooks signature of every delivery, stores each event once, and answers only when the
// event is stored. During a rotation give both secrets, separated by a comma. Other settings: PORT (8000), INBOX (a
// file with one event per line, inbox.jsonl).

import { createHmac, timingSafeEqual } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const TOLERANCE = 5 * 60; // maximum clock difference in seconds
const LARGEST = 64 * 1024; // maximum body size in bytes; deliveries have at most 32 KiB

// True if one of the secrets signed id, time and body recently (Standard Webhooks).
export function isGenuine(headers, body, secrets, now) {
  const [id, sent, signatures] = ["id", "timestamp", "signature"].map((name) => headers[`webhook-${name}`] ?? "");
  if (!/^\d{1,12}$/.test(sent) || Math.abs(now - Number(sent)) > TOLERANCE) return false;
  const given = signatures.split(" ");
  const expected = secrets.map((secret) => "v1," + hmac(key(secret), [`${id}.${sent}.`, body]).toString("base64"));
  return areAnyEqual(expected, given);
}

// Alternative with the service's own header: check `delivered_at` in the body afterwards.
export function isSigned(headers, body, secrets) {
  const given = ["x-service-signature", "x-service-signature-previous"].map((name) => headers[name] ?? "");
  return areAnyEqual(secrets.map((secret) => "sha256=" + hmac(secret, [body]).toString("hex")), given);
}

// Decodes a secret to the bytes of its key.
function key(secret) {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

function hmac(secret, parts) {
  const made = createHmac("sha256", secret);
  for (const part of parts) made.update(part);
  return made.digest();
}

// Compares every pair in constant time, without stopping at a match.
function areAnyEqual(expected, given) {
  let found = false;
  for (const one of expected) {
    for (const other of given) {
      const [left, right] = [Buffer.from(one), Buffer.from(other)];
      if (left.length === right.length && timingSafeEqual(left, right)) found = true;
    }
  }
  return found;
}

// Stores received events, each once: a retry or a replay may deliver an event again.
export class Inbox {
  constructor(path) {
    this.file = openSync(path, "a+");
    const stored = readFileSync(path);
    const whole = stored.lastIndexOf("\n") + 1;
    ftruncateSync(this.file, whole); // drop a line cut off by a crash: it was not acknowledged and will be delivered again
    const lines = stored.toString("utf8", 0, whole).split("\n");
    this.seen = new Set(lines.filter(Boolean).map((line) => JSON.parse(line).event_id));
  }

  // Stores an event durably, as it came (JSON.parse rounds amounts above 2^53); returns false if it was already stored.
  keep(eventId, body) {
    if (this.seen.has(eventId)) return false;
    const { size } = fstatSync(this.file);
    try {
      appendFileSync(this.file, Buffer.concat([body, Buffer.from("\n")])); // a delivery is one line
      fsyncSync(this.file);
    } catch (error) {
      ftruncateSync(this.file, size); // of a disk that is full: the next line must not follow a part of this one
      throw error;
    }
    this.seen.add(eventId);
    return true;
  }

  close() {
    closeSync(this.file);
  }
}

async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > LARGEST) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function receive(request, secrets, inbox) {
  if (request.method !== "POST") return 405;
  const body = await read(request);
  if (body === null) return 413;
  if (!isGenuine(request.headers, body, secrets, Date.now() / 1000)) return 401;
  const event = JSON.parse(body); // signed by the service, so it is JSON
  if (inbox.keep(event.event_id, body)) console.log(`${event.event_type} ${event.event_id}`); // put your own work after this line
  return 204;
}

function main() {
  const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",").map((secret) => secret.trim()).filter(Boolean);
  if (!secrets.length || secrets.some((secret) => !key(secret).length)) {
    console.error("Set WEBHOOK_SECRET to the secret that was shown when the subscription was created.");
    process.exit(2);
  }
  const inbox = new Inbox(process.env.INBOX ?? "inbox.jsonl");
  const server = createServer((request, response) => {
    receive(request, secrets, inbox).then(
      (status) => response.writeHead(status, status === 413 ? { Connection: "close" } : {}).end(),
      (error) => (console.error(error), response.writeHead(500, { Connection: "close" }).end()),
    );
  });
  server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () => {
    console.log(`Listening on http://127.0.0.1:${server.address().port}`);
  });
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) main();

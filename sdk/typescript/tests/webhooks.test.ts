/** Verification of deliveries, against the library and the vector of Standard Webhooks. */
import { webcrypto } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verify, type HeadersLike, type VerifyOptions } from "../src/webhooks.js";
import { thrown } from "./service.js";

const NOW = 1_795_251_600;
const BODY = '{"event_type":"status.changed","name":"Ærø & 株式会社 🎉"}';
const SECRET = `whsec_${btoa("k".repeat(32))}`;
const FORMER = `whsec_${btoa("f".repeat(32))}`;

function signed(body = BODY, secrets = [SECRET], at = NOW): Record<string, string> {
  const signatures = secrets.map((one) => new Webhook(one).sign("msg_1", new Date(at * 1000), body));
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(at),
    "webhook-signature": signatures.join(" "),
  };
}

const verified = (
  headers: HeadersLike = signed(),
  body: string | Uint8Array | ArrayBuffer = BODY,
  options: VerifyOptions = {},
  secret: string | string[] = SECRET,
): Promise<unknown> => verify(body, headers, secret, { now: NOW * 1000, ...options });

describe("what is believed", () => {
  test("a delivery that the library signed, as text and as bytes", async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)]) {
      expect(await verified(signed(), body)).toEqual(JSON.parse(BODY));
    }
  });

  test("the vector of the specification", async () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const now = 1_614_265_330_000;
    expect(await verify('{"test": 2432232314}', headers, secret, { now })).toEqual({ test: 2432232314 });
  });

  test("either secret while one replaces the other", async () => {
    expect(await verified(signed(BODY, [FORMER]), BODY, {}, [SECRET, FORMER])).toBeTruthy();
    expect(await verified(signed(BODY, [SECRET, FORMER]), BODY, {}, FORMER)).toBeTruthy();
  });

  test("headers of every kind, in any case", async () => {
    const upper = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const several = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name, [value]]));
    for (const headers of [new Headers(signed()), upper, several, Object.entries(signed())]) {
      expect(await verified(headers)).toBeTruthy();
    }
  });

  test("with WebCrypto given by hand, and a clock that is a little off", async () => {
    expect(await verified(signed(), BODY, { subtle: webcrypto.subtle })).toBeTruthy();
    expect(await verified(signed(), BODY, { now: (NOW + 299) * 1000 })).toBeTruthy();
    expect(await verified(signed(), BODY, { now: (NOW + 3000) * 1000, toleranceSeconds: 3600 })).toBeTruthy();
  });
});

describe("what is not believed", () => {
  test.each([
    ["ten minutes old", signed(BODY, [SECRET], NOW - 600), BODY, "too_old", "600 s old"],
    ["ten minutes ahead", signed(BODY, [SECRET], NOW + 600), BODY, "in_the_future", "600 s in the future"],
    ["a changed body", signed(), `${BODY} `, "no_match", "does not match"],
    ["another secret", signed(BODY, [FORMER]), BODY, "no_match", "does not match"],
    ["another id", { ...signed(), "webhook-id": "msg_2" }, BODY, "no_match", "does not match"],
    [
      "another time",
      { ...signed(), "webhook-timestamp": String(NOW + 1) },
      BODY,
      "no_match",
      "does not match",
    ],
    ["no time", { ...signed(), "webhook-timestamp": "today" }, BODY, "malformed_timestamp", "no Unix time"],
    [
      "a long time",
      { ...signed(), "webhook-timestamp": "9".repeat(400) },
      BODY,
      "malformed_timestamp",
      "no Unix time",
    ],
    ["no signature", { ...signed(), "webhook-signature": "" }, BODY, "missing_header", "webhook-signature"],
    ["no headers", {}, BODY, "missing_header", "webhook-id"],
    [
      "another version",
      { ...signed(), "webhook-signature": "v2,abc v1" },
      BODY,
      "no_match",
      "does not match",
    ],
    ["no base64", { ...signed(), "webhook-signature": "v1,§ v1, v1,a" }, BODY, "no_match", "does not match"],
    ["a list", signed("[1]"), "[1]", "not_json", "no JSON object"],
    ["no JSON", signed("{"), "{", "not_json", "no JSON object"],
  ])("%s", async (_, headers, body, reason, words) => {
    const error = await thrown(verified(headers as HeadersLike, body));
    expect(error).toMatchObject({
      name: "SignatureError",
      reason,
      message: expect.stringContaining(words) as string,
    });
  });

  test.each(["whsec_§", "whsec_", ""])("a secret like %j is the caller's mistake", async (secret) => {
    await expect(verified(signed(), BODY, {}, secret)).rejects.toThrow("begins with whsec_");
  });

  test("the library refuses the same", () => {
    const old = signed(BODY, [SECRET], Math.floor(Date.now() / 1000) - 600);
    expect(() => new Webhook(SECRET).verify(BODY, old)).toThrow(/too old/);
  });
});

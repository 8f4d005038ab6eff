/**
 * What a key looks like (docs/contract/keys-and-limits.md 3.1), judged before it is sent: a secret key must never
 * leave a page.
 */
import type { LocalCode } from "./failure.js";

const FORM = /^firm_(live|secret|public)_[0-9A-Za-z]{42}$/;

/** Why a key cannot be used on a page; null where it can. The service alone knows whether it exists. */
export function faultOfKey(key: string): LocalCode | null {
  if (key === "") return "key_missing";
  const kind = FORM.exec(key)?.[1];
  if (kind !== undefined) return kind === "public" ? null : "key_not_publishable";
  return /^firm_(live|secret)_/.test(key) ? "key_not_publishable" : "key_malformed";
}

/**
 * JSON read exactly: an integer that a number cannot hold becomes a bigint, all else is as JSON.parse has it.
 *
 * Figures are 64-bit integers (docs/contract/contract.md 4.0, Money); a number keeps 53 bits of one and would round
 * the rest silently.
 */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}/;
const INTEGER = /^-?\d+$/;
// No text of the service holds U+0000 (the patterns of its schemas), so nothing else is taken for a marked
// integer.
const MARKED = /^\0-?\d+$/;

/** The value of a JSON text. Throws SyntaxError where it is none. */
export function parseExactly(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(TOKENS, marked), (_, value: unknown) =>
    typeof value === "string" && MARKED.test(value) ? BigInt(value.slice(1)) : value,
  );
}

function marked(token: string): string {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"\\u0000${token}"` : token;
}

/** Addresses and parameters as they are sent. Pure. */

/** A parameter: lists are sent separated by commas, dates as instants in UTC, null and undefined not at all. */
export type Parameter =
  string | number | bigint | boolean | Date | null | undefined | readonly (string | number | bigint)[];

/** What may stand for generated parameters: a Date for an instant, one value for a list, undefined for none. */
export type Loose<Query> = { readonly [Name in keyof Query]: LooseValue<Query[Name]> | undefined };

type LooseValue<V> = V extends readonly (infer One)[]
  ? readonly One[] | One
  : V extends string
    ? string extends V
      ? string | Date
      : V
    : V;

/** The path of an operation with its parameters filled in, and the query behind it. */
export function pathWith(
  template: string,
  values: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, Parameter>>,
): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => segment(String(values[name])));
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) sent.set(name, textOf(value));
  }
  const text = sent.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** A value as one segment of a path. Throws RangeError for one that would climb out of it. */
export function segment(value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new RangeError(`${JSON.stringify(value)} cannot be part of an address: give an id or a number`);
  }
  return encodeURIComponent(value);
}

function textOf(value: NonNullable<Parameter>): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(",") : String(value);
}

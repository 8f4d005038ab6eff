/** Lists, page by page: read on demand. */
import type { ReadOptions } from "./http/reader.js";

/** What all pages have. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** The rows of a kind of page. */
export type RowOf<P> = P extends { readonly data: readonly (infer Row)[] } ? Row : never;

/** A list: `for await (const row of list)` reads further pages as they are needed. */
export class Pages<P extends Page<unknown>> implements AsyncIterable<RowOf<P>> {
  /** `read`: one page, the first where there is no cursor. */
  constructor(private readonly read: (cursor: string | null, options: ReadOptions) => Promise<P>) {}

  /** The first page as the API gives it, with what it says of the company, and `next_cursor`. */
  firstPage(options: ReadOptions = {}): Promise<P> {
    return this.read(null, options);
  }

  /** Every page. */
  async *pages(options: ReadOptions = {}): AsyncGenerator<P, void, undefined> {
    let page = await this.read(null, options);
    yield page;
    while (page.has_more) {
      page = await this.read(page.next_cursor, options);
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowOf<P>, void, undefined> {
    for await (const page of this.pages()) yield* page.data as Iterable<RowOf<P>>;
  }

  /** All rows. */
  async toArray(options: ReadOptions = {}): Promise<RowOf<P>[]> {
    const rows: RowOf<P>[] = [];
    for await (const page of this.pages(options)) rows.push(...(page.data as Iterable<RowOf<P>>));
    return rows;
  }
}

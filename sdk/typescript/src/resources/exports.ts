/** Bulk files (tier Business). */
import type { Loose } from "../calls.js";
import type { Client } from "../client.js";
import type { AnswerOf, QueryOf } from "../model.js";
import type { Pages } from "../pages.js";

const LIST = "/api/v1/exports";

export class Exports {
  constructor(private readonly client: Client) {}

  /** The newest and the kept files; `url` of each is a link that any program downloads for 15 minutes. */
  list(query: Loose<QueryOf<typeof LIST>> = {}): Pages<AnswerOf<typeof LIST>> {
    return this.client.list(LIST, { query });
  }
}

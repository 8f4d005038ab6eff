/**
 * What an event says, in one line: the words of every list of events. Nothing is drawn here.
 *
 * `data` of an event holds one object by its type (docs/contract/contract.md 4.6); a type or a word that a later
 * service has is shown by its own name.
 */
import type { Format } from "../format.js";
import { filled, type Messages, wordFor } from "../messages.js";
import type { CompanyChange, CompanyEvent, Filing, OwnershipChange, RegulatoryNotice, StatusChange } from "../model.js";

export interface Told {
  readonly title: string;
  /** Whose word it is, or what else belongs to it; null where nothing does. */
  readonly note: string | null;
  readonly address: string | null;
  /** Language of the title where it is not that of the page. */
  readonly language: string | undefined;
}

export function toldBy(event: CompanyEvent, words: Messages, format: Format): Told {
  const { data } = event;
  const plain = { note: null, address: null, language: undefined };
  if ("filing" in data)
    return { ...plain, title: accounts(data.filing, words), address: data.filing.document_url };
  if ("news" in data) {
    const { title, publisher, url, language } = data.news;
    return { title, note: publisher, address: url, language: language ?? undefined };
  }
  if ("notice" in data) return { ...plain, ...notice(data.notice, format) };
  if (!("change" in data)) return { ...plain, title: typeName(event, words) };
  const { change } = data;
  if ("holder_name" in change) return { ...plain, title: crossing(change, words, format) };
  if ("changes" in change) return { ...plain, title: changedFields(change, words) || typeName(event, words) };
  if ("current_status" in change) return { ...plain, title: flip(change, words), note: change.registry_status };
  return { ...plain, title: typeName(event, words) };
}

export function typeName(event: CompanyEvent, words: Messages): string {
  const names: Readonly<Record<string, string>> = words.eventTypes;
  return names[event.event_type] ?? event.event_type;
}

function accounts(filing: Filing, words: Messages): string {
  if (filing.period === null) return words.accounts;
  const given = { period: filing.period, version: String(filing.version) };
  return filled("previous_version" in filing ? words.accountsAgain : words.accountsOf, given);
}

/** Shares before and after; of a band the event has the lower bound alone (docs/contract/contract.md 4.6), 0 is none. */
function crossing(change: OwnershipChange, words: Messages, format: Format): string {
  const share = (pct: number): string => {
    const shown = format.percent(pct);
    return change.basis === "band" && pct > 0 ? filled(words.atLeast, { share: shown }) : shown;
  };
  return filled(words.held, {
    holder: change.holder_name ?? words.protectedHolder,
    before: share(change.previous_pct),
    after: share(change.current_pct),
  });
}

/** The changed fields, texts with both values; empty where the subject was erased. */
function changedFields(change: CompanyChange, words: Messages): string {
  const names: Readonly<Record<string, string>> = words.profileFields;
  const told = change.changes.map(({ field, previous, current }) => {
    const name = names[field] ?? field;
    const texts = typeof previous === "string" && typeof current === "string";
    return texts ? `${name}: ${previous} → ${current}` : name;
  });
  return told.join(", ");
}

function flip(change: StatusChange, words: Messages): string {
  const [before, after] = [change.previous_status, change.current_status].map(
    (status) => wordFor(words.statuses, status) ?? status,
  );
  return `${before} → ${after}`;
}

function notice(told: RegulatoryNotice, format: Format): Pick<Told, "title" | "note" | "address"> {
  const fine = told.amount === null ? [] : [format.money(told.amount, told.currency, "standard")];
  return { title: told.title, note: [told.authority, ...fine].join(" · "), address: told.url };
}

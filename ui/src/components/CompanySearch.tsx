"use client";
/**
 * A field that finds companies while typing: a combobox with a list (WAI-ARIA 1.2). Within a form of the page Enter
 * sends the form as long as no company is chosen.
 */
import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { suggestionsOf } from "../companyQueries.js";
import { useResource, type Resource } from "../hooks/useResource.js";
import { filled, wordFor } from "../messages.js";
import type { Suggestion, Suggestions } from "../model.js";
import { FailureNote } from "../parts/FailureNote.js";
import { classes } from "../parts/Frame.js";
import { useSettings, type Settings, type SharedSettings } from "../settings.js";

export interface CompanySearchProps extends SharedSettings {
  /** Called with the company that is chosen; left out: the page goes to its address (`hrefOf`). */
  readonly onSelect?: ((company: Suggestion) => void) | undefined;
  /** Market codes, as NO; all where they are left out. */
  readonly countries?: readonly string[] | undefined;
  /** Companies in the list, 1 to 20; 8 where it is left out. */
  readonly limit?: number | undefined;
  /** Words of the label; left out: those of the messages. */
  readonly label?: string | undefined;
  /** Name of the field within a form of the page. */
  readonly name?: string | undefined;
  readonly defaultValue?: string | undefined;
  readonly className?: string | undefined;
}

const LIMIT = 8;
const LEAST_LETTERS = 2;
const LONGEST = 100;
const PAUSE_MILLISECONDS = 150;
const NOTHING = -1;

export function CompanySearch(props: CompanySearchProps): ReactNode {
  const settings = useSettings(props);
  const { words, place, client, onError } = settings;
  const [text, write] = useState(props.defaultValue ?? "");
  const [isOpen, open] = useState(false);
  const [active, activate] = useState(NOTHING);
  const id = useId();
  const asked = useSettled(text.trim());
  const isAsked = isOpen && asked.length >= LEAST_LETTERS;
  const choice = { text: asked, countries: props.countries, limit: props.limit ?? LIMIT };
  const { resource, renew } = useResource(isAsked ? suggestionsOf(place, choice) : null, client);
  const failure = resource.state === "failed" ? resource.failure : null;
  useEffect(() => {
    if (failure !== null) onError?.(failure, { component: "search", companyId: null });
    // Told once for each failure.
  }, [failure]);
  const found = isAsked && resource.state === "ready" ? resource.value.data : [];
  const isShown = isOpen && found.length > 0;
  const select = (company: Suggestion): void => {
    write(company.name);
    open(false);
    activate(NOTHING);
    if (props.onSelect !== undefined) props.onSelect(company);
    else if (settings.hrefOf !== undefined) globalThis.location.assign(settings.hrefOf(company.id));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = found[active];
    if (event.key === "Escape" && isOpen) {
      open(false);
      activate(NOTHING);
    } else if (event.key === "Enter" && isShown && chosen !== undefined) select(chosen);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      open(true);
      activate(moved(active, event.key === "ArrowDown" ? 1 : -1, found.length));
    } else return;
    event.preventDefault();
  };
  return (
    <div className={classes("firmdata", "firmdata-search", settings.classNames.root, props.className)}>
      <label className="firmdata-label" htmlFor={`${id}field`}>
        {props.label ?? words.search} <span className="firmdata-small">{words.searchHint}</span>
      </label>
      <input
        id={`${id}field`}
        className="firmdata-field"
        type="search"
        role="combobox"
        name={props.name}
        value={text}
        maxLength={LONGEST}
        autoComplete="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}list`}
        aria-activedescendant={isShown && active !== NOTHING ? `${id}${active}` : undefined}
        onChange={(event) => {
          write(event.target.value);
          open(true);
          activate(NOTHING);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => open(false)}
      />
      <ul id={`${id}list`} role="listbox" aria-label={words.suggestions} className="firmdata-list" hidden={!isShown}>
        {found.map((company, place) => (
          <li
            key={company.id}
            id={`${id}${place}`}
            role="option"
            aria-selected={place === active}
            className="firmdata-option"
            data-company={company.id}
            // The field keeps the keyboard: else the list would go before it is clicked.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => select(company)}
          >
            <Option {...{ company, settings }} />
          </li>
        ))}
      </ul>
      <p className="firmdata-small" role="status">
        {isAsked && told(resource, settings)}
      </p>
      {isAsked && failure !== null && (
        <FailureNote failure={failure} format={settings.format} onRetry={renew} />
      )}
    </div>
  );
}

function Option({ company, settings }: { readonly company: Suggestion; readonly settings: Settings }): ReactNode {
  const { words, format } = settings;
  return (
    <>
      {company.name}
      {company.status !== "active" && <span className="firmdata-tag">{wordFor(words.statuses, company.status) ?? company.status}</span>}
      <span className="firmdata-small firmdata-below">
        {company.org_number} · {format.country(company.country)}
      </span>
    </>
  );
}

function told(resource: Resource<Suggestions>, { words, format }: Settings): string | null {
  if (resource.state === "loading") return words.loading;
  if (resource.state === "failed") return null;
  const { length } = resource.value.data;
  return length === 0 ? words.noneFound : filled(words.found, { count: format.count(length) });
}

/** The next place of the list; after the last comes the field itself, and then the first. */
function moved(active: number, step: number, length: number): number {
  const places = length + 1;
  return ((active + 1 + step + places) % places) - 1;
}

/** A text once it has been left alone for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

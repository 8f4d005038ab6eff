/** Lines of a group: a company, its share, and what it holds in turn once it is opened. */
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { groupOf } from "../companyQueries.js";
import { useResource } from "../hooks/useResource.js";
import { filled, wordFor } from "../messages.js";
import type { Group, GroupLine } from "../model.js";
import type { Settings } from "../settings.js";
import { FailureNote } from "./FailureNote.js";
import { Share } from "./Share.js";

/** How a tree is walked. */
export interface Walk {
  readonly settings: Settings;
  /** Makes a company the root. */
  readonly step: (companyId: string) => void;
}

const OPENERS = "button[data-opens]";

/** Up and down go from one opener to the next, right opens, left closes. */
export function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLButtonElement) || !target.matches(OPENERS)) return;
  const isOpen = target.getAttribute("aria-expanded") === "true";
  if ((key === "ArrowRight" && !isOpen) || (key === "ArrowLeft" && isOpen)) {
    event.preventDefault();
    target.click();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return;
  event.preventDefault();
  const openers = [...currentTarget.querySelectorAll<HTMLButtonElement>(OPENERS)];
  openers[openers.indexOf(target) + step]?.focus();
}

interface ChildLinesProps {
  readonly found: Group;
  readonly walk: Walk;
  /** The companies from the root down to the one whose children these are. */
  readonly path: readonly string[];
}

/** One page of children, and the pages after it as they are asked for. */
export function ChildLines({ found, walk, path }: ChildLinesProps): ReactNode {
  const [isOpen, open] = useState(false);
  const { next_cursor: cursor, data } = found.children;
  return (
    <>
      {data.map((line) => (
        <Child key={`${line.company_id} ${line.holder_id} ${line.relation}`} {...{ line, walk, path }} />
      ))}
      {cursor !== null && !isOpen && (
        <li>
          <button type="button" className="firmdata-button" onClick={() => open(true)}>
            {walk.settings.words.more}
          </button>
        </li>
      )}
      {cursor !== null && isOpen && <Read companyId={found.company_id} {...{ walk, path, cursor }} />}
    </>
  );
}

interface ReadProps extends Omit<ChildLinesProps, "found"> {
  readonly companyId: string;
  readonly cursor?: string | undefined;
}

/** Children that are read when this is drawn. */
function Read({ companyId, walk, path, cursor }: ReadProps): ReactNode {
  const { settings } = walk;
  const { place, client, words, format } = settings;
  const { resource, renew } = useResource(groupOf({ ...place, companyId }, cursor), client);
  if (resource.state === "loading") return <li role="status">{words.loading}</li>;
  if (resource.state === "failed")
    return (
      <li>
        <FailureNote failure={resource.failure} format={format} onRetry={renew} />
      </li>
    );
  if (resource.value.children.data.length === 0) return <li className="firmdata-empty">{words.noChildren}</li>;
  return <ChildLines found={resource.value} walk={walk} path={path} />;
}

function Child({ line, walk, path }: Omit<ChildLinesProps, "found"> & { readonly line: GroupLine }): ReactNode {
  const [isOpen, open] = useState(false);
  const { words } = walk.settings;
  const { company_id: companyId } = line;
  const isAbove = companyId !== null && path.includes(companyId);
  const name = nameOf(line, walk);
  return (
    <li data-child={companyId ?? ""}>
      <div className="firmdata-node">
        {companyId !== null && !isAbove && (
          <button
            type="button"
            className="firmdata-opener"
            data-opens={companyId}
            aria-expanded={isOpen}
            aria-label={filled(words.open, { name })}
            onClick={() => open(!isOpen)}
          >
            <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          </button>
        )}
        <div>
          <RelationLine line={line} walk={walk} />
          {isAbove && <span className="firmdata-tag">{words.shownAbove}</span>}
        </div>
      </div>
      {isOpen && companyId !== null && (
        <ul className="firmdata-branch">
          <Read {...{ companyId, walk }} path={[...path, companyId]} />
        </ul>
      )}
    </li>
  );
}

export function RelationLine({ line, walk }: { readonly line: GroupLine; readonly walk: Walk }): ReactNode {
  const { settings } = walk;
  const { words, format } = settings;
  const kind = wordFor(words.relations, line.relation) ?? line.relation;
  return (
    <>
      <Name line={line} walk={walk} />{" "}
      <span className="firmdata-small">
        {line.country !== null && `${format.country(line.country)} · `}
        {line.relation === "shareholding" ? <Share of={line} settings={settings} /> : kind}
      </span>
      {line.in_circle && <span className="firmdata-tag">{words.inCircle}</span>}
      {line.reconciliation === "conflict" && <span className="firmdata-tag">{words.conflict}</span>}
    </>
  );
}

function Name({ line, walk }: { readonly line: GroupLine; readonly walk: Walk }): ReactNode {
  const { hrefOf } = walk.settings;
  const { company_id: companyId } = line;
  const name = nameOf(line, walk);
  if (companyId === null) return name;
  if (hrefOf !== undefined)
    return (
      <a className="firmdata-link" href={hrefOf(companyId)}>
        {name}
      </a>
    );
  return (
    <button type="button" className="firmdata-link firmdata-bare" onClick={() => walk.step(companyId)}>
      {name}
    </button>
  );
}

function nameOf(line: GroupLine, { settings: { words } }: Walk): string {
  if (line.name !== null) return line.name;
  if (line.holder_lei !== null) return filled(words.identifiedBy, { lei: line.holder_lei });
  return line.company_id ?? words.unnamed;
}

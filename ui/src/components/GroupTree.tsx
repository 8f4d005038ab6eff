"use client";
/**
 * The group of a company as a tree: whom it belongs to above, what it holds below, read level by level as it is
 * opened. A name leads to the page's own address for the company (`hrefOf`), or makes it the root of the tree.
 */
import { useState, type ReactNode } from "react";
import { groupOf } from "../companyQueries.js";
import { useResource } from "../hooks/useResource.js";
import { filled } from "../messages.js";
import type { Group, GroupLine } from "../model.js";
import { Frame } from "../parts/Frame.js";
import { ChildLines, onArrow, RelationLine, type Walk } from "../parts/GroupLines.js";
import { useSettings, type CompanyProps } from "../settings.js";

export type GroupTreeProps = CompanyProps;

interface Visited {
  readonly companyId: string;
  /** The companies that were the root before, the last one at the end. */
  readonly trail: readonly { readonly companyId: string; readonly name: string }[];
}

export function GroupTree(props: GroupTreeProps): ReactNode {
  return <Tree key={props.companyId} {...props} />;
}

function Tree(props: GroupTreeProps): ReactNode {
  const [{ companyId, trail }, visit] = useState<Visited>({ companyId: props.companyId, trail: [] });
  const settings = useSettings({ ...props, companyId });
  const { words, client, place } = settings;
  const { resource, renew } = useResource(groupOf(place), client);
  const back = trail.at(-1);
  return (
    <Frame kind="group" title={words.structure} {...{ props, settings, resource, renew }} emptyWords={() => null}>
      {(group) => {
        const step = (next: string): void =>
          visit({ companyId: next, trail: [...trail, { companyId, name: group.name }] });
        return (
          <>
            {back !== undefined && (
              <button
                type="button"
                className="firmdata-button"
                onClick={() => visit({ companyId: back.companyId, trail: trail.slice(0, -1) })}
              >
                {filled(words.back, { name: back.name })}
              </button>
            )}
            <Branches key={companyId} group={group} walk={{ settings, step }} />
          </>
        );
      }}
    </Frame>
  );
}

function Branches({ group, walk }: { readonly group: Group; readonly walk: Walk }): ReactNode {
  const { words } = walk.settings;
  const higher = group.ultimate_parents.filter((line) => !group.parents.some((parent) => isSame(parent, line)));
  return (
    <div className="firmdata-tree" onKeyDown={onArrow}>
      <Above title={words.ultimate} lines={higher} walk={walk} />
      <Above title={words.above} lines={group.parents} walk={walk} empty={words.noParents} />
      {group.has_more_parents && <p className="firmdata-small">{words.moreParents}</p>}
      <p className="firmdata-root">
        <strong>{group.name}</strong> <span className="firmdata-small firmdata-number">{group.org_number}</span>
      </p>
      <p className="firmdata-small">{words.below}</p>
      {group.children.data.length === 0 ? (
        <p className="firmdata-empty">{words.noChildren}</p>
      ) : (
        <ul className="firmdata-branch">
          <ChildLines found={group} walk={walk} path={[group.company_id]} />
        </ul>
      )}
      {!group.is_complete && <p className="firmdata-small">{words.incomplete}</p>}
    </div>
  );
}

const isSame = (a: GroupLine, b: GroupLine): boolean =>
  a.holder_id === b.holder_id && a.relation === b.relation && a.via === b.via;

interface AboveProps {
  readonly title: string;
  readonly lines: readonly GroupLine[];
  readonly walk: Walk;
  /** What to say where there are none; left out: nothing. */
  readonly empty?: string;
}

function Above({ title, lines, walk, empty }: AboveProps): ReactNode {
  if (lines.length === 0) return empty === undefined ? null : <p className="firmdata-empty">{empty}</p>;
  return (
    <>
      <p className="firmdata-small">{title}</p>
      <ul className="firmdata-branch">
        {lines.map((line) => (
          <li key={`${line.holder_id} ${line.relation} ${line.via}`} data-parent={line.company_id ?? ""}>
            <RelationLine line={line} walk={walk} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A company by its name: a link where the page has an address for it. */
import type { ReactNode } from "react";
import type { Settings } from "../settings.js";

interface CompanyLinkProps {
  /** Null where the company is known by name alone. */
  readonly companyId: string | null;
  readonly settings: Settings;
  readonly children: ReactNode;
}

export function CompanyLink({ companyId, settings, children }: CompanyLinkProps): ReactNode {
  if (companyId === null || settings.hrefOf === undefined) return children;
  return (
    <a className="firmdata-link" href={settings.hrefOf(companyId)}>
      {children}
    </a>
  );
}

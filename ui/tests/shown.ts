import * as components from "../src/index.js";

/** Every component that shows a company. */
export const ALL = {
  ChangeFeed: components.ChangeFeed,
  CompanyCard: components.CompanyCard,
  EventsCalendar: components.EventsCalendar,
  FilingList: components.FilingList,
  FinancialsChart: components.FinancialsChart,
  FinancialsTable: components.FinancialsTable,
  GroupTree: components.GroupTree,
  KeyStats: components.KeyStats,
  NewsFeed: components.NewsFeed,
  OwnershipChart: components.OwnershipChart,
};
export type Name = keyof typeof ALL;
export const NAMES = Object.keys(ALL) as Name[];

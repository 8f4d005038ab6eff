/** The package: components, hooks, the provider of what they share, and the types of what callers give and get. */
export { ChangeFeed, type ChangeFeedProps } from "./components/ChangeFeed.js";
export { CompanyCard, type CompanyCardProps } from "./components/CompanyCard.js";
export { CompanySearch, type CompanySearchProps } from "./components/CompanySearch.js";
export { EventsCalendar, type EventsCalendarProps } from "./components/EventsCalendar.js";
export { FilingList, type FilingListProps } from "./components/FilingList.js";
export { FinancialsChart, type FinancialsChartProps } from "./components/FinancialsChart.js";
export { FinancialsTable, type FinancialsTableProps } from "./components/FinancialsTable.js";
export { GroupTree, type GroupTreeProps } from "./components/GroupTree.js";
export { KeyStats, type KeyStatsProps } from "./components/KeyStats.js";
export { NewsFeed, type NewsFeedProps } from "./components/NewsFeed.js";
export { OwnershipChart, type OwnershipChartProps } from "./components/OwnershipChart.js";
export {
  useCompany,
  useEvents,
  useFilings,
  useFinancials,
  useGroup,
  useOwnership,
  useSuggestions,
  type EventSettings,
  type ReadSettings,
} from "./hooks/company.js";
export type { Followed } from "./hooks/useFeed.js";
export type { ReadResult, Resource } from "./hooks/useResource.js";
export {
  FirmdataProvider,
  type ClassNames,
  type CompanyProps,
  type Failed,
  type Fetch,
  type ProviderProps,
  type SharedSettings,
  type Slots,
} from "./settings.js";
export type { Failure } from "./client/failure.js";
export type { Feed } from "./client/feed.js";
export { ENGLISH, type Messages } from "./messages.js";
export { FINNISH } from "./messages/fi.js";
export { NORWEGIAN } from "./messages/nb.js";
export { SWEDISH } from "./messages/sv.js";
export { messagesFor } from "./messages/languages.js";
export type { Notation } from "./format.js";
export type {
  Company,
  CompanyEvent,
  EventType,
  FilingEntry,
  Filings,
  Financials,
  Group,
  GroupLine,
  Owner,
  Ownership,
  Period,
  Suggestion,
  Suggestions,
} from "./model.js";
export type { ChartFigure } from "./parts/PeriodBars.js";
export type { Month } from "./parts/months.js";

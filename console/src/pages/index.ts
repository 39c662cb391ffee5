/** The pages, in the order of the navigation. */
import { page as deliveries } from "./deliveries/index.tsx";
import { page as document } from "./document/index.tsx";
import { page as events } from "./events/index.tsx";
import { page as overview } from "./overview/index.tsx";
import type { Page } from "./page.ts";
import { page as records } from "./records/index.tsx";
import { page as requests } from "./requests/index.tsx";
import { page as sandbox } from "./sandbox/index.tsx";
import { page as scenarios } from "./scenarios/index.tsx";
import { page as states } from "./states/index.tsx";
import { page as tryIt } from "./try-it/index.tsx";

export const pages: readonly Page[] = [
  overview,
  document,
  states,
  records,
  requests,
  tryIt,
  events,
  deliveries,
  scenarios,
  sandbox,
];

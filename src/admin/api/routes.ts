/**
 * Route table: every route of the operations API, in the order of its listing.
 * `docs/guides/operations.md` documents them.
 */
import { aboutRoutes } from "./about.ts";
import { clockRoutes } from "./clock.ts";
import { documentRoutes } from "./document.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { dueRoutes } from "./due.ts";
import { erasureRoutes } from "./erasures.ts";
import { eventRoutes } from "./events.ts";
import { faultRoutes } from "./faults.ts";
import { seedRoutes } from "./seed.ts";
import { importRoutes } from "./imports.ts";
import { recordChangeRoutes } from "./record-changes.ts";
import { openapiRoutes } from "./openapi.ts";
import { overviewRoutes } from "./overview.ts";
import { logRoutes } from "./log.ts";
import { receiverRoutes } from "./receiver.ts";
import { recordRoutes } from "./records.ts";
import { recordTableRoutes } from "./record-tables.ts";
import { requestRoutes } from "./requests.ts";
import { resourceRoutes } from "./resources.ts";
import type { Route } from "./route.ts";
import { scenarioRoutes } from "./scenarios.ts";
import { servedRoutes } from "./served.ts";
import { snapshotRoutes } from "./snapshots.ts";
import { spaceRoutes } from "./spaces.ts";
import { stateRoutes } from "./states.ts";
import { streamRoutes } from "./stream.ts";
import { alertRoutes } from "./alerts.ts";
import { trafficRoutes } from "./traffic.ts";
import { tryItRoutes } from "./try-it.ts";
import { workListRoutes } from "./worklist.ts";
import { writtenChangeRoutes } from "./notation-changes.ts";

export const routes: readonly Route[] = [
  ...aboutRoutes(() => routes),
  ...openapiRoutes(() => routes),
  ...servedRoutes,
  ...overviewRoutes,
  ...alertRoutes,
  ...documentRoutes,
  ...workListRoutes,
  ...streamRoutes,
  ...resourceRoutes,
  ...recordRoutes,
  ...recordChangeRoutes,
  ...recordTableRoutes,
  ...writtenChangeRoutes,
  ...importRoutes,
  ...erasureRoutes,
  ...seedRoutes,
  ...stateRoutes,
  ...requestRoutes,
  ...trafficRoutes,
  ...tryItRoutes,
  ...eventRoutes,
  ...logRoutes,
  ...deliveryRoutes,
  ...receiverRoutes,
  ...clockRoutes,
  ...dueRoutes,
  ...faultRoutes,
  ...scenarioRoutes,
  ...snapshotRoutes,
  ...spaceRoutes,
];

/**
 * Route table: every route of the operations API, in the order of its listing.
 * `docs/guides/operations.md` documents them.
 */
import { aboutRoutes } from "./about.ts";
import { clockRoutes } from "./sandbox/clock.ts";
import { documentRoutes } from "./document/document.ts";
import { deliveryRoutes } from "./deliveries/deliveries.ts";
import { dueRoutes } from "./sandbox/due.ts";
import { erasureRoutes } from "./records/erasures.ts";
import { eventRoutes } from "./deliveries/events.ts";
import { faultRoutes } from "./sandbox/faults.ts";
import { seedRoutes } from "./sandbox/seed.ts";
import { importRoutes } from "./records/imports.ts";
import { recordChangeRoutes } from "./records/record-changes.ts";
import { openapiRoutes } from "./openapi.ts";
import { overviewRoutes } from "./document/overview.ts";
import { logRoutes } from "./deliveries/log.ts";
import { receiverRoutes } from "./deliveries/receiver.ts";
import { recordRoutes } from "./records/records.ts";
import { recordTableRoutes } from "./records/record-tables.ts";
import { requestRoutes } from "./requests/requests.ts";
import { resourceRoutes } from "./records/resources.ts";
import type { Route } from "./routing/route.ts";
import { scenarioRoutes } from "./document/scenarios.ts";
import { servedRoutes } from "./document/served.ts";
import { snapshotRoutes } from "./sandbox/snapshots.ts";
import { spaceRoutes } from "./sandbox/spaces.ts";
import { stateRoutes } from "./records/states.ts";
import { streamRoutes } from "./stream.ts";
import { alertRoutes } from "./document/alerts.ts";
import { trafficRoutes } from "./requests/traffic.ts";
import { tryItRoutes } from "./requests/try-it.ts";
import { workListRoutes } from "./document/worklist.ts";
import { writtenChangeRoutes } from "./records/notation-changes.ts";

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

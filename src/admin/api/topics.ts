/**
 * All topics of `GET /api/stream`, in the order of their listing. The file of each subject defines
 * its rows.
 */
import { changesTopic } from "./stream/changes-topic.ts";
import { deliveriesTopic } from "./deliveries/deliveries-topic.ts";
import { eventsTopic } from "./deliveries/log.ts";
import { overviewTopic } from "./document/overview.ts";
import { requestsTopic } from "./stream/requests-topic.ts";
import { scenarioTopic } from "./document/scenarios.ts";
import { statesTopic } from "./records/states.ts";
import { alertsTopic } from "./document/alerts.ts";
import type { Topic } from "../context.ts";

export const topics: readonly Topic[] = [
  requestsTopic,
  changesTopic,
  scenarioTopic,
  overviewTopic,
  alertsTopic,
  statesTopic,
  eventsTopic,
  deliveriesTopic,
];

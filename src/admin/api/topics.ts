/**
 * All topics of `GET /api/stream`, in the order of their listing. The file of each subject defines
 * its rows.
 */
import { changesTopic } from "./changes-topic.ts";
import { deliveriesTopic } from "./deliveries-topic.ts";
import { eventsTopic } from "./log.ts";
import { overviewTopic } from "./overview.ts";
import { requestsTopic } from "./requests-topic.ts";
import { scenarioTopic } from "./scenarios.ts";
import { statesTopic } from "./states.ts";
import { alertsTopic } from "./alerts.ts";
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

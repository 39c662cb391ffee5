/** Every topic of `GET /api/stream`, in the order in which they are listed; what each tells is in the file of its subject. */
import { requestsTopic } from "./requests-topic.ts";
import { scenarioTopic } from "./scenarios.ts";
import type { Topic } from "./topic.ts";

export { type Topic, topic } from "./topic.ts";

export const topics: readonly Topic[] = [requestsTopic, scenarioTopic];

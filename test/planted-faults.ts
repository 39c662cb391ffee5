/**
 * Planted faults: realistic faults, each with the test that must detect it
 * (`run-planted-faults.ts`).
 */
import type { PlantedFault } from "./planted-fault.ts";

export interface Planted extends PlantedFault {
  /** The file of the test that must detect the fault. */
  readonly test: string;
}

const places = "test/contracts/places.test.ts";
const bothWays = "test/versions/both-ways.test.ts";
const keptAnswers = "test/contracts/kept-answers.test.ts";
const fairPlaces = "test/deliveries/fair-places.test.ts";
const sharedPlaces = "test/postgres/shared.test.ts";
const concurrency = "src/engine/steps/concurrency.ts";

export const plantedFaults: readonly Planted[] = [
  {
    name: "one more place than there is",
    file: concurrency,
    from: "if (before >= count) return false;",
    to: "if (before > count) return false;",
    test: places,
  },
  {
    name: "a request that a second row rejects keeps the slot of the first",
    file: concurrency,
    from: "        await release();\n        throw error;",
    to: "        throw error;",
    test: places,
  },
  {
    name: "a stream gives its place back as it begins",
    file: "src/engine/request-lifecycle/run-request.ts",
    from: "if (slot && answer?.stream)",
    to: "if (slot && answer?.stream && answer.status === 0)",
    test: places,
  },
  {
    name: "slots of dead instances are never released",
    file: "src/store/postgres/shared/slots.ts",
    from: ` AND \${isLeaseValid("o.key")}`,
    to: "",
    test: sharedPlaces,
  },
  {
    name: "an instance forgets the slots that it holds when it requests more",
    file: "src/store/postgres/shared/slots.ts",
    from: "least(asked, most - count - held)",
    to: "least(asked, most - count)",
    test: sharedPlaces,
  },
  {
    name: "changes of several versions are done from the newest on",
    file: "src/engine/versions/upgrade.ts",
    from: "  const steps = changes\n    .toReversed()\n",
    to: "  const steps = changes\n    .slice()\n",
    test: bothWays,
  },
  {
    name: "an older version's values are of the types of now",
    file: "src/model/reading/versioning/version-names.ts",
    from: "if (then !== undefined) changed.set(then, type);",
    to: "",
    test: bothWays,
  },
  {
    name: "bounds and filters keep their older names",
    file: "src/engine/versions/values-by-path.ts",
    from: "holder[last + key.slice(name.length)] = value;",
    to: "holder[key] = value;",
    test: bothWays,
  },
  {
    name: "a kept answer is given a moment too long",
    file: "src/store/rows/own-statements.ts",
    from: "until > ?",
    to: "until >= ?",
    test: keptAnswers,
  },
  {
    name: "a request from another origin receives the response of another",
    file: "src/engine/steps/replay.ts",
    from: `\${addressKey(request.request.remoteAddress)}\``,
    to: "`",
    test: keptAnswers,
  },
  {
    name: "what is worked out without a transaction isn't waited for",
    file: "src/engine/plan/endpoint-plan.ts",
    from: "(changes(endpoint) && !endpoint.waits)",
    to: "!endpoint.waits",
    test: keptAnswers,
  },
  {
    name: "who fails has as many places as who doesn't",
    file: "src/engine/deliveries/sender.ts",
    from: "const attemptsMax = receiver.isFailing ? 1 : senderLimits.perReceiverMax;",
    to: "const attemptsMax = senderLimits.perReceiverMax;",
    test: fairPlaces,
  },
  {
    name: "what comes due behind an attempt that hangs waits for its end",
    file: "src/engine/deliveries/sender.ts",
    from: "this.#inProgress.size > 0 ? nowMs + senderLimits.leftEveryMs : null",
    to: "null as number | null",
    test: fairPlaces,
  },
];

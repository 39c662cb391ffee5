/** `ninefold explore`: searches for unintended behaviour of a document. */
import { createPaint } from "../../diagnostics/formats/paint.ts";
import { explore } from "../../explore/explore.ts";
import { endpointName } from "../../explore/walk/walked-step.ts";
import type { Model } from "../../model/model.ts";
import { duration, readArguments, wholeNumber } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes } from "../command.ts";
import { explorationJson, explorationSarif, explorationText } from "../exploration/exploration-text.ts";
import { writeWhole } from "../export/out-file.ts";
import { loadHandlers } from "../load-handlers.ts";
import { loadModel } from "../open-service.ts";
import { createProgress } from "../progress.ts";
import { readSeed } from "../seed.ts";
import { listenForStop } from "../serving/signals/stop-signal.ts";
import { type Terminal, warn } from "../terminal.ts";

const usage = `Usage: ninefold explore FILE [--setup SETUP.md] [--only TEXT] [--seed N] [--requests N] [--time DURATION]
                        [--all] [--json] [--sarif FILE]

Sends generated requests to the document's own service, in memory and on a movable clock, and reports unintended
behaviour: an internal error that a caller can provoke, an \`Always\` that can be broken, a caller that learns of a
record hidden from it, a guard that never holds, a state that nothing reaches or leaves, an endpoint that no caller may
use, rules that contradict each other, records that no one can see or delete, an error that can't apply.

Each finding has the document's line. If generated requests show it, it has the shortest of them as a scenario, which
passes as long as the document behaves so.

  --setup FILE   \`- Given:\` items: the records that each story starts with; by default those of the scenarios. Where
                 there are fewer than two of a resource, records are drawn
  --only TEXT    mostly endpoints with this text in their method and path
  --seed N       generates other requests; the same number gives the same ones (1)
  --requests N   the maximum number of requests (3000)
  --time TIME    sends no request after this time (1 minute)
  --all          also lists what no request reached, which proves nothing
  --json         one JSON object
  --sarif FILE   writes the findings to this file too, as SARIF

Exit codes: 0 no findings · 1 findings, or the document has mistakes · 2 wrong usage · 3 a file can't be read

Example: ninefold explore examples/parcel-desk.md --requests 500
`;

const seedByDefault = 1;
const requestsByDefault = 3000;
const timeMsByDefault = 60_000;
const findingsMax = 30;

interface ExploreFlags {
  readonly setup: string | undefined;
  readonly only: string | undefined;
  readonly seed: number;
  readonly requestsMax: number;
  readonly timeMsMax: number;
  readonly all: boolean;
  readonly json: boolean;
  readonly sarif: string | undefined;
}

export const exploreCommand: Command = {
  name: "explore",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        setup: { type: "string" },
        only: { type: "string" },
        seed: { type: "string" },
        requests: { type: "string" },
        time: { type: "string" },
        all: { type: "boolean" },
        json: { type: "boolean" },
        sarif: { type: "string" },
      },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    const numberOr = (name: string, text: string | undefined, otherwise: number) =>
      text === undefined ? otherwise : wholeNumber(name, text);
    const flags: ExploreFlags = {
      setup: values.setup,
      only: values.only,
      seed: numberOr("--seed", values.seed, seedByDefault),
      requestsMax: numberOr("--requests", values.requests, requestsByDefault),
      timeMsMax: values.time === undefined ? timeMsByDefault : duration("--time", values.time),
      all: values.all === true,
      json: values.json === true,
      sarif: values.sarif,
    };
    return exploreOnce(file, flags, terminal);
  },
};

async function exploreOnce(file: string, flags: ExploreFlags, terminal: Terminal): Promise<number> {
  const { model } = await loadModel(file, terminal);
  const handlers = await loadHandlers(file, model, terminal);
  const given = flags.setup === undefined ? [] : await readSeed(model, flags.setup, terminal);
  const { only, seed, requestsMax, timeMsMax } = flags;
  if (only !== undefined) refuseUnknown(only, file, model);
  const stopping = new AbortController();
  const stop = listenForStop();
  void stop.requested.then(() => stopping.abort());
  const progress = createProgress(terminal, "exploring");
  try {
    const exploration = await explore({
      model,
      given,
      handlers,
      seed,
      requestsMax,
      timeMsMax,
      findingsMax,
      signal: stopping.signal,
      onProgress: ({ requests }) => progress.update(requests, requestsMax),
      ...(only === undefined ? {} : { isWanted: (endpoint) => endpointName(endpoint).includes(only) }),
    });
    progress.end();
    if (stopping.signal.aborted) warn(terminal, "Stopped: the report covers the requests so far.\n");
    if (flags.sarif !== undefined) await writeWhole(flags.sarif, explorationSarif(file, exploration));
    terminal.write(
      flags.json
        ? `${JSON.stringify(explorationJson(file, exploration), null, 2)}\n`
        : explorationText(file, exploration, flags.all, createPaint(terminal.colour)),
    );
    return exploration.findings.length > 0 ? exitCodes.failed : exitCodes.ok;
  } finally {
    progress.end();
    stop.forget();
  }
}

/** @throws CommandFailed if no endpoint has the text of `--only` */
function refuseUnknown(only: string, file: string, { endpoints }: Model): void {
  if (endpoints.some((endpoint) => endpointName(endpoint).includes(only))) return;
  throw new CommandFailed(
    `No endpoint has "${only}" in its method and path. ${file} has ${endpoints.map(endpointName).join(", ")}.`,
  );
}

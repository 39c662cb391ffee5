/** The options of `ninefold serve` that only a sandbox has. */
import { sandboxLimits } from "../../engine/sandbox/limits.ts";
import { portMax, wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../command.ts";

export interface SandboxFlags {
  readonly operationsPort: number;
  readonly spaceHeader: string;
  readonly spacesMax: number;
  /** The scenario whose `Given` items are the seed. */
  readonly scenario: string | undefined;
}

/** Those that make no sense without `--sandbox`. */
const ofSandboxes = ["operations-port", "space-header", "spaces-max", "seed-scenario"] as const;

interface Values {
  readonly sandbox?: boolean | undefined;
  readonly "operations-port"?: string | undefined;
  readonly "space-header"?: string | undefined;
  readonly "spaces-max"?: string | undefined;
  readonly "seed-scenario"?: string | undefined;
  readonly seed?: string | undefined;
}

const headerForm = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const spacesMostMax = 10_000;

/** Undefined where no sandbox is wanted. @throws WrongUsage */
export function readSandboxFlags(values: Values, port: number): SandboxFlags | undefined {
  if (!values.sandbox) {
    for (const name of ofSandboxes)
      if (values[name] !== undefined) throw new WrongUsage(`--${name} is for a sandbox: add --sandbox.`);
    return undefined;
  }
  const operationsPort =
    values["operations-port"] === undefined
      ? port === 0
        ? 0
        : port + 1
      : wholeNumber("--operations-port", values["operations-port"]);
  if (operationsPort > portMax)
    throw new WrongUsage(`There is no port ${operationsPort}. Choose one with --operations-port.`);
  if (operationsPort !== 0 && operationsPort === port)
    throw new WrongUsage("--operations-port has to be another one than --port.");
  const spaceHeader = values["space-header"] ?? "Ninefold-Space";
  if (!headerForm.test(spaceHeader))
    throw new WrongUsage(`--space-header takes the name of a header, not "${spaceHeader}".`);
  const spacesMax = wholeNumber("--spaces-max", values["spaces-max"] ?? String(sandboxLimits.spacesMax));
  if (spacesMax < 1 || spacesMax > spacesMostMax)
    throw new WrongUsage(`--spaces-max is between 1 and ${spacesMostMax}.`);
  if (values.seed !== undefined && values["seed-scenario"] !== undefined)
    throw new WrongUsage("The seed is either --seed or --seed-scenario, not both.");
  return { operationsPort, spaceHeader, spacesMax, scenario: values["seed-scenario"] };
}

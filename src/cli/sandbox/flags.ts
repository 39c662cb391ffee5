/** The options of `ninefold serve` that require a sandbox. */
import { sandboxLimits } from "../../engine/sandbox/limits.ts";
import { wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../command.ts";

export interface SandboxFlags {
  readonly spaceHeader: string;
  readonly spacesMax: number;
  /** The scenario whose `Given` items are the seed. */
  readonly scenario: string | undefined;
  /** Whether webhooks are signed with the time of the data space's clock. */
  readonly signsInSandboxTime: boolean;
  /** Origins whose pages may call the sandbox, such as a documentation site. */
  readonly pageOrigins: readonly string[];
}

/** Options that require `--sandbox`. */
const ofSandboxes = [
  "space-header",
  "spaces-max",
  "seed-scenario",
  "sign-in-sandbox-time",
  "allow-origin",
] as const;

interface Values {
  readonly sandbox?: boolean | undefined;
  readonly "space-header"?: string | undefined;
  readonly "spaces-max"?: string | undefined;
  readonly "seed-scenario"?: string | undefined;
  readonly "sign-in-sandbox-time"?: boolean | undefined;
  readonly "allow-origin"?: string | undefined;
  readonly seed?: string | undefined;
}

const headerForm = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const spacesMostMax = 10_000;

/** Undefined without `--sandbox`. @throws WrongUsage */
export function readSandboxFlags(values: Values): SandboxFlags | undefined {
  if (!values.sandbox) {
    for (const name of ofSandboxes)
      if (values[name] !== undefined) throw new WrongUsage(`--${name} requires --sandbox.`);
    return undefined;
  }
  const spaceHeader = values["space-header"] ?? "Ninefold-Space";
  if (!headerForm.test(spaceHeader))
    throw new WrongUsage(`--space-header takes the name of a header, not "${spaceHeader}".`);
  const spacesMax = wholeNumber("--spaces-max", values["spaces-max"] ?? String(sandboxLimits.spacesMax));
  if (spacesMax < 1 || spacesMax > spacesMostMax)
    throw new WrongUsage(`--spaces-max takes a number between 1 and ${spacesMostMax}, not ${spacesMax}.`);
  if (values.seed !== undefined && values["seed-scenario"] !== undefined)
    throw new WrongUsage("--seed and --seed-scenario can't be combined.");
  return {
    spaceHeader,
    spacesMax,
    scenario: values["seed-scenario"],
    signsInSandboxTime: values["sign-in-sandbox-time"] ?? false,
    pageOrigins: (values["allow-origin"] ?? "").split(",").filter(Boolean).map(pageOrigin),
  };
}

/** @throws WrongUsage */
function pageOrigin(text: string): string {
  const origin = text.trim();
  if (!/^https?:/.test(origin) || URL.parse(origin)?.origin !== origin)
    throw new WrongUsage(
      `--allow-origin takes origins, separated by commas, not "${origin}". Write for example https://docs.example.com.`,
    );
  return origin;
}

/**
 * The clock of a verified service: a URL that moves it, such as that of a sandbox's operations API.
 */
import { messageOf } from "../../support/failure.ts";
import { machine } from "../../support/machine.ts";
import type { ServiceClock } from "../../verify/http-target.ts";
import { CliError, WrongUsage } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { type Client, createClient, Refused } from "../operations/client.ts";

/** The path of the clock in a sandbox's operations API. */
const clockPath = "/api/clock";

/**
 * Sends `POST {"advance": "90 seconds"}` to move the clock. The response has its time: `{"now":
 * "2026-12-01T00:00:00Z"}`. A URL without a path is that of an operations API.
 * @throws WrongUsage | CliError
 */
export async function openServiceClock(
  text: string,
  environment: Terminal["environment"],
): Promise<ServiceClock> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`--clock takes a URL such as http://127.0.0.1:4546, not "${text}".`);
  const path = url.pathname === "/" ? clockPath : url.pathname;
  const unreachable = "--clock names the operations address of a sandbox, or a URL that moves the clock.";
  const client = createClient(`${url.origin}${url.hash}`, undefined, environment, unreachable);
  // Advances by a second, because the request moves even a frozen clock; the response shows how
  // far it is ahead.
  let aheadMs = (await move(client, path, 1)) - machine.now();
  return {
    nowMs: () => machine.now() + aheadMs,
    async moveBy(milliseconds) {
      aheadMs = (await move(client, path, Math.ceil(milliseconds / 1000))) - machine.now();
    },
  };
}

async function move(client: Client, path: string, seconds: number): Promise<number> {
  let response: unknown;
  try {
    response = await client.send({ method: "POST", path, body: { advance: `${seconds} seconds` } });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new CliError(`The clock of the service can't be moved: ${messageOf(error)}`);
  }
  const now = typeof response === "object" && response !== null ? Reflect.get(response, "now") : undefined;
  const nowMs = typeof now === "string" ? Date.parse(now) : Number.NaN;
  if (Number.isNaN(nowMs))
    throw new CliError(
      `${path} moves no clock: its response has no time, such as {"now": "2026-12-01T00:00:00Z"}.`,
    );
  return nowMs;
}

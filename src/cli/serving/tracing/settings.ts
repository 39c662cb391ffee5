/**
 * OpenTelemetry settings from its environment variables: where traces are sent, and which. Without
 * an endpoint, no traces are sent.
 */
import { WrongUsage } from "../../command.ts";
import type { Terminal } from "../../terminal.ts";
import { type OtlpForm, otlpForms } from "./otlp.ts";

/** Every collector accepts this form, and people can read it. */
const standardForm: OtlpForm = "http/json";

export interface TracingSettings {
  /** The URL that spans are posted to. */
  readonly url: string;
  readonly form: OtlpForm;
  readonly headers: Readonly<Record<string, string>>;
  /** The resource attributes: `service.name` and those that the operator sets. */
  readonly resource: Readonly<Record<string, string>>;
  /** The share of the traces started here that is exported, 0 to 1. */
  readonly share: number;
  /** Whether the caller's sampling decision is followed, if the request has one. */
  readonly followsCallers: boolean;
}

const samplers: Readonly<Record<string, readonly [share: number | null, followsCallers: boolean]>> = {
  always_on: [1, false],
  always_off: [0, false],
  traceidratio: [null, false],
  parentbased_always_on: [1, true],
  parentbased_always_off: [0, true],
  parentbased_traceidratio: [null, true],
};

/** @param name the default name of the service. @throws WrongUsage */
export function tracingSettings(
  environment: Terminal["environment"],
  name: string,
): TracingSettings | undefined {
  const variableText = (variable: string) => environment[`OTEL_${variable}`]?.trim() || undefined;
  const ofTraces = (variable: string) =>
    variableText(`EXPORTER_OTLP_TRACES_${variable}`) ?? variableText(`EXPORTER_OTLP_${variable}`);
  const own = variableText("EXPORTER_OTLP_TRACES_ENDPOINT");
  const base = variableText("EXPORTER_OTLP_ENDPOINT");
  const isOff =
    variableText("SDK_DISABLED")?.toLowerCase() === "true" || variableText("TRACES_EXPORTER") === "none";
  if (isOff || (own ?? base) === undefined) return undefined;
  const url = own ?? `${base?.replace(/\/+$/, "")}/v1/traces`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new WrongUsage(
      `OTEL_EXPORTER_OTLP_ENDPOINT takes an address such as http://127.0.0.1:4318, not "${own ?? base}".`,
    );
  const protocol = ofTraces("PROTOCOL");
  const form = otlpForms.find((otlpForm) => otlpForm === (protocol ?? standardForm));
  if (!form)
    throw new WrongUsage(
      `OTEL_EXPORTER_OTLP_PROTOCOL takes ${otlpForms.join(" or ")}, not "${protocol}". Collectors receive HTTP at port 4318.`,
    );
  const sampler = samplers[variableText("TRACES_SAMPLER") ?? "parentbased_always_on"];
  if (!sampler)
    throw new WrongUsage(
      `OTEL_TRACES_SAMPLER takes ${Object.keys(samplers).join(", ")}, not "${variableText("TRACES_SAMPLER")}".`,
    );
  return {
    url,
    form,
    headers: pairs("EXPORTER_OTLP_HEADERS", ofTraces("HEADERS")),
    resource: {
      "service.name": variableText("SERVICE_NAME") ?? name,
      ...pairs("RESOURCE_ATTRIBUTES", variableText("RESOURCE_ATTRIBUTES")),
      ...(variableText("SERVICE_NAME") ? { "service.name": variableText("SERVICE_NAME") as string } : {}),
    },
    share: sampler[0] ?? shareOf(variableText("TRACES_SAMPLER_ARG")),
    followsCallers: sampler[1],
  };
}

function shareOf(text = "1"): number {
  const share = Number(text);
  if (!(share >= 0 && share <= 1))
    throw new WrongUsage(`OTEL_TRACES_SAMPLER_ARG takes a number from 0 to 1, not "${text}".`);
  return share;
}

/** `api-key=abc,tenant=a%20b` */
function pairs(variable: string, text = ""): Record<string, string> {
  const found = text.split(",").flatMap((pair) => {
    if (pair.trim() === "") return [];
    const at = pair.indexOf("=");
    if (at < 1) throw new WrongUsage(`OTEL_${variable} takes name=value pairs, separated by commas.`);
    return [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(found) as Record<string, string>;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

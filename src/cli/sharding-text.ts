/** `check --shardable` for people and for programs: which endpoints stay within one tenant. */
import {
  type Crossing,
  type ShardedEndpoint,
  type Sharding,
  shardingOf,
} from "../checks/sharding/sharding.ts";
import type { Model } from "../model/model.ts";
import { printable } from "../source/printable.ts";
import { nearest } from "../support/nearest.ts";
import { WrongUsage } from "./command.ts";

interface TextOptions {
  readonly file: string;
  readonly tenant: string | undefined;
  readonly json: boolean;
}

/** @throws WrongUsage where no resource has the name */
export function shardingText(model: Model, { file, tenant, json }: TextOptions): string {
  const names = model.resources
    .filter(({ identifier }) => identifier.kind !== "none")
    .map(({ name }) => name);
  if (tenant !== undefined && !names.includes(tenant)) {
    const meant = nearest(tenant, names);
    throw new WrongUsage(
      `there is no resource ${tenant}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    );
  }
  const sharding = shardingOf(model, tenant);
  return json ? `${JSON.stringify({ file, ...sharding }, null, 2)}\n` : `${linesOf(sharding).join("\n")}\n`;
}

function linesOf({ tenant, resources, endpoints, overAll }: Sharding): readonly string[] {
  if (tenant === null)
    return [
      "No resource can be a tenant: none is always referred to by another. Every endpoint needs one database.",
    ];
  const staying = endpoints.filter(({ crossings }) => crossings.length === 0);
  const crossing = endpoints.filter(({ crossings }) => crossings.length > 0);
  return [
    `Tenant: ${tenant}`,
    ...resources
      .filter(({ name }) => name !== tenant)
      .map(
        ({ name, way }) =>
          `  ${name}${way ? `.${way.join(".")}` : ": belongs to no tenant, so every database has all of it"}`,
      ),
    "",
    `${staying.length} of ${endpoints.length} endpoints stay within one ${tenant}${staying.length > 0 ? ":" : "."}`,
    ...staying.map((endpoint) => `  ${called(endpoint)}`),
    ...(crossing.length > 0 ? ["", "The others don't:"] : []),
    ...crossing.flatMap((endpoint) => [
      `  ${called(endpoint)}`,
      ...endpoint.crossings.map((one) => `    ${lineOf(one)}`),
    ]),
    ...(overAll.length > 0 ? ["", "Across all tenants, for every endpoint:"] : []),
    ...overAll.map((one) => `  ${lineOf(one)}`),
  ];
}

function called({ method, path, line }: ShardedEndpoint): string {
  return `${method} ${path} (line ${line})`;
}

function lineOf({ what, text, line }: Crossing): string {
  return `line ${line}: ${what}${text === undefined ? "" : `: ${printable(text.replaceAll(/\s+/g, " "))}`}`;
}

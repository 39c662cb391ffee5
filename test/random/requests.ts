/**
 * Random requests from the names and values of a document (`../simulation/requests.ts`), and
 * malformed ones: other forms, other media types, unexpected values.
 */
import type { RecordValue } from "../../src/expressions/value.ts";
import type { Draw } from "../simulation/draw.ts";
import { drawRequest } from "../simulation/requests.ts";
import type { Realm } from "../tenancy/worlds.ts";
import type { Answered, RequestedValue, World } from "./worlds.ts";

export interface Requester {
  next(number: number): Promise<RequestedValue | undefined>;
  note(requested: RequestedValue, answer: Answered): void;
}

const pauses = [0, 0, 0, 1000, 1000, 31_000, 61_000, 3_600_000];

export function createRequester(
  world: World,
  draw: Draw,
  realms: { readonly a: Realm; readonly b: Realm },
): Requester {
  const marks: string[] = [];
  const tags = new Map<string, string>();
  const { model } = world;
  return {
    async next(number) {
      const records = new Map<string, readonly RecordValue[]>();
      for (const { name, identifier, gap } of model.resources)
        if (identifier.kind !== "none" && !gap) records.set(name, await world.recordsOf(name));
      const request = drawRequest({
        model,
        realms,
        nowMs: world.clock.now(),
        draw,
        records: (resource) => records.get(resource) ?? [],
        isDue: () => false,
        written: {},
        token: () => undefined,
        marks,
        tags,
      });
      if (!request) return undefined;
      const requested: RequestedValue = {
        method: request.method,
        target: request.target,
        headers: request.headers,
        address: request.address,
        number,
        afterMs: draw.oneOf(pauses),
        ...(request.body === undefined ? {} : { body: request.body }),
      };
      return draw.happens(12) ? { ...odd(draw, requested), isOdd: true } : requested;
    },
    note({ target }, { headers, body, status }) {
      const tag = headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
      if (tag !== undefined) tags.set(target.split("?", 1)[0] ?? "", tag);
      if (status !== 200) return;
      for (const hit of body.matchAll(/"(?:next|prev|id)":"([^"]+)"/g)) marks.push(hit[1] ?? "");
    },
  };
}

/** The same request, with one unexpected part. */
function odd(draw: Draw, requested: RequestedValue): RequestedValue {
  const without = requested.headers.filter(([name]) => name !== "Content-Type");
  return draw.oneOf<() => RequestedValue>([
    () => ({ ...requested, body: "{" }),
    () => ({ ...requested, headers: [...without, ["Content-Type", "text/plain"]] }),
    () => ({
      ...requested,
      headers: [...without, ["Content-Type", "application/x-www-form-urlencoded"]],
      body: "name=a&rank=2&tags[]=x&tags[]=y&extra[a]=1",
    }),
    () => ({ ...requested, method: "HEAD" }),
    () => ({ ...requested, method: "OPTIONS" }),
    () => ({
      ...requested,
      headers: [...requested.headers, ["Accept", draw.oneOf(["text/html", "application/json;q=0", "*/*"])]],
    }),
    () => ({
      ...requested,
      target: `${requested.target}${requested.target.includes("?") ? "&" : "?"}${draw.oneOf(["x=1", "limit=-1", "limit=abc", "after=zzz", "name=%00", "page=0", "expand=name", "name[gt]=a&name[lte]=z", "rank[gte]=1", "offset=9007199254740993"])}`,
    }),
    () => ({ ...requested, target: `${requested.target.split("?")[0]}/` }),
    () => ({
      ...requested,
      body: JSON.stringify({ unknown_name: 1 }),
      headers: [...without, ["Content-Type", "application/json"]],
    }),
    () => ({
      ...requested,
      body:
        requested.body?.replace(
          /:("[^"]*"|[0-9.]+)/,
          draw.oneOf([
            ":null",
            ':""',
            ":[]",
            ":{}",
            ":1e400",
            ":12345678901234567890",
            ':"\\u0000"',
            ':" a "',
            ':"\\ud800"',
            ":-0",
            ":0.1",
            ":true",
            ':"2030-02-30"',
            ':"2030-01-01T00:00:60Z"',
          ]),
        ) ?? "",
    }),
    () => ({ ...requested, headers: [...requested.headers, ["If-None-Match", "*"]] }),
    () => ({ ...requested, target: requested.target.replace(/\/[^/?]+(\?|$)/, "/%F0%9F%98%80$1") }),
  ])();
}

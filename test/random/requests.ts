/** Requests drawn from the document's own words (`../simulation/asks.ts`), and odd ones: other forms, other media types, what nobody expects. */
import type { RecordValue } from "../../src/expressions/value.ts";
import type { Draw } from "../simulation/draw.ts";
import { drawAsk } from "../simulation/asks.ts";
import type { Realm } from "../tenancy/worlds.ts";
import type { Answered, Asked, World } from "./worlds.ts";

export interface Asker {
  next(number: number): Promise<Asked | undefined>;
  note(asked: Asked, answer: Answered): void;
}

const pauses = [0, 0, 0, 1000, 1000, 31_000, 61_000, 3_600_000];

export function createAsker(
  world: World,
  draw: Draw,
  realms: { readonly a: Realm; readonly b: Realm },
): Asker {
  const marks: string[] = [];
  const tags = new Map<string, string>();
  const { model } = world;
  return {
    async next(number) {
      const records = new Map<string, readonly RecordValue[]>();
      for (const { name, identifier, gap } of model.resources)
        if (identifier.kind !== "none" && !gap) records.set(name, await world.recordsOf(name));
      const ask = drawAsk({
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
      if (!ask) return undefined;
      const asked: Asked = {
        method: ask.method,
        target: ask.target,
        headers: ask.headers,
        address: ask.address,
        number,
        afterMs: draw.oneOf(pauses),
        ...(ask.body === undefined ? {} : { body: ask.body }),
      };
      return draw.happens(12) ? { ...odd(draw, asked), isOdd: true } : asked;
    },
    note({ target }, { headers, body, status }) {
      const tag = headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
      if (tag !== undefined) tags.set(target.split("?", 1)[0] ?? "", tag);
      if (status !== 200) return;
      for (const hit of body.matchAll(/"(?:next|prev|id)":"([^"]+)"/g)) marks.push(hit[1] ?? "");
    },
  };
}

/** The same request, and one thing of it as nobody expects it. */
function odd(draw: Draw, asked: Asked): Asked {
  const without = asked.headers.filter(([name]) => name !== "Content-Type");
  return draw.oneOf<() => Asked>([
    () => ({ ...asked, body: "{" }),
    () => ({ ...asked, headers: [...without, ["Content-Type", "text/plain"]] }),
    () => ({
      ...asked,
      headers: [...without, ["Content-Type", "application/x-www-form-urlencoded"]],
      body: "name=a&rank=2&tags[]=x&tags[]=y&extra[a]=1",
    }),
    () => ({ ...asked, method: "HEAD" }),
    () => ({ ...asked, method: "OPTIONS" }),
    () => ({
      ...asked,
      headers: [...asked.headers, ["Accept", draw.oneOf(["text/html", "application/json;q=0", "*/*"])]],
    }),
    () => ({
      ...asked,
      target: `${asked.target}${asked.target.includes("?") ? "&" : "?"}${draw.oneOf(["x=1", "limit=-1", "limit=abc", "after=zzz", "name=%00", "page=0", "expand=name", "name[gt]=a&name[lte]=z", "rank[gte]=1", "offset=9007199254740993"])}`,
    }),
    () => ({ ...asked, target: `${asked.target.split("?")[0]}/` }),
    () => ({
      ...asked,
      body: JSON.stringify({ nobody_knows: 1 }),
      headers: [...without, ["Content-Type", "application/json"]],
    }),
    () => ({
      ...asked,
      body:
        asked.body?.replace(
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
    () => ({ ...asked, headers: [...asked.headers, ["If-None-Match", "*"]] }),
    () => ({ ...asked, target: asked.target.replace(/\/[^/?]+(\?|$)/, "/%F0%9F%98%80$1") }),
  ])();
}

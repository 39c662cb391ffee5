/**
 * A parcel desk written by hand, from examples/parcel-desk.md alone, with Fastify and its own
 * database. `verify` must find nothing in it, and each of the bugs that can be enabled.
 */
import { createHash, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import {
  type Body,
  parcelInputs,
  Rejected,
  hookInputs,
  type Shape,
  text,
  validate,
} from "./parcel-desk-inputs.ts";

/** Realistic bugs. */
export const bugs = [
  "a courier may register parcels",
  "another shop's parcel is answered 403",
  "a shop sees all parcels in the list",
  "a parcel is created with 200",
  "no Location",
  "the price is rounded up",
  "weights of 30001 grams are accepted",
  "an unknown field is ignored",
  "recipients of 121 characters are accepted",
  "a country may be in lower case",
  "a reference may be used twice",
  "references are unique across shops",
  "a delivered parcel can be given back",
  "collecting doesn't set the time",
  "the signature is optional",
  "a moving parcel can be changed",
  "the status filter is ignored",
  "the oldest parcel comes first",
  "a page repeats the last of the one before",
  "has_more is always false",
  "If-Match is ignored",
  "an idempotency key is ignored",
  "the older version shows the price",
  "the older version expects weight_grams",
  "the secret of a hook is shown as null",
  "deleting a hook twice succeeds",
  "a stream ignores Last-Event-ID",
  "a stream has no event of a collection",
  "a stream has the events of other shops",
] as const;

export type Bug = (typeof bugs)[number];

interface Key {
  readonly id: string;
  readonly shop: string | null;
  readonly scopes: readonly string[];
}

interface Parcel {
  readonly id: string;
  readonly shop: string | null;
  readonly recipient: string;
  readonly address: string;
  readonly weight_grams: number;
  readonly reference: string | null;
  readonly signed_by: string | null;
  readonly status: string;
  readonly created_at: string;
  readonly collected_at: string | null;
  readonly delivered_at: string | null;
  readonly revision: number;
}

/** An event with its number in the log. */
interface LoggedEvent {
  readonly n: number;
  readonly shop: string | null;
  readonly type: string;
  readonly data: string;
}

const columns =
  "id, shop, recipient, address, weight_grams, reference, signed_by, status, created_at, collected_at, delivered_at";
const pageDefault = 20;
const pageMax = 100;
const versions = ["2026-03-01", "2026-11-01"];
const lapseMs = 14 * 86_400_000;
const keyKeptMs = 86_400_000;

export interface SeedKey {
  readonly shop?: string;
  readonly key: string;
  readonly scopes: readonly string[];
}

/** A desk with these shops (by name) and keys. */
export function createParcelDesk(shops: readonly string[], keys: readonly SeedKey[], bug?: Bug) {
  const has = (name: Bug) => name === bug;
  const db = new DatabaseSync(":memory:");
  db.exec(`
    CREATE TABLE key (id TEXT PRIMARY KEY, hash TEXT UNIQUE, shop TEXT, scopes TEXT);
    CREATE TABLE parcel (
      n INTEGER PRIMARY KEY, id TEXT UNIQUE, shop TEXT, recipient TEXT, address TEXT, weight_grams INTEGER,
      reference TEXT, signed_by TEXT, status TEXT, created_at TEXT, collected_at TEXT, delivered_at TEXT, revision INTEGER);
    CREATE TABLE hook (id TEXT PRIMARY KEY, shop TEXT, url TEXT, secret TEXT, events TEXT);
    CREATE TABLE replay (caller TEXT, key TEXT, fingerprint TEXT, status INTEGER, body TEXT, location TEXT, at INTEGER, PRIMARY KEY (caller, key));
  `);
  const madeId = (prefix: string) => prefix + randomBytes(10).toString("hex");
  const hashOf = (value: string) => createHash("sha256").update(value).digest("hex");
  const shopIds = new Map(shops.map((name) => [name, madeId("shp_")]));
  for (const { shop, key, scopes } of keys)
    db.prepare("INSERT INTO key VALUES (?, ?, ?, ?)").run(
      madeId("key_"),
      hashOf(key),
      shop === undefined ? null : (shopIds.get(shop) ?? null),
      JSON.stringify(scopes),
    );

  const app = Fastify({ bodyLimit: 64 * 1024, routerOptions: { maxParamLength: 5000 } });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));

  // ── Errors ────────────────────────────────────────────────────────────────────────────────────

  const fail = (reply: FastifyReply, { status, code, message, field }: Rejected) =>
    reply.code(status).send({ error: { code, message, field, request: madeId("req_") } });
  app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, _, reply) => {
    if (error instanceof Rejected) return fail(reply, error);
    if (error.statusCode === 413)
      return fail(reply, new Rejected(413, "too_large", "The body is larger than 64 KiB."));
    return fail(reply, new Rejected(500, "internal", "Internal error"));
  });
  app.setNotFoundHandler((_, reply) =>
    fail(reply, new Rejected(404, "no_such_thing", "There is no such path.")),
  );

  // ── Version and caller ────────────────────────────────────────────────────────────────────────

  const versionOf = (request: FastifyRequest): string => {
    const sent = request.headers["parcel-version"];
    const version = typeof sent === "string" && sent !== "" ? sent : "2026-03-01";
    if (!versions.includes(version)) throw new Rejected(400, "unknown_version", "There is no such version.");
    return version;
  };
  const isOld = (request: FastifyRequest) => versionOf(request) === "2026-03-01";
  const callerOf = (request: FastifyRequest): Key => {
    versionOf(request);
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    const row =
      token === undefined
        ? undefined
        : db.prepare("SELECT id, shop, scopes FROM key WHERE hash = ?").get(hashOf(token));
    if (!row) throw new Rejected(401, "no_key", "Send your key as a bearer token.");
    return { id: String(row["id"]), shop: text(row["shop"]), scopes: JSON.parse(String(row["scopes"])) };
  };
  const need = (caller: Key, scope: string) => {
    if (!caller.scopes.includes(scope)) throw new Rejected(403, "not_allowed", "This key may not do that.");
  };
  const known = (request: FastifyRequest, names: readonly string[]) => {
    for (const name of Object.keys(request.query as object))
      if (!names.includes(name))
        throw new Rejected(422, "unknown_field", `${name} is not a field of this request.`, name);
  };
  const bodyOf = (request: FastifyRequest, shape: Shape): Body => validate(request, shape, has);

  // ── Parcels ───────────────────────────────────────────────────────────────────────────────────

  const lapse = () => {
    const before = new Date(Date.now() - lapseMs).toISOString();
    db.prepare(
      "UPDATE parcel SET status = 'returned', revision = revision + 1 WHERE status = 'registered' AND created_at <= ?",
    ).run(before);
  };
  const find = (request: FastifyRequest, caller: Key): Parcel => {
    lapse();
    const { id } = request.params as { id: string };
    const found = db.prepare("SELECT * FROM parcel WHERE id = ?").get(id) as unknown as Parcel | undefined;
    const isSeen = found && (found.shop === caller.shop || caller.scopes.includes("courier"));
    if (found && !isSeen && has("another shop's parcel is answered 403"))
      throw new Rejected(403, "not_allowed", "This key may not do that.");
    if (!found || !isSeen) throw new Rejected(404, "no_such_thing", "There is no such parcel.");
    return found;
  };
  const priceOf = ({ weight_grams }: Parcel) =>
    490 + (has("the price is rounded up") ? Math.ceil : Math.trunc)((weight_grams * 15) / 100);
  const represented = (parcel: Parcel, old: boolean) => {
    const { revision: _, address, weight_grams, ...rest } = parcel;
    const { id, shop, recipient, ...otherColumns } = rest;
    const first = { id, shop, recipient, address: JSON.parse(address) };
    if (!old) return { ...first, weight_grams, price: priceOf(parcel), ...otherColumns };
    return has("the older version shows the price")
      ? { ...first, weight: weight_grams, price: priceOf(parcel), ...otherColumns }
      : { ...first, weight: weight_grams, ...otherColumns };
  };
  const tagOf = ({ id, revision }: Parcel, old: boolean) =>
    `"${hashOf(`${id} ${revision} ${old}`).slice(0, 20)}"`;
  const read = (id: string) => {
    const { n: _, ...parcel } = db
      .prepare("SELECT * FROM parcel WHERE id = ?")
      .get(id) as unknown as Parcel & { n: number };
    return parcel;
  };
  const send = (request: FastifyRequest, reply: FastifyReply, id: string, hasTag = false) => {
    const parcel = read(id);
    if (hasTag) reply.header("ETag", tagOf(parcel, isOld(request)));
    return reply.send(represented(parcel, isOld(request)));
  };
  const change = (id: string, values: Readonly<Record<string, string | null>>) => {
    const names = Object.keys(values);
    const sets = names.map((name) => `${name} = ?, `).join("");
    db.prepare(`UPDATE parcel SET ${sets}revision = revision + 1 WHERE id = ?`).run(
      ...Object.values(values),
      id,
    );
  };
  const refuseTaken = (shop: string | null, reference: string | null | undefined, own?: string) => {
    if (reference === null || reference === undefined || has("a reference may be used twice")) return;
    const everywhere = has("references are unique across shops") ? 1 : 0;
    const sameReference = db
      .prepare(
        "SELECT 1 FROM parcel WHERE reference = ? AND id IS NOT ? AND (? OR (shop = ? AND shop IS NOT NULL))",
      )
      .get(reference, own ?? null, everywhere, shop);
    if (sameReference)
      throw new Rejected(
        409,
        "reference_taken",
        "You already have a parcel with this reference.",
        "reference",
      );
  };
  const tagsIn = (header: string) => header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  const matches = (header: string, parcel: Parcel, old: boolean) =>
    header.trim() === "*" || tagsIn(header).includes(tagOf(parcel, old));

  const log: LoggedEvent[] = [];
  const listeners = new Set<(event: LoggedEvent) => void>();
  const emit = (type: string, id: string): void => {
    const parcel = read(id);
    // A stream has the version of `Default`.
    const content = { type, timestamp: new Date().toISOString(), data: represented(parcel, true) };
    const event = { n: log.length + 1, shop: parcel.shop, type, data: JSON.stringify(content) };
    log.push(event);
    for (const listener of listeners) listener(event);
  };

  app.post("/v1/parcels", (request, reply) => {
    const caller = callerOf(request);
    const key = request.headers["idempotency-key"];
    const fingerprint = hashOf(`${request.url} ${versionOf(request)} ${String(request.body)}`);
    if (typeof key === "string" && !has("an idempotency key is ignored")) {
      const kept = db
        .prepare("SELECT * FROM replay WHERE caller = ? AND key = ? AND at > ?")
        .get(caller.id, key, Date.now() - keyKeptMs);
      if (kept && kept["fingerprint"] !== fingerprint)
        throw new Rejected(
          409,
          "key_reused",
          "This Idempotency-Key was used with another body.",
          "Idempotency-Key",
        );
      if (kept)
        return reply
          .code(Number(kept["status"]))
          .header("Location", String(kept["location"]))
          .type("application/json")
          .send(String(kept["body"]));
    }
    if (!has("a courier may register parcels")) need(caller, "write");
    known(request, []);
    const old = isOld(request) && !has("the older version expects weight_grams");
    const body = bodyOf(request, parcelInputs("create", old));
    const reference = text(body["reference"]);
    refuseTaken(caller.shop, reference);
    const id = madeId("pcl_");
    db.prepare(
      `INSERT INTO parcel (${columns}, revision) VALUES (?, ?, ?, ?, ?, ?, NULL, 'registered', ?, NULL, NULL, 1)`,
    ).run(
      id,
      caller.shop,
      text(body["recipient"]),
      JSON.stringify(body["address"]),
      Number(body[old ? "weight" : "weight_grams"]),
      reference,
      new Date().toISOString(),
    );
    emit("parcel.registered", id);
    const location = `http://${request.headers.host}/v1/parcels/${id}`;
    const answer = JSON.stringify(represented(read(id), isOld(request)));
    const status = has("a parcel is created with 200") ? 200 : 201;
    if (typeof key === "string")
      db.prepare("INSERT OR REPLACE INTO replay VALUES (?, ?, ?, ?, ?, ?, ?)").run(
        caller.id,
        key,
        fingerprint,
        status,
        answer,
        location,
        Date.now(),
      );
    if (!has("no Location")) reply.header("Location", location);
    return reply.code(status).type("application/json").send(answer);
  });

  app.get("/v1/parcels", (request, reply) => {
    const caller = callerOf(request);
    need(caller, "read");
    known(request, ["status", "reference", "limit", "after"]);
    lapse();
    const query = request.query as Readonly<Record<string, string>>;
    const { status, reference, limit, after } = query;
    const statuses = ["registered", "in_transit", "delivered", "returned"];
    if (status !== undefined && !statuses.includes(status))
      throw new Rejected(422, "bad_value", `status must be one of ${statuses.join(", ")}.`, "status");
    if (reference !== undefined && reference.length > 64)
      throw new Rejected(422, "bad_value", "reference has a wrong length.", "reference");
    const size = limit === undefined ? pageDefault : Number(limit);
    if (!/^\d+$/.test(limit ?? "1") || size < 1)
      throw new Rejected(422, "bad_value", "limit must be at least 1.", "limit");
    if (size > pageMax) throw new Rejected(422, "bad_value", `limit must be at most ${pageMax}.`, "limit");
    const count = size;
    const from = after === undefined ? undefined : cursorOf(after);
    const isForward = has("the oldest parcel comes first");
    const conditions = [
      has("a shop sees all parcels in the list") || caller.scopes.includes("courier")
        ? "(1 OR ? IS NULL)"
        : "shop IS ?",
      status === undefined || has("the status filter is ignored") ? "(1 OR ? IS NULL)" : "status = ?",
      reference === undefined ? "(1 OR ? IS NULL)" : "reference = ?",
      from === undefined
        ? "(1 OR ? IS NULL)"
        : has("a page repeats the last of the one before")
          ? "n <= ?"
          : "n < ?",
    ];
    const rows = db
      .prepare(
        `SELECT * FROM parcel WHERE ${conditions.join(" AND ")} ORDER BY created_at ${isForward ? "" : "DESC"}, n ${isForward ? "" : "DESC"} LIMIT ?`,
      )
      .all(caller.shop, status ?? null, reference ?? null, from ?? null, count + 1) as unknown as (Parcel & {
      n: number;
    })[];
    const page = rows.slice(0, count);
    const hasMore = rows.length > count;
    const next = hasMore ? Buffer.from(`after ${page.at(-1)?.n}`).toString("base64url") : null;
    return reply.send({
      data: page.map(({ n: _, ...parcel }) => represented(parcel, isOld(request))),
      has_more: hasMore && !has("has_more is always false"),
      next,
    });
  });
  const cursorOf = (after: string): number => {
    const [, n] = /^after (\d+)$/.exec(Buffer.from(after, "base64url").toString()) ?? [];
    if (n === undefined) throw new Rejected(422, "bad_value", "after is not a cursor of this list.", "after");
    return Number(n);
  };

  app.get("/v1/parcels/:id", (request, reply) => {
    const parcel = find(request, callerOf(request));
    known(request, []);
    const old = isOld(request);
    const { "if-match": match, "if-none-match": noneMatch } = request.headers;
    if (match !== undefined && !has("If-Match is ignored") && !matches(match, parcel, old))
      throw new Rejected(412, "changed", "The parcel has changed since you read it.");
    if (noneMatch !== undefined && matches(noneMatch, parcel, old))
      return reply.code(304).header("ETag", tagOf(parcel, old)).send();
    return send(request, reply, parcel.id, true);
  });

  app.patch("/v1/parcels/:id", (request, reply) => {
    const caller = callerOf(request);
    const parcel = find(request, caller);
    need(caller, "write");
    known(request, []);
    const old = isOld(request);
    const body = bodyOf(request, parcelInputs("update", old));
    const { "if-match": match, "if-none-match": noneMatch } = request.headers;
    const isStale = match !== undefined && !has("If-Match is ignored") && !matches(match, parcel, old);
    if (isStale || (noneMatch !== undefined && matches(noneMatch, parcel, old)))
      throw new Rejected(412, "changed", "The parcel has changed since you read it.");
    if (parcel.status !== "registered" && !has("a moving parcel can be changed"))
      throw new Rejected(409, "already_moving", "The parcel has left and can't be changed.");
    const values = Object.entries(body).map(
      ([name, value]) => [name, name === "address" ? JSON.stringify(value) : text(value)] as const,
    );
    if ("reference" in body) refuseTaken(parcel.shop, text(body["reference"]), parcel.id);
    if (values.some(([name, value]) => Reflect.get(parcel, name) !== value))
      change(parcel.id, Object.fromEntries(values));
    return send(request, reply, parcel.id, true);
  });

  const move = (
    path: string,
    verb: string,
    from: readonly string[],
    options: {
      readonly shape: Shape;
      readonly isCourier: boolean;
      readonly to: string;
      readonly event: string;
      readonly sets: (body: Body) => Record<string, string | null>;
    },
  ) => {
    app.post(`/v1/parcels/:id/${path}`, (request, reply) => {
      const caller = callerOf(request);
      const parcel = find(request, caller);
      if (options.isCourier) need(caller, "courier");
      known(request, []);
      const body = bodyOf(request, options.shape);
      if (!from.includes(parcel.status))
        throw new Rejected(409, "wrong_state", `The parcel is ${parcel.status}, so it can't ${verb}.`);
      change(parcel.id, { status: options.to, ...options.sets(body) });
      if (!has("a stream has no event of a collection") || path !== "collect") emit(options.event, parcel.id);
      return send(request, reply, parcel.id);
    });
  };
  const nowText = () => new Date().toISOString();
  const noInputs: Shape = {};
  move("collect", "collect", ["registered"], {
    shape: noInputs,
    isCourier: true,
    to: "in_transit",
    event: "parcel.collected",
    sets: () => ({ collected_at: has("collecting doesn't set the time") ? null : nowText() }),
  });
  move("deliver", "deliver", ["in_transit"], {
    shape: { signed_by: { isRequired: !has("the signature is optional"), min: 1, max: 120 } },
    isCourier: true,
    to: "delivered",
    event: "parcel.delivered",
    sets: (body) => ({ signed_by: text(body["signed_by"]), delivered_at: nowText() }),
  });
  const giveBackFrom = [
    "registered",
    "in_transit",
    ...(has("a delivered parcel can be given back") ? ["delivered"] : []),
  ];
  move("give-back", "give_back", giveBackFrom, {
    shape: noInputs,
    isCourier: false,
    to: "returned",
    event: "parcel.returned",
    sets: () => ({}),
  });

  // ── Events ────────────────────────────────────────────────────────────────────────────────────

  app.get("/v1/events", (request, reply) => {
    const caller = callerOf(request);
    need(caller, "read");
    known(request, []);
    const after = request.headers["last-event-id"];
    const isContinued = typeof after === "string" && /^\d+$/.test(after);
    const start = isContinued && !has("a stream ignores Last-Event-ID") ? Number(after) : log.length;
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { "Content-Type": "text/event-stream" });
    raw.write(`id: ${start}\n\n`);
    const sendEvent = ({ n, shop, type, data }: LoggedEvent): void => {
      const isOwn = shop === caller.shop || has("a stream has the events of other shops");
      if (isOwn) raw.write(`id: ${n}\nevent: ${type}\ndata: ${data}\n\n`);
    };
    for (const event of log.slice(start)) sendEvent(event);
    listeners.add(sendEvent);
    request.raw.on("close", () => listeners.delete(sendEvent));
  });

  // ── Hooks ─────────────────────────────────────────────────────────────────────────────────────

  app.post("/v1/hooks", (request, reply) => {
    const caller = callerOf(request);
    need(caller, "write");
    known(request, []);
    const body = bodyOf(request, hookInputs);
    const events = body["events"] ?? ["parcel.delivered", "parcel.returned"];
    const hook = {
      id: madeId("whk_"),
      shop: caller.shop,
      url: text(body["url"]),
      secret: `whsec_${randomBytes(24).toString("base64")}`,
    };
    db.prepare("INSERT INTO hook VALUES (?, ?, ?, ?, ?)").run(
      hook.id,
      hook.shop,
      hook.url,
      hook.secret,
      JSON.stringify(events),
    );
    const secret = has("the secret of a hook is shown as null") ? null : hook.secret;
    return reply.code(201).send({ ...hook, secret, events });
  });
  app.delete("/v1/hooks/:id", (request, reply) => {
    const caller = callerOf(request);
    const { id } = request.params as { id: string };
    const { changes } = db
      .prepare("SELECT count(*) AS changes FROM hook WHERE id = ? AND shop IS ?")
      .get(id, caller.shop) as unknown as { changes: number };
    if (changes === 0 && !has("deleting a hook twice succeeds"))
      throw new Rejected(404, "no_such_thing", "There is no such hook.");
    need(caller, "write");
    known(request, []);
    bodyOf(request, noInputs);
    db.prepare("DELETE FROM hook WHERE id = ?").run(id);
    return reply.code(204).send();
  });
  return app;
}

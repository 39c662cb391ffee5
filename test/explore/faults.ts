/**
 * Wrong implementations of a document: its rules broken one by one (`mutationsOf`), and faults that
 * no document can state, such as a lost webhook or a page that repeats a record.
 */
import type { Outbound } from "../../src/engine/outbound/outbound.ts";
import { Problem } from "../../src/engine/problem.ts";
import { durationsOf } from "../../src/explore/stories/durations.ts";
import type { OpenedStream, Reference } from "../../src/explore/comparison/implementation.ts";
import { type Mutation, mutationsOf } from "../../src/explore/mutations/mutations.ts";
import { receiverAddresses } from "../../src/explore/comparison/webhooks.ts";
import { endpointName } from "../../src/explore/walk/walked-step.ts";
import { versionPlace } from "../../src/model/versions/request-version.ts";
import type { Effect, Endpoint, Model } from "../../src/model/model.ts";
import type { ReceivedResponse, SentRequest } from "../../src/verify/scenario-failure.ts";

type Send = Outbound["request"];

export interface WrongService {
  /** The family of faults, a row of the study's table. */
  readonly kind: string;
  readonly name: string;
  readonly line: number;
  /** What shows the fault: responses alone, a moved clock, or received webhooks. */
  readonly needs: "responses" | "clock" | "webhooks";
  served(): Model;
  /** Changes what the service answers. */
  over?(service: Reference): Partial<Reference>;
  /** Changes how webhooks are sent. */
  sending?(send: Send): Send;
}

/** Families by the words of a mutation's name; the first that matches. */
const families: readonly (readonly [RegExp, string])[] = [
  [/guard removed/, "a guard dropped"],
  [/Allowed|Visible removed|Where of/, "access ignored"],
  [/filters nothing/, "a filter ignored"],
  [/Where removed/, "access ignored"],
  [/(maximum|minimum) of its/, "a bound off by one"],
  [/page size/, "a page size off by one"],
  [/status is|another code/, "a wrong status or code"],
  [/Preconditions removed/, "a precondition ignored"],
  [/Idempotency removed/, "an idempotency key ignored"],
  [/after twice/, "a timer that fires late"],
  [/trigger removed/, "a lost event"],
  [/order reversed/, "a wrong order"],
  [/from any state|: to /, "a wrong transition"],
  [/Fails|Unique|Always|optional|pattern|distinct/, "a rule dropped"],
  [/effect|Set removed|header removed/, "an effect, assignment or header dropped"],
];

/** All wrong services of a document that some observation can show. */
export function wrongServices(model: Model): readonly WrongService[] {
  return [
    ...mutationsOf(model).flatMap((mutation) => ofMutation(model, mutation) ?? []),
    ...doubledTimers(model),
    ...earlyEvents(model),
    ...versionFaults(model),
    ...lostUpdates(model),
    ...webhookFaults(model),
    ...pageFaults(model),
    ...hiddenFaults(model),
    ...streamFaults(model),
  ];
}

/** Mutations that no observation can show, each with the reason. */
export function unobservableFaults(
  model: Model,
): readonly Required<Pick<Mutation, "name" | "line" | "hiddenBy">>[] {
  return mutationsOf(model).flatMap((mutation) => {
    const { name, line, hiddenBy } = mutation;
    return hiddenBy === undefined || ofMutation(model, mutation) ? [] : [{ name, line, hiddenBy }];
  });
}

function ofMutation(model: Model, mutation: Mutation): WrongService | undefined {
  const { name, line, hiddenBy } = mutation;
  const [, kind = "another rule"] = families.find(([pattern]) => pattern.test(name)) ?? [];
  const hasReceivers = receiverAddresses(model).size > 0;
  const needs =
    hiddenBy === undefined
      ? isOfTimedStates(model, name)
        ? "clock"
        : "responses"
      : hiddenBy === "time" && durationsOf(model).length > 0
        ? "clock"
        : hiddenBy === "deliveries" && hasReceivers
          ? "webhooks"
          : undefined;
  return needs && { kind, name, line, needs, served: () => mutation.apply() };
}

/** Whether a fault is one of a state machine in which time leads to some of the states. */
function isOfTimedStates({ resources }: Model, fault: string): boolean {
  return resources.some(({ name, states }) => {
    const ends = (states?.transitions ?? []).flatMap((transition) => transition.ends);
    const isTimed = ends.some(({ trigger }) => trigger.kind === "after" || trigger.kind === "at");
    return isTimed && new RegExp(`^\\w+ ${name}: `).test(fault);
  });
}

function lineOf({ position }: { readonly position: Endpoint["position"] }): number {
  return position.start.line;
}

/** Timed transitions whose effects happen twice, where that makes a difference. */
function doubledTimers(model: Model): readonly WrongService[] {
  const isRepeatable = (effect: Effect): boolean =>
    effect.kind === "assign" && !effect.value.text.includes(`this.${effect.field}`);
  return model.resources.flatMap(({ states }, resource) =>
    (states?.transitions ?? []).flatMap(({ name, ends }, transition) =>
      ends.flatMap((end, at): readonly WrongService[] => {
        const isTimed = end.trigger.kind === "after" || end.trigger.kind === "at";
        if (!isTimed || end.effects.every(isRepeatable) || isLeaving(end.effects, model)) return [];
        return [
          {
            kind: "a timer that fires twice",
            name: `${name}: its effects happen twice`,
            line: lineOf(end),
            needs: "clock",
            served: () => {
              const copy = structuredClone(model);
              const copied = copy.resources[resource]?.states?.transitions[transition]?.ends[at];
              if (copied) Reflect.set(copied, "effects", [...copied.effects, ...copied.effects]);
              return copy;
            },
          },
        ];
      }),
    ),
  );
}

/**
 * Whether the only effect fires a transition of records in one state, which all of them leave. Then
 * a second time finds none.
 */
function isLeaving(effects: readonly Effect[], { resources }: Model): boolean {
  const [effect] = effects;
  if (effects.length !== 1 || effect?.kind !== "do") return false;
  const { states } = resources.find(({ name }) => name === effect.resource) ?? {};
  const ends = states?.transitions.find(({ name }) => name === effect.transition)?.ends ?? [];
  return (states?.states ?? []).some(
    ({ name }) =>
      requiredParts(effect.where.text).includes(`this.${states?.field} == "${name}"`) &&
      ends.every(({ to, same, guard }) => to !== name && !same && !guard),
  );
}

/** The parts of a condition that must all hold; none if it also has alternatives. */
function requiredParts(text: string): readonly string[] {
  return /[|?(]/.test(text) ? [] : text.split("&&").map((part) => part.trim());
}

/** Events of a transition that are sent when the record is created, and not with the transition. */
function earlyEvents(model: Model): readonly WrongService[] {
  if (receiverAddresses(model).size === 0) return [];
  return model.events.events.flatMap(({ name, triggers, position, payload }, at) =>
    triggers.flatMap((trigger, place): readonly WrongService[] => {
      if (trigger.kind !== "transition" && trigger.kind !== "becomes") return [];
      if (payload?.text.includes("old.") || payload?.text.includes("event.changes")) return [];
      const { resource } = trigger;
      return [
        {
          kind: "an early event",
          name: `${name} is sent when the record is created`,
          line: position.start.line,
          needs: "webhooks",
          served: () => {
            const copy = structuredClone(model);
            const early = { kind: "created", resource, position: trigger.position };
            const event = copy.events.events[at];
            if (event) Reflect.set(event.triggers, place, early);
            return copy;
          },
        },
      ];
    }),
  );
}

/** Changes of a version that the older version doesn't undo. */
function versionFaults(model: Model): readonly WrongService[] {
  return model.versioning.versions.flatMap(({ name, changes, status }, version) =>
    changes.flatMap((change, at): readonly WrongService[] =>
      (change.kind === "added" || change.kind === "renamed") && status !== "retired"
        ? [
            {
              kind: "an old version that shows a new field",
              name: `before ${name}: ${change.kind} ${change.kind === "added" ? change.name : change.to}`,
              line: lineOf(change),
              needs: "responses",
              served: () => {
                const copy = structuredClone(model);
                const changed = copy.versioning.versions[version];
                if (changed) Reflect.set(changed, "changes", changed.changes.toSpliced(at, 1));
                return copy;
              },
            },
          ]
        : [],
    ),
  );
}

/** Updates that answer as they should, and keep nothing. */
function lostUpdates(model: Model): readonly WrongService[] {
  return model.endpoints.flatMap((endpoint, at): readonly WrongService[] =>
    endpoint.does.some(({ kind }) => kind === "update") && !endpoint.gap
      ? endpoint.inputs.flatMap((input, place) =>
          input.in === "body" && input.sets !== undefined
            ? [
                {
                  kind: "a lost update",
                  name: `${endpointName(endpoint)}: ${input.name.join(".")} is not kept`,
                  line: lineOf(input),
                  needs: "responses" as const,
                  served: () => {
                    const copy = structuredClone(model);
                    const copied = copy.endpoints[at]?.inputs[place];
                    if (copied) Reflect.deleteProperty(copied, "sets");
                    return copy;
                  },
                },
              ]
            : [],
        )
      : [],
  );
}

function webhookFaults(model: Model): readonly WrongService[] {
  if (receiverAddresses(model).size === 0) return [];
  const line = model.events.webhooks?.position.start.line ?? 1;
  const needs = "webhooks";
  const lost = { status: 204, headers: {}, body: new Uint8Array() };
  const served = () => model;
  return [
    {
      kind: "a lost event",
      name: "every third webhook is lost",
      line,
      needs,
      served,
      sending(send) {
        let sent = 0;
        return async (request) => {
          sent += 1;
          return sent % 3 === 0 ? lost : send(request);
        };
      },
    },
    {
      kind: "a doubled event",
      name: "every third webhook is sent twice",
      line,
      needs,
      served,
      sending(send) {
        let sent = 0;
        return async (request) => {
          sent += 1;
          if (sent % 3 === 0) await send(request);
          return send(request);
        };
      },
    },
    {
      kind: "a webhook by another method",
      name: "webhooks are sent by PUT",
      line,
      needs,
      served,
      sending: (send) => (request) => send({ ...request, method: "PUT" }),
    },
    ...(model.events.signature
      ? [
          {
            kind: "an unsigned webhook",
            name: "webhooks have no signature",
            line,
            needs: "webhooks" as const,
            served: () => {
              const copy = structuredClone(model);
              Reflect.deleteProperty(copy.events, "signature");
              return copy;
            },
          },
          {
            kind: "an unsigned webhook",
            name: "webhooks have a signature of another body",
            line,
            needs: "webhooks" as const,
            served,
            sending:
              (send: Send): Send =>
              (request) =>
                send({ ...request, body: `${String(request.body)} ` }),
          },
        ]
      : []),
  ];
}

type Answer = (request: SentRequest) => Promise<ReceivedResponse>;

function overSend(change: (send: Answer) => Answer): NonNullable<WrongService["over"]> {
  return (service) => ({ send: change((request) => service.send(request)) });
}

/** The endpoint of a request, by its method and the segments of its path. */
function isOf(endpoint: Endpoint, model: Model, { method, target }: SentRequest): boolean {
  const base = model.endpointsPart.basePath.segments;
  const segments = [...base, ...endpoint.path.segments];
  const sent = (target.split("?")[0] ?? "").split("/").slice(1);
  const isVersion =
    versionPlace(model.versioning, sent[0] ?? "")?.in === "path" && sent.length > segments.length;
  const actual = isVersion ? sent.slice(1) : sent;
  return (
    method === endpoint.method &&
    actual.length === segments.length &&
    segments.every((segment, at) => segment.kind === "parameter" || segment.text === actual[at])
  );
}

/** Pages after the first that repeat a record of theirs, and skip another. */
function pageFaults(model: Model): readonly WrongService[] {
  return model.endpoints.flatMap((endpoint): readonly WrongService[] => {
    const { pagination } = endpoint;
    if (!pagination || pagination.kind === "none" || endpoint.gap) return [];
    const names = Object.values(pagination).filter((value) => typeof value === "string");
    return [
      {
        kind: "a page that repeats a record",
        name: `${endpointName(endpoint)}: a page with a cursor or number repeats its second record`,
        line: lineOf(endpoint),
        needs: "responses",
        served: () => model,
        over: overSend((send) => async (request) => {
          const response = await send(request);
          const query = new URLSearchParams(request.target.split("?")[1] ?? "");
          const isLater = names.some((name) => query.has(name));
          if (!isLater || response.status !== 200 || !isOf(endpoint, model, request)) return response;
          return { ...response, body: repeating(response.body) };
        }),
      },
    ];
  });
}

function repeating(body: string): string {
  const repeat = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.length > 1 && typeof value[0] === "object" ? [value[1], ...value.slice(1)] : value;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, repeat(part)]));
  };
  return JSON.stringify(repeat(JSON.parse(body)));
}

/** Hidden records that are answered with 403, where the document says 404. */
function hiddenFaults(model: Model): readonly WrongService[] {
  const hiding = model.resources.filter(({ visible }) => visible);
  return hiding.flatMap((resource): readonly WrongService[] =>
    model.endpoints
      .filter(
        ({ records, gap }) =>
          !gap && records.some((record) => record.by && record.resource === resource.name),
      )
      .slice(0, 3)
      .map((endpoint) => ({
        kind: "a 404 that reveals existence",
        name: `${endpointName(endpoint)}: a hidden ${resource.name} is answered with 403`,
        line: lineOf(endpoint),
        needs: "responses",
        served: () => model,
        over: (service) => ({
          send: async (request) => {
            const response = await service.send(request);
            const stopped = service.lastAnswered()?.stopped;
            const isHidden = stopped instanceof Problem && stopped.hiddenBecause !== undefined;
            return isHidden && response.status === 404 && isOf(endpoint, model, request)
              ? { ...response, status: 403 }
              : response;
          },
        }),
      })),
  );
}

function streamFaults(model: Model): readonly WrongService[] {
  return model.endpoints.flatMap((endpoint, at): readonly WrongService[] => {
    if (!endpoint.stream || endpoint.gap || endpoint.method !== "GET") return [];
    const name = endpointName(endpoint);
    const line = lineOf(endpoint);
    const needs = "responses";
    return [
      {
        kind: "a stream with a fault",
        name: `${name}: an event is not sent`,
        line,
        needs,
        served: () => {
          const copy = structuredClone(model);
          const [send] = copy.endpoints[at]?.stream?.sends ?? [];
          if (send) Reflect.set(send, "events", send.events.slice(1));
          return copy;
        },
      },
      {
        kind: "a stream with a fault",
        name: `${name}: Last-Event-ID is ignored`,
        line,
        needs,
        served: () => model,
        over: (service) => ({
          open: (request: SentRequest): Promise<OpenedStream> =>
            service.open({
              ...request,
              headers: isOf(endpoint, model, request)
                ? request.headers.filter(([header]) => header !== "Last-Event-ID")
                : request.headers,
            }),
        }),
      },
    ];
  });
}

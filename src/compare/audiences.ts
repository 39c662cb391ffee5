/** The callers and receivers whom a resource, a transition, an error or an event concerns. */
import type { Effect, Endpoint, ErrorRow, EventRow, Model } from "../model/model.ts";
import type { Wire } from "../outputs/wire/wire.ts";
import { memoizeBy } from "../support/memoize-by.ts";

/**
 * The operations that read or change records of the resource, also by transitions of others; its
 * own ones first. Undefined if these are all operations.
 * @param isShown whether its values matter, which responses about other resources may contain
 */
export function operationsOn(model: Model, resource: string, isShown = false): readonly string[] | undefined {
  const concerned = new Set([resource]);
  for (let size = 0; size < concerned.size; ) {
    size = concerned.size;
    for (const { name, states, fields } of model.resources)
      if (mentions(states, concerned) || (isShown && mentions(fields, concerned))) concerned.add(name);
    for (const shape of isShown ? model.shapes : [])
      if (mentions(shape, concerned)) concerned.add(shape.name);
  }
  const found = model.endpoints.filter(
    (endpoint) => endpoint.does.some(({ kind }) => kind === "handler") || mentions(endpoint, concerned),
  );
  const isOwn = (endpoint: Endpoint) => endpoint.resource === resource;
  return named(model, [...found.filter(isOwn), ...found.filter((endpoint) => !isOwn(endpoint))]);
}

/** The operations that fire the transition. Undefined if something else may fire it, too. */
export function operationsThatFire(
  model: Model,
  resource: string,
  transition: string,
): readonly string[] | undefined {
  const isFired = (effects: readonly Effect[]) =>
    effects.some((effect) => effect.kind === "do" && effect.transition === transition);
  const ends = model.resources.flatMap(({ name, states }) =>
    (states?.transitions ?? []).flatMap((other) => other.ends.map((end) => ({ name, other, end }))),
  );
  const isOwn = ends.some(
    ({ name, other, end }) => name === resource && other.name === transition && end.trigger.kind !== "call",
  );
  if (isOwn || ends.some(({ end }) => isFired(end.effects))) return undefined;
  return named(
    model,
    model.endpoints.filter(
      ({ does, then, effects }) =>
        does.some(
          (own) => own.kind === "transition" && own.resource === resource && own.transition === transition,
        ) ||
        then.some((part) => namesIn(part).has(transition)) ||
        isFired(effects),
    ),
  );
}

/** The operations that may send the error of a row. */
export function operationsThatSend({ operations }: Wire, { position }: ErrorRow): readonly string[] {
  return operations
    .filter(({ refusals }) =>
      refusals.some(({ errors }) =>
        errors.some((error) => error.position?.start.offset === position.start.offset),
      ),
    )
    .map(({ endpoint }) => nameOf(endpoint));
}

/**
 * Whether anything but a stream sends the event. Streams are compared by operation. Where the
 * document is silent about webhooks, its receivers aren't known.
 */
export function hasReceivers({ to }: EventRow, { events, ledger }: Model): boolean {
  if (events.notifications.length > 0 || events.log?.as !== undefined) return true;
  if (to !== undefined) return to !== "none";
  return !ledger.some(({ item, answer }) => item === "webhooks" && answer === "none");
}

/** Whether a part of the model concerns one of the resources by name. Literals of expressions name nothing. */
function mentions(piece: object | undefined, resources: ReadonlySet<string>): boolean {
  return piece !== undefined && !namesIn(piece).isDisjointFrom(resources);
}

const namesIn = memoizeBy((piece: object): ReadonlySet<string> => {
  const names = new Set<string>();
  collectNames(piece, names);
  return names;
});

function collectNames(piece: object, names: Set<string>): void {
  if ("op" in piece && piece.op === "literal") return;
  for (const [key, value] of Object.entries(piece)) {
    // The text of an expression or a path is no name.
    if (typeof value === "string") {
      if (key !== "text") names.add(value);
    } else if (typeof value === "object" && value !== null) collectNames(value, names);
  }
}

function named(model: Model, endpoints: readonly Endpoint[]): readonly string[] | undefined {
  return endpoints.length === model.endpoints.length ? undefined : endpoints.map(nameOf);
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path.text || "/"}`;
}

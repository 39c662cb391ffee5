/**
 * Names in part 9's expressions for what a caller of an older version sent: the current inputs, and
 * those that later versions renamed or removed. No current rule checks the values of the latter, so
 * their types are open.
 */
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { splitOutside, unquote } from "../../../source/phrase.ts";
import type { Section } from "../../../syntax/nodes.ts";
import { itemsOf, keyText } from "../../../syntax/read.ts";
import type { Endpoint, Input } from "../../model.ts";
import { type EndpointName, parseEndpointName, sameEndpoint } from "../any-part/endpoint-names.ts";
import { splitAtWord } from "../any-part/when-clause.ts";

export interface SentNames {
  /** Adds what the changes of a version removed. Versions come from the newest to the oldest. */
  note(changes: Section): void;
  /** @param endpoint undefined if the expression is about the inputs of any endpoint */
  scope(base: Scope, endpoint?: EndpointName): Scope;
}

export function createSentNames(endpoints: readonly Endpoint[]): SentNames {
  const removed: { readonly endpoint: EndpointName; readonly name: string }[] = [];
  const renamed: { readonly from: string; readonly to: string }[] = [];
  return {
    note(changes) {
      for (const { key, value } of itemsOf(changes.body)) {
        const [head] = splitOutside(unquote(value), ",");
        if (!head) continue;
        const of = keyText(key) === "removed" ? splitAtWord(head, "of") : undefined;
        const endpoint = of && parseEndpointName(unquote(of[1]).text);
        if (of && endpoint) removed.push({ endpoint, name: firstOf(unquote(of[0]).text) });
        const to = keyText(key) === "renamed" ? splitAtWord(head, "to") : undefined;
        if (to) renamed.push({ from: memberOf(unquote(to[0]).text), to: memberOf(unquote(to[1]).text) });
      }
    },
    scope(base, endpoint) {
      const about = endpoints.filter(
        ({ method, path }) => !endpoint || sameEndpoint({ method, path: path.text }, endpoint),
      );
      const removedNames = removed
        .filter((removed) => !endpoint || sameEndpoint(removed.endpoint, endpoint))
        .map((removed) => removed.name);
      const typeAt = (where: Input["in"], further: readonly string[]): Type => {
        const names = about.flatMap(({ inputs }) =>
          inputs.flatMap((input) => (input.in === where ? [input.name[0]] : [])),
        );
        return objectOf([
          ...names,
          ...further,
          ...renamed.flatMap(({ from, to }) => (names.includes(to) ? [from] : [])),
        ]);
      };
      const pages = about.flatMap(({ pagination }) => (pagination ? parametersOf(pagination) : []));
      return withFixed(base, {
        body: typeAt("body", [...removedNames, ...pages]),
        query: typeAt("query", [...removedNames, ...pages]),
        path: typeAt("path", []),
      });
    },
  };
}

/** Parameters by role: `size: limit`. */
function parametersOf({
  kind: _kind,
  position: _position,
  links: _links,
  ...roles
}: NonNullable<Endpoint["pagination"]>) {
  return Object.values(roles).flatMap((name) => (typeof name === "string" ? [firstOf(name)] : []));
}

/** `page[limit]` is nested in `page`. */
function firstOf(name: string): string {
  return name.split(/[.[]/)[0] as string;
}

/** `Parcel.weight` → `weight`. */
function memberOf(name: string): string {
  return firstOf(name.slice(name.indexOf(".") + 1));
}

function objectOf(names: readonly string[]): Type {
  return { kind: "object", fields: Object.fromEntries(names.map((name) => [name, types.any])) };
}

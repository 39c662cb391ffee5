/**
 * The JSON of a body: an object, or where the endpoint accepts it (part 4, `create Book or list of
 * Book`) a list of objects.
 */
import type { Value } from "../expressions/value.ts";
import type { Json } from "../support/json.ts";
import { bareObject } from "../support/bare-object.ts";
import { nonNull } from "../support/non-null.ts";
import type { Findings } from "./findings.ts";
import type { FormNode } from "./form.ts";
import type { FieldRule } from "./rule.ts";
import { compileChecks } from "./rules/index.ts";

type Values = { readonly [name: string]: Value };

type ElementsReader = (
  body: { readonly json: Json; readonly merges?: boolean } | { readonly form: FormNode } | undefined,
  findings: Findings,
) => readonly Values[] | undefined;

/**
 * Part 4, `create Book or list of Book`: reads each element like a body of its own. Undefined for a
 * body that isn't a list.
 */
export function compileElements(
  read: (body: { readonly json: Json }, findings: Findings) => Values,
  { items }: { readonly items?: FieldRule },
): ElementsReader {
  const checks = compileChecks(items ? [items] : [], { kind: "list", of: { kind: "json" } });
  return (body, findings) => {
    if (!body || "form" in body || body.merges || !Array.isArray(body.json)) return undefined;
    const { json } = body;
    for (const check of checks) {
      const broken = check(json);
      if (broken === undefined) continue;
      findings.refuse("invalid field", "", broken, undefined, { rule: check.rule });
      return [];
    }
    const elements: Values[] = [];
    for (const [at, element] of json.entries()) {
      if (findings.full) break;
      findings.element = at;
      const known = findings.references.length;
      if (isObject(element)) elements.push(read({ json: element }, findings));
      else findings.refuse("invalid field", "", "must be an object", element);
      for (let place = known; place < findings.references.length; place += 1)
        findings.references[place] = { ...nonNull(findings.references[place]), element: at };
    }
    findings.element = undefined;
    return elements;
  };
}

export function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Reports JSON of another form. */
export function refuseBody(json: Json, order: number, findings: Findings, orElse = ""): Values {
  findings.order = order;
  findings.refuse("malformed body", "", `it must be a JSON object${orElse}`, json);
  return bareObject();
}

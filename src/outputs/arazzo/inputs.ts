/**
 * What a workflow is started with: records that the scenario is given, which no request makes. What identifies them, and the credentials
 * that requests show, are inputs, as is `{{run}}`; only those that a step uses.
 */
import { identifierFields } from "../../model/meaning.ts";
import type { Model, Resource, ScenarioStep } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { Names } from "../wire/names.ts";

export type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

export interface Inputs {
  expressionOf(name: string): string | undefined;
  /** A header's value or a parameter's, with the credentials of given records as inputs. */
  withCredentials(value: string): string;
  /** JSON Schema of those that were used so far; undefined for none. */
  schema(): Json | undefined;
}

interface Input {
  readonly name: string;
  readonly schema: Readonly<Record<string, Json>>;
}

interface Credential {
  readonly secret: string;
  readonly field: string;
  readonly step: GivenStep;
}

/** @param names those that captures have are taken */
export function createInputs(model: Model, steps: readonly ScenarioStep[], names: Names): Inputs {
  const givens = steps.filter((step) => step.kind === "given");
  const byName = new Map<string, Input>([
    ["run", { name: "run", schema: { type: "string", description: "A short text, new in each run." } }],
    ...givens.flatMap((step): readonly [string, Input][] =>
      step.as === undefined ? [] : [[step.as, identifierInput(model, step.as, step)]],
    ),
  ]);
  const credentials = givens.flatMap((step) => credentialsOf(model, step));
  const byText = new Map<string, Input>();
  const used = new Set<Input>();

  const use = (input: Input) => {
    used.add(input);
    return `$inputs.${input.name}`;
  };

  const credentialInput = (text: string): Input | undefined => {
    const known = byText.get(text);
    const found = known
      ? undefined
      : credentials.find(({ secret }) => secret === text || isPartOfBasic(secret, text));
    if (!found) return known;
    const { field, step, secret } = found;
    const name = names.take([nameOf(secret === text ? secret : `basic ${secret}`)], {
      subject: "a credential",
      position: step.position,
    });
    const how = secret === text ? "" : ", as basic authentication sends it";
    const description = `The ${field} of the ${step.resource} of line ${step.position.start.line}${how}.`;
    const made = { name, schema: { type: "string", description, default: text } };
    byText.set(text, made);
    return made;
  };

  return {
    expressionOf(name) {
      const input = byName.get(name);
      return input && use(input);
    },
    withCredentials(value) {
      const words = value.split(" ");
      const last = words.pop() as string;
      const input = credentialInput(last);
      if (!input) return value;
      return words.length === 0 ? use(input) : `${words.join(" ")} {${use(input)}}`;
    },
    schema() {
      if (used.size === 0) return undefined;
      const all = [...used];
      const required = all.filter(({ schema }) => schema["default"] === undefined).map(({ name }) => name);
      return {
        type: "object",
        properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
        ...(required.length === 0 ? {} : { required }),
      };
    },
  };
}

/** `Shop with name = "Ada & Co" as shop`, as the document has it. */
export function givenText({ resource, fields, as }: GivenStep): string {
  const values = fields.map(({ field, value }) => `${field} = ${value.text}`).join(", ");
  return resource + (values === "" ? "" : ` with ${values}`) + (as === undefined ? "" : ` as ${as}`);
}

function identifierInput(model: Model, name: string, step: GivenStep): Input {
  const resource = model.resources.find((one) => one.name === step.resource);
  const description = `What identifies the ${step.resource} of line ${step.position.start.line}.`;
  return { name, schema: { ...typeOfIdentifier(resource), description } };
}

/** Said only where it is plain: an identifier may be a reference, or several fields. */
function typeOfIdentifier(resource: Resource | undefined): Readonly<Record<string, Json>> {
  const names = resource ? identifierFields(resource) : [];
  const field = names.length === 1 ? resource?.fields.find((one) => one.name === names[0]) : undefined;
  if (!field || field.type.kind === "reference") return {};
  return { type: field.type.kind === "integer" ? "integer" : "string" };
}

function credentialsOf({ resources }: Model, step: GivenStep): readonly Credential[] {
  const fields = resources.find((one) => one.name === step.resource)?.fields ?? [];
  return step.fields.flatMap(({ field, value: { node } }) => {
    const kind = fields.find((one) => one.name === field)?.type.kind;
    if (kind !== "credential" && kind !== "password") return [];
    return node.op === "literal" && typeof node.value === "string"
      ? [{ secret: node.value, field, step }]
      : [];
  });
}

/** RFC 7617: user and password with a colon between, in base64. */
function isPartOfBasic(secret: string, text: string): boolean {
  if (!/^[A-Za-z0-9+/]+=*$/.test(text)) return false;
  try {
    return atob(text).split(":").includes(secret);
  } catch {
    return false;
  }
}

function nameOf(text: string): string {
  return text.replace(/\W+/g, "_").replace(/^(?=\d)/, "_");
}
